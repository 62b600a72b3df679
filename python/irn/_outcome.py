"""What became of a search for an equilibrium, and of a gradient."""

from __future__ import annotations

import enum
from typing import Any, Optional

import numpy as np

Array = np.ndarray[Any, Any]


class Outcome(enum.IntEnum):
    """What became of one search. Arrays of outcomes hold these numbers: `answers.outcomes == irn.Outcome.settled`."""

    settled = 0  #: every unknown is at rest, and the state attracts, as far as its stability says
    iterated = 1  #: the iterations asked for were done; an answer, but no equilibrium is claimed
    slow = 2  #: the residual still fell when the steps ran out: more steps will help
    ran_out = 3  #: the steps ran out before there was anything to tell
    repels = 4  #: an equilibrium, but not one where the flow comes to rest: a saddle, or the centre of a cycle
    cycles = 5  #: the residual no longer falls and the state stays where it is: the dynamics cycle or wander
    runs_away = 6  #: the state grows without end
    not_finite = 7  #: it left the range of numbers

    @property
    def has_answer(self) -> bool:
        """Whether the state is an answer: an equilibrium, or the iterate that was asked for."""
        return self in (Outcome.settled, Outcome.iterated)


# As plain numbers, which NumPy compares in a tenth of the time.
_SETTLED, _LAST_ANSWER = int(Outcome.settled), int(Outcome.iterated)


class Stability(enum.IntEnum):
    """Whether the flow returns to an equilibrium from nearby."""

    unasked = 0  #: nobody asked (confirm=False), it is no equilibrium, or a certificate answers for all
    attracts = 1  #: it does
    undecided = 2  #: the rightmost eigenvalue is too near zero to tell, or an estimate did not show it
    repels = 3  #: it does not


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


class Verdicts:
    """What became of searches: arrays, one value each; of a single problem single values.

    outcomes: irn.Outcome; residuals: max |F(z) - z|; evaluations: of F, products with its Jacobian included.
    stabilities: irn.Stability; rates, turns: the eigenvalue of the flow's Jacobian with the largest real part, where it had to be computed.
    more_steps: of those that are slow, as many again would have settled them, if their residual goes on to fall as it did.
    """

    __slots__ = ("outcomes", "residuals", "evaluations", "stabilities", "rates", "turns", "more_steps")

    def __init__(self, verdicts: tuple[Any, ...]) -> None:
        (
            self.outcomes,
            self.residuals,
            self.evaluations,
            self.stabilities,
            self.rates,
            self.turns,
            self.more_steps,
        ) = verdicts

    @property
    def settled(self) -> Any:
        """Whether it is an equilibrium where the flow comes to rest."""
        return settled(self.outcomes)

    @property
    def answered(self) -> Any:
        """Whether it is an answer: an equilibrium, or the iterate that was asked for."""
        return answered(self.outcomes)


def settled(outcomes: Any) -> Any:
    """Whether each is an equilibrium."""
    return outcomes == _SETTLED


def answered(outcomes: Any) -> Any:
    """Whether each has an answer."""
    return outcomes <= _LAST_ANSWER


def counts(outcomes: Array, stabilities: Optional[Array] = None) -> str:
    """'3 settled, 1 cycles'; with stabilities '3 settled (2 undecided)', where nothing showed that they attract."""
    found = np.bincount(np.atleast_1d(outcomes), minlength=len(Outcome))
    words = [f"{n} {Outcome(code).name}" for code, n in enumerate(found) if n]
    if stabilities is not None and found[_SETTLED]:
        undecided = int(np.count_nonzero(settled(outcomes) & (stabilities == int(Stability.undecided))))
        words[0] += f" ({undecided} undecided)" if undecided else ""
    return ", ".join(words) or "none"
