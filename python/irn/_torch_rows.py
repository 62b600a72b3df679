"""The user's function of tensors, asked about some samples of a batch: its values, and products with its Jacobian by torch.autograd."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np
import torch

from irn import _core
from irn._torch_rules import Array, Tensor, dense

#: What f must be.
DETERMINED = "it must treat each sample by itself and make no use of chance: no dropout, and no batch normalisation, in training"


class Rows:
    """f(z, *inputs) for samples of a batch. States are rows of `size` numbers; f sees them in its own shape."""

    def __init__(self, f: Any, z0: Any, inputs: Sequence[Any]) -> None:
        if not callable(f):
            raise _core.Error(f"f is a {type(f).__name__}, not a function of tensors")
        _check_start(z0)
        self.f, self.shape, self.count = f, tuple(z0.shape), z0.shape[0]
        self.start = z0.detach().flatten(1)
        self.size = self.start.shape[1]
        self.inputs = [self._input(k, given) for k, given in enumerate(inputs)]
        self._index: Optional[Array] = None
        self._chosen: list[Any] = []
        self._by_autograd: Optional[bool] = None
        self._product: Any = None

    def _input(self, k: int, given: Any) -> Any:
        if not isinstance(given, torch.Tensor):
            if isinstance(given, np.ndarray):
                raise _core.Error(f"inputs[{k}] is a NumPy array; give a tensor: torch.from_numpy(...)")
            return given
        dense(given, f"inputs[{k}]")
        if given.device != self.start.device and given.dim() > 0:
            raise _core.Error(f"inputs[{k}] is on {given.device}, z0 on {self.start.device}; move one of them")
        if given.dim() > 0 and given.shape[0] != self.count:
            raise _core.Error(
                f"inputs[{k}] has {given.shape[0]} rows for the {self.count} samples of z0; give a row for each."
                " What all samples share belongs into f"
            )
        return given

    def graph(self, index: Tensor, z: Tensor) -> Tensor:
        """f of these samples, with autograd as it is switched now; inputs as they were given."""
        everyone = len(index) == self.count and bool((index == torch.arange(self.count, device=index.device)).all())
        chosen = self.inputs if everyone else [i[index] if _has_rows(i) else i for i in self.inputs]
        return self._call(z, chosen)

    def at(self, index: Tensor, z: Tensor) -> Tensor:
        """f of these samples and of nothing that has a gradient but z."""
        return self._call(z, self._constants(index))

    def has_graph(self) -> bool:
        """Whether autograd sees z in f."""
        if self._by_autograd is None:
            with torch.enable_grad():
                z = self.start[:2].clone().requires_grad_()
                value = self.at(torch.arange(len(z), device=z.device), z)
                self._by_autograd = value.requires_grad and _gradient(value, z, torch.ones_like(value)) is not None
        return self._by_autograd

    def check_function(self) -> None:
        """Refuses a function with other values when it is asked again, or with other samples beside. Asked where samples were lost."""
        with torch.no_grad():
            few = (self.count + 1) // 2
            everyone = torch.arange(self.count, device=self.start.device)
            z = self.start + torch.linspace(-1, 1, self.start.numel(), dtype=self.start.dtype, device=self.start.device).view_as(self.start)
            first, again, part = self.at(everyone, z), self.at(everyone, z), self.at(everyone[:few], z[:few])
        for values, what in ((again, "the same when it is asked again"), (part, "the same whatever samples are beside it")):
            if not torch.allclose(first[: len(values)], values, rtol=1e-3, atol=1e-3, equal_nan=True):
                raise _core.Error(f"f does not give {what}; {DETERMINED}")

    # What irn's core calls: arrays of float64 in and out.

    def value(self, index: Array, z: Array) -> Array:
        with torch.no_grad():
            return _out(self.at(torch.from_numpy(index), self._in(z)))

    def jacobian(self, index: Array, z: Array) -> Array:
        """df/dz, [sample][unknown][unknown], a row of it a pass back."""
        with torch.enable_grad():
            at = self._in(z).requires_grad_()
            value = self.at(torch.from_numpy(index), at)
            rows = []
            for k in range(self.size):
                direction = torch.zeros_like(value)
                direction[:, k] = 1
                rows.append(_or_zeros(_gradient(value, at, direction), at))
        return _out(torch.stack(rows, 1))

    def times(self, index: Array, z: Array, v: Array) -> Array:
        """df/dz v: the derivative of w -> J^T w, along v. Differences where f cannot be differentiated twice."""
        if self.has_graph():
            try:
                return self._twice_back(index, z, v)
            except (RuntimeError, NotImplementedError, _core.Error):
                self._by_autograd = False
        return self._difference(index, z, v)

    def _twice_back(self, index: Array, z: Array, v: Array) -> Array:
        kept = self._product
        if kept is None or not (np.array_equal(kept[0], index) and np.array_equal(kept[1], z)):
            with torch.enable_grad():
                at = self._in(z).requires_grad_()
                value = self.at(torch.from_numpy(index), at)
                w = torch.zeros_like(value, requires_grad=True)
                (back,) = torch.autograd.grad(value, at, w, create_graph=True)
            kept = self._product = (index, z, w, back)
        product = torch.autograd.grad(kept[3], kept[2], self._in(v), retain_graph=True)[0]
        return _out(product)

    def _difference(self, index: Array, z: Array, v: Array) -> Array:
        """Central, with a step for the precision that f computes in."""
        rows, size = torch.from_numpy(index), np.abs(v).max(axis=1, keepdims=True)
        scale = np.maximum(1, np.abs(z).max(axis=1, keepdims=True))
        step = torch.finfo(self.start.dtype).eps ** (1 / 3) * scale / np.where(size > 0, size, 1)
        with torch.no_grad():
            ahead, behind = (_out(self.at(rows, self._in(z + sign * step * v))) for sign in (1, -1))
        return np.asarray((ahead - behind) / (2 * step))

    def _in(self, rows: Array) -> Tensor:
        return torch.from_numpy(rows).to(self.start.dtype)

    def _constants(self, index: Tensor) -> list[Any]:
        """Rows of the inputs without their history; mostly the same ones as last time."""
        if self._index is None or self._index.shape != index.shape or not bool((self._index == index).all()):
            self._chosen = [_rows_of(i, index) for i in self.inputs]
            self._index = index
        return self._chosen

    def _call(self, z: Tensor, inputs: Sequence[Any]) -> Tensor:
        shape = (len(z), *self.shape[1:])
        value = self.f(z.reshape(shape), *inputs)
        if not isinstance(value, torch.Tensor):
            raise _core.Error(f"f returned a {type(value).__name__}, not a tensor of shape {shape}")
        if tuple(value.shape) != shape:
            raise _core.Error(f"f returned a tensor of shape {tuple(value.shape)} where {shape} was asked for")
        if value.dtype != self.start.dtype or value.device != self.start.device:
            raise _core.Error(
                f"f returned {value.dtype} on {value.device} for z of {self.start.dtype} on {self.start.device}; they must be the same"
            )
        return value.flatten(1)


class Products:
    """J^T u at the equilibria, by a graph of f there. When fewer than half of its samples are asked about, a smaller one is made."""

    def __init__(self, rows: Rows, index: Tensor, z: Tensor) -> None:
        self._rows, self._index, self.z = rows, index, z

    def begin(self) -> None:
        """With a graph of all samples."""
        self._graph = self._graph_of(torch.arange(len(self.z), device=self.z.device))

    def check(self) -> None:
        leaf, value, _ = self._graph
        if _gradient(value, leaf, torch.zeros_like(leaf)) is None:
            raise _core.Error(
                "autograd does not see z in f, so there is no exact gradient: f has cut it off (detach, no_grad, NumPy) or does not use it;"
                " gradient='one-step' does without"
            )

    def transposed(self, asked: Tensor, u: Tensor) -> Tensor:
        """`asked` counts within the samples with an answer, without repetition."""
        if 2 * len(asked) < len(self._graph[0]) or bool((self._graph[2][asked] < 0).any()):
            self._graph = self._graph_of(asked)
        leaf, value, place = self._graph
        slopes = torch.zeros_like(leaf).index_copy_(0, place[asked], u.to(leaf.dtype))
        return _or_zeros(_gradient(value, leaf, slopes), leaf)[place[asked]]

    def _graph_of(self, asked: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """z and f of these samples, and where in them each sample is; -1: it is not."""
        place = torch.full((len(self.z),), -1, dtype=torch.int64, device=asked.device)
        place[asked] = torch.arange(len(asked), device=asked.device)
        with torch.enable_grad():
            leaf = self.z[asked].requires_grad_()
            return leaf, self._rows.at(self._index[asked], leaf), place

    # For irn's core.

    def value(self, index: Array, z: Array) -> Array:
        return self._rows.value(self._index.numpy()[index], z)

    def transposed_rows(self, index: Array, z: Array, u: Array) -> Array:
        return _out(self.transposed(torch.from_numpy(index), torch.from_numpy(u)))


def _check_start(z0: Any) -> None:
    if dense(z0, "z0").device.type == "meta":
        raise _core.Error("z0 is on the device meta, which holds no numbers")
    if z0.dtype not in (torch.float32, torch.float64):
        raise _core.Error(f"z0 is of {z0.dtype}; irn computes in torch.float32 and torch.float64")
    if z0.dim() < 2 or 0 in z0.shape[1:]:
        raise _core.Error(f"z0 has the shape {tuple(z0.shape)}; give [sample][unknown...], at least one unknown")
    if not bool(torch.isfinite(z0).all()):
        raise _core.Error("z0 holds a value that is not finite")


def _has_rows(given: Any) -> bool:
    return isinstance(given, torch.Tensor) and given.dim() > 0


def _rows_of(given: Any, index: Tensor) -> Any:
    if not isinstance(given, torch.Tensor):
        return given
    return given.detach()[index] if given.dim() > 0 else given.detach()


def _gradient(value: Tensor, at: Tensor, slopes: Tensor) -> Optional[Tensor]:
    """slopes^T dvalue/dat; None where value does not depend on it."""
    return torch.autograd.grad(value, at, slopes, retain_graph=True, allow_unused=True)[0] if value.requires_grad else None


def _or_zeros(gradient: Optional[Tensor], like: Tensor) -> Tensor:
    return torch.zeros_like(like) if gradient is None else gradient


def _out(tensor: Tensor) -> Array:
    return np.asarray(tensor.detach().to(torch.float64).contiguous().numpy())
