"""irn on the collection, with any options: trains on the rows of each split and is judged on those left out.

    ours.py HALF-FOLDER... --irn PROGRAM --run "LABEL=OPTIONS" [--run ...] [--like LABEL] [-j PROCESSES] [--results FOLDER]

With several runs every table and split is trained in turn with the options of each, so that their times can be compared.
A row that did not settle is wrong, where there are classes; of numbers it counts as if the mean of the training rows had been answered.
In the options, {layers} stands for the hidden layers that the run of the label --like has chosen for this table and split, and
{last} for the last of them. Results as in store.py, with a key of the program, the options and the data. Standard library only.
"""
import argparse
import concurrent.futures
import csv
import json
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib

from store import digest, file_digest, is_done, jobs, read_result, write_result

REFUSED, DIVERGED = 3, 4  # exit codes: the table was refused; training stopped and kept its best weights


def has_option(irn, command, option):
    return option in subprocess.run([irn, command, "--help"], capture_output=True, text=True, check=True).stdout


def run(command):
    """Exit code, output, messages, seconds on the clock and of the processor."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as messages:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=messages)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0), messages.seek(0)
        return process.returncode, out.read(), messages.read(), seconds, usage.ru_utime + usage.ru_stime


def answered(command):
    code, out, messages, _, _ = run(command)
    if code != 0:
        raise RuntimeError(f"{shlex.join(command)}: {messages.strip()}")
    return out


def table_of(path, names):
    with open(path, newline="") as f:
        return [[row[name] for name in names] for row in csv.DictReader(f)]


def r2(truth, answers, mean):
    answers = [mean if a == "" else float(a) for a in answers]
    centre = statistics.fmean(truth)
    return 1 - sum((t - a) ** 2 for t, a in zip(truth, answers)) / sum((t - centre) ** 2 for t in truth)


def r2_of_all(irn, model, job):
    """Mean over the targets of R2 over all rows, the mean of the training rows where there is no answer."""
    names = job.table["targets"]
    known = list(zip(*[map(float, row) for row in table_of(job.train, names)]))
    truth = list(zip(*[map(float, row) for row in table_of(job.test, names)]))
    rows = csv.DictReader(answered([irn, "predict", model, job.test, "--quiet"]).splitlines())
    answers = list(zip(*[[row[name] for name in names] for row in rows]))
    return statistics.fmean(r2(t, a, statistics.fmean(k)) for t, a, k in zip(truth, answers, known))


def score(irn, model, job, result):
    if job.table["task"] == "classification":
        return result["accuracy"]  # irn eval counts a row without an answer as wrong
    if result["settled"] < 1:
        return r2_of_all(irn, model, job)
    return statistics.fmean(target["R2"] for target in result["targets"].values())


def hidden_layers(folder):
    with open(os.path.join(folder, "config.toml"), "rb") as f:
        return tomllib.load(f)["layers"]


def train_and_judge(irn, job, options, threads):
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "model")
        command = [irn, "train", job.train, "--target", ",".join(job.table["targets"]), *job.table["options"], "--quiet",
                   "--out", model, "--seed", str(job.split), *threads, *options]
        code, _, messages, clock, seconds = run(command)
        if code == REFUSED:
            return {"score": 0.0, "settled": 0.0, "samples": len(table_of(job.test, [])), "evaluations": 0, "parameters": 0,
                    "code": code, "clock": clock, "seconds": seconds, "message": messages.strip()}
        if code not in (0, DIVERGED):  # interrupted, a wrong option, a bug: not the table's fault
            raise RuntimeError(f"{shlex.join(command)}: code {code}: {messages.strip()}")
        result = json.loads(answered([irn, "eval", model, job.test, "--json", *threads]))
        info = json.loads(answered([irn, "info", model, "--json"]))
        return {"score": score(irn, model, job, result), "settled": result["settled"], "samples": result["samples"],
                "evaluations": result["mean_evaluations"], "code": code, "clock": clock, "seconds": seconds,
                "parameters": info["parameters"], "network": info["network"], "layers": hidden_layers(model),
                "epochs": info["metrics"].get("epochs"), "message": messages.strip()}


def filled(options, job, like, results):
    """The options with the layers of another run in them, or nothing if that run is not there."""
    if not like:
        return options
    other = read_result(results, like, job.table, job.split)
    if other is None or "layers" not in other:
        return None
    return [o.format(layers=other["layers"], last=other["layers"].split("-")[-1]) for o in options]


def work(args, job, label, options, program, threads):
    """Runs a job unless its result is there; what there is to say about it."""
    place = f"{label:9} {job.table['name']:14} {job.split}"
    options = filled(shlex.split(options), job, args.like, args.results)
    if options is None:
        return f"{place}  no run of '{args.like}' to take the layers from"
    key = digest(program, *options, *job.table["options"], job.table["digests"][job.split])
    if is_done(args.results, label, job, key):
        return None
    result = train_and_judge(args.irn, job, options, threads)
    write_result(args.results, label, job, key, {**result, "options": options, "program": program})
    failed = f"  code {result['code']}: {result['message']}" if result["code"] else ""
    return f"{place}  {result['score']:.4f}  settled {result['settled']:.4f}  {result['seconds']:.2f} s{failed}"


def work_on_all(args):
    """The program is copied first: one that is built anew meanwhile must not get into the same run."""
    with tempfile.TemporaryDirectory() as folder:
        args.irn = shutil.copy2(args.irn, folder)
        work_on_jobs(args)


def work_on_jobs(args):
    program = file_digest(args.irn)
    threads = ["--threads", "1"] if has_option(args.irn, "train", "--threads") else []
    todo = [job for half in args.halves for job in jobs(half, args.only)]
    todo.sort(key=lambda job: -job.table["rows"] * job.table["columns"])  # longest first, so that none is left at the end
    runs = [run.partition("=")[::2] for run in args.run]
    pool = concurrent.futures.ThreadPoolExecutor(args.processes)
    try:
        for told in pool.map(lambda job: [work(args, job, *run, program, threads) for run in runs], todo):
            for said in filter(None, told):
                print(said, flush=True)
    finally:
        pool.shutdown(cancel_futures=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("halves", nargs="+", metavar="HALF-FOLDER")
    parser.add_argument("--irn", required=True)
    parser.add_argument("--run", action="append", required=True, metavar="LABEL=OPTIONS")
    parser.add_argument("--like", metavar="LABEL")
    parser.add_argument("-j", "--processes", type=int, default=1)
    parser.add_argument("--results", default="build/collection/results")
    parser.add_argument("--only", action="append", metavar="TABLE")
    try:
        work_on_all(parser.parse_args())
    except RuntimeError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
