"""MNIST: 60,000 images to train on, 10,000 others to judge by; with no option but the images, with one dense layer with and without a certificate, and
with the options worth knowing, of a dense layer and of convolutions.

    mnist.py IMAGES-FOLDER --irn PROGRAM [--results FOLDER] [--threads N]

Three seeds each, the sets of options in turn, so that their times can be compared. Results are kept as those of the collection are: the label is `mnist`, a table is a set of options, a split is a seed.
"""
import argparse
import json
import os
import statistics
import tempfile

from ours import DIVERGED, answered, run
from store import Job, digest, file_digest, is_done, read_result, write_result

SEEDS = 3
DOCUMENTED = ["--layers", "256", "--epochs", "30", "--noise", "1", "--validation", "0", "--optimiser",
              "adamw:rate=0.003,weight-decay=0.3"]
CONVOLUTIONS = ["--convolutions", "40k5s2,80k5s2,160k3s2", "--recurrence", "lateral=conv1", "--epochs", "9", "--batch", "128", "--tolerance", "1e-4",
                "--augment", "shift=2,rotate=12,scale=0.12,shear=0.1", "--optimiser", "adamw:rate=0.003,weight-decay=0.02", "--schedule",
                "one-cycle", "--loss", "cross-entropy:smoothing=0.1", "--average", "0.999", "--validation", "0"]
OPTIONS = {"no-option": [], "dense": ["--layers", "128"], "free": ["--layers", "128", "--certify", "0"], "documented": DOCUMENTED,
           "convolutions": CONVOLUTIONS}
TRAIN, TEST = "train-images-idx3-ubyte", "t10k-images-idx3-ubyte"


def table(name):
    return {"name": name, "folder": name, "digests": ["mnist"] * SEEDS}


def train_and_judge(irn, images, options, seed, threads, judge_options=()):
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "model")
        code, _, messages, clock, seconds = run([irn, "train", os.path.join(images, TRAIN), "--out", model, "--quiet", "--seed",
                                                 str(seed), "--threads", str(threads), *options])
        if code not in (0, DIVERGED):
            raise RuntimeError(f"MNIST: {messages.strip()}")
        result = json.loads(answered([irn, "eval", model, os.path.join(images, TEST), "--json", *judge_options]))
        info = json.loads(answered([irn, "info", model, "--json"]))
    return {"score": result["accuracy"], "settled": result["settled"], "evaluations": result["mean_evaluations"],
            "network": info["network"], "code": code, "clock": clock, "seconds": seconds, "threads": threads}


def found(results, name, label="mnist"):
    """The results of all seeds, or None where one of them is missing."""
    seeds = [read_result(results, label, table(name), seed) for seed in range(SEEDS)]
    return None if None in seeds else seeds


def summary(results):
    """A row for each set of options that is complete, mean over the seeds."""
    rows = ["| options | network | test accuracy | by seed | settled | evaluations a sample | training, reading included "
            "| processor |", "|---" * 8 + "|"]
    for name, seeds in ((name, found(results, name)) for name in OPTIONS):
        if seeds is None:
            continue
        scores, settled, evaluations, clock, seconds = ([r[what] for r in seeds]
                                                        for what in ("score", "settled", "evaluations", "clock", "seconds"))
        rows.append(f"| {name.replace('-', ' ')} | `{seeds[0]['network']}` | {statistics.fmean(scores):.2%} "
                    f"| {', '.join(f'{s:.2%}' for s in scores)} | {statistics.fmean(settled):.2%} "
                    f"| {statistics.fmean(evaluations):.1f} | {statistics.fmean(clock):.0f} s | {statistics.fmean(seconds):.0f} s |")
    return "\n".join(rows)


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("images", metavar="IMAGES-FOLDER")
    parser.add_argument("--irn", required=True)
    parser.add_argument("--results", default="build/collection/results")
    parser.add_argument("--threads", type=int, default=2)
    return parser.parse_args()


def main():
    args = arguments()
    for seed in range(SEEDS):
        for name, options in OPTIONS.items():
            job = Job(table(name), seed, args.images)
            key = digest(file_digest(args.irn), args.threads, *options)
            if not is_done(args.results, "mnist", job, key):
                result = train_and_judge(args.irn, args.images, options, seed, args.threads)
                write_result(args.results, "mnist", job, key, result)
                print(f"mnist     {name:14} {seed}  {result['score']:.4f}  {result['clock']:.0f} s", flush=True)


if __name__ == "__main__":
    main()
