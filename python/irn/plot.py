"""Pictures of networks with matplotlib: settling over time, learning curves, eigenvalues, equilibria over an input.

Each function draws into `ax` (made if it is None) and returns it. What did not settle is drawn as that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np

from irn import _core
from irn._network import Network
from irn._outcome import Outcome
from irn._training import Training

Array = np.ndarray[Any, Any]
Neurons = Union[None, int, Sequence[int]]


def flow(network: Network, x: Any, *, start: Any = None, time: float = 20, step: float = 0.05) -> tuple[Array, Array]:
    """Times and states of dz/dt = f(A z + B x + b) - z for one sample, by Runge and Kutta's steps of order 4.

    >>> import irn, irn.plot
    >>> network = irn.Network("2-3-1", precision="float64", seed=1)
    >>> times, states = irn.plot.flow(network, [0.5, -1.0], time=30)
    >>> states.shape == (len(times), 4), bool(abs(states[-1] - network.settle([0.5, -1.0]).states).max() < 1e-6)
    (True, True)
    """
    x = np.asarray(x, dtype=np.float64).reshape(1, -1)
    state = np.zeros((1, network.neurons)) if start is None else np.asarray(start, dtype=np.float64).reshape(1, -1)
    states = [state[0]]
    for _ in range(int(round(time / step))):
        state = network.settle(x, solver=f"rk4:step={step},steps=1", starts=state).states
        states.append(np.array(state[0], dtype=np.float64))
    return step * np.arange(len(states)), np.array(states)


def settling(
    network: Network, x: Any, *, start: Any = None, time: float = 20, step: float = 0.05, neurons: Neurons = None, ax: Any = None
) -> Any:
    """How the neurons come to rest for one sample, or do not; dotted, the equilibrium that the solver found."""
    ax = _axes(ax)
    times, states = flow(network, x, start=start, time=time, step=step)
    found = network.settle(np.asarray(x, dtype=np.float64).reshape(1, -1), starts=start)
    for k in _chosen(network, neurons):
        (line,) = ax.plot(times, states[:, k], label=f"neuron {k}")
        if found.answered[0]:
            ax.axhline(found.states[0, k], color=line.get_color(), linestyle=":", linewidth=1)
    ax.set_xlabel("time")
    ax.set_ylabel("activation")
    ax.set_title(f"{network.architecture}: {Outcome(found.outcomes[0]).name}")
    if len(ax.lines) <= 20:
        ax.legend(fontsize="small")
    return ax


def learning(training: Any, *, ax: Any = None) -> Any:
    """Losses by epoch, of an irn.Training or of an estimator that was fitted, and which epoch was the best."""
    ax = _axes(ax)
    loss, validation, best, held_out = _curves(training)
    epochs = np.arange(1, len(loss) + 1)
    ax.plot(epochs, loss, label="training, while the weights moved")
    if validation is not None:
        ax.plot(epochs, validation, label="held out" if held_out else "training, at the end of an epoch")
    if best:
        ax.axvline(best, color="grey", linestyle=":", label=f"best: epoch {best}")
    ax.set_yscale("log")
    ax.set_xlabel("epoch")
    ax.set_ylabel("loss")
    ax.legend(fontsize="small")
    return ax


def eigenvalues(network: Network, x: Any, *, start: Any = None, ax: Any = None) -> Any:
    """Eigenvalues of the flow's Jacobian at the equilibrium of each row of x: left of 0 it attracts, and how fast; beside the axis it turns.

    Rows that did not settle are left out, and the title says how many.
    """
    ax = _axes(ax)
    x = np.atleast_2d(np.asarray(x, dtype=np.float64))
    found = network.settle(x, starts=start)
    for row in np.flatnonzero(found.settled):
        values = np.linalg.eigvals(network.jacobian(x[row], found.states[row]))
        ax.plot(values.real, values.imag, ".", label=f"row {row}" if len(x) <= 10 else None)
    ax.axvline(0, color="black", linewidth=1)
    ax.axhline(0, color="grey", linewidth=0.5)
    ax.set_xlabel("real part: below 0 it attracts")
    ax.set_ylabel("imaginary part")
    without = len(x) - int(np.count_nonzero(found.settled))
    ax.set_title(f"{network.architecture}" + (f": {without} of {len(x)} rows did not settle" if without else ""))
    return ax


def scan(network: Network, x: Any, column: int, values: Any) -> dict[str, tuple[Array, Array]]:
    """Equilibria over one input: states and outcomes from rest, and following the last one with the input rising and falling.

    Where these differ there is more than one equilibrium.
    """
    values = np.asarray(values, dtype=np.float64)
    row = np.asarray(x, dtype=np.float64).reshape(-1)
    if not 0 <= column < network.inputs:
        raise _core.Error(f"column {column} is none of the {network.inputs} inputs, which count from 0")
    rows = np.repeat(row[None, :], len(values), axis=0)
    rows[:, column] = values
    at_rest = network.settle(rows)
    up = _followed(network, rows)
    down = _followed(network, rows[::-1])
    return {
        "from rest": (at_rest.states, at_rest.outcomes),
        "rising": up,
        "falling": (down[0][::-1], down[1][::-1]),
    }


def bifurcation(
    network: Network, x: Any, column: int, values: Any, *, neuron: Optional[int] = None, ax: Any = None
) -> Any:
    """One neuron (the first output, unless said otherwise) at equilibrium over one input, from rest and following it up and down.

    Crosses on the lower edge: values at which nothing settled.
    """
    ax = _axes(ax)
    values = np.asarray(values, dtype=np.float64)
    neuron = network.neurons - network.outputs if neuron is None else _chosen(network, neuron)[0]
    marks = {"rising": "^", "falling": "v", "from rest": "k."}  # the last on top
    lost = np.zeros(len(values), dtype=bool)
    found = scan(network, x, column, values)
    for way, mark in marks.items():
        states, outcomes = found[way]
        settled = outcomes == Outcome.settled
        lost |= ~settled
        ax.plot(values[settled], states[settled, neuron], mark, markersize=4, alpha=0.7, label=way)
    if lost.any():
        low = ax.get_ylim()[0]
        ax.plot(values[lost], np.full(int(lost.sum()), low), "x", color="red", label="did not settle")
    ax.set_xlabel(f"input {column}")
    ax.set_ylabel(f"neuron {neuron} at equilibrium")
    ax.legend(fontsize="small")
    return ax


def _followed(network: Network, rows: Array) -> tuple[Array, Array]:
    """Each from where the one before it settled."""
    states, outcomes = [], []
    start: Optional[Array] = None
    for row in rows:
        found = network.settle(row[None, :], starts=start)
        states.append(found.states[0])
        outcomes.append(found.outcomes[0])
        if found.settled[0]:
            start = found.states
    return np.array(states), np.array(outcomes)


def _curves(training: Any) -> tuple[Array, Optional[Array], int, bool]:
    if isinstance(training, Training):
        loss, judged = training.curve("loss"), training.curve("validation_loss")
        return loss, judged, training.best_epoch, bool(training.settings["judging_rows"])
    if not hasattr(training, "loss_curve_"):
        raise _core.Error("give an irn.Training, or an estimator that was fitted")
    validation = getattr(training, "validation_curve_", None)
    held_out = "validation_loss" in training.model_.metrics
    return np.array(training.loss_curve_), validation, getattr(training, "best_epoch_", 0), held_out


def _chosen(network: Network, neurons: Neurons) -> list[int]:
    chosen = list(range(network.neurons)) if neurons is None else [int(k) for k in np.atleast_1d(neurons)]
    for k in chosen:
        if not 0 <= k < network.neurons:
            raise _core.Error(f"neuron {k} is none of the {network.neurons}, which count from 0")
    return chosen


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(6, 4), constrained_layout=True)[1]
