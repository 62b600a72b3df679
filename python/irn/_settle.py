"""Fixed-point problems of your own: z = f(z), with the solvers, the verdicts and the honesty of networks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Optional

import numpy as np

from irn import _core
from irn._arrays import number, numbers, text
from irn._outcome import Outcome, Stability, Verdicts, counts

Array = np.ndarray[Any, Any]


class Equilibria(Verdicts):
    """Solutions and what became of them. Of one problem the verdicts are single values, of a batch arrays."""

    __slots__ = ("z",)

    def __init__(self, z: Array, verdicts: tuple[Any, ...]) -> None:
        #: of the shape of z0; where there is no answer, the last iterate
        self.z = z
        super().__init__(verdicts)

    def __repr__(self) -> str:
        if isinstance(self.outcomes, Outcome):
            return (
                f"<irn.Equilibria: {self.outcomes.name} after {self.evaluations} evaluations,"
                f" residual {self.residuals:.2g}: {np.array2string(self.z, threshold=8, edgeitems=3)}>"
            )
        return f"<irn.Equilibria: {len(self.z)} problems: {counts(self.outcomes, self.stabilities)}>"


def settle(
    f: Callable[..., Any],
    z0: Any,
    args: Sequence[Any] = (),
    *,
    jac: Optional[Callable[..., Any]] = None,
    jvp: Optional[Callable[..., Any]] = None,
    solver: str = "auto",
    tolerance: float = 0,
    floor: float = 1,
    confirm: bool = True,
) -> Equilibria:
    """The state that dz/dt = f(z) - z reaches from z0, and what became of the search.

    f: f(z, *args), of the shape of z. With z0 of two axes it solves as many problems as z0 has rows at once: f gets the rows that still
        wait for an answer, [k][unknown], and must treat each by itself. Each of `args` then has a row for each problem too, of which f
        gets the same ones; a single number is handed on as it is. What all problems share belongs into f itself.
    jac: jac(z, *args) = df/dz, [unknown][unknown] (of a batch [k][unknown][unknown]); without it differences are taken.
    jvp: jvp(z, v, *args) = df/dz v, instead.
    solver: as `irn.solvers` lists them, with options as in "anderson:memory=3". auto follows the flow.
    tolerance: of the residual; 0: 1e-8. floor: residuals of an unknown are measured against max(floor, |z_i|).
    confirm: ask of every equilibrium whether it attracts; one that repels is no answer.

    >>> import irn, numpy as np
    >>> irn.settle(np.cos, 1.0)
    <irn.Equilibria: settled after ... evaluations, residual ...: 0.73908513>

    Kepler's equation at three times, as a batch:

    >>> time = np.array([[0.5], [1.0], [1.5]])
    >>> found = irn.settle(lambda E, t: t + 0.6 * np.sin(E), np.zeros((3, 1)), (time,))
    >>> found.settled.all(), np.allclose(found.z, time + 0.6 * np.sin(found.z))
    (True, True)

    What has no equilibrium is named:

    >>> irn.settle(lambda z: z + 1, 0.0).outcomes.has_answer
    False
    """
    start = np.array(numbers(z0, "z0"), dtype=np.float64)
    if start.ndim > 2:
        raise _core.Error(f"z0 has {start.ndim} axes; give one for one problem, or two: a row for each")
    if start.ndim == 2 and start.shape[1] and not len(start):
        return Equilibria(start, tuple(np.zeros(0, kind) for kind in "BdIBffI"))  # no problems, no answers
    if start.size == 0:
        raise _core.Error(f"z0 is empty (shape {start.shape}); there is nothing to solve")
    if not np.isfinite(start).all():
        raise _core.Error("z0 holds a value that is not finite")
    problem = _Rows(f, start, tuple(args) if isinstance(args, (tuple, list)) else (args,))
    found = _core.settle_problem(
        np.ascontiguousarray(start if problem.batch else start.reshape(1, -1)),
        problem.map(f, "f", 0),
        problem.map(jac, "jac", 1) if jac is not None else None,
        problem.map(jvp, "jvp", 0) if jvp is not None else None,
        text(solver, "solver"),
        number(tolerance, "tolerance"),
        number(floor, "floor"),
        bool(confirm),
    )
    z, verdicts = found
    if problem.batch:
        return Equilibria(z, verdicts)
    kinds = (Outcome, float, int, Stability, float, float, int)
    return Equilibria(z.reshape(start.shape), tuple(kind(column[0]) for kind, column in zip(kinds, verdicts)))


class _Rows:
    """The caller's functions, asked about rows of a batch."""

    def __init__(self, f: Any, start: Array, args: tuple[Any, ...]) -> None:
        if not callable(f):
            raise _core.Error("f is no function")
        self.batch = start.ndim == 2
        self.shape = start.shape
        self.args = [self._argument(k, a) for k, a in enumerate(args)] if self.batch else list(args)
        self._index: Optional[Array] = None
        self._chosen: list[Any] = []

    def _argument(self, k: int, given: Any) -> Any:
        if np.ndim(given) == 0:
            return given
        array = np.asarray(given)
        if len(array) != self.shape[0]:
            raise _core.Error(
                f"args[{k}] has {len(array)} rows for {self.shape[0]} problems; give a row for each, or a single number."
                " What all problems share belongs into f"
            )
        return array

    def rows_of_args(self, index: Array) -> list[Any]:
        """Rows `index` of all arguments; mostly the same ones as last time."""
        if not self.batch or not self.args:
            return self.args
        if self._index is None or not np.array_equal(index, self._index):
            self._chosen = [a if np.ndim(a) == 0 else a[index] for a in self.args]
            self._index = index
        return self._chosen

    def map(self, function: Callable[..., Any], name: str, more_axes: int) -> Callable[..., Array]:
        """function(index, z, v...) for the core, of rows, with the shape of its answer checked."""

        def rows(index: Array, *vectors: Array) -> Array:
            unknowns = vectors[0].shape[1]
            if self.batch:
                returned = function(*vectors, *self.rows_of_args(index))
                return _checked(returned, name, (*vectors[0].shape, *[unknowns] * more_axes))
            shape = (*self.shape, *[unknowns] * more_axes)
            each = (tuple(v[k].reshape(self.shape) for v in vectors) for k in range(len(index)))
            return np.stack([_checked(function(*row, *self.args), name, shape).reshape(-1) for row in each])

        return rows


def _checked(returned: Any, name: str, shape: tuple[int, ...]) -> Array:
    if returned is None:
        raise _core.Error(f"{name} returned nothing; it must return an array of shape {shape}")
    array = numbers(returned, f"what {name} returned")
    if array.size == 1 and np.prod(shape) == 1:
        return array.astype(np.float64)
    if array.shape != shape:
        raise _core.Error(f"{name} returned an array of shape {array.shape} where {shape} was asked for")
    return np.ascontiguousarray(array, dtype=np.float64)
