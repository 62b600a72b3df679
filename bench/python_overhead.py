#!/usr/bin/env python3
"""What Python adds to C++:  python_overhead.py [BUILD]  (build/release, if nothing is said)

Bulk calls and single rows beside the same calls of the C++ front door (bench_python_peer), the import, and irn.train and
ImplicitClassifier.fit beside `irn train` on scikit-learn's tables. The answers are checked before they are timed. Times of calls are processor time, medians of many; the two
sides take turns, so that a busy machine is busy for both. IRN_THREADS=1 is set for both.
"""

import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "release").resolve()
os.environ["IRN_THREADS"] = "1"
sys.path.insert(0, str(BUILD / "python"))

import numpy as np  # noqa: E402

import irn  # noqa: E402


class Peer:
    """The C++ side, one call at a time."""

    def __init__(self, *arguments):
        command = [BUILD / "bench" / "bench_python_peer", *map(str, arguments)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, name):
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())


def calls(architecture, rows, seconds=6):
    """name -> (C++, Python) seconds of a call."""
    random = np.random.default_rng(0)
    network = irn.Network(architecture, seed=1)
    x = random.normal(size=(rows, network.inputs))
    single = x.astype(np.float32)
    first, row = single[:1].copy(), x[:1].copy()
    model = irn.Model.of_network(network)
    ours = {
        "settle_bulk": lambda: network.settle(single),
        "settle_row": lambda: network.settle(first),
        "predict_bulk": lambda: model.predict(x),
        "predict_row": lambda: model.predict(row),
    }
    assert np.allclose(network.settle(single).outputs, model.predict(x).reshape(rows, -1), atol=1e-5)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        network.save(folder / "network.irn")
        x.tofile(folder / "x.bin")
        peer = Peer(folder / "network.irn", folder / "x.bin", rows)
        return {name: in_turns(lambda: peer(name), call, seconds) for name, call in ours.items()}


def in_turns(theirs, call, seconds):
    """Medians."""
    times, end = ([], []), time.perf_counter() + seconds
    while time.perf_counter() < end:
        times[0].append(theirs())
        begin = time.process_time()
        call()
        times[1].append(time.process_time() - begin)
    return [statistics.median(side) for side in times]


def import_time():
    script = "import time; t = time.perf_counter(); import irn; print(time.perf_counter() - t)"
    environment = {**os.environ, "PYTHONPATH": str(BUILD / "python")}
    times = [float(subprocess.run([sys.executable, "-c", script], env=environment, check=True, capture_output=True, text=True).stdout) for _ in range(9)]
    return min(times), statistics.median(times)


def trainings():
    """name -> seconds of the program, of irn.train on the same file, and of fit on the same arrays."""
    from sklearn import datasets

    from irn.sklearn import ImplicitClassifier, ImplicitRegressor

    tables = {"iris": datasets.load_iris(), "wine": datasets.load_wine(), "breast cancer": datasets.load_breast_cancer(), "digits": datasets.load_digits(), "diabetes": datasets.load_diabetes()}
    for name, data in tables.items():
        regression = name == "diabetes"
        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder) / "table.csv"
            columns = [f"x{k}" for k in range(data.data.shape[1])]
            values = np.column_stack([data.data, data.target])
            np.savetxt(table, values, delimiter=",", header=",".join([*columns, "y"]), comments="", fmt="%.17g")
            begin = time.perf_counter()
            subprocess.run([BUILD / "bin" / "irn", "train", table, "--target", "y", "--quiet", "--threads", "1"], cwd=folder, check=True, capture_output=True)
            program = time.perf_counter() - begin
            begin = time.perf_counter()
            training = irn.train(table, target="y")
            train = time.perf_counter() - begin
            assert training.model.network == irn.load(pathlib.Path(folder) / "table-model").network, "the weights are the program's"
            estimator = ImplicitRegressor() if regression else ImplicitClassifier()
            begin = time.perf_counter()
            estimator.fit(data.data, data.target)
            yield name, len(values), program, train, time.perf_counter() - begin


def main():
    print("network | rows | call | C++ | Python | Python adds")
    for architecture, rows in (("100-5-2", 100_000), ("4-64-3identity/lateral", 20_000)):
        for name, (plain, python) in calls(architecture, rows).items():
            if name.endswith("bulk"):
                print(f"{architecture} | {rows} | {name} | {plain * 1e3:.2f} ms | {python * 1e3:.2f} ms | {(python / plain - 1) * 100:+.1f} %")
            else:
                print(f"{architecture} | 1 | {name} | {plain * 1e6:.2f} us | {python * 1e6:.2f} us | {(python - plain) * 1e6:+.1f} us")
    print("import irn: %.3f s at best, %.3f s in the median" % import_time())
    print("table | rows | irn train | irn.train | fit")
    for name, rows, program, train, fit in trainings():
        print(f"{name} | {rows} | {program:.2f} s | {train:.2f} s | {fit:.2f} s")


if __name__ == "__main__":
    main()
