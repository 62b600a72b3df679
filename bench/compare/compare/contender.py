"""A contender is a process that does jobs on request, one JSON line each way; it lives through the whole run.

One that crashes, hangs or refuses is no reason to stop: `Refusal` says what happened, and the next job finds it started
anew. Every contender gets the same cores and the same number of threads, and the same device.
"""
import json
import os
import queue
import signal
import subprocess
import sys
import threading

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# In the order of the tables.
PEERS = {
    "numpy": ("numpy_peer.py", "NumPy"),
    "scipy": ("scipy_peer.py", "SciPy, a sample at a time"),
    "torch": ("torch_peer.py", "PyTorch"),
    "torch-compile": ("torch_compile_peer.py", "PyTorch, torch.compile"),
    "jax": ("jax_peer.py", "JAX"),
    "torchdeq": ("torchdeq_peer.py", "torchdeq"),
}
ON_DEVICES = ("torch", "torch-compile", "jax", "torchdeq")


class Refusal(Exception):
    pass


def environment(threads, device="cpu"):
    """The same number of threads for whatever library a peer brings, and no accelerator but the device."""
    env = dict(os.environ)
    for name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "BLIS"):
        env[f"{name}_NUM_THREADS"] = str(threads)
    kind, _, number = device.partition(":")
    env["JAX_PLATFORMS"], env["IRN_COMPARE_DEVICE"] = kind, kind
    if kind == "cpu":
        env["CUDA_VISIBLE_DEVICES"] = ""
    else:  # JAX would multiply with ten bits and take most of the memory; each contender sees one device, number 0
        env["JAX_DEFAULT_MATMUL_PRECISION"], env["XLA_PYTHON_CLIENT_PREALLOCATE"] = "highest", "false"
        env["CUDA_VISIBLE_DEVICES"] = number or env.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0]
    if threads == 1:  # otherwise XLA takes as many threads as there are cores
        env["XLA_FLAGS"] = f"{env.get('XLA_FLAGS', '')} --xla_cpu_multi_thread_eigen=false".strip()
    env["PYTHONDONTWRITEBYTECODE"] = "1"
    return env


class Contender:
    """`wishes` are added to what a job is; of a contender that has some, the data are another's."""

    def __init__(self, key, title, command, where, wishes=None):
        self.key, self.title, self.command, self.wishes = key, title, command, wishes or {}
        self.threads, self.device, folder = where
        self.log_path = os.path.join(folder, "logs", key.replace(" ", "_") + ".txt")
        self.process, self.version = None, None

    def start(self):
        os.makedirs(os.path.dirname(self.log_path), exist_ok=True)
        cores = sorted(os.sched_getaffinity(0))[:self.threads]
        with open(self.log_path, "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, bufsize=1,
                env=environment(self.threads, self.device), preexec_fn=lambda: os.sched_setaffinity(0, cores))
        self.lines = queue.Queue()
        threading.Thread(target=self._read, args=(self.process, self.lines), daemon=True).start()

    @staticmethod
    def _read(process, lines):
        for line in process.stdout:
            lines.put(line)
        lines.put(None)

    def ask(self, timeout, **request):
        if self.process is None:
            self.start()
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            line = self.lines.get(timeout=timeout)
        except queue.Empty:
            self.stop()
            raise Refusal(f"no answer to '{request['do']}' within {timeout:.0f} s") from None
        except OSError:
            line = None
        if line is None:
            code = self.process.wait()
            self.stop()
            name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
            raise Refusal(f"ended ({name}): {self.last_words()}")
        reply = json.loads(line)
        if not reply.pop("ok"):
            raise Refusal(reply["reason"])
        return reply

    def last_words(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as log:
            lines = [line.strip() for line in log if line.strip()]
        return lines[-1][:200] if lines else "it said nothing"

    def stop(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process.stdin.close()
            self.process = None


def irn(command, where, title="", **wishes):
    """With its defaults, which follow the flow, or with wishes: a solver that may be enough where a peer's is, too."""
    name = f"irn {title}".strip()
    return Contender(name, name.replace(" ", ", ", 1), [*command, "serve"], where, wishes)


def is_irn(key):
    return key.split()[0] == "irn"


def peer(key, where, method=None):
    """With the best of its methods, or with the one that is asked for."""
    file, title = PEERS[key]
    name = key if method is None else f"{key} {method}"
    title = title if method is None else f"{title}, {method}"
    wishes = {} if method is None else {"method": method}
    return Contender(name, title, [sys.executable, os.path.join(HERE, "peers", file)], where, wishes)
