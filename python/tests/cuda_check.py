#!/usr/bin/env python3
"""irn.torch.fixed_point on CUDA tensors, on a machine with a GPU:

    python3 python/tests/cuda_check.py                 all checks, and times of training steps; exit code 1 if one fails
    python3 python/tests/cuda_check.py --device cpu    the same checks on the CPU

Needs torch and NumPy. The torch engine is plain Python: where the extension irn._core is not built for this Python, the package's own files
are imported without it, and only what needs it is left out. Checked: states, verdicts and gradients beside float64 on the CPU, that f sees
tensors of the device alone, gradcheck, what is refused, and three layers that train: an MLP block, attention, an implicit layer behind
convolutions.
"""

import argparse
import importlib
import pathlib
import sys
import time
import types
import warnings

import numpy as np
import torch
from torch import nn


def import_irn():
    """irn._torch_fixed_point, with irn._core or with its exceptions alone."""
    try:
        import irn.torch

        return irn.torch, irn
    except ImportError:
        for name in [name for name in sys.modules if name == "irn" or name.startswith("irn.")]:
            del sys.modules[name]
    package, core = types.ModuleType("irn"), types.ModuleType("irn._core")
    package.__path__ = [str(pathlib.Path(__file__).resolve().parents[1] / "irn")]
    core.Error = type("Error", (ValueError,), {})
    package._core = core
    sys.modules.update({"irn": package, "irn._core": core})
    found = importlib.import_module("irn._torch_fixed_point")
    rules, outcome = importlib.import_module("irn._torch_rules"), importlib.import_module("irn._outcome")
    names = types.SimpleNamespace(fixed_point=found.fixed_point, UnsettledError=rules.UnsettledError, GradientWarning=rules.GradientWarning)
    return names, types.SimpleNamespace(Error=core.Error, UnsettledWarning=outcome.UnsettledWarning, Outcome=outcome.Outcome)


layers, irn = import_irn()
CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


class Cell(nn.Module):
    """z = tanh(W z + U x), which refuses tensors of another device than its own."""

    def __init__(self, width, inputs, strength=0.9):
        super().__init__()
        self.own, self.drive = nn.Linear(width, width), nn.Linear(inputs, width)
        with torch.no_grad():
            self.own.weight.mul_(strength / torch.linalg.matrix_norm(self.own.weight, 2))

    def forward(self, z, x):
        assert z.device == x.device == self.own.weight.device, "f was given a tensor of another device"
        return torch.tanh(self.own(z) + self.drive(x))


def solved(cell, x, width, **options):
    """States, verdicts and the gradients by x and by all parameters of the sum of the states' squares."""
    x = x.detach().clone().requires_grad_()
    cell.zero_grad()
    z, found = layers.fixed_point(cell, x.new_zeros(len(x), width), x, **options)
    z.square().sum().backward()
    return z, found, [x.grad, *(p.grad.clone() for p in cell.parameters())]


@check
def states_and_gradients_are_those_of_float64_on_the_cpu(device):
    for width in (3, 40, 300):
        torch.manual_seed(width)
        cell, x = Cell(width, 7), torch.randn(65, 7)
        z, found, gradients = solved(cell.double(), x.double(), width, engine="torch", tolerance=1e-12)
        for dtype, near in ((torch.float32, 2e-4), (torch.float64, 1e-6)):
            ours, verdicts, slopes = solved(cell.to(device, dtype), x.to(device, dtype), width, engine=_engine(device))
            assert ours.device.type == torch.device(device).type and ours.dtype == dtype
            assert verdicts.settled.all() and (verdicts.gradient_outcomes == 0).all()
            assert verdicts.residuals.max() <= (1e-5 if dtype == torch.float32 else 1e-8)
            assert (ours.double().cpu() - z).abs().max() < near
            for one, other in zip(slopes, gradients):
                assert one.device == ours.device
                assert (one.double().cpu() - other).norm() <= near * other.norm() + 1e-12
            cell.to("cpu", torch.float64)


@check
def gradcheck_passes(device):
    torch.manual_seed(1)
    cell = Cell(4, 3).to(device).double()
    x = torch.randn(3, 3, dtype=torch.float64, device=device, requires_grad=True)
    solve = lambda x, *_: layers.fixed_point(cell, x.new_zeros(3, 4), x, tolerance=1e-13, engine="torch")[0]
    assert torch.autograd.gradcheck(solve, (x, *cell.parameters()), nondet_tol=1e-8)


@check
def lost_samples_are_named_and_leave_the_others_alone(device):
    kind = torch.tensor([0, 1, 0, 2, 0], device=device)
    a = torch.tensor(0.5, dtype=torch.float64, device=device, requires_grad=True)

    def f(z, kind):
        kind = kind[:, None]
        return torch.where(kind == 0, torch.cos(a * z), torch.where(kind == 1, z + 1, torch.exp(z * z + 1) * a))

    start = torch.zeros(5, 1, dtype=torch.float64, device=device)
    try:
        layers.fixed_point(f, start, kind, engine="torch")
        raise AssertionError("samples without an equilibrium were not refused")
    except layers.UnsettledError as error:
        assert "2 of 5 samples did not settle" in str(error)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irn.UnsettledWarning)
        z, found = layers.fixed_point(f, start, kind, unsettled="zeros", engine="torch")
    assert found.settled.tolist() == [True, False, True, False, True] and z[1] == 0 and z[3] == 0
    assert irn.Outcome(found.outcomes[3]).name == "not_finite"
    z.sum().backward()
    t = float(z[0])
    assert abs(float(a.grad) - 3 * -t * np.sin(t / 2) / (1 + np.sin(t / 2) / 2)) < 1e-7


@check
def samples_at_a_fold_are_left_out(device):
    drive = torch.tensor([[0.25], [-1.0]], dtype=torch.float64, device=device, requires_grad=True)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        z, found = layers.fixed_point(
            lambda z, c: z * z + c, torch.zeros_like(drive), drive * torch.tensor([[1.0], [0.2]], device=device), tolerance=1e-6, engine="torch",
            solver="fixed-point:steps=5000", amplification_limit=100,
        )
        z.sum().backward()
    assert any(issubclass(w.category, layers.GradientWarning) for w in said)
    assert drive.grad[0] == 0 and drive.grad[1] != 0


@check
def mixtures_are_refused_in_one_line(device):
    def refused(match, *arguments, **options):
        try:
            layers.fixed_point(*arguments, **options)
        except irn.Error as error:
            assert match in str(error) and "\n" not in str(error), str(error)
        else:
            raise AssertionError(f"not refused: {match}")

    start = torch.zeros(2, 3, device=device)
    refused("is none of auto, irn, torch", torch.cos, start, engine="cuda")
    refused("irn computes in torch.float32 and torch.float64", torch.cos, start.half())
    refused("is none of anderson, fixed-point", torch.cos, start, solver="newton", engine="torch")
    if torch.device(device).type != "cpu":
        refused("move one of them", lambda z, x: torch.cos(z), start, torch.zeros(2, 3))
        refused("engine='irn' computes on the CPU", torch.cos, start, engine="irn")
        refused("they must be the same", lambda z: torch.cos(z).cpu(), start)


class Block(nn.Module):
    """A deep-equilibrium MLP block."""

    def __init__(self, width=64):
        super().__init__()
        self.rise, self.fall, self.drive = nn.Linear(width, 2 * width), nn.Linear(2 * width, width), nn.Linear(width, width)

    def forward(self, z, x):
        return torch.tanh(0.25 * self.fall(torch.relu(self.rise(z))) + self.drive(x))


class Attention(nn.Module):
    """Tokens that look at each other until nothing changes."""

    def __init__(self, width=64, heads=4):
        super().__init__()
        self.attention, self.norm = nn.MultiheadAttention(width, heads, batch_first=True), nn.LayerNorm(width)

    def forward(self, z, x):
        return self.norm(x + 0.5 * self.attention(z, z, z, need_weights=False)[0])


class Convolutions(nn.Module):
    """A residual stage of channels that is its own input."""

    def __init__(self, channels=16):
        super().__init__()
        self.first, self.second = nn.Conv2d(channels, channels, 3, padding=1), nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, z, x):
        return torch.tanh(x + 0.5 * self.second(torch.relu(self.first(z))))


@check
def layers_train_on_the_device(device):
    cases = {"MLP block": (Block, (64,)), "attention": (Attention, (8, 64)), "convolutions": (Convolutions, (16, 14, 14))}
    for name, (make, shape) in cases.items():
        torch.manual_seed(3)
        size = 256 if torch.device(device).type != "cpu" else 32
        step, head = make().to(device), nn.Linear(int(np.prod(shape)), 2).to(device)
        x = torch.randn(size, *shape, device=device)
        y = (x.flatten(1)[:, 0] > 0).long()
        optimiser = torch.optim.Adam([*step.parameters(), *head.parameters()], lr=3e-3)
        losses, shares, times = [], [], []
        for _ in range(12):
            began = _now(device)
            optimiser.zero_grad()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                z, found = layers.fixed_point(step, torch.zeros_like(x), x, solver="anderson:steps=60", tolerance=1e-4, unsettled="zeros", engine="torch")
            loss = nn.functional.cross_entropy(head(z.flatten(1)), y)
            loss.backward()
            optimiser.step()
            times.append(_now(device) - began)
            losses.append(loss.item())
            shares.append(found.settled.mean())
        assert losses[-1] < 0.8 * losses[0], losses
        assert min(shares) > 0.8 and all(p.grad is not None for p in step.parameters())
        print(
            f"    {name}, {size} samples: {1e3 * np.median(times):.1f} ms a step, loss {losses[0]:.3f} to {losses[-1]:.3f},"
            f" settled {100 * np.mean(shares):.1f} %, {found.evaluations.mean():.1f} evaluations a sample"
        )


def _engine(device):
    """What tensors of the device take by themselves; on the CPU that would be the extension."""
    return "torch" if torch.device(device).type == "cpu" else "auto"


def _now(device):
    if torch.device(device).type == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter()


def main():
    parser = argparse.ArgumentParser(description="irn.torch.fixed_point on the tensors of a device")
    parser.add_argument("--device", default="cuda")
    device = parser.parse_args().device
    if torch.device(device).type == "cuda" and not torch.cuda.is_available():
        sys.exit("cuda_check: torch sees no CUDA device here; --device cpu runs the same checks on the CPU")
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False  # 10 bits are too few for a residual of 1e-5
    where = torch.cuda.get_device_name() if torch.device(device).type == "cuda" else "CPU"
    print(f"torch {torch.__version__}, Python {sys.version.split()[0]}, {where}; irn._core: {'yes' if 'settle_problem' in dir(sys.modules['irn._core']) else 'no'}")
    failed = 0
    for function in CHECKS:
        try:
            function(device)
            print(f"ok      {function.__name__}", flush=True)
        except Exception as error:
            failed += 1
            print(f"FAILED  {function.__name__}: {type(error).__name__}: {error}", flush=True)
            import traceback

            traceback.print_exc()
    print(f"{len(CHECKS) - failed} of {len(CHECKS)} checks passed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
