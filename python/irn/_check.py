"""What the equilibria of a network are worth, as `irn check` tells it (irn/analysis)."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional, Union

import numpy as np

from irn import _core
from irn._arrays import number, text
from irn._model import Model
from irn._network import Network
from irn._outcome import Stability, Verdicts, counts

Array = np.ndarray[Any, Any]


class Certificate(NamedTuple):
    """What can be proven of a network whatever its input: bound < 1 (irn/analysis/certificates.h)."""

    name: str
    bound: float  #: also how far it is from holding: with recurrent weights divided by more than this it would
    holds: bool  #: proven, rounding included
    promise: str  #: what it says, a sentence
    weights: Array  #: one a neuron, where it has some

    def __repr__(self) -> str:
        return f"<irn.Certificate {self.name}: bound {self.bound:.4g}, {'holds' if self.holds else 'does not hold'}>"


class Equilibrium(NamedTuple):
    """One of the equilibria of a sample, stable or not."""

    state: Array
    residual: float
    eigenvalues: Array  #: of the flow, rightmost first
    stability: Stability
    time_constant: float  #: of the slowest mode; infinite unless it attracts
    sign: int  #: of det(I - J): over all equilibria of a bounded network they sum to 1
    starts: int  #: of the flow that ended here
    from_rest: bool  #: the answer

    def __repr__(self) -> str:
        state = np.array2string(self.state, precision=4, threshold=8, edgeitems=3)
        return f"<irn.Equilibrium {self.stability.name}{', from rest' * self.from_rest}, {self.starts} starts: {state}>"


class BasinEdge(NamedTuple):
    """How near the way from rest passes to where the flow would end elsewhere."""

    from_start: float  #: smallest distance found, from the start
    from_path: float  #: from any state on the way
    time: float
    state: Array
    beyond: Array  #: the state there from which the flow ends elsewhere
    towards: int  #: which equilibrium lies there


class Fold(NamedTuple):
    """Where the answer meets another equilibrium, and both vanish."""

    distance: float  #: of the inputs
    direction: Array
    input: Array
    state: Array
    nearest_around: bool

    def __repr__(self) -> str:
        return f"<irn.Fold at a distance of {self.distance:.4g} in the inputs>"


class CloserLook(NamedTuple):
    """All equilibria of one sample that a search has found, the edge of its basin, and the nearest fold found."""

    sample: int
    equilibria: tuple[Equilibrium, ...]  #: the answer first
    misses_some: bool  #: their indices say that there are others
    edge: Optional[BasinEdge]
    fold: Optional[Fold]
    fold_range: Optional[float]  #: within which was looked; None: the sample has no answer

    def __repr__(self) -> str:
        stable = sum(e.stability == Stability.attracts for e in self.equilibria)
        fold = f"fold at {self.fold.distance:.4g}" if self.fold else "no fold found"
        return f"<irn.CloserLook at sample {self.sample}: {len(self.equilibria)} equilibria, {stable} attract; {fold}>"


class Check(Verdicts):
    """One entry a sample; NaN where there is no equilibrium to look at.

    attraction: irn.Stability by the eigenvalues. eigenvalues: [sample][k] of the flow's Jacobian, rightmost first.
    time_constants, frequencies: of the slowest mode. unstable: eigenvalues with a positive real part.
    distances: to the limit, estimated. singular: smallest singular value of I - D A, 0 at a fold.
    sensitivities: |dy/dx|; inputs: which input that is mostly due to (-1: none). amplifications: of a gradient, the most.
    certificates: of the network; `certificate` is the first that holds. closer: a CloserLook at each of the most doubtful samples.
    """

    __slots__ = (
        "attraction", "eigenvalues", "time_constants", "frequencies", "unstable", "distances", "singular", "sensitivities",
        "amplifications", "inputs", "certificates", "closer",
    )  # fmt: skip
    attraction: Array
    eigenvalues: Array
    time_constants: Array
    frequencies: Array
    unstable: Array
    distances: Array
    singular: Array
    sensitivities: Array
    amplifications: Array
    inputs: Array

    def __init__(self, samples: dict[str, Any], certificates: list[Any], closer: list[Any]) -> None:
        super().__init__(samples.pop("verdicts"))
        for name, values in samples.items():
            setattr(self, name, values)
        self.inputs = np.where(np.isnan(self.singular), -1, np.nan_to_num(self.inputs)).astype(np.int64)
        self.certificates = tuple(Certificate(*c) for c in certificates)
        self.closer = tuple(_look(**look) for look in closer)

    @property
    def certificate(self) -> Optional[Certificate]:
        """The first that holds."""
        return next((c for c in self.certificates if c.holds), None)

    def __len__(self) -> int:
        return len(self.outcomes)

    def facts(self) -> list[tuple[str, str]]:
        """What there is to say of all samples, in words."""
        attracts = np.bincount(self.attraction, minlength=len(Stability))
        held = self.certificate
        rows = [
            ("outcomes", counts(self.outcomes)),
            ("by eigenvalues", ", ".join(f"{n} {Stability(k).name}" for k, n in enumerate(attracts) if n)),
            ("certificate", f"{held.name}, bound {held.bound:.4g}" if held else "none holds"),
        ]
        for name in ("time_constants", "distances", "singular", "sensitivities"):
            values = getattr(self, name)
            values = values[~np.isnan(values)]
            if len(values):
                rows.append((name.replace("_", " "), f"{values.min():.4g} to {values.max():.4g}, median {np.median(values):.4g}"))
        return rows + [(f"sample {look.sample}", repr(look)[1:-1].split(": ", 1)[1]) for look in self.closer]

    def __repr__(self) -> str:
        words = "\n".join(f"  {name}: {value}" for name, value in self.facts())
        return f"<irn.Check of {len(self)} sample{'s' * (len(self) != 1)}\n{words}>"

    def _repr_html_(self) -> str:
        from irn._html import _card, _table

        return _card("irn.Check", f"{len(self)} samples") + _table(("", ""), self.facts())


def check(
    of: Union[Network, Model],
    x: Any,
    *,
    closer: int = 0,
    eigenvalues: int = 6,
    starts: int = 64,
    fold_range: float = 10,
    device: str = "cpu",
) -> Check:
    """What the equilibria of a network, or of a model, are worth for the rows of x; a model takes them as its data have them.

    closer: of so many samples, the most doubtful first, all equilibria are looked for (the flow is followed from `starts` states), the edge of
        the basin, and the nearest fold within `fold_range` of the inputs. Up to 256 neurons.
    eigenvalues: how many are kept of each sample, rightmost first.
    device: that settles the rows, as in Network.settle; equilibria are looked at on the processor.

    >>> import irn
    >>> neuron = irn.Network("1-1tanh", precision="float64")        # z = tanh(2 z + x): a switch
    >>> neuron.parameters.vector = [1, 2, 0]
    >>> report = irn.check(neuron, [[3.0], [0.1]], closer=1)
    >>> report.closer[0]
    <irn.CloserLook at sample 1: 3 equilibria, 2 attract; fold at 0.6328>
    >>> report.certificate is None, bool((report.time_constants > 1).all())
    (True, True)
    """
    if isinstance(of, Model):
        if isinstance(x, (list, tuple)) and len(x) and not isinstance(x[0], (list, tuple, np.ndarray)):
            x = [x]
        x, of = of._core.encode(of._table_of(x), False)[0], of.network
    elif not isinstance(of, Network):
        raise _core.Error(f"check() takes an irn.Network or an irn.Model, not a {type(of).__name__}")
    kept, looked, tried = _count(eigenvalues, "eigenvalues"), _count(closer, "closer"), _count(starts, "starts")
    return Check(*_core.check(of._core, x, kept, looked, tried, number(fold_range, "fold_range"), text(device, "device")))


def _count(given: Any, what: str) -> int:
    value = number(given, what)
    if value != int(value) or value < 0:
        raise _core.Error(f"{what}: {given!r} is not a whole number, zero or more")
    return int(value)


def _look(sample: int, equilibria: list[Any], edge: Any, fold: Any, **rest: Any) -> CloserLook:
    found = tuple(Equilibrium(*e)._replace(stability=Stability(e[3])) for e in equilibria)
    return CloserLook(sample, found, edge=BasinEdge(*edge) if edge else None, fold=Fold(*fold) if fold else None, **rest)
