"""Models of scikit-learn on the collection: its MLP, HistGradientBoosting and a linear model.

    peers.py HALF-FOLDER... [--results FOLDER] [--only TABLE] [--peer NAME]

Everything is fitted to the training rows alone: means for what is missing, the texts that are known, scales of inputs and targets.
Times are of the processor, on one thread, for fitting; reading the file is not in them. `RESULTS/NAME/TABLE-SPLIT.json` each.
"""
import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # before NumPy is loaded: one thread, as for irn
    os.environ[variable] = "1"

import argparse
import csv
import time
import warnings

import numpy as np
import sklearn
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, r2_score
from sklearn.multioutput import MultiOutputRegressor
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from store import digest, is_done, jobs, write_result


def read(path, table):
    """Inputs as a matrix of objects (numbers and texts), and the targets."""
    with open(path, newline="") as f:
        names, *rows = csv.reader(f)
    columns = dict(zip(names, map(np.array, zip(*rows))))
    targets = [columns.pop(name) for name in table["targets"]]
    numbers = {name: v if name in table["texts"] else np.where(v == "", "nan", v).astype(float) for name, v in columns.items()}
    if table["task"] == "classification":
        return as_objects(numbers), targets[0]
    return as_objects(numbers), np.stack(targets, axis=1).astype(float)


def as_objects(columns):
    x = np.empty((len(next(iter(columns.values()))), len(columns)), dtype=object)
    for i, values in enumerate(columns.values()):
        x[:, i] = values
    return x


def encode(table, path, scaled):
    """Texts to columns of 0 and 1, of those values that training has seen; numbers filled and scaled, or left as they are."""
    with open(path, newline="") as f:
        names = [name for name in next(csv.reader(f)) if name not in table["targets"]]
    texts = [i for i, name in enumerate(names) if name in table["texts"]]
    numbers = [i for i, name in enumerate(names) if name not in table["texts"]]
    filled = make_pipeline(SimpleImputer(), StandardScaler()) if scaled else "passthrough"
    one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return ColumnTransformer([("numbers", filled, numbers), ("texts", one_hot, texts)])


def mlp(table, seed):
    if table["task"] == "classification":
        return MLPClassifier(max_iter=500, random_state=seed)
    return TransformedTargetRegressor(MLPRegressor(max_iter=500, random_state=seed), transformer=StandardScaler())


def boosting(table, seed):
    if table["task"] == "classification":
        return HistGradientBoostingClassifier(random_state=seed)
    return MultiOutputRegressor(HistGradientBoostingRegressor(random_state=seed))


def linear(table, _):
    return LogisticRegression(max_iter=1000) if table["task"] == "classification" else Ridge()


PEERS = {"mlp": (mlp, True), "boosting": (boosting, False), "linear": (linear, True)}


def fit_and_judge(job, peer):
    make, scaled = PEERS[peer]
    (x, y), (test_x, test_y) = read(job.train, job.table), read(job.test, job.table)
    model = make_pipeline(encode(job.table, job.train, scaled), FunctionTransformer(np.float64), make(job.table, job.split))
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that 500 iterations were too few
        model.fit(x, y if job.table["task"] == "classification" or y.shape[1] > 1 or peer == "boosting" else y[:, 0])
    seconds = time.process_time() - start
    answers = model.predict(test_x)
    judge = accuracy_score if job.table["task"] == "classification" else r2_score  # R2: the mean over the targets
    return {"score": float(judge(test_y, answers)), "seconds": seconds}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("halves", nargs="+", metavar="HALF-FOLDER")
    parser.add_argument("--results", default="build/collection/results")
    parser.add_argument("--only", action="append", metavar="TABLE")
    parser.add_argument("--peer", action="append", choices=PEERS)
    args = parser.parse_args()
    for job in (job for half in args.halves for job in jobs(half, args.only)):
        for peer in args.peer or PEERS:
            key = digest(sklearn.__version__, peer, job.table["digests"][job.split], "1")
            if not is_done(args.results, peer, job, key):
                result = fit_and_judge(job, peer)
                write_result(args.results, peer, job, key, result)
                print(f"{peer:9} {job.table['name']:14} {job.split}  {result['score']:.4f}  {result['seconds']:.2f} s", flush=True)


if __name__ == "__main__":
    main()
