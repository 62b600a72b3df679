"""How irn's time and memory grow, and how they should: exponents beside those of the counted operations.

On random networks (irn_jobs/job.h) whose difficulty does not depend on their size: what grows is then the work of a step,
not the number of steps. Memory is the most that a fresh process ever held, less what it held before the work.
"""
import json
import math
import os
import subprocess

from compare.measure import say, spread

BUDGET = 0.3  # seconds of samples for one point of a curve


def slope(xs, ys, low, high):
    """Of a straight line through the logarithms of the points with low <= x <= high."""
    points = [(math.log(x), math.log(y)) for x, y in zip(xs, ys) if low <= x <= high and y > 0]
    if len(points) < 2:
        return None
    mean_x, mean_y = (sum(p[k] for p in points) / len(points) for k in (0, 1))
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x)**2 for x, y in points)


def timed(irn, options, **spec):
    """(seconds of a run, what irn says of the job)."""
    described = irn.ask(options.timeout, do="prepare", spec=dict({"network": "random", "tolerance": 1e-5, "threads": 1}, **spec))
    seconds = irn.ask(options.timeout, do="run", inner=2)["seconds"]
    seconds += irn.ask(options.timeout, do="run", inner=max(1, min(200, int(BUDGET / min(seconds)))))["seconds"]
    return spread(seconds)["median"], described


def fit(what, xs, ys, low, high, expected, why):
    found = slope(xs, ys, low, high)
    if found is None:
        return []
    shown = expected if isinstance(expected, str) else f"{expected:.2f}"
    return [{"what": what, "range": f"{low:,} to {high:,}", "exponent": found, "expected": shown, "why": why}]


def over_hidden(irn, options, sizes):
    curves, fits = [], []
    for job, label in (("settle", "settle, one sample"), ("step", "training step, one sample of a batch of 256")):
        xs, ys, work = [], [], []
        for hidden in sizes:
            samples = max(64, min(8192, 2**22 // (hidden * hidden + 100)))
            more = {"samples": samples} if job == "settle" else {"batch": 256, "batches": 1, "replicas": 1}
            seconds, d = timed(irn, options, job=job, hidden=hidden, **more)
            each = samples if job == "settle" else 256
            xs.append(hidden), ys.append(seconds / each), work.append(d["operations"] / (1 if job == "settle" else 256))
        curves.append({"label": label, "x": xs, "y": ys})
        for low, high in ((8, 45), (256, max(sizes))):
            expected = slope(xs, work, low, high)
            why = "the slope of the counted operations: " + (
                "inputs n, products n^2, factors n^3" if high < 64 else "products with A, n^2 each, as many at every size")
            fits += fit(label, xs, ys, low, high, expected, why) if expected is not None else []
    return {"name": "growth-hidden", "x": "hidden neurons", "y": "seconds", "curves": curves, "fits": fits,
            "caption": "Time over hidden neurons, one thread."}


def over_batch(irn, options, sizes):
    curves, fits = [], []
    for hidden in (5, 20):
        points = [timed(irn, options, job="settle", hidden=hidden, samples=n)[0] for n in sizes]
        curves.append({"label": f"settle, {hidden} hidden", "x": sizes, "y": points})
        fits += fit(f"settle, {hidden} hidden", sizes, points, 256, sizes[-1], "1", "samples are independent")
        fits += fit(f"settle, {hidden} hidden", sizes, points, 1, 8, "0",
                    "samples fill the lanes of one vector: the first ones cost nothing more")
    return {"name": "growth-batch", "x": "samples", "y": "seconds", "curves": curves, "fits": fits,
            "caption": "Time over the number of samples, one thread."}


def over_threads(irn, options, counts):
    curves, fits = [], []
    work = {"settle, 20 hidden": dict(job="settle", hidden=20, samples=16384),
            "training step, 256 hidden, batch 256": dict(job="step", hidden=256, batch=256),
            "12 replicas, 5 hidden, batch 6": dict(job="step", hidden=5, batch=6, replicas=12, batches=50)}
    for label, spec in work.items():
        points = [timed(irn, options, **spec, threads=t)[0] for t in counts]
        curves.append({"label": label, "x": counts, "y": points})
        fits += fit(label, counts, points, 1, counts[-1], "-1", "threads share nothing but the cache and the clock")
    return {"name": "growth-threads", "x": "threads", "y": "seconds", "curves": curves, "fits": fits,
            "caption": "Time over threads."}


def over_tolerance(irn, options):
    tolerances, curves, fits = [1e-2, 1e-3, 1e-4, 1e-5, 3e-6], [], []
    for hidden in (20, 256):
        points = [timed(irn, options, job="settle", hidden=hidden, samples=4096 if hidden < 100 else 256, tolerance=t)[0]
                  for t in tolerances]
        curves.append({"label": f"settle, {hidden} hidden", "x": tolerances, "y": points})
        fits += [{"what": f"settle, {hidden} hidden", "range": "1e-2 to 3e-6", "exponent": slope(tolerances, points, 0, 1),
                  "expected": "near 0", "why": "digits cost steps: the logarithm of the tolerance, less where Newton ends"}]
    return {"name": "growth-tolerance", "x": "tolerance of the residual", "y": "seconds", "curves": curves, "fits": fits,
            "caption": "Time over the tolerance, one thread."}


def memory(command, **spec):
    spec = dict({"network": "random", "threads": 1}, **spec)
    done = subprocess.run([*command, "memory", json.dumps(spec)], capture_output=True, text=True, check=True)
    peaks = json.loads(done.stdout)
    return max(peaks["after"] - peaks["before"], 4096)  # a page: the smallest difference that can be seen


def over_iterations(command, steps):
    """A solver that never arrives: every step counts. The unrolled gradient, which keeps all states, for contrast."""
    wide = dict(job="step", hidden=256, batch=256)
    never = [memory(command, **wide, solver=f"fixed-point:damping=0.0001,steps={n}") for n in steps]
    unrolled = [memory(command, **wide, gradient=f"unrolled:steps={n}") for n in steps]
    return {"name": "growth-memory-iterations", "x": "iterations", "y": "bytes", "caption":
            "Peak memory of a training step over iterations (256 hidden, batch 256).",
            "curves": [{"label": "exact gradient", "x": steps, "y": never},
                       {"label": "unrolled gradient", "x": steps, "y": unrolled}],
            "fits": fit("memory, exact gradient", steps, never, steps[0], steps[-1], "0", "no state but the last is kept")
            + fit("memory, unrolled gradient", steps, unrolled, steps[0], steps[-1], "1 in the end", "keeps every state")}


def memory_over_batch(command, sizes):
    test = [memory(command, job="settle", hidden=20, samples=n) for n in sizes]
    step = [memory(command, job="step", hidden=20, batch=n) for n in sizes]
    return {"name": "growth-memory-batch", "x": "samples", "y": "bytes", "caption": "Peak memory over samples (20 hidden).",
            "curves": [{"label": "test error", "x": sizes, "y": test}, {"label": "training step", "x": sizes, "y": step}],
            "fits": fit("memory, test error", sizes, test, 8192, sizes[-1], "0", "goes through the samples in blocks")
            + fit("memory, training step", sizes, step, 8192, sizes[-1], "1", "keeps the states of its batch")}


def measure(irn, command, options):
    say("growth")
    if options.self_test:  # checks only that it runs; without optimisation all sizes take minutes
        return [over_hidden(irn, options, [2, 8, 20]), over_batch(irn, options, [1, 4, 64]),
                memory_over_batch(command, [64, 256])]
    small = options.quick
    sizes = [2, 5, 10, 20, 45, 64, 128, 256] + ([] if small else [512, 1024, 2048])
    batches = [4**k for k in range(0, 6 if small else 9)]
    all_threads = len(os.sched_getaffinity(0))
    threads = [t for t in (1, 2, 4, 8, 16, 32, 64) if t <= all_threads]
    steps, samples = ([10, 40], [8192, 16384]) if small else ([10, 40, 160, 640], [64, 1024, 8192, 32768, 65536])
    return [over_hidden(irn, options, sizes), over_batch(irn, options, batches), over_threads(irn, options, threads),
            over_tolerance(irn, options), over_iterations(command, steps), memory_over_batch(command, samples)]
