"""irn on data nobody here made: scikit-learn's sets beside its MLP, and MNIST. Writes docs/real-data.md.

    compare.py IRN MNIST-FOLDER PAGE.md [--repeats N]

Each fold is a pair of CSV files. irn trains on one with its default options and is judged on the other by `irn eval`;
scikit-learn's MLP, with its defaults, gets the same rows with inputs scaled by the training rows. Repeats differ in the
folds and in the seeds of both.
"""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np
import sklearn
from sklearn import datasets
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

SETS = {
    "iris": datasets.load_iris,
    "wine": datasets.load_wine,
    "breast cancer": datasets.load_breast_cancer,
    "digits": datasets.load_digits,
    "diabetes": datasets.load_diabetes,
}


def write_csv(path, x, y):
    with open(path, "w", newline="") as f:
        writer = csv.writer(f)
        writer.writerow([f"x{i}" for i in range(x.shape[1])] + ["target"])
        writer.writerows([*map(repr, map(float, row)), value] for row, value in zip(x, y))


def irn_score(irn, folder, train, test, seed, options):
    """Score on the test rows, seconds of training, and the share of test samples that settled."""
    files = [os.path.join(folder, name) for name in ("train.csv", "test.csv")]
    for file, rows in zip(files, (train, test)):
        write_csv(file, *rows)
    model = os.path.join(folder, "model")
    start = time.perf_counter()
    subprocess.run([irn, "train", files[0], "--target", "target", "--quiet", "--overwrite", "--out", model,
                    "--seed", str(seed), *options], check=True, stdout=subprocess.DEVNULL)
    seconds = time.perf_counter() - start
    found = subprocess.run([irn, "eval", model, files[1], "--json"], check=True, capture_output=True)
    result = json.loads(found.stdout)
    return result.get("accuracy", result.get("R2")), seconds, result["settled"]


def mlp_score(classes, train, test, seed):
    mlp = (MLPClassifier if classes else MLPRegressor)(random_state=seed)
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its default number of iterations is often too small for itself
        model = make_pipeline(StandardScaler(), mlp).fit(*train)
    return model.score(*test), time.perf_counter() - start


def compare(irn, folder, name, repeats, options):
    data = SETS[name]()
    x, classes = data.data, hasattr(data, "target_names")
    y = np.array([str(data.target_names[i]) for i in data.target]) if classes else data.target
    ours, theirs, our_seconds, their_seconds, settled = [], [], [], [], []
    for repeat in range(repeats):
        splitter = (StratifiedKFold if classes else KFold)(5, shuffle=True, random_state=repeat)
        for train, test in splitter.split(x, y):
            score, seconds, share = irn_score(irn, folder, (x[train], y[train]), (x[test], y[test]), repeat, options)
            ours.append(score), our_seconds.append(seconds), settled.append(share)
            score, seconds = mlp_score(classes, (x[train], y[train]), (x[test], y[test]), repeat)
            theirs.append(score), their_seconds.append(seconds)
    return {"name": name, "rows": len(x), "columns": x.shape[1], "metric": "accuracy" if classes else "R2",
            "ours": ours, "theirs": theirs, "our_seconds": our_seconds, "their_seconds": their_seconds,
            "settled": settled}


def spread(values):
    return f"{np.mean(values):.4f} ± {np.std(values) / np.sqrt(len(values)):.4f}"


def row(r):
    return (f"| {r['name']} | {r['rows']} | {r['columns']} | {r['metric']} | {spread(r['ours'])} | {spread(r['theirs'])} "
            f"| {np.mean(np.array(r['ours']) - np.array(r['theirs'])):+.4f} | {100 * np.mean(r['settled']):.2f} % "
            f"| {np.mean(r['our_seconds']):.2f} s | {np.mean(r['their_seconds']):.2f} s |")


MNIST_OPTIONS = ["--layers", "128", "--activation", "relu", "--solver", "anderson", "--batch", "128",
                 "--epochs", "10", "--rate", "0.003", "--noise", "0.3"]


def mnist(irn, data, folder, threads):
    """Trains on the 60,000 images and judges on the 10,000 others; what `irn eval` says, and the seconds of training."""
    model = os.path.join(folder, "mnist")
    start = time.perf_counter()
    subprocess.run([irn, "train", os.path.join(data, "train-images-idx3-ubyte"), "--out", model, "--quiet",
                    "--threads", str(threads), *MNIST_OPTIONS], check=True, stdout=subprocess.DEVNULL)
    seconds = time.perf_counter() - start
    found = subprocess.run([irn, "eval", model, os.path.join(data, "t10k-images-idx3-ubyte"), "--json"], check=True,
                           capture_output=True)
    return json.loads(found.stdout), seconds


def processor():
    with open("/proc/cpuinfo") as f:
        return next(line.split(":")[1].strip() for line in f if line.startswith("model name"))


PAGE = """# On data nobody here made

Regenerated by `scripts/real-data`. {version}, scikit-learn {sklearn}, {processor}, {threads} threads, {date}.

## Small tables

The data sets that scikit-learn carries, each as a CSV file, five folds x {repeats} repeats. irn trains with its default
options (`irn train fold.csv --target target`) and is judged on the rows left out by `irn eval`. Beside it scikit-learn's
MLP with its defaults, on the same folds, its inputs scaled to mean 0 and deviation 1 by the training rows. Mean and
standard error over the folds; the difference is taken fold by fold. Times are of one fold, with start and reading.

{table}

The MLP's R2 on `diabetes` is below zero because its defaults do not scale the target and stop before they have learnt
its size.

## MNIST

All 60,000 images to train on (a tenth of them held out to choose the best epoch), 10,000 others to judge. A fully
connected implicit network with 128 hidden neurons that feed each other:

    irn train train-images-idx3-ubyte {mnist_options}
    irn eval train-images-idx3-ubyte-model t10k-images-idx3-ubyte

| test accuracy | settled | evaluations a sample | training, reading included |
|---|---|---|---|
| {accuracy:.2%} | {settled:.2%} | {evaluations:.1f} | {seconds:.0f} s |
"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("irn")
    parser.add_argument("mnist", help="folder of the IDX files")
    parser.add_argument("page", help="Markdown file to write")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    rows = ["| data | rows | columns | score | irn | scikit-learn MLP | difference | settled | irn | MLP |",
            "|---|---|---|---|---|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as folder:
        for name in SETS:
            rows.append(row(compare(args.irn, folder, name, args.repeats, ["--threads", str(args.threads)])))
            print(rows[-1], flush=True)
        result, seconds = mnist(args.irn, args.mnist, folder, args.threads)
    version = subprocess.run([args.irn, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    page = PAGE.format(version=version, sklearn=sklearn.__version__, processor=processor(), threads=args.threads,
                       date=time.strftime("%Y-%m-%d"), repeats=args.repeats, table="\n".join(rows),
                       mnist_options=" ".join(MNIST_OPTIONS), accuracy=result["accuracy"], settled=result["settled"],
                       evaluations=result["mean_evaluations"], seconds=seconds)
    with open(args.page, "w") as f:
        f.write(page)
    print(f"MNIST: {result['accuracy']:.2%} in {seconds:.0f} s")


if __name__ == "__main__":
    sys.exit(main())
