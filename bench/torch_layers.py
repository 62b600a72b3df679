#!/usr/bin/env python3
"""What a step of training with an implicit layer costs in PyTorch, and what it reaches: irn.torch, and torchdeq where that is installed.

    PYTHONPATH=build/release/python python3 bench/torch_layers.py [steps]

One block, z = tanh(norm(W2 relu(W1 z) + W3 x)) of 64 unknowns, and a linear head, on scikit-learn's digits: the same start, the same batches of
256 and the same optimiser for all. Processor time of a step; accuracy on 397 images that training has not seen; of these the share whose
residual max |f(z) - z| is within the tolerance asked for, 1e-3, measured here in the same way for all.
"""

import sys
import time
import warnings

import torch
from sklearn.datasets import load_digits
from torch import nn

import irn.torch

TRAINED = 1400
TOLERANCE = 1e-3


class Block(nn.Module):
    def __init__(self, solve):
        super().__init__()
        self.rise, self.fall, self.drive = nn.Linear(64, 128), nn.Linear(128, 64), nn.Linear(64, 64)
        self.norm, self.head, self.solve = nn.LayerNorm(64), nn.Linear(64, 10), solve

    def step(self, z, x):
        return torch.tanh(self.norm(self.fall(torch.relu(self.rise(z))) + self.drive(x)))

    def forward(self, x):
        return self.head(self.solve(self.step, x))


def by_irn(**options):
    def solve(step, x):
        return irn.torch.fixed_point(step, torch.zeros_like(x), x, tolerance=TOLERANCE, unsettled="last", **options)[0]

    return solve


def by_torchdeq(**options):
    from torchdeq import get_deq

    deq = get_deq(f_tol=TOLERANCE, f_max_iter=40, **options)
    return lambda step, x: deq(lambda z: step(z, x), torch.zeros_like(x))[0][-1]


def measure(name, make, x, y, steps):
    try:
        solve = make()
    except ImportError:
        print(f"{name:40s} torchdeq is not installed")
        return
    torch.manual_seed(0)
    model = Block(solve)
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-3)
    begin = time.process_time()
    for k in range(steps):
        rows = torch.randperm(TRAINED, generator=torch.Generator().manual_seed(k))[:256]
        optimiser.zero_grad()
        nn.functional.cross_entropy(model(x[rows]), y[rows]).backward()
        optimiser.step()
    took = (time.process_time() - begin) / max(1, steps)
    with torch.no_grad():
        z = solve(model.step, x[TRAINED:])
        within = ((model.step(z, x[TRAINED:]) - z).abs().amax(1) <= 1.01 * TOLERANCE).float().mean()
        right = (model.head(z).argmax(1) == y[TRAINED:]).float().mean()
    print(f"{name:40s} {1e3 * took:7.1f} ms a step, accuracy {100 * right:5.1f} %, within tolerance {100 * within:5.1f} %", flush=True)


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    warnings.simplefilter("ignore", irn.UnsettledWarning)
    warnings.simplefilter("ignore", irn.torch.GradientWarning)
    digits = load_digits()
    x, y = torch.tensor(digits.data, dtype=torch.float32) / 16, torch.tensor(digits.target)
    for name, make in {
        "irn, auto, exact": lambda: by_irn(),
        "irn, anderson, exact": lambda: by_irn(solver="anderson"),
        "irn, anderson unconfirmed, exact": lambda: by_irn(solver="anderson", confirm=False),
        "irn, torch engine, exact": lambda: by_irn(engine="torch"),
        "irn, torch engine, 40 steps, exact": lambda: by_irn(engine="torch", solver="anderson:steps=40"),
        "irn, torch engine, 40 steps, one-step": lambda: by_irn(engine="torch", solver="anderson:steps=40", gradient="one-step"),
        "torchdeq, anderson, implicit": lambda: by_torchdeq(f_solver="anderson", b_solver="anderson", ift=True),
        "torchdeq, fixed-point, implicit": lambda: by_torchdeq(f_solver="fixed_point_iter", b_solver="fixed_point_iter", ift=True),
        "torchdeq, anderson, one step": lambda: by_torchdeq(f_solver="anderson"),
    }.items():
        measure(name, make, x, y, steps)


if __name__ == "__main__":
    main()
