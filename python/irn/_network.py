"""Networks: z = f(A z + B x + b), the state in which their own connections come to rest."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np

from irn import _core
from irn._arrays import number, text
from irn._network_values import Answers, Branch, Gradients, Parameters, Pass, Turning

Array = np.ndarray[Any, Any]
Path = Union[str, "os.PathLike[str]"]


class Network:
    """An implicit recurrent network that owns its parameters.

    `architecture` is a text: "100-5-2" has 100 inputs and layers of 5 and 2 sigmoid neurons with all lateral and feedback
    connections; "784-512relu-10identity/lateral" names activations and the recurrence (none, lateral, feedback, full).

    >>> import irn, numpy as np
    >>> network = irn.Network("3-4tanh-2identity", seed=1)
    >>> network
    irn.Network('3-4tanh-2identity', precision='float32')  # 54 parameters
    >>> network.parameters["layer1.bias"]
    array([0., 0., 0., 0.], dtype=float32)
    >>> network.parameters["layer1.bias"] = [0.1, 0.2, 0.3, 0.4]
    >>> answers = network.settle(np.ones((5, 3)))
    >>> answers.settled.all()
    True
    """

    __slots__ = ("_core", "__weakref__")

    def __init__(
        self, architecture: str, *, precision: str = "float32", start: str = "scaled", seed: int = 0
    ) -> None:
        self._core = _core.Network(str(architecture), _precision(precision), text(start, "start"), _seed(seed))

    @classmethod
    def _of(cls, core: _core.Network) -> Network:
        network = cls.__new__(cls)
        network._core = core
        return network

    @classmethod
    def load(cls, path: Path) -> Network:
        """The network of a model file; irn.load gives all of the model."""
        from irn._model import model_path

        return cls._of(_core.Network.load(model_path(path)))

    def save(self, path: Path) -> None:
        """As a model file for the plain columns x0, x1, ... and y0, y1, ...; written whole or not at all."""
        self._core.save(os.fspath(path))

    architecture = property(lambda self: self._core.architecture, doc="Its text.")
    precision = property(lambda self: self._core.precision, doc="'float32' or 'float64'.")
    inputs = property(lambda self: self._core.inputs, doc="How many.")
    outputs = property(lambda self: self._core.outputs, doc="How many: neurons of the last layer.")
    neurons = property(lambda self: self._core.neurons, doc="How many, of all layers.")
    layers = property(lambda self: self._core.layers, doc="(size, activation) of each.")
    recurrent = property(lambda self: self._core.recurrent, doc="Whether there are recurrent connections.")

    @property
    def parameters(self) -> Parameters:
        """Tensors by name; `parameters.vector` has all in one row."""
        return Parameters(self._core)

    def settle(
        self,
        x: Any,
        *,
        solver: str = "auto",
        tolerance: float = 0,
        starts: Any = None,
        floor: float = 1,
        confirm: bool = True,
        device: str = "cpu",
    ) -> Answers:
        """The state that dz/dt = F(z) - z reaches for each row of x.

        solver: as `irn.solvers` lists them, with options as in "anderson:memory=3"; auto: as the network was trained.
        tolerance: of the residual; 0: as it was trained, else 1e-5 in float32 and 1e-8 in float64.
        starts: where from, one state for all rows or one a row; None: at rest, z = 0.
        floor: residuals of a neuron are measured against max(floor, |z_i|).
        confirm: ask of every equilibrium whether it attracts; one that repels is no answer.
        device: "cpu", "cuda" or "cuda:N" (irn.devices); one that cannot be used is refused.
        """
        found = self._core.settle(
            x,
            text(solver, "solver"),
            number(tolerance, "tolerance"),
            starts,
            number(floor, "floor"),
            bool(confirm),
            text(device, "device"),
        )
        return Answers(found, self._core.outputs)

    def forward(
        self,
        x: Any,
        *,
        gradient: str = "exact",
        solver: str = "auto",
        tolerance: float = 0,
        starts: Any = None,
        inputs: bool = False,
        on_fold: str = "leave_out",
        amplification_limit: float = 1e4,
        heads: Sequence[int] = (),
        device: str = "cpu",
    ) -> Pass:
        """A pass forward, for any number of passes back.

        gradient: "exact", "semi", "truncated:terms=5", "unrolled:steps=30", "reversible:steps=30".
        inputs: whether the gradient by the inputs is wanted, too.
        on_fold: what becomes of samples near a fold, beyond the limit of amplification: "leave_out", "limit", "keep".
        heads: layers whose neurons the loss sees, counted from 1; none: the last.
        device: as in settle().
        """
        found = self._core.forward(
            x,
            text(gradient, "gradient"),
            text(solver, "solver"),
            number(tolerance, "tolerance"),
            starts,
            bool(inputs),
            text(on_fold, "on_fold"),
            number(amplification_limit, "amplification_limit"),
            _layers_of(heads),
            text(device, "device"),
        )
        return Pass(found, self)

    def backward(self, found: Pass, slopes: Any, weights: Any = None) -> Gradients:
        """The gradient from dL/d(outputs), one row a sample. Samples without an answer are left out."""
        if found._network is not self:
            raise _core.Error("backward() needs a pass that forward() of this network has made")
        return Gradients(found._pass.backward(slopes, weights), self.parameters._parts)

    def gradient(self, x: Any, slopes: Any, weights: Any = None, **how: Any) -> Gradients:
        """forward() and backward() in one: `slopes` are dL/d(outputs), or a function that gives them from the outputs.

        >>> import irn, numpy as np
        >>> network = irn.Network("2-3-1", seed=2)
        >>> x, y = np.eye(2), np.array([[0.], [1.]])
        >>> gradient = network.gradient(x, lambda outputs: 2 * (outputs - y))
        >>> gradient
        <irn.Gradients of 26 parameters: 2 used>
        >>> gradient["layer2.bias"].shape
        (1,)
        """
        found = self.forward(x, **how)
        if callable(slopes):
            slopes = slopes(found.outputs)
        return self.backward(found, slopes, weights)

    def jacobian(self, x: Any, state: Any) -> Array:
        """J = D A - I of the flow dz/dt = f(A z + B x + b) - z at one state, up to 256 neurons."""
        return _core.jacobian(self._core, x, state)

    def eigenvalues(self, x: Any, state: Any) -> Array:
        """Those of the flow's Jacobian at one state, rightmost first: left of 0 that state attracts. Beyond 256 neurons in a loop an
        estimate of the rightmost ones."""
        return _core.eigenvalues(self._core, x, state)[0]

    def check(self, x: Any, **options: Any) -> Any:
        """What its equilibria for the rows of x are worth: irn.check(network, x, ...)."""
        from irn._check import check

        return check(self, x, **options)

    def branches(self, x: Any, column: Optional[int], low: float, high: float, *, at: int = 5) -> list[Branch]:
        """All equilibria over input `column` from low to high, the others as in x, followed around folds from those at `at` values; with
        column None over the strength of the recurrence, 1 being the network itself.

        >>> import irn
        >>> neuron = irn.Network("1-1tanh", precision="float64")        # z = tanh(2 z + x)
        >>> neuron.parameters.vector = [1, 2, 0]
        >>> neuron.branches([0.0], 0, -1, 1)
        [<irn.Branch: ... points from -1 to 1: fold at ..., fold at ...>]
        """
        if column is not None and not 0 <= column < self.inputs:
            raise _core.Error(f"column {column} is none of the {self.inputs} inputs, which count from 0")
        found = _core.branches(self._core, x, column, number(low, "low"), number(high, "high"), int(at))
        return [Branch(*one)._replace(turnings=tuple(Turning(*t) for t in one[4])) for one in found]

    @property
    def certificate(self) -> Optional[tuple[float, bool]]:
        """(bound, proven): below 1 and proven, every input has one equilibrium, reached from every start. None: too wide to tell."""
        return self._core.certificate()

    def copy(self) -> Network:
        """An independent one."""
        return type(self)._of(self._core.copy())

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Network:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle, (type(self), self._core.to_bytes())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Network):
            return NotImplemented
        return self._core.to_bytes() == other._core.to_bytes()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        count = len(self._core.parameters())
        return f"irn.Network({self.architecture!r}, precision={self.precision!r})  # {count:,} parameters"

    def _repr_html_(self) -> str:
        from irn._html import network_html

        return network_html(self)


def _layers_of(heads: Any) -> list[int]:
    try:
        layers = [int(head) for head in heads]
    except (TypeError, ValueError):
        layers = [0]
    if any(layer < 1 for layer in layers):
        raise _core.Error(f"heads: {heads!r} is not a list of layers, which count from 1")
    return layers


def _unpickle(cls: type[Network], content: bytes) -> Network:
    return cls._of(_core.Network.from_bytes(content))


def _seed(seed: Any) -> int:
    try:
        value = int(seed)
    except (TypeError, ValueError):
        value = -1
    if value != seed or not 0 <= value < 2**64:
        raise _core.Error(f"seed: {seed!r} is not a whole number from 0 to 2^64 - 1")
    return value


def _precision(precision: Any) -> str:
    """'float32', np.float32, 'float', 'single' and the like."""
    short = {"float": "float32", "single": "float32", "double": "float64"}
    if isinstance(precision, str):
        return short.get(precision, precision)
    try:
        return str(np.dtype(precision))
    except TypeError:
        return str(precision)
