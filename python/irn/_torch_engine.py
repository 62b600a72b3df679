"""Equilibria and adjoints of batches in torch's own operations: they stay on the device of their tensors.

Anderson's method and GMRES, each sample by itself: one that is done leaves the batch. The rules are those of the C++ library
(irn/equilibrium/judge-inl.h, irn/gradient/problem_adjoint.cpp). Does not ask of an equilibrium whether it attracts.

Products of a matrix and a vector for each sample are sums of products here: torch.bmm takes several times as long for them on the CPU.
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

    def __init__(self, z: Tensor, memory: int, damping: float) -> None:
        self.memory, self.damping, self.age = memory, damping, 0
        self.changes = z.new_zeros(len(z), memory, z.shape[1])  # of g, the newest in the place of the oldest
        self.moves = torch.zeros_like(self.changes)  # dZ + damping dG
        self.gram = z.new_zeros(len(z), memory, memory)  # dG^T dG
        self.g = self.step = z
        self.ridge = 1e-6 if z.dtype == torch.float32 else 1e-13
        self.eye = torch.eye(memory, dtype=z.dtype, device=z.device)

    def move(self, g: Tensor) -> Tensor:
        if self.age and self.memory:
            self._remember((self.age - 1) % self.memory, g - self.g)
        step = self.damping * g
        if known := min(self.age, self.memory):
            size = torch.diagonal(self.gram, dim1=1, dim2=2).amax(1)[:, None, None]
            gram = self.gram[:, :known, :known] + (self.ridge * size + 1e-30) * self.eye[:known, :known]
            right = (self.changes[:, :known] * g[:, None]).sum(2, keepdim=True)
            gamma = torch.linalg.solve_ex(gram, right)[0]
            step = step - (gamma * self.moves[:, :known]).sum(1)
        self.g, self.step, self.age = g, step, self.age + 1
        return step

    def _remember(self, place: int, change: Tensor) -> None:
        self.changes[:, place] = change
        self.moves[:, place] = self.step + self.damping * change
        self.gram[:, place] = (self.changes * change[:, None]).sum(2)
        self.gram[:, :, place] = self.gram[:, place]

    def keep(self, rows: Tensor) -> None:
        for name in ("changes", "moves", "gram", "g", "step"):
            setattr(self, name, getattr(self, name)[rows])


def anderson(
    value: Value, start: Tensor, tolerance: float, floor: float, memory: int, damping: float, steps: int
) -> tuple[Tensor, tuple[Any, ...]]:
    """States and verdicts of z = value(z), a row a sample."""
    count = len(start)
    states, z = start.clone(), start.clone()
    outcomes = torch.zeros(count, dtype=torch.uint8, device=z.device)
    residuals, evaluations = z.new_zeros(count), torch.zeros(count, dtype=torch.int64, device=z.device)
    rows = torch.arange(count, device=z.device)
    judge, mixture = _Judge(z, tolerance, floor), _Mixture(z, memory, damping)
    for age in range(steps + 1 if count else 0):
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
    """One cycle of GMRES for (I - J^T) x = r; x and the products it took.

    Arnoldi's H = Q^T R with Q whole: a column more is a product with Q and one rotation, however many there were before.
    """
    count, tiny = len(r), 16 * torch.finfo(r.dtype).eps
    size = r.norm(dim=1)
    basis = _room(r[:, None] / size[:, None, None], 1, memory)
    triangle, turned = r.new_zeros(count, memory, memory), r.new_zeros(count, memory + 1, memory + 1)
    turned[:, 0, 0] = 1
    for j in range(memory):
        w = basis[:, j] - transposed(rows, basis[:, j])
        length = w.norm(dim=1)
        h = r.new_zeros(count, j + 1, 1)
        for _ in range(2):  # twice is enough
            part = (basis[:, : j + 1] * w[:, None]).sum(2, keepdim=True)
            w, h = w - (basis[:, : j + 1] * part).sum(1), h + part
        norm = w.norm(dim=1)
        norm = torch.where(norm > tiny * length, norm, torch.zeros_like(norm))
        column = (turned[:, : j + 1, : j + 1] * h.transpose(1, 2)).sum(2)
        hypotenuse = torch.hypot(column[:, j], norm)
        whole = hypotenuse > 0
        c = torch.where(whole, column[:, j] / hypotenuse, torch.ones_like(norm))
        s = torch.where(whole, norm / hypotenuse, torch.zeros_like(norm))
        column[:, j] = torch.where(whole, hypotenuse, torch.ones_like(norm))
        triangle[:, : j + 1, j] = column
        turned[:, j + 1, : j + 1] = -s[:, None] * turned[:, j, : j + 1]
        turned[:, j, : j + 1] *= c[:, None]
        turned[:, j, j + 1], turned[:, j + 1, j + 1] = s, c
        used = j + 1
        if used == memory or bool(((size * turned[:, used, 0]).abs() <= target).all()):
            break
        basis = _room(basis, used, memory)
        basis[:, used] = w / torch.where(norm > 0, norm, torch.full_like(norm, float("inf")))[:, None]
    right = (size[:, None] * turned[:, :used, 0])[:, :, None]
    y = torch.linalg.solve_triangular(triangle[:, :used, :used], right, upper=True)
    return (y * basis[:, :used]).sum(1), used


def _room(basis: Tensor, used: int, most: int) -> Tensor:
    """With room for a vector more: twice as many, where it is full."""
    if used < basis.shape[1] or used == most:
        return basis
    more = basis.new_empty(len(basis), min(max(8, used), most - used), basis.shape[2])
    return torch.cat([basis, more], 1)
