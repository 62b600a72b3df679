"""What the layers of irn.torch share: what stands where a sample did not settle, what is said of it, and first derivatives only."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from irn import _core
from irn._arrays import text
from irn._outcome import GradientOutcome, UnsettledWarning, Verdicts, counts

Array = np.ndarray[Any, Any]
Tensor = Any  # torch.Tensor, which is not there where types are checked without torch

#: What stands where a sample did not settle, in words.
UNSETTLED = {
    "refuse": "",
    "zeros": "zeros stand in their place",
    "empty": "NaN stands in their place",
    "last": "where their search ended stands in their place",
}


class UnsettledError(_core.Error):
    """Samples did not settle; `verdicts` has what became of each."""

    def __init__(self, line: str, verdicts: Any) -> None:
        super().__init__(line)
        self.verdicts = verdicts

    def __reduce__(self) -> tuple[Any, ...]:
        """So that processes can hand it on: an exception's own way takes the line alone."""
        return type(self), (str(self), self.verdicts)


class GradientWarning(RuntimeWarning):
    """Samples that settled are not in the gradient, as one at a fold, where it has no bound."""


def refuse_iterates(gradient: str, solver: str, instead: str) -> None:
    """Refuses the gradient of equilibria where the answers need not be any: all of its samples would be left out."""
    if solver.partition(":")[0] in ("iterate", "reversible"):
        raise _core.Error(f"gradient={gradient!r} is that of equilibria, and solver={solver!r} answers with the end of an iteration; {instead}")


def dense(given: Any, what: str) -> Tensor:
    """A tensor whose numbers lie in memory."""
    if not isinstance(given, torch.Tensor):
        raise _core.Error(f"{what} is a {type(given).__name__}, not a tensor; torch.as_tensor(...) makes one of arrays and lists")
    if given.layout != torch.strided:
        raise _core.Error(f"{what} is a sparse tensor ({given.layout}); give a dense one: {what}.to_dense()")
    return given


def checked_unsettled(unsettled: Any) -> str:
    if text(unsettled, "unsettled") not in UNSETTLED:
        raise _core.Error(f"unsettled: {unsettled!r} is none of {', '.join(UNSETTLED)}")
    return str(unsettled)


def say_unsettled(verdicts: Verdicts, unsettled: str, stacklevel: int) -> None:
    """Raises or warns where a sample has no answer."""
    lost = verdicts.outcomes[~verdicts.answered]
    if not len(lost):
        return
    line = f"{len(lost)} of {len(verdicts.outcomes)} samples did not settle ({counts(lost)})"
    if unsettled == "refuse":
        raise UnsettledError(f"{line}; unsettled='zeros', 'empty' or 'last' goes on without them", verdicts)
    warnings.warn(f"{line}; {UNSETTLED[unsettled]}, without a gradient", UnsettledWarning, stacklevel=stacklevel + 1)


def put_in_place(values: Tensor, verdicts: Verdicts, unsettled: str) -> None:
    """What `unsettled` says, into the rows without an answer."""
    if unsettled in ("zeros", "empty") and not verdicts.answered.all():
        lost = torch.from_numpy(np.flatnonzero(~verdicts.answered)).to(values.device)
        values[lost] = 0.0 if unsettled == "zeros" else float("nan")


def say_left_out(outcomes: Array) -> None:
    """Warns of samples with an answer that are not in the gradient."""
    if not outcomes.any():  # all are used
        return
    passed = (GradientOutcome.used, GradientOutcome.limited, GradientOutcome.not_settled)
    lost = outcomes[~np.isin(outcomes, passed)]
    if len(lost):
        found = np.bincount(lost, minlength=len(GradientOutcome))
        words = ", ".join(f"{n} {GradientOutcome(code).name}" for code, n in enumerate(found) if n)
        warnings.warn(f"{len(lost)} of {len(outcomes)} samples are left out of the gradient: {words}", GradientWarning, stacklevel=3)


class _FirstOnly(torch.autograd.Function):  # type: ignore[misc]
    """The first `count` tensors, as functions of all of them that cannot be differentiated."""

    @staticmethod
    def forward(ctx: Any, count: int, *tensors: Tensor) -> Any:
        return tuple(t.view_as(t) for t in tensors[:count])

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> Any:
        raise _core.Error(
            "irn.torch has first derivatives only: the gradient of a gradient (create_graph=True, torch.autograd.functional.hessian)"
            " cannot be taken through an equilibrium"
        )


def first_only(gradients: Sequence[Tensor], depends_on: Sequence[Tensor]) -> list[Tensor]:
    """Gradients that refuse to be differentiated; a no-op unless a graph of them is being made."""
    if not torch.is_grad_enabled():
        return list(gradients)
    places = [k for k, g in enumerate(gradients) if g is not None]
    results = list(gradients)
    made = _FirstOnly.apply(len(places), *(gradients[k] for k in places), *depends_on)
    for k, tensor in zip(places, made):
        results[k] = tensor
    return results
