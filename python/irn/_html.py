"""How a network, a model and a training show themselves in a notebook."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from irn._model import Model
    from irn._network import Network
    from irn._training import Training


def network_html(network: Network) -> str:
    rows = [(name, " x ".join(map(str, array.shape)), f"{array.size:,}") for name, array in network.parameters.items()]
    title = f"irn.Network {network.architecture}"
    facts = f"{network.inputs} inputs, {network.neurons} neurons, {network.outputs} outputs, {network.precision}"
    return _card(title, facts) + _table(("parameter", "shape", "numbers"), rows)


def model_html(model: Model) -> str:
    title = f"irn.Model {model.architecture}"
    facts = f"{model.task} of {', '.join(c.name for c in model.targets)}; {'certified' if model.certified else 'no certificate'}"
    rows = [
        (c.name, f"{len(c.categories)} texts: {', '.join(c.categories[:5])}{', ...' * (len(c.categories) > 5)}")
        if c.categories
        else (c.name, f"number, mean {c.mean:.4g}, deviation {c.scale:.4g}")
        for c in model.inputs[:20]
    ]
    if len(model.inputs) > 20:
        rows.append(("...", f"{len(model.inputs)} columns"))
    metrics = [(name, f"{value:.6g}") for name, value in model.metrics.items()]
    return _card(title, facts) + _table(("column", "encoded as"), rows) + _table(("metric", "value"), metrics)


def training_html(training: Training) -> str:
    facts = training.settings
    rows = [
        (str(key).replace("_", " "), str(facts[key]))
        for key in ("training_rows", "judging_rows", "epochs", "batch", "optimiser", "schedule", "loss", "certify")
    ]
    return _card(f"irn.Training {facts['architecture']}", repr(training)[1:-1]) + _curves(training) + _table(("setting", "value"), rows)


def _card(title: str, facts: str) -> str:
    return f"<div><b>{escape(title)}</b><br>{escape(facts)}</div>"


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>" if body else ""


def _curves(training: Training, width: int = 360, height: int = 90) -> str:
    """Loss in training and in validation, on a logarithmic axis."""
    lines = [("loss", "#3b6ea5"), ("validation_loss", "#c0504d")]
    import numpy as np

    values = {name: training.curve(name) for name, _ in lines}
    seen = np.concatenate([v[np.isfinite(v) & (v > 0)] for v in values.values()])
    if len(training.records) < 2 or seen.size == 0:
        return ""
    low, high = np.log(seen.min()), np.log(seen.max())
    span = high - low or 1.0
    drawn = ""
    for name, colour in lines:
        points = [
            f"{width * k / (len(values[name]) - 1):.1f},{height * (high - np.log(v)) / span:.1f}"
            for k, v in enumerate(values[name])
            if np.isfinite(v) and v > 0
        ]
        drawn += f'<polyline points="{" ".join(points)}" fill="none" stroke="{colour}" stroke-width="1.5"><title>{name}</title></polyline>'
    return (
        f'<svg width="{width}" height="{height + 4}" viewBox="0 -2 {width} {height + 4}" role="img">{drawn}</svg>'
        f'<div><span style="color:{lines[0][1]}">training loss</span>, '
        f'<span style="color:{lines[1][1]}">{"validation loss" if training.settings["judging_rows"] else "loss at the end of the epoch"}</span>'
        f" ({seen.max():.3g} to {seen.min():.3g})</div>"
    )
