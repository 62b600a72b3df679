"""One prediction from the shell: from the start of a process to the end of its output.

irn reads a model file and a CSV of one row; a peer starts Python, imports its library, reads the NPZ and solves by the
method it chose for single predictions. Caches of the file system are warm for all.
"""
import os
import subprocess
import time

import numpy as np

from compare.contender import Refusal, environment
from compare.measure import say, spread


def outputs_of(text):
    """The last line's numbers; irn adds a column that says `true` for settled."""
    values = []
    for word in text.strip().splitlines()[-1].split(","):
        try:
            values.append(float(word))
        except ValueError:
            pass
    return np.array(values[:2])


def timed(command, repeat):
    seconds = []
    for _ in range(repeat + 1):
        start = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment(1))
        seconds.append(time.perf_counter() - start)
        if done.returncode != 0:
            raise Refusal((done.stderr.strip().splitlines() or ["it said nothing"])[-1][:200])
    return seconds[1:], outputs_of(done.stdout)


def commands(record, job, irn, peers, options, folder):
    """(key, title, method, command line) of irn and of each peer that has a method for single predictions."""
    model, rows = os.path.join(folder, "one.irn"), os.path.join(folder, "one.csv")
    spec, file = dict(job["spec"], samples=1, threads=1), os.path.join(folder, "one.npz")
    irn.ask(options.timeout, do="model", spec=spec, file=model)
    irn.ask(options.timeout, do="prepare", spec=spec, file=file)
    with np.load(file) as data, open(rows, "w", encoding="utf-8") as out:
        x = data["x"][0]
        out.write(",".join(f"x{k}" for k in range(len(x))) + "\n" + ",".join(repr(float(v)) for v in x) + "\n")
    yield "irn", "irn", "irn predict", [*options.program, "predict", model, rows, "--threads", "1"]
    chosen = {r["contender"]: r["method"] for r in record["jobs"][-1]["results"] if "rate" in r}
    for peer in peers:
        if peer.key in chosen:
            yield peer.key, peer.title, chosen[peer.key], [*peer.command, "predict", file, chosen[peer.key]]


def add(record, job, irn, peers, options, folder):
    """The record of the same job from the shell, after that of the job itself."""
    if not os.path.exists(options.program[-1]):
        record.setdefault("left_out", []).append(f"predictions from the shell: no {options.program[-1]}")
        return
    say(f"job {job['number']}, {job['title']}, from the shell")
    results, wanted = [], None
    for key, title, method, command in commands(record, job, irn, peers, options, folder):
        result = {"contender": key, "title": title, "method": method, "items": 1}
        results.append(result)
        try:
            seconds, values = timed(command, options.repeat)
        except (Refusal, subprocess.TimeoutExpired) as problem:
            result["reason"] = str(problem)
            say(f"    {key}: {problem}")
            continue
        wanted = values if wanted is None else wanted
        result.update(spread(seconds), seconds=seconds, distance=float(np.abs(values - wanted).max()))
        result["rate"] = 1 / result["median"]
        say(f"    {key:14} {1e3 * result['median']:10.4g} ms  {method}")
    record["jobs"].append({"number": job["number"], "title": job["title"] + ", from the shell", "unit": job["unit"],
                           "spec": dict(job["spec"], job="shell"), "results": results})
