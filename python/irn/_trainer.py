"""Training step by step: a ready-made loop, and an optimiser for a loop of your own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from irn import _core
from irn._arrays import number, text
from irn._network import Network


class Step(NamedTuple):
    """What one step of a Trainer did."""

    loss: float  #: mean over the samples counted; NaN if there are none
    samples: int
    settled: int
    counted: int  #: in the loss: those that have an answer and a weight above 0
    used: int  #: in the gradient
    evaluations: float  #: a sample
    gradient_norm: float  #: before clipping; 0 unless clip asks for it
    applied: bool


class Evaluation(NamedTuple):
    """How good a network is on samples; of those that have an answer."""

    loss: float
    score: float  #: R2, or the accuracy
    samples: int
    settled: int
    answered: int
    evaluations: float


class Trainer:
    """A ready-made training loop, step by step, on arrays as the network takes them.

    >>> import irn, numpy as np
    >>> x = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], float)
    >>> y = np.array([[0], [1], [1], [0]], float)
    >>> network = irn.Network("2-2", start="paper", seed=3)
    >>> trainer = irn.Trainer(network, optimiser="adam:rate=0.1", clip=1)
    >>> for _ in range(300):
    ...     step = trainer.step(x, y)
    >>> bool(trainer.evaluate(x, y).loss < 0.05)
    True
    """

    def __init__(
        self,
        network: Network,
        *,
        optimiser: str = "adam",
        schedule: str = "constant",
        loss: str = "squared",
        gradient: str = "exact",
        solver: str = "auto",
        tolerance: float = 0,
        clip: float = 0,
        certify: float = 0,
        pull: float = 0,
        heads: Sequence[tuple[int, str, float, int]] = (),
        device: str = "cpu",
    ) -> None:
        """heads: (layer, loss, weight, targets) of each, instead of one loss on the last layer. device: as in Network.settle."""
        self.network = network
        self._core = _core.Trainer(
            network._core,
            text(optimiser, "optimiser"),
            text(schedule, "schedule"),
            text(loss, "loss"),
            text(gradient, "gradient"),
            text(solver, "solver"),
            number(tolerance, "tolerance"),
            number(clip, "clip"),
            number(certify, "certify"),
            number(pull, "pull"),
            _heads(heads),
            text(device, "device"),
        )

    def step(self, x: Any, y: Any, weights: Any = None) -> Step:
        """One step with these samples; changes the network."""
        return Step(**self._core.step(x, y, weights))

    def evaluate(self, x: Any, y: Any, weights: Any = None) -> Evaluation:
        """Loss and score of the network as it is."""
        return Evaluation(**self._core.evaluate(x, y, weights))

    def certify(self) -> None:
        """Takes out of the network what the last steps have added beyond the certificate's bound; before it is judged or saved."""
        self._core.certify()

    def __repr__(self) -> str:
        return f"<irn.Trainer of {self.network.architecture}>"


class Optimiser:
    """The parameters' next values from a gradient, whoever made it: for a training loop with a loss of your own."""

    def __init__(self, options: str, network: Network) -> None:
        text(options, "optimiser")
        self._core = _core.Optimiser(options, network._core)
        self._options = options

    def step(self, network: Network, gradient: Any, rate_factor: float = 1) -> bool:
        """Changes the network; a gradient that is not finite changes nothing, and False says so."""
        vector = getattr(gradient, "vector", gradient)
        return self._core.step(network._core, vector, number(rate_factor, "rate_factor"))

    def __repr__(self) -> str:
        return f"irn.Optimiser({self._options!r})"


def _heads(heads: Any) -> list[tuple[int, str, float, int]]:
    try:
        return [(int(layer), text(loss, "heads"), float(weight), int(targets)) for layer, loss, weight, targets in heads]
    except (TypeError, ValueError):
        raise _core.Error("heads: give (layer, loss, weight, targets) of each, as in [(1, 'squared', 1.0, 3)]") from None
