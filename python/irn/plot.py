"""Pictures of networks with matplotlib: settling over time, learning curves, eigenvalues, equilibria over an input.

Each function draws into `ax` (made if it is None) and returns it. What did not settle is drawn as that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np

from irn import _core
from irn._arrays import number
from irn._network import Network
from irn._network_values import Branch
from irn._outcome import Outcome
from irn._training import Training

Array = np.ndarray[Any, Any]
Neurons = Union[None, int, Sequence[int]]


def flow(network: Network, x: Any, *, start: Any = None, time: float = 20, step: float = 0.05) -> tuple[Array, Array]:
    """Times and states of dz/dt = f(A z + B x + b) - z for one sample, until `time` or until it is at rest (irn/analysis/trajectory.h); no
    two of them farther apart than `step`.

    >>> import irn, irn.plot
    >>> network = irn.Network("2-3-1", precision="float64", seed=1)
    >>> times, states = irn.plot.flow(network, [0.5, -1.0], time=30)
    >>> states.shape == (len(times), 4), bool(abs(states[-1] - network.settle([0.5, -1.0]).states).max() < 1e-6)
    (True, True)
    """
    times, states, _, _ = _core.trajectory(network._core, x, start, number(time, "time"), number(step, "step"))
    return times, states


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
        values = network.eigenvalues(x[row], found.states[row])
        ax.plot(values.real, values.imag, ".", label=f"row {row}" if len(x) <= 10 else None)
    ax.axvline(0, color="black", linewidth=1)
    ax.axhline(0, color="grey", linewidth=0.5)
    ax.set_xlabel("real part: below 0 it attracts")
    ax.set_ylabel("imaginary part")
    without = len(x) - int(np.count_nonzero(found.settled))
    ax.set_title(f"{network.architecture}" + (f": {without} of {len(x)} rows did not settle" if without else ""))
    return ax


def bifurcation(
    network: Network, x: Any, column: Optional[int], values: Any, *, neuron: Optional[int] = None, ax: Any = None
) -> Any:
    """One neuron (the first output, unless said otherwise) at all equilibria over one input (irn.Network.branches): drawn through where they
    attract, dashed where they repel, with folds and the beginnings of cycles. Dots: what settles from rest at each of the values, crosses on
    the lower edge those at which nothing does.

    values: their least and largest are the range. column None: over the strength of the recurrence, without dots.
    """
    ax = _axes(ax)
    values = np.asarray(values, dtype=np.float64).reshape(-1)
    if len(values) < 2 or not np.isfinite(values).all():
        raise _core.Error("values: give at least two numbers, the ends of the range")
    neuron = network.neurons - network.outputs if neuron is None else _chosen(network, neuron)[0]
    for branch in network.branches(x, column, values.min(), values.max()):
        _draw_branch(ax, branch, neuron)
    if column is not None:
        _draw_from_rest(ax, network, x, column, values, neuron)
    ax.set_xlabel("strength of the recurrence" if column is None else f"input {column}")
    ax.set_ylabel(f"neuron {neuron} at equilibrium")
    handles = dict(zip(*reversed(ax.get_legend_handles_labels())))  # each label once
    ax.legend(handles.values(), handles.keys(), fontsize="small")
    return ax


def _draw_branch(ax: Any, branch: Branch, neuron: int) -> None:
    for stable, style, label in ((True, "-", "attracts"), (False, "--", "repels")):
        shown = np.where(branch.stable == stable, branch.states[:, neuron], np.nan)
        if not np.isnan(shown).all():
            ax.plot(branch.p, shown, style, color="#3b6ea5" if stable else "#c0504d", label=label)
    for turning in branch.turnings:
        ax.plot([turning.p], [turning.state[neuron]], "o", color="black", markersize=5, fillstyle="none", label=turning.kind)


def _draw_from_rest(ax: Any, network: Network, x: Any, column: int, values: Array, neuron: int) -> None:
    rows = np.repeat(np.asarray(x, dtype=np.float64).reshape(1, -1), len(values), axis=0)
    rows[:, column] = values
    found = network.settle(rows)
    ax.plot(values[found.settled], found.states[found.settled, neuron], "k.", markersize=4, label="from rest")
    if not found.settled.all():
        lost = values[~found.settled]
        ax.plot(lost, np.full(len(lost), ax.get_ylim()[0]), "x", color="red", label="did not settle")


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
