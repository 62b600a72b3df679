"""The program for arm64 beside that for this machine: it runs NEON, reads the models of the other, and answers as it does, to the tolerance that
equilibria are found to.

usage: answers.py NATIVE_PROGRAM EMULATOR... ARM64_PROGRAM
"""

import csv
import io
import json
import math
import os
import subprocess
import sys
import tempfile

TOLERANCE = 2e-4  # of answers of order one: the residual is below 1e-5, the network may amplify it, and fused multiply-adds round once


def said(program, *arguments):
    ran = subprocess.run([*program, *map(str, arguments)], capture_output=True, text=True, timeout=250)
    if ran.returncode != 0:
        sys.exit(f"{program} {arguments}: {ran.returncode}\n{ran.stdout}{ran.stderr}")
    return ran.stdout


def write_table(path):
    with open(path, "w", encoding="utf-8") as file:
        print("a,b,t", file=file)
        for k in range(300):
            a, b = math.sin(k * k % 83), math.cos(k * 7 % 61)
            print(f"{a:.5f},{b:.5f},{math.sin(2 * a) + b / 2:.5f}", file=file)


def answers(program, model):
    rows = list(csv.DictReader(io.StringIO(said(program, "predict", model, "table.csv"))))
    return [(row["outcome"] if "outcome" in row else row["settled"], float(row["t"])) for row in rows]


def compare(native, arm64, *options):
    for folder, maker in (("native", native), ("arm64", arm64)):
        said(maker, "train", "table.csv", "--target", "t", "--epochs", 15, "--quiet", "--out", folder, *options)
        here, there = answers(native, folder), answers(arm64, folder)
        if [word for word, _ in here] != [word for word, _ in there]:
            sys.exit(f"{options}: a row settles on one of them only")
        apart = max(abs(x - y) for (_, x), (_, y) in zip(here, there))
        print(f"trained on {folder}, {' '.join(options)}: {len(here)} answers at most {apart:.1e} apart")
        if not apart < TOLERANCE:
            sys.exit(f"answers {apart} apart")
    losses = [json.loads(said(native, "eval", folder, "table.csv", "--json"))["loss"] for folder in ("native", "arm64")]
    print(f"loss of the training here {losses[0]:.6f}, there {losses[1]:.6f}")
    if not math.isclose(*losses, rel_tol=0.02):
        sys.exit("fifteen epochs lead to different losses")


native, arm64 = sys.argv[1:2], sys.argv[2:]
if not os.path.exists(native[0]):
    sys.exit(f"{native[0]} is not there to compare with: cmake --build --preset release --target irn_program")
findings = {found["name"]: found for found in json.loads(said(arm64, "doctor", "--json"))["findings"]}
print("instructions:", findings["instructions"]["text"])
if findings["instructions"]["facts"]["in_use"] != "NEON":
    sys.exit("NEON is not in use")
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    write_table("table.csv")
    compare(native, arm64, "--layers", "24")
    for name in ("native", "arm64"):
        os.rename(name, name + "-first")
    compare(native, arm64, "--layers", "8-6", "--solver", "newton", "--certify", "0")
