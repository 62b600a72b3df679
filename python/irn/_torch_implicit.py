"""A network as a layer of PyTorch."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np
import torch

from irn import _core
from irn._arrays import number, text
from irn._network import Network, Path, _layers_of
from irn._network_values import Gradients, Pass
from irn._outcome import Outcome, Verdicts
from irn._torch_rules import Array, Tensor, checked_unsettled, dense, first_only, put_in_place, refuse_iterates, say_left_out, say_unsettled
from irn._trainer import Trainer

#: Solvers that only iterate, and the gradient of each.
_OF_ITERATIONS = {"iterate": "unrolled", "reversible": "reversible"}
_PRECISIONS = {torch.float32: "float32", torch.float64: "float64"}


class Implicit(torch.nn.Module):  # type: ignore[misc]
    """A layer whose answer is the equilibrium z = f(A z + B x + b) of an implicit recurrent network.

    architecture: a text, as irn.Network takes it: "100-5-2", "784-128tanh-64identity/lateral".
    seed: of the start; None: drawn from torch's generator. start: "scaled" or "paper".
    gradient: "exact", "semi" and "truncated:terms=5" of equilibria; "unrolled:steps=30" and "reversible:steps=30" of iterations, which
        they bring along as the solver.
    solver, tolerance: as in irn.Network.settle.
    unsettled: what becomes of samples that do not settle: "refuse" raises UnsettledError; "zeros", "empty" (NaN) and "last" put that in
        their place, without a gradient, and warn (irn.UnsettledWarning).
    on_fold, amplification_limit: of samples where the exact gradient has no bound; those left out warn (GradientWarning).
    heads: layers whose neurons are the output, counted from 1; none: the last.
    dtype: torch.float32 or torch.float64; None: torch's default.

    After a forward pass `verdicts` has what became of each sample, after a backward pass `gradient_outcomes` what became of its
    gradient. Parameters go by the names of a model file ("layer1.input", ...), in state_dict() too.

    >>> import torch
    >>> layer = Implicit("3-4tanh-2identity", seed=1)
    >>> model = torch.nn.Sequential(torch.nn.Linear(5, 3), layer, torch.nn.Softmax(dim=-1))
    >>> model(torch.ones(7, 5)).sum().backward()
    >>> layer.layer1.bias.grad.shape, bool(layer.settled.all())
    (torch.Size([4]), True)
    """

    #: of the last forward pass: an irn verdict for each sample, as arrays
    verdicts: Optional[Verdicts]
    #: of the last backward pass: an irn.GradientOutcome for each sample
    gradient_outcomes: Optional[Array]

    def __init__(
        self,
        architecture: str,
        *,
        seed: Optional[int] = None,
        start: str = "scaled",
        gradient: str = "exact",
        solver: str = "auto",
        tolerance: float = 0,
        unsettled: str = "refuse",
        on_fold: str = "leave_out",
        amplification_limit: float = 1e4,
        heads: Sequence[int] = (),
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if seed is None:
            seed = int(torch.randint(2**62, ()))
        precision = _precision_of(dtype or torch.get_default_dtype(), "dtype")
        self._network = Network(architecture, precision=precision, start=start, seed=seed)
        self.gradient, self.solver = text(gradient, "gradient"), text(solver, "solver")
        self.tolerance = number(tolerance, "tolerance")
        self.unsettled = checked_unsettled(unsettled)
        self.on_fold, self.amplification_limit = text(on_fold, "on_fold"), number(amplification_limit, "amplification_limit")
        self.heads = tuple(_layers_of(heads))
        self.verdicts = self.gradient_outcomes = None
        self._owed: weakref.WeakSet[_Owed] = weakref.WeakSet()  # passes that wait for their way back
        self._names = list(self._network.parameters)
        self._columns = self._head_columns()
        self._add_parameters()
        self._check()

    @classmethod
    def of_network(cls, network: Network, **options: Any) -> Implicit:
        """A layer with a copy of a network's parameters, and the solver and tolerance it was trained with; if that only iterates, with the
        gradient of its iteration."""
        if not isinstance(network, Network):
            raise _core.Error(f"of_network() takes an irn.Network, not a {type(network).__name__}")
        solver, tolerance = network._core.trained_with
        dtype = torch.float32 if network.precision == "float32" else torch.float64
        if "solver" not in options and solver.partition(":")[0] in _OF_ITERATIONS:
            name, colon, steps = solver.partition(":")
            options = {"gradient": _OF_ITERATIONS[name] + colon + steps, **options}
        layer = cls(network.architecture, **{"seed": 0, "dtype": dtype, "solver": solver, "tolerance": tolerance, **options})
        layer.set_parameters(network)
        return layer

    @classmethod
    def load(cls, path: Path, **options: Any) -> Implicit:
        """The network of a model file, which takes encoded inputs."""
        return cls.of_network(Network.load(path), **options)

    def network(self) -> Network:
        """An irn.Network with the parameters of now."""
        return self._synced(self._tensors(), inputs=False).copy()

    def save(self, path: Path) -> None:
        """As a model file for the plain columns x0, x1, ... and y0, y1, ..."""
        self.network().save(path)

    def set_parameters(self, network: Network) -> None:
        """Takes the parameters of a network of the same architecture."""
        if network.architecture != self.architecture:
            raise _core.Error(f"a network {network.architecture} has no parameters for a layer {self.architecture}")
        with torch.no_grad():
            for name, tensor in zip(self._names, self._tensors()):
                tensor.copy_(torch.from_numpy(np.array(network.parameters[name])))

    def certify(self, bound: float = 0.95) -> None:
        """Shrinks the recurrent weights, where they need it, until every input has one equilibrium that is reached from every start: to
        be called after each step of an optimiser. Refuses architectures that have no certificate (docs/settling.md)."""
        network = self.network()
        Trainer(network, certify=bound).certify()
        self.set_parameters(network)

    architecture = property(lambda self: self._network.architecture, doc="Its text.")
    in_features = property(lambda self: self._network.inputs, doc="How many numbers a sample has.")

    @property
    def out_features(self) -> int:
        """How many numbers an answer has: neurons of the last layer, or of the heads."""
        return sum(stop - start for start, stop in self._columns)

    @property
    def outcomes(self) -> Array:
        """irn.Outcome of each sample of the last forward pass."""
        if self.verdicts is None:
            raise _core.Error("there are no outcomes before the first forward pass")
        return np.asarray(self.verdicts.outcomes)

    @property
    def settled(self) -> Tensor:
        """A mask: which samples of the last forward pass settled."""
        return torch.from_numpy(self.outcomes == Outcome.settled)

    def forward(self, x: Tensor, starts: Optional[Tensor] = None) -> Tensor:
        """Equilibria of the rows of x, [...][inputs] to [...][outputs]. `starts`: states to begin at, one for all rows or one a row."""
        tensors = self._tensors()
        rows = self._rows_of(x, tensors[0])
        begin = None if starts is None else _array(torch.atleast_2d(dense(starts, "starts").detach()).flatten(0, -2), "starts")
        wanted = torch.is_grad_enabled() and any(t.requires_grad for t in (rows, *tensors))
        if len(rows) == 0:
            outputs = rows.new_zeros((0, self.out_features))
            if wanted:  # whose gradient is zero, and is there
                outputs = outputs * sum(t.sum() for t in (rows, *tensors) if t.requires_grad)
            self.verdicts = Verdicts(tuple(np.zeros(0, dtype) for dtype in "BdIBffI"))
        elif wanted:
            outputs = _Settled.apply(self, begin, rows, *tensors)
        else:
            outputs = self._answer(self._found(tensors, rows, begin))
        return outputs.reshape(*x.shape[:-1], self.out_features)

    def extra_repr(self) -> str:
        return f"{self.architecture!r}, gradient={self.gradient!r}, solver={self.solver!r}, unsettled={self.unsettled!r}"

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_owed"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__({**state, "_owed": weakref.WeakSet()})

    def _add_parameters(self) -> None:
        """Names as in a model file: a dot is a module within."""
        for name in self._names:
            *folders, last = name.split(".")
            place: Any = self
            for folder in folders:
                if folder not in place._modules:
                    place.add_module(folder, torch.nn.Module())
                place = place._modules[folder]
            place.register_parameter(last, torch.nn.Parameter(torch.from_numpy(np.array(self._network.parameters[name]))))

    def _check(self) -> None:
        """Refuses options that no pass could use, at once."""
        if self.gradient.partition(":")[0] not in _OF_ITERATIONS.values():
            refuse_iterates(self.gradient, self.solver, "take gradient='unrolled:steps=...' or 'reversible:steps=...' and no solver, or another solver")
        self._pass(self._network, np.zeros((1, self.in_features), self._network.precision), None, inputs=False)

    def _tensors(self) -> list[Tensor]:
        return [functools.reduce(getattr, name.split("."), self) for name in self._names]

    def _rows_of(self, x: Any, parameter: Tensor) -> Tensor:
        for tensor, what in ((dense(x, "x"), "x"), (parameter, "the layer")):
            if tensor.device.type != "cpu":
                raise _core.Error(
                    f"{what} is on {tensor.device}; irn.torch.Implicit computes on the CPU: take layer.cpu() and x.cpu(), or"
                    " irn.torch.fixed_point, which stays on the device"
                )
        if x.dtype != parameter.dtype:
            raise _core.Error(f"x is of {x.dtype}, the layer of {parameter.dtype}; convert one: x.to(...) or layer.to(...)")
        if x.dim() == 0 or x.shape[-1] != self.in_features:
            raise _core.Error(f"x has the shape {tuple(x.shape)}; a layer {self.architecture} takes [...][{self.in_features}]")
        return x.reshape(-1, self.in_features)

    def _head_columns(self) -> list[tuple[int, int]]:
        """First column and end of the neurons of each head."""
        sizes = [size for size, _ in self._network.layers]
        ends = np.cumsum(sizes).tolist()
        heads = self.heads or (len(sizes),)
        if max(heads) > len(sizes):
            raise _core.Error(f"heads: there is no layer {max(heads)}; the network has {len(sizes)}")
        return [(ends[head - 1] - sizes[head - 1], ends[head - 1]) for head in heads]

    def _synced(self, tensors: Sequence[Tensor], inputs: bool) -> Network:
        """The network with these parameters. One that still owes a backward pass with others is left to that pass."""
        network = self._network
        precision = _precision_of(tensors[0].dtype, "the layer")
        with torch.no_grad():
            given = _array(torch.cat([t.reshape(-1) for t in tensors]), "the layer")  # one comparison: a tensor's own takes microseconds
        if network.precision != precision:
            network = Network(self.architecture, precision=precision)
        changed = not np.array_equal(network._core.parameters(), given)
        if self._owed and any(owed.network is network and (changed or owed.inputs != inputs) for owed in self._owed):
            network = network.copy()
        if changed:
            network._core.set_parameters(given)
        self._network = network
        return network

    def _pass(self, network: Network, x: Array, starts: Any, inputs: bool) -> Pass:
        return network.forward(
            x,
            gradient=self.gradient,
            solver=self.solver,
            tolerance=self.tolerance,
            starts=starts,
            inputs=inputs,
            on_fold=self.on_fold,
            amplification_limit=self.amplification_limit,
            heads=self.heads,
        )

    def _found(self, tensors: Sequence[Tensor], rows: Tensor, starts: Any) -> Any:
        """Answers that need no gradient; gradients through iterations answer with these."""
        network = self._synced(tensors, inputs=False)
        x = _array(rows.detach(), "x")
        if self.gradient.startswith(("unrolled", "reversible")):
            return self._pass(network, x, starts, inputs=False)
        return network.settle(x, solver=self.solver, tolerance=self.tolerance, starts=starts)

    def _answer(self, found: Any) -> Tensor:
        """The output tensor, and verdicts that do not hold on to the states. Shares memory with irn where nothing else needs it."""
        self.verdicts = Verdicts(tuple(np.array(getattr(found, name)) for name in Verdicts.__slots__))
        parts = [found.states[:, start:stop] for start, stop in self._columns]
        values = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)
        outputs = torch.from_numpy(values if values.flags.writeable else values.copy())
        if not self.verdicts.answered.all():
            say_unsettled(self.verdicts, self.unsettled, stacklevel=6)
            put_in_place(outputs, self.verdicts, self.unsettled)
        return outputs


class _Owed:
    """A pass that waits for its way back."""

    def __init__(self, found: Pass, network: Network, inputs: bool) -> None:
        self.found, self.network, self.inputs = found, network, inputs

    def back(self, slopes: Array) -> Gradients:
        return self.network.backward(self.found, slopes)


class _Settled(torch.autograd.Function):  # type: ignore[misc]
    @staticmethod
    def forward(ctx: Any, layer: Implicit, starts: Any, rows: Tensor, *tensors: Tensor) -> Tensor:
        inputs = bool(ctx.needs_input_grad[2])
        network = layer._synced(tensors, inputs)
        found = layer._pass(network, _array(rows.detach(), "x"), starts, inputs)
        outputs = layer._answer(found)
        ctx.owed, ctx.layer = _Owed(found, network, inputs), layer
        layer._owed.add(ctx.owed)
        ctx.save_for_backward(rows, *tensors)
        return outputs

    @staticmethod
    def backward(ctx: Any, slopes: Tensor) -> Any:
        rows, *tensors = ctx.saved_tensors
        found = ctx.owed.back(_array(slopes.detach(), "slopes"))
        ctx.layer._owed.discard(ctx.owed)
        ctx.layer.gradient_outcomes = np.array(found.outcomes)
        say_left_out(found.outcomes)
        found.vector[:] *= found.used  # irn has the mean over samples, torch the sum
        by_inputs = torch.from_numpy(found.inputs) if ctx.needs_input_grad[2] else None
        by_parameters = [
            torch.from_numpy(found[name]) if needed else None for name, needed in zip(ctx.layer._names, ctx.needs_input_grad[3:])
        ]
        return (None, None, *first_only([by_inputs, *by_parameters], [slopes, rows, *tensors]))


def _precision_of(dtype: Any, what: str) -> str:
    if dtype not in _PRECISIONS:
        raise _core.Error(f"{what} is of {dtype}; irn computes in torch.float32 and torch.float64")
    return _PRECISIONS[dtype]


def _array(tensor: Tensor, what: str) -> Array:
    """The tensor's memory as an array."""
    if tensor.device.type != "cpu":
        raise _core.Error(f"{what} is on {tensor.device}; irn.torch.Implicit computes on the CPU")
    return np.asarray(tensor.numpy())
