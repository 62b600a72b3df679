"""A contender is a process that does jobs on request, one JSON line each way; it lives through the whole run.

One that crashes, hangs or refuses is no reason to stop: `Refusal` says what happened, and the next job finds it started
anew. Every contender gets the same cores and the same number of threads.
"""
import json
import os
import queue
import signal
import subprocess
import sys
import threading

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# In the order of tables. `method` asks for one method instead of the peer's best.
PEERS = {
    "numpy": ("numpy_peer.py", "NumPy"),
    "scipy": ("scipy_peer.py", "SciPy, a sample at a time"),
    "torch": ("torch_peer.py", "PyTorch"),
    "torch-compile": ("torch_compile_peer.py", "PyTorch, torch.compile"),
    "jax": ("jax_peer.py", "JAX"),
    "torchdeq": ("torchdeq_peer.py", "torchdeq"),
}


class Refusal(Exception):
    pass


def environment(threads):
    """The same number of threads for whatever library a peer brings, and no accelerator."""
    env = dict(os.environ)
    for name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "BLIS"):
        env[f"{name}_NUM_THREADS"] = str(threads)
    env["JAX_PLATFORMS"] = "cpu"
    env["CUDA_VISIBLE_DEVICES"] = ""
    if threads == 1:  # else XLA takes as many threads as it has cores
        env["XLA_FLAGS"] = f"{env.get('XLA_FLAGS', '')} --xla_cpu_multi_thread_eigen=false".strip()
    env["PYTHONDONTWRITEBYTECODE"] = "1"
    return env


class Contender:
    def __init__(self, key, title, command, threads, folder, method=None):
        self.key, self.title, self.command, self.threads, self.method = key, title, command, threads, method
        self.log_path = os.path.join(folder, "logs", key.replace(" ", "_") + ".txt")
        self.process, self.version = None, None

    def start(self):
        os.makedirs(os.path.dirname(self.log_path), exist_ok=True)
        cores = sorted(os.sched_getaffinity(0))[:self.threads]
        with open(self.log_path, "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, bufsize=1,
                env=environment(self.threads), preexec_fn=lambda: os.sched_setaffinity(0, cores))
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


def irn(command, threads, folder, solver=None):
    """With its default solver, which follows the flow, or with one that may be enough where a peer's is, too."""
    name = "irn" if solver is None else f"irn {solver}"
    return Contender(name, name.replace(" ", ", "), [*command, "serve"], threads, folder, solver)


def is_irn(key):
    return key.split()[0] == "irn"


def peer(key, threads, folder, method=None):
    file, title = PEERS[key]
    name = key if method is None else f"{key} {method}"
    title = title if method is None else f"{title}, {method}"
    return Contender(name, title, [sys.executable, os.path.join(HERE, "peers", file)], threads, folder, method)
