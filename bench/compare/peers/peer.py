"""What all peers share: requests and replies, the choice of a method, the clock.

A peer is one file that makes a `Peer` and calls `serve`. It reads one request a line from standard input and writes one
reply a line, both JSON (see irn_jobs/main.cpp; irn answers the same requests). Weights and data come as NPZ, answers go
back as NPZ, and nobody here judges them: the caller does, with one oracle for all.

A peer offers several methods for a job, as a strong user of it would try them. `prepare` runs each of them on a part of
the job and keeps the fastest of those that settle what can be settled; if none does, the one that settles most.
"""
import json
import os
import sys
import time

import numpy as np

TRIAL_SAMPLES = 16384  # large enough that a method's chunks are full
SETTLED_ENOUGH = 0.999  # share of the best method's settled samples that counts as settling enough
DEVICE = os.environ.get("IRN_COMPARE_DEVICE", "cpu")  # or cuda
ON_DEVICE = DEVICE != "cpu"
if ON_DEVICE:
    TRIAL_SAMPLES = 2**16  # fewer do not fill a device
# Seconds of trials after which no further method is tried.
PATIENCE = float(os.environ.get("IRN_COMPARE_PATIENCE", "90"))


class Peer:
    name = "nobody"
    version = "0"

    # A peer implements these. `native` stands for its type of arrays.
    def load(self, spec, data):
        """Takes over weights and data; nothing here is timed."""

    def methods(self, spec):
        """Names of methods to try for the job."""
        return []

    def settle(self, method, count):
        """(mean squared error, states [count, n]) of the first samples."""
        raise NotImplementedError

    def step(self, method, k):
        """One step of training on batch k: (states [R, batch, n], gradients (a, b, bias))."""
        raise NotImplementedError

    def steps(self, method):
        """A step on every batch in turn; returns something of the last one."""
        for k in range(self.spec["batches"]):
            z, _ = self.step(method, k)
        return z

    def one(self, method, i):
        """The state of sample i alone, as a NumPy array."""
        raise NotImplementedError

    def begin(self):
        """Back to the first weights and a fresh optimiser."""

    def epoch_step(self, method, index):
        """One step of training on the images `index`; returns how many of them were used."""
        raise NotImplementedError

    def test_states(self, method):
        """States of the test images."""
        raise NotImplementedError

    def weights(self):
        """(a, b, bias) as they are now."""
        raise NotImplementedError

    def array(self, native):
        return np.asarray(native)

    def wait(self, native):
        """Returns when `native` has been computed."""

    # The rest is the same for all peers.
    def residuals(self, z, k=0):
        """Of states [R, S, n] or [S, n], in double, by the definition."""
        d = self.data
        z = np.asarray(z, dtype=np.float64)
        z = z[None] if z.ndim == 2 else z
        x = (d["x"][k] if d["x"].ndim == 4 else d["x"][None, :z.shape[1]]).astype(np.float64)
        a, b, bias = (d[key].astype(np.float64) for key in ("a", "b", "bias"))
        drive = z @ a.transpose(0, 2, 1) + bias[:, None, :]
        drive[:, :, :b.shape[1]] += x @ b.transpose(0, 2, 1)
        return np.abs(z - 1 / (1 + np.exp(-drive))).max(axis=2)

    def share_settled(self, z, k=0):
        return float((self.residuals(z, k) <= 2 * self.spec["tolerance"]).mean())

    def trial(self, method):
        """(seconds an item, share settled) on a part of the job, after a run that may compile."""
        job = self.spec["job"]
        if job == "settle":
            count = min(self.spec["samples"], getattr(self, "trial_samples", TRIAL_SAMPLES))
            work = lambda: self.settle(method, count)[1]
        elif job == "step":
            count, work = 1, lambda: self.step(method, 0)[0]
        elif job == "latency":
            count = min(50, self.spec["samples"])
            work = lambda: np.stack([self.array(self.one(method, i)) for i in range(count)])
        else:
            return self.epoch_trial(method)
        start = time.perf_counter()
        self.wait(work())
        first = time.perf_counter() - start
        best = float("inf")
        for _ in range(1 if first > 2 else 3):
            start = time.perf_counter()
            z = work()
            self.wait(z)
            best = min(best, time.perf_counter() - start)
        return best / count, self.share_settled(self.array(z))

    def epoch_trial(self, method):
        self.begin()
        batch, order = self.spec["batch"], self.data["order"]
        used, seconds, count = 0, float("inf"), min(12, len(order) // self.spec["batch"])
        for k in range(count):
            start = time.perf_counter()
            used += self.epoch_step(method, order[k * batch:(k + 1) * batch])
            seconds = min(seconds, time.perf_counter() - start)
        return seconds / batch, used / (count * batch)

    def choose(self, names):
        self.trials, began = [], time.perf_counter()
        for name in names:
            try:
                seconds, settled = self.trial(name)
            except Exception as error:  # excludes the method that cannot do this job, not the peer
                self.trials.append({"method": name, "reason": f"{type(error).__name__}: {error}"[:200]})
                continue
            self.trials.append({"method": name, "seconds": seconds, "settled": settled})
            if time.perf_counter() - began > PATIENCE:
                break
        done = [t for t in self.trials if "seconds" in t]
        if not done:
            raise RuntimeError("no method does this job: " + "; ".join(t["reason"] for t in self.trials))
        best = max(t["settled"] for t in done)
        enough = [t for t in done if t["settled"] >= SETTLED_ENOUGH * best]
        return min(enough, key=lambda t: t["seconds"])["method"]

    def prepare(self, spec, path):
        self.spec = spec
        with np.load(path) as file:
            self.data = {key: file[key] for key in file.files}
        self.load(spec, self.data)
        asked = spec.get("method")
        self.method = self.choose([asked] if asked else self.methods(spec))
        if spec["job"] == "step":
            self.wait(self.steps(self.method))  # compiles what is not compiled yet
        return {"method": self.method, "trials": self.trials, "items": self.items()}

    def items(self):
        s = self.spec
        if s["job"] == "step":
            return s["replicas"] * s["batches"]
        if s["job"] == "epoch":
            return len(self.data["order"]) // s["batch"] * s["batch"]
        return s["samples"]

    def run(self):
        job = self.spec["job"]
        last = None
        if job == "epoch":
            self.begin()
        start = time.perf_counter()
        if job == "settle":
            _, last = self.settle(self.method, self.spec["samples"])
        elif job == "latency":
            for i in range(self.spec["samples"]):
                last = self.one(self.method, i)
        elif job == "step":
            last = self.steps(self.method)
        else:
            self.used = self.epoch()
        self.wait(last)
        return time.perf_counter() - start

    def epoch(self):
        batch, order = self.spec["batch"], self.data["order"]
        return sum(self.epoch_step(self.method, order[k:k + batch]) for k in range(0, len(order) - batch + 1, batch))

    def answer(self, path):
        job = self.spec["job"]
        if job == "settle":
            error, z = self.settle(self.method, self.spec["samples"])
            np.savez(path, z=self.array(z))
            return {"error": float(error)}
        if job == "latency":
            np.savez(path, z=np.stack([self.array(self.one(self.method, i)) for i in range(self.spec["samples"])]))
            return {}
        if job == "step":
            z, gradients = self.step(self.method, 0)
            names = dict(zip(("a", "b", "bias"), (self.array(g) for g in gradients)))
            np.savez(path, z=self.array(z), **names)
            return {}
        self.run()
        z = self.array(self.test_states(self.method))
        names = dict(zip(("a", "b", "bias"), (self.array(w) for w in self.weights())))
        np.savez(path, z=z, **names)
        right = (z[:, -10:].argmax(axis=1) == self.data["test_labels"]).mean()
        return {"error": 1 - float(right), "used": self.used / self.items()}


def reply_to(peer, request):
    what = request["do"]
    if what == "hello":
        return {"name": peer.name, "version": peer.version}
    if what == "prepare":
        return peer.prepare(request["spec"], request["file"])
    if what == "run":
        return {"seconds": [peer.run() for _ in range(request.get("inner", 1))]}
    if what == "answer":
        return peer.answer(request["file"])
    raise ValueError(f"unknown request '{what}'")


def predict_one(peer, path, method):
    """From the shell: one prediction, as a script of the peer's users would make it."""
    peer.spec = {"job": "latency", "samples": 1, "tolerance": 1e-5}
    with np.load(path) as file:
        peer.data = {key: file[key] for key in file.files}
    peer.load(peer.spec, peer.data)
    print(*peer.array(peer.one(method, 0))[-2:], sep=",")


def serve(make):
    """`make` imports what the peer needs: if that fails, hello says why."""
    if sys.argv[1:2] == ["predict"]:
        return predict_one(make(), *sys.argv[2:])
    out, sys.stdout = sys.stdout, sys.stderr  # keeps output of libraries out of the replies
    peer = None
    for line in sys.stdin:
        request = json.loads(line)
        if request["do"] == "quit":
            break
        try:
            if peer is None:
                peer = make()
            reply = dict(reply_to(peer, request), ok=True)
        except Exception as error:
            reply = {"ok": False, "reason": f"{type(error).__name__}: {error}"[:500]}
        print(json.dumps(reply), file=out, flush=True)
