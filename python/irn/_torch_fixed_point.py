"""z = f(z, inputs) for any function f of tensors: the equilibrium, what became of each sample, and the gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Optional

import numpy as np
import torch

from irn import _core, _torch_engine
from irn._arrays import number, text
from irn._outcome import GradientOutcome, Verdicts, counts
from irn._torch_rows import DETERMINED, Products, Rows
from irn._torch_rules import Array, Tensor, checked_unsettled, first_only, put_in_place, refuse_iterates, say_left_out, say_unsettled

_GRADIENTS: dict[str, dict[str, float]] = {"exact": {}, "truncated": {"terms": 5, "damping": 1.0}, "one-step": {}}
_TORCH_SOLVERS: dict[str, dict[str, float]] = {
    "anderson": {"memory": 5, "damping": 0.5, "steps": 300},
    "fixed-point": {"damping": 1.0, "steps": 1000},
}
_DENSE = 48  # unknowns, up to which irn's solvers take whole Jacobians (irn/equilibrium/solver.h, dense_limit)


class Found(Verdicts):
    """What became of each sample: outcomes, residuals, evaluations, ... as arrays.

    gradient_outcomes: after a backward pass, an irn.GradientOutcome for each sample; before it None.
    """

    __slots__ = ("gradient_outcomes",)

    def __init__(self, verdicts: tuple[Any, ...]) -> None:
        super().__init__(verdicts)
        self.gradient_outcomes: Optional[Array] = None

    def __len__(self) -> int:
        return len(self.outcomes)

    def __repr__(self) -> str:
        return f"<irn.torch.Found: {len(self)} sample{'s' * (len(self) != 1)}: {counts(self.outcomes)}>"


def fixed_point(
    f: Callable[..., Tensor],
    z0: Tensor,
    *inputs: Any,
    solver: str = "auto",
    tolerance: float = 0,
    floor: float = 1,
    confirm: bool = True,
    gradient: str = "exact",
    unsettled: str = "refuse",
    amplification_limit: float = 1e4,
    engine: str = "auto",
) -> tuple[Tensor, Found]:
    """The state that dz/dt = f(z, *inputs) - z reaches from z0, for every sample of a batch, and what became of each.

    f: f(z, *inputs), of the shape of z, in which each sample (row of the first axis) depends on its own row alone. It is asked about
        the samples that still wait for an answer, z[index], with the same rows of every tensor in `inputs`, input[index]; numbers,
        tensors without axes and other objects are handed on as they are. What all samples share belongs into f itself (a closure, or
        an nn.Module). Parameters of f, wherever they come from, and `inputs` get gradients; z0 has none.
    solver: as `irn.solvers` lists them; auto follows the flow. On the torch engine "anderson" (auto) or "fixed-point".
    tolerance: of the residual; 0: 1e-5 in float32, 1e-8 in float64. floor, confirm: as in irn.settle.
    gradient: "exact" solves u = J^T u + dL/dz by GMRES with products of torch.autograd, at equilibria (not of "iterate" and "reversible");
        "truncated:terms=5" sums so many terms of the series for u; "one-step" takes u = dL/dz.
    unsettled: "refuse" raises UnsettledError; "zeros", "empty" (NaN) and "last" put that in the place of samples that did not settle,
        without a gradient, and warn.
    amplification_limit: of |u| / |dL/dz|, beyond which a sample lies at a fold and is left out of the gradient, with a warning.
    engine: "irn" (C++, on the CPU) or "torch" (torch's operations, on the device of z0); auto: irn for tensors on the CPU.

    >>> import torch
    >>> cell = torch.nn.Linear(3, 3)
    >>> _ = torch.nn.init.orthogonal_(cell.weight)
    >>> x = torch.randn(10, 3)
    >>> z, found = fixed_point(lambda z, x: torch.tanh(0.8 * cell(z) + x), torch.zeros(10, 3), x)
    >>> found
    <irn.torch.Found: 10 samples: 10 settled>
    >>> z.square().sum().backward()
    >>> cell.weight.grad.shape
    torch.Size([3, 3])
    """
    unsettled = checked_unsettled(unsettled)
    name, options = _torch_engine.options(text(gradient, "gradient"), "gradient", _GRADIENTS)
    if options.get("terms") == 0 or options.get("damping") == 0:
        raise _core.Error(f"gradient: {gradient!r} has no terms; ask for at least one, with a damping above 0")
    floor, amplification_limit = _positive(floor, "floor"), _positive(amplification_limit, "amplification_limit")
    rows = Rows(f, z0, inputs)
    by_irn = _by_irn(engine, rows.start)
    tolerance = _tolerance(tolerance, rows.start.dtype)
    solve = _settled_by_irn if by_irn else _settled_by_torch
    z, verdicts = solve(rows, text(solver, "solver"), tolerance, floor, bool(confirm))
    found = Found(verdicts)
    if not found.answered.all():
        rows.check_function()
    say_unsettled(found, unsettled, stacklevel=2)
    back = _Back(name, options, found, by_irn, amplification_limit)
    z = _with_gradient(rows, z, found, back, solver, tolerance * max(1.0, floor)) if torch.is_grad_enabled() else z
    if unsettled in ("zeros", "empty") and not found.answered.all():
        z = z.clone()
        put_in_place(z, found, unsettled)
    return z.reshape(rows.shape), found


def _by_irn(engine: Any, start: Tensor) -> bool:
    if text(engine, "engine") not in ("auto", "irn", "torch"):
        raise _core.Error(f"engine: {engine!r} is none of auto, irn, torch")
    on_cpu = bool(start.device.type == "cpu")
    if engine == "irn" and not on_cpu:
        raise _core.Error(f"z0 is on {start.device}, and engine='irn' computes on the CPU; take engine='torch', or z0.cpu()")
    return on_cpu and engine != "torch"


def _positive(given: Any, what: str) -> float:
    value = number(given, what)
    if not 0 < value < float("inf"):
        raise _core.Error(f"{what}: {value:g} is not a number above 0")
    return value


def _tolerance(asked: Any, dtype: Any) -> float:
    tolerance, least = number(asked, "tolerance"), 16 * torch.finfo(dtype).eps
    if tolerance == 0:
        return 1e-5 if dtype == torch.float32 else 1e-8
    if not least <= tolerance < 1:
        raise _core.Error(f"tolerance {tolerance:g} is no bound for {dtype}; ask for one from {least:.2g} to 1")
    return tolerance


def _settled_by_irn(rows: Rows, solver: str, tolerance: float, floor: float, confirm: bool) -> tuple[Tensor, tuple[Any, ...]]:
    jacobian = rows.jacobian if rows.size <= _DENSE and rows.has_graph() else None
    start = np.array(rows.start.detach().numpy(), np.float64)
    states, verdicts = _core.settle_problem(start, rows.value, jacobian, rows.times, solver, tolerance, floor, confirm)
    return torch.from_numpy(states).to(rows.start.dtype), verdicts


def _settled_by_torch(rows: Rows, solver: str, tolerance: float, floor: float, confirm: bool) -> tuple[Tensor, tuple[Any, ...]]:
    name, options = _torch_engine.options("anderson" if solver == "auto" else solver, "solver of the torch engine", _TORCH_SOLVERS)
    with torch.no_grad():
        return _torch_engine.anderson(rows.at, rows.start.detach(), tolerance, floor, **{"memory": 0, **options})  # type: ignore[arg-type]


def _with_gradient(rows: Rows, z: Tensor, found: Found, back: _Back, solver: str, tolerance: float) -> Tensor:
    """z, as a function of all that f(z, inputs) depends on but z. Samples without an answer have no part in it; where there are no samples at
    all, everything has a gradient of zero."""
    index = torch.from_numpy(np.flatnonzero(found.answered)).to(z.device)
    if len(z) and not len(index):
        return z
    answers = z[index]
    value = rows.graph(index, answers)
    if not value.requires_grad:
        return z
    if back.name == "exact":
        refuse_iterates(back.name, solver, "take gradient='truncated' or 'one-step', or another solver")
    _check_same(answers, value.detach(), found, tolerance)
    back.begin(Products(rows, index, answers), index, len(z))
    return _Solved.apply(back, z, value)


def _check_same(z: Tensor, value: Tensor, found: Found, tolerance: float) -> None:
    """f once more, at the equilibria: it must say the same as on the way to them."""
    settled = torch.from_numpy(found.settled[found.answered]).to(z.device)
    beside = ((value - z).abs() / z.abs().clamp(min=1)).amax(1)[settled]
    if len(beside) and not bool((beside <= 100 * tolerance).all()):
        raise _core.Error(
            f"f has other values at the equilibria than it had on the way to them (a residual of {float(beside.max()):.2g});"
            f" {DETERMINED}"
        )


class _Back:
    """From dL/dz to u, with which f is differentiated."""

    def __init__(self, name: str, options: dict[str, float], found: Found, by_irn: bool, limit: float) -> None:
        self.name, self.options, self.found, self.by_irn, self.limit = name, options, found, by_irn, limit

    def begin(self, products: Products, index: Tensor, count: int) -> None:
        self.products, self.index, self.count = products, index, count

    def adjoint(self, slopes: Tensor) -> Tensor:
        g = slopes[self.index]
        if self.name != "one-step":
            self.products.begin()
        if self.name == "exact":
            self.products.check()
            u, outcomes = self._exact(g)
        else:
            u = g if self.name == "one-step" else self._series(g, **self.options)  # type: ignore[arg-type]
            good = torch.isfinite(u).all(1)
            outcomes = np.where(good.cpu().numpy(), GradientOutcome.used, GradientOutcome.not_finite).astype(np.uint8)
            u = torch.where(good[:, None], u, torch.zeros_like(u))
        all_outcomes = np.full(self.count, GradientOutcome.not_settled, np.uint8)
        all_outcomes[self.index.cpu().numpy()] = outcomes
        self.found.gradient_outcomes = all_outcomes
        say_left_out(all_outcomes)
        return u

    def _exact(self, g: Tensor) -> tuple[Tensor, Array]:
        """Of equilibria: an iterate that is none has no adjoint."""
        verdicts = self.found.outcomes[self.found.answered]
        if self.by_irn and g.dtype == torch.float64:
            z, slopes = (np.ascontiguousarray(t.numpy()) for t in (self.products.z, g))
            u, outcomes, _, _ = _core.adjoint_problem(
                z, verdicts, slopes, self.products.value, None, self.products.transposed_rows, self.limit, 100, 2000
            )
            return torch.from_numpy(u), outcomes
        by_torch, found, _ = _torch_engine.adjoint(self.products.transposed, g, self.limit)
        outcomes = found.cpu().numpy()
        iterated = ~self.found.settled[self.found.answered]
        outcomes[iterated] = GradientOutcome.not_settled
        by_torch[torch.from_numpy(np.flatnonzero(iterated)).to(g.device)] = 0
        return by_torch, outcomes

    def _series(self, g: Tensor, terms: int, damping: float) -> Tensor:
        """damping sum_{k < terms} ((1 - damping) I + damping J^T)^k g."""
        everyone = torch.arange(len(g), device=g.device)
        term, u = g, damping * g
        for _ in range(int(terms) - 1):
            term = (1 - damping) * term + damping * self.products.transposed(everyone, term)
            u = u + damping * term
        return u


class _Solved(torch.autograd.Function):  # type: ignore[misc]
    """The states z, whose derivative is that of `value`, f at the equilibria, through the adjoint."""

    @staticmethod
    def forward(ctx: Any, back: _Back, z: Tensor, value: Tensor) -> Tensor:
        ctx.back = back
        ctx.save_for_backward(value)
        return z.clone()

    @staticmethod
    def backward(ctx: Any, slopes: Tensor) -> Any:
        (value,) = ctx.saved_tensors
        with torch.no_grad():
            u = ctx.back.adjoint(slopes.detach())
        return (None, None, *first_only([u], [slopes, value]))
