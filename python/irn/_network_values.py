"""What networks are asked with and answer with: states and verdicts, parameters, gradients, branches of equilibria."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

import numpy as np

from irn import _core
from irn._outcome import GradientOutcome, Verdicts, counts

if TYPE_CHECKING:
    from irn._network import Network

Array = np.ndarray[Any, Any]


class Answers(Verdicts):
    """States and verdicts of a batch, one row a sample. A state whose outcome has no answer is the last iterate, and no answer.

    >>> import irn, numpy as np
    >>> answers = irn.Network("3-4-2", seed=1).settle(np.zeros((2, 3)))
    >>> answers
    <irn.Answers: 2 samples: 2 settled>
    >>> answers.outputs.shape, answers.outcomes[0] == irn.Outcome.settled
    ((2, 2), True)
    """

    __slots__ = ("states", "_outputs")

    def __init__(self, found: tuple[Array, tuple[Array, ...]], outputs: int) -> None:
        #: [sample][neuron], layer after layer
        self.states = found[0]
        super().__init__(found[1])
        self._outputs = outputs

    @property
    def outputs(self) -> Array:
        """[sample][neuron of the last layer]: the last columns of the states."""
        return self.states[:, self.states.shape[1] - self._outputs :]

    def __len__(self) -> int:
        return len(self.outcomes)

    def __repr__(self) -> str:
        return f"<irn.{type(self).__name__}: {len(self)} sample{'s' * (len(self) != 1)}: {counts(self.outcomes, self.stabilities)}>"


class Pass(Answers):
    """What a forward pass has found, for backward(): of one network, and of the parameters it had. Its arrays are read-only."""

    __slots__ = ("_pass", "_network")

    def __init__(self, found: _core.Pass, network: Network) -> None:
        super().__init__(found.arrays(), network.outputs)
        self._pass = found
        self._network = network


class Parameters(Mapping[str, Array]):
    """Tensors by name, as a model file has them: "layer1.input", "layer1.layer2", "layer1.bias", ...

    What is read is a read-only view of what the network has now; assigning sets a tensor.
    """

    __slots__ = ("_network", "_parts")

    def __init__(self, network: _core.Network) -> None:
        self._network = network
        self._parts = {name: (shape, first, count) for name, shape, first, count in network.parts}

    def __getitem__(self, name: str) -> Array:
        return _tensor(self._network.parameters(), self._parts, name)

    def __setitem__(self, name: str, values: Any) -> None:
        shape, _, _ = _part(self._parts, name)
        array = np.asarray(values)
        if array.shape != shape:
            array = _broadcast(array, shape, name)
        self._network.set_parameter(name, array.reshape(-1))

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    @property
    def vector(self) -> Array:
        """All of them in one row, read-only; assigning sets all."""
        return self._network.parameters()

    @vector.setter
    def vector(self, values: Any) -> None:
        self._network.set_parameters(values)

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{name!r}: {shape}" for name, (shape, _, _) in self._parts.items()) + "}"


Parts = Mapping[str, tuple[tuple[int, ...], int, int]]


def _part(parts: Parts, name: str) -> tuple[tuple[int, ...], int, int]:
    if name not in parts:
        raise KeyError(f"there is no parameter {name!r}; there are: {', '.join(parts)}")
    return parts[name]


def _tensor(vector: Array, parts: Parts, name: str) -> Array:
    shape, first, count = _part(parts, name)
    return vector[first : first + count].reshape(shape)


def _broadcast(array: Array, shape: tuple[int, ...], name: str) -> Array:
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        raise _core.Error(f"parameter {name} has the shape {shape}, but {array.shape} was given") from None


class Gradients(Mapping[str, Array]):
    """A gradient: of the parameters, by name, the mean over the samples used; and of each sample's inputs, if asked for."""

    __slots__ = ("vector", "inputs", "outcomes", "amplification", "used", "_parts")

    def __init__(self, found: tuple[Array, Optional[Array], Array, Array, int], parts: Parts) -> None:
        self.vector, self.inputs, self.outcomes, self.amplification, self.used = found
        self._parts = parts

    def __getitem__(self, name: str) -> Array:
        return _tensor(self.vector, self._parts, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    def __repr__(self) -> str:
        found = np.bincount(self.outcomes, minlength=len(GradientOutcome))
        words = ", ".join(f"{n} {GradientOutcome(code).name}" for code, n in enumerate(found) if n)
        return f"<irn.Gradients of {len(self.vector)} parameters: {words}>"


class Turning(NamedTuple):
    """Where a branch folds, where a cycle begins (hopf), or where another branch comes through (crossing)."""

    kind: str
    p: float
    state: Array
    frequency: float


class Branch(NamedTuple):
    """Equilibria as one number p changes, in the order of the branch."""

    p: Array
    states: Array  #: [point][neuron]
    stable: Array
    rightmost: Array  #: eigenvalue of the flow's Jacobian
    turnings: tuple[Turning, ...]

    def __repr__(self) -> str:
        turns = ", ".join(f"{t.kind} at {t.p:.4g}" for t in self.turnings) or "no turning"
        return f"<irn.Branch: {len(self.p)} points from {self.p.min():.4g} to {self.p.max():.4g}: {turns}>"
