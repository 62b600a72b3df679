"""What helps in training bring on images: a small network on the first 6,000 images of MNIST, judged by all 10,000 test images.

    image_helps.py IMAGES-FOLDER --irn PROGRAM [--results FOLDER] [--threads N]

Each help by itself, once without augmentation and once with that of the defaults; three seeds each, the same ones for all. Results are kept as those of
mnist.py are: the label is `image-helps`, a table is a set of options, a split is a seed. Standard library only.
"""
import os
import shutil
import statistics
import struct
import tempfile

from mnist import SEEDS, TEST, TRAIN, arguments, found, table, train_and_judge
from store import Job, digest, file_digest, is_done, write_result
from summary import difference

LABEL = "image-helps"
IMAGES = 6000
NETWORK = ["--convolutions", "16k5s2,32k3s2", "--recurrence", "lateral=conv1", "--epochs", "15", "--validation", "0"]
AUGMENT = "shift=1,rotate=10,scale=0.1"
HELPS = {"dropout": ["--dropout", "0.1"], "normalised weights": ["--normalise"], "average": ["--average", "0.99"],
         "label smoothing": ["--loss", "cross-entropy:smoothing=0.1"]}
VIEWS = ["--views", "8"]


def runs():
    """Name of each set of options, what to train with, and what to judge with."""
    plain, augmented = [*NETWORK, "--augment", "none"], [*NETWORK, "--augment", AUGMENT]
    for kind, base in (("plain", plain), ("augmented", augmented)):
        yield kind, base, []
        for name, options in HELPS.items():
            yield f"{kind}, {name}", [*base, *options], []
    yield "augmented, views", augmented, VIEWS
    yield "augmented, normalised weights, views", [*augmented, *HELPS["normalised weights"]], VIEWS
    yield "augmented, average, label smoothing", [*augmented, *HELPS["average"], *HELPS["label smoothing"]], []


def write_first(source, target, count):
    """The first items of an IDX file of bytes."""
    with open(source, "rb") as f:
        head = f.read(4)
        sizes = struct.unpack(f">{head[3]}i", f.read(4 * head[3]))
        item = 1
        for size in sizes[1:]:
            item *= size
        data = f.read(count * item)
    with open(target, "wb") as f:
        f.write(head + struct.pack(f">{head[3]}i", count, *sizes[1:]) + data)


def write_images(images, folder):
    """The first images to train on, and all to judge by."""
    for name in (TRAIN, TRAIN.replace("images-idx3", "labels-idx1")):
        write_first(os.path.join(images, name), os.path.join(folder, name), IMAGES)
    for name in (TEST, TEST.replace("images-idx3", "labels-idx1")):
        shutil.copy(os.path.join(images, name), folder)


def network(results):
    seeds = found(results, "plain", LABEL)
    return seeds[0]["network"] if seeds else ""


def row(name, results, base):
    seeds = found(results, name, LABEL)
    if seeds is None:
        return None
    scores = [r["score"] for r in seeds]
    gain = ""
    if base is not None and seeds != base:
        d, e = difference(seeds, base)
        gain = f"{round(100 * d, 2) + 0.0:+.2f} ± {100 * e:.2f}"  # no minus before a zero
    settled, evaluations, seconds = (statistics.fmean(r[what] for r in seeds) for what in ("settled", "evaluations", "seconds"))
    return (f"| {name} | {statistics.fmean(scores):.2%} | {', '.join(f'{s:.2%}' for s in scores)} | {gain} | {settled:.2%} | {evaluations:.1f} "
            f"| {seconds:.0f} s |")


def summary(results):
    """A row for each set of options that is complete; differences are taken seed by seed, from the first of its kind."""
    rows = ["| options | test accuracy | by seed | gain, points | settled | evaluations an image | processor time of training |", "|---" * 7 + "|"]
    for name, _, _ in runs():
        line = row(name, results, found(results, name.split(",")[0], LABEL))
        if line is not None:
            rows.append(line)
    return "\n".join(rows)


def work(args, folder):
    program = file_digest(args.irn)
    for seed in range(SEEDS):
        for name, options, judge_options in runs():
            job = Job(table(name), seed, args.images)
            key = digest(program, IMAGES, *options, *judge_options)
            if is_done(args.results, LABEL, job, key):
                continue
            result = train_and_judge(args.irn, folder, options, seed, args.threads, judge_options)
            write_result(args.results, LABEL, job, key, result)
            print(f"{LABEL} {name:30} {seed}  {result['score']:.4f}  {result['seconds']:.0f} s", flush=True)


def main():
    args = arguments()
    with tempfile.TemporaryDirectory() as folder:
        write_images(args.images, folder)
        work(args, folder)
    print(summary(args.results))


if __name__ == "__main__":
    main()
