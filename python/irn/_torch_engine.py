"""Equilibria and adjoints of batches in torch's own operations: they stay on the device of their tensors.

Anderson's method and GMRES, each sample by itself: one that is done leaves the batch. The rules are those of the C++ library
(irn/equilibrium/judge-inl.h, irn/gradient/problem_adjoint.cpp). Does not ask of an equilibrium whether it attracts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from irn import _core
from irn._outcome import GradientOutcome, Outcome, Stability, Verdicts
from irn._torch_rules import Tensor

_KRYLOV_NUMBERS = 2**26  # that the Krylov vectors of a batch may hold together, unless that leaves fewer than ten vectors

Value = Callable[[Tensor, Tensor], Tensor]  #: (numbers of samples, a row each) to a row each


def options(given: str, what: str, choices: Mapping[str, Mapping[str, float]]) -> tuple[str, dict[str, float]]:
    """'name:key=value,...' as the name and all of its options."""
    name, _, rest = given.partition(":")
    if name not in choices:
        raise _core.Error(f"{what}: {given!r} is none of {', '.join(choices)}")
    values = dict(choices[name])
    for part in filter(None, rest.split(",")):
        key, _, value = part.partition("=")
        try:
            number = float(value)
        except ValueError:
            number = float("nan")
        if key not in values or not number >= 0 or (isinstance(values[key], int) and not number.is_integer()):
            raise _core.Error(f"{what}: {part!r} in {given!r} is no option; there are: {', '.join(values) or 'none'}")
        values[key] = type(values[key])(number)
    return name, values


class _Judge:
    """Which samples are at rest, |F(z) - z|_i <= tolerance max(floor, |z_i|), and what the residuals of the others say.

    Residuals are kept as peaks over windows of 1, 2, 4, ... steps: a slow approach lowers them from window to window, a cycle does not.
    """

    def __init__(self, z: Tensor, tolerance: float, floor: float) -> None:
        self.tolerance, self.floor, self.age, self.window = tolerance, floor, 0, 1
        self.highest = torch.zeros_like(z)
        self.peak = self.previous = z.new_zeros(len(z))

    def look(self, z: Tensor, g: Tensor) -> tuple[Tensor, Tensor]:
        """(at rest, finite) of each sample."""
        rounding = torch.finfo(z.dtype).eps
        moved, own = g.abs(), z.abs()
        self.residual, self.size = moved.amax(1), own.amax(1)
        finite = torch.isfinite(self.residual)
        self.highest = torch.maximum(self.highest, moved)
        moved = torch.maximum(moved, rounding * own)
        own = torch.minimum(own, 100 * self.highest)  # a state that only runs away does not settle by its size
        moving = torch.where(moved <= self.tolerance * own.clamp(min=self.floor), torch.zeros_like(moved), moved).amax(1)
        return finite & (moving <= 16 * rounding * own.amax(1)), finite

    def count_step(self) -> None:
        if self.window <= self.age:
            self.previous, self.peak, self.window = self.peak, self.residual, 2 * self.window
        else:
            self.peak = torch.maximum(self.peak, self.residual)
        self.age += 1

    def keep(self, rows: Tensor) -> None:
        for name in ("highest", "peak", "previous", "residual", "size"):
            setattr(self, name, getattr(self, name)[rows])

    def outcomes(self) -> Tensor:
        """Of those whose steps ran out."""
        if self.window < 16:
            return torch.full_like(self.residual, Outcome.ran_out, dtype=torch.uint8)
        falls = self.peak < 0.95 * self.previous
        grows = (self.peak > 1.5 * self.previous) | (self.size > 100 * self.peak.clamp(min=self.floor))
        still = torch.where(grows, int(Outcome.runs_away), int(Outcome.cycles))
        return torch.where(falls, int(Outcome.slow), still).to(torch.uint8)


class _Mixture:
    """gamma minimises |g - dG gamma|, z+ = z + damping g - (dZ + damping dG) gamma, over the last `memory` steps."""

    def __init__(self, memory: int, damping: float) -> None:
        self.memory, self.damping = memory, damping
        self.changes: list[Tensor] = []  # of g
        self.moves: list[Tensor] = []  # dZ + damping dG
        self.g = self.step = None

    def move(self, g: Tensor) -> Tensor:
        if self.g is not None and self.memory:
            change = g - self.g
            self.changes = [*self.changes, change][-self.memory :]
            self.moves = [*self.moves, self.step + self.damping * change][-self.memory :]
        step = self.damping * g
        if self.changes:
            columns = torch.stack(self.changes, 1)
            gram = columns @ columns.transpose(1, 2)
            ridge = (1e-6 if g.dtype == torch.float32 else 1e-13) * torch.diagonal(gram, dim1=1, dim2=2).amax(1) + 1e-30
            gram = gram + ridge[:, None, None] * torch.eye(gram.shape[1], dtype=g.dtype, device=g.device)
            gamma = torch.linalg.solve_ex(gram, columns @ g[:, :, None])[0]
            step = step - (gamma * torch.stack(self.moves, 1)).sum(1)
        self.g, self.step = g, step
        return step

    def keep(self, rows: Tensor) -> None:
        self.changes, self.moves = [c[rows] for c in self.changes], [m[rows] for m in self.moves]
        if self.g is not None:
            self.g, self.step = self.g[rows], self.step[rows]


def anderson(
    value: Value, start: Tensor, tolerance: float, floor: float, memory: int, damping: float, steps: int
) -> tuple[Tensor, tuple[Any, ...]]:
    """States and verdicts of z = value(z), a row a sample."""
    count = len(start)
    states, z = start.clone(), start.clone()
    outcomes = torch.zeros(count, dtype=torch.uint8, device=z.device)
    residuals, evaluations = z.new_zeros(count), torch.zeros(count, dtype=torch.int64, device=z.device)
    rows = torch.arange(count, device=z.device)
    judge, mixture = _Judge(z, tolerance, floor), _Mixture(memory, damping)
    for age in range(steps + 1):
        g = value(rows, z) - z
        at_rest, finite = judge.look(z, g)
        ended = at_rest | ~finite if age < steps else torch.ones_like(finite)
        if bool(ended.any()):
            verdict = torch.where(at_rest, int(Outcome.settled), torch.where(finite, judge.outcomes(), int(Outcome.not_finite)))
            gone = rows[ended]
            outcomes[gone], states[gone], evaluations[gone] = verdict[ended].to(torch.uint8), z[ended], age + 1
            residuals[gone] = torch.where(finite, judge.residual, float("inf"))[ended]
            stay = torch.nonzero(~ended).squeeze(1)
            if not len(stay):
                break
            rows, z, g = rows[stay], z[stay], g[stay]
            judge.keep(stay)
            mixture.keep(stay)
        judge.count_step()
        z = z + mixture.move(g)
    return states, _verdicts(outcomes, residuals, evaluations)


def _verdicts(outcomes: Tensor, residuals: Tensor, evaluations: Tensor) -> tuple[Any, ...]:
    import numpy as np

    found = [t.cpu().numpy() for t in (outcomes, residuals.double(), evaluations)]
    zeros = np.zeros(len(outcomes), np.float32)
    stability = np.full(len(outcomes), Stability.unasked, np.uint8)
    values = dict(zip(Verdicts.__slots__, (*found, stability, zeros, zeros, zeros.astype(np.uint32))))
    return tuple(values[name] for name in Verdicts.__slots__)


def adjoint(
    transposed: Value, g: Tensor, amplification_limit: float, memory: int = 100, products: int = 2000
) -> tuple[Tensor, Tensor, Tensor]:
    """u = g + J^T u by GMRES: u (zero where it is not used), irn.GradientOutcome of each, |g + J^T u - u|."""
    double = g.dtype == torch.float64
    accuracy, trust = (1e-12, 1e-7) if double else (1e-6, 1e-4)
    u, rest = torch.zeros_like(g), g.clone()
    size = g.norm(dim=1)
    outcomes = torch.full((len(g),), int(GradientOutcome.used), dtype=torch.uint8, device=g.device)
    outcomes[~torch.isfinite(size)] = GradientOutcome.not_finite
    rows = torch.nonzero(torch.isfinite(size) & (size > 0)).squeeze(1)
    before = torch.full_like(size, float("inf"))
    spent = 0
    while len(rows) and spent < products:
        vectors = min(memory, g.shape[1], max(10, _KRYLOV_NUMBERS // (len(rows) * g.shape[1])))
        step, used = _cycle(transposed, rows, rest[rows], accuracy * size[rows], vectors)
        u[rows] += step
        rest[rows] = g[rows] - u[rows] + transposed(rows, u[rows])
        spent += used + 1
        left = rest[rows].norm(dim=1)
        gained = left <= 0.5 * before[rows]  # one that gains no more has reached rounding, or there is no answer
        before[rows] = left
        rows = rows[(left > 4 * accuracy * size[rows]) & gained]
    left = rest.norm(dim=1)
    within = int(GradientOutcome.fold if g.shape[1] <= memory else GradientOutcome.no_adjoint)
    asked = outcomes == int(GradientOutcome.used)
    outcomes[asked & ~(left <= trust * size)] = within
    outcomes[asked & ~torch.isfinite(left)] = GradientOutcome.not_finite
    too_far = u.abs().amax(1) > amplification_limit * g.abs().amax(1)
    outcomes[(outcomes == int(GradientOutcome.used)) & too_far] = GradientOutcome.fold
    u[outcomes != int(GradientOutcome.used)] = 0
    return u, outcomes, left


def _cycle(transposed: Value, rows: Tensor, r: Tensor, target: Tensor, memory: int) -> tuple[Tensor, int]:
    """One cycle of GMRES for (I - J^T) x = r, with Givens' rotations; x and the products it took."""
    count, tiny = len(r), 16 * torch.finfo(r.dtype).eps
    size = r.norm(dim=1)
    basis = r[:, None, :] / size[:, None, None]
    triangle = r.new_zeros(count, memory, memory)
    right = r.new_zeros(count, memory + 1)
    right[:, 0] = size
    turns: list[tuple[Tensor, Tensor]] = []
    for j in range(memory):
        w = basis[:, j] - transposed(rows, basis[:, j])
        length = w.norm(dim=1)
        h = r.new_zeros(count, j + 1)
        for _ in range(2):  # twice is enough
            part = (basis @ w[:, :, None]).squeeze(2)
            w, h = w - (part[:, None, :] @ basis).squeeze(1), h + part
        norm = w.norm(dim=1)
        norm = torch.where(norm > tiny * length, norm, torch.zeros_like(norm))
        basis = torch.cat([basis, (w / torch.where(norm > 0, norm, torch.full_like(norm, float("inf")))[:, None])[:, None]], 1)
        for i, (c, s) in enumerate(turns):
            h[:, i], h[:, i + 1] = c * h[:, i] + s * h[:, i + 1], c * h[:, i + 1] - s * h[:, i]
        hypotenuse = torch.hypot(h[:, j], norm)
        whole = hypotenuse > 0
        c = torch.where(whole, h[:, j] / hypotenuse, torch.ones_like(norm))
        s = torch.where(whole, norm / hypotenuse, torch.zeros_like(norm))
        turns.append((c, s))
        triangle[:, : j + 1, j] = h
        triangle[:, j, j] = torch.where(whole, hypotenuse, torch.ones_like(norm))
        right[:, j], right[:, j + 1] = c * right[:, j], -s * right[:, j]
        if bool((right[:, j + 1].abs() <= target).all()):
            break
    used = j + 1
    y = torch.linalg.solve_triangular(triangle[:, :used, :used], right[:, :used, None], upper=True)
    return (y * basis[:, :used]).sum(1), used
