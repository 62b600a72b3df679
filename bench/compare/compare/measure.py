"""One job with all contenders: hand it over, judge the answers, then time them in turns.

In turns, because a machine's clock and its neighbours change within minutes: whoever is slowed down, all are.
"""
import os
import statistics
import sys
import time

import numpy as np

from compare import oracle
from compare.contender import Refusal, is_irn

# Seconds that one measurement should take at least, so that a cold start, which costs the fast most, is a
# small part.
ONE_LOOK = {"cpu": 0.4, "cuda": 0.15}
# Seconds until the last contender's threads no longer spin for work on the same cores.
AFTER_A_TURN = 0.3


def say(text):
    print(text, file=sys.stderr, flush=True)


def spread(values):
    parts = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else values * 3
    return {"median": parts[1], "quartiles": [parts[0], parts[2]], "least": min(values), "runs": len(values)}


class Entry:
    """A contender in one job."""

    def __init__(self, contender):
        self.contender, self.result, self.seconds, self.spent = contender, {}, [], 0.0
        self.result.update(contender=contender.key, title=contender.title)

    def fail(self, reason):
        self.result["reason"] = str(reason)
        say(f"    {self.contender.key}: {reason}")

    @property
    def alive(self):
        return "reason" not in self.result

    def prepare(self, spec, file, limit):
        c = self.contender
        spec = dict(spec, threads=1 if spec["job"] == "latency" else c.threads, **c.wishes)
        reply = c.ask(limit, do="prepare", spec=spec, file="" if is_irn(c.key) and c.wishes else file)
        self.result.update(reply)

    def judge(self, spec, job_file, folder, reference, limit):
        path = os.path.join(folder, f"answer_{self.contender.key.replace(' ', '_')}.npz")
        self.result.update(self.contender.ask(limit, do="answer", file=path))
        with np.load(job_file) as job, np.load(path) as answer:
            self.result.update(oracle.judge(spec, job, answer, reference))
        return path

    def time(self, limit):
        inner = max(1, min(1000, int(ONE_LOOK[self.contender.device.partition(":")[0]] / min(self.seconds)))) if self.seconds else 1
        if self.contender.device == "cpu":
            time.sleep(AFTER_A_TURN)
        reply = self.contender.ask(limit, do="run", inner=inner)
        self.spent += sum(reply["seconds"])
        self.seconds.append(statistics.fmean(reply["seconds"]))

    def finish(self):
        items = self.result["items"]
        seconds = self.seconds[1:] if len(self.seconds) > 3 else self.seconds  # the first warms up
        self.result.update(spread(seconds), seconds=seconds)
        self.result["rate"] = items / self.result["median"]


def measure(job, contenders, options, folder):
    """The job's record: one result for each contender, irn's first."""
    say(f"job {job['number']}, {job['title']}")
    spec, file = job["spec"], os.path.join(folder, "job.npz")
    entries = [Entry(c) for c in contenders]
    reference = None
    for entry in entries:
        try:
            entry.prepare(spec, file, options.timeout)
            path = entry.judge(spec, file, folder, reference, options.timeout)
        except (Refusal, ValueError, KeyError) as problem:  # ValueError, KeyError: the answer is invalid
            entry.fail(problem)
            if entry is entries[0]:  # without irn there are no data and no comparison
                break
            continue
        if reference is None:
            with np.load(path) as answer:
                reference = {key: answer[key] for key in answer.files}
    take_turns([e for e in entries if e.alive and "items" in e.result], options)
    return dict(job, results=[e.result for e in entries if e.result.get("items") or not e.alive])


def take_turns(entries, options):
    for _ in range(options.repeat):
        for entry in entries:
            if not entry.alive or entry.spent > options.budget * (3 if len(entry.seconds) < 3 else 1):
                continue
            try:
                entry.time(options.timeout)
            except Refusal as refusal:
                entry.fail(refusal)
    for entry in entries:
        if entry.alive:
            entry.finish()
            r = entry.result
            say(f"    {entry.contender.key:14} {r['rate']:12.4g}/s  {r['method']:24} settled {r.get('settled', 1):.5f}")
