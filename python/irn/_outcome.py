"""What became of a search for an equilibrium, and of a gradient."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


class Outcome(enum.IntEnum):
    """What became of one search. Arrays of outcomes hold these numbers: `answers.outcomes == irn.Outcome.settled`."""

    settled = 0  #: the residual is within tolerance
    iterated = 1  #: the iterations asked for were done; an answer, but no equilibrium is claimed
    step_limit = 2  #: the residual still fell when the steps ran out
    oscillates = 3  #: it had stopped falling: the dynamics cycle, wander or run away, or the equilibrium repels
    not_finite = 4  #: the state left the range of numbers

    @property
    def has_answer(self) -> bool:
        """Whether the state is an answer: an equilibrium, or the iterate that was asked for."""
        return self in (Outcome.settled, Outcome.iterated)


class GradientOutcome(enum.IntEnum):
    """What became of one sample's gradient."""

    used = 0  #: it is in the sum
    limited = 1  #: in the sum, scaled down to the limit of amplification
    fold = 2  #: left out: beyond that limit, or I - D A is singular
    no_adjoint = 3  #: left out: products ran out before the adjoint was found
    not_reversed = 4  #: left out: running the iteration backwards did not lead to its start
    not_settled = 5  #: left out: the state is no answer
    not_finite = 6  #: left out: the state, the slopes or the gradient left the range of numbers


class UnsettledWarning(RuntimeWarning):
    """Samples did not settle and have no answer, or something else stands in its place."""


class TrainingWarning(RuntimeWarning):
    """A training ended badly, or was interrupted; what it has learnt so far is kept."""


def settled(outcomes: Any) -> Any:
    """Whether each is an equilibrium."""
    return outcomes == Outcome.settled


def answered(outcomes: Any) -> Any:
    """Whether each has an answer."""
    return (outcomes == Outcome.settled) | (outcomes == Outcome.iterated)


def counts(outcomes: Array) -> str:
    """'3 settled, 1 oscillates'."""
    found = np.bincount(np.atleast_1d(outcomes), minlength=len(Outcome))
    return ", ".join(f"{n} {Outcome(code).name}" for code, n in enumerate(found) if n) or "none"
