"""Training: on a table to its end, as `irn train` does it; or step by step."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Optional, Union

import numpy as np

from irn import _core, _table
from irn._arrays import number, text
from irn._model import Model
from irn._network import Network, _precision, _seed
from irn._outcome import TrainingWarning
from irn._progress import Progress, bar_for

Array = np.ndarray[Any, Any]
Layers = Union[str, int, Sequence[int]]

_ENDS = {
    "not_finite": "the loss stopped being finite",
    "unsettled": "too few of the equilibria settled",
    "no_gradient": "no sample gave a gradient that could be used (none settled, or all lie at a fold)",
}


class Training:
    """A training on a table: some rows held out, epochs of shuffled batches, the best weights at last. `irn.train` runs one to its end.

    Ctrl-C leaves run() with KeyboardInterrupt; `model` has the best weights so far, and run() goes on.

    Data:
        x, y: see irn.train; target: columns of x to predict, instead of y; sample_weight: one a row.
        names: of the columns of x, if it is an array; classes: of a classification, if y has not all of them.
        task: "regression" or "classification"; "auto" decides by the target.
        inputs, exclude: columns to predict from, columns to leave out; weights: column of x that says how much each row counts.
        missing: "refuse", "mean" (of the column) or "drop" (the row); unknown: texts not seen in training, "refuse" or "zeros".
        scaling: "columns" (each to mean 0, deviation 1), "common" (all alike), "none".
        validation: share of the rows held out to judge by; (x, y) or (x, y, weights) to judge by; None for none.
    Network:
        layers: neurons of the hidden layers, 64, (64, 32) or "64-32", 0 for none; activation; recurrence ("none", "lateral",
        "feedback", "full"); architecture: the whole network instead; start: "scaled", "paper", or a Model to go on with.
    Training:
        loss, gradient, optimiser, schedule: as `irn.losses`, ... list them; rate: 0 leaves it to the optimiser.
        batch, epochs; patience: epochs without improvement before training ends, 0: never before the last.
        metric: by which the best epoch is chosen, as `irn.metrics` lists them.
        threshold: of two classes, the probability from which the second is the answer; "best": the one with the best metric.
        clip: largest norm of a gradient; certify: bound, below 1, of the certificate that training keeps, 0: none.
        pull: without a certificate, the bound of one towards which rows that do not settle pull; 0: they only take no part.
        noise: deviation of noise on the inputs; least_settled: stop if a smaller share of the samples settles.
        solver, tolerance: how equilibria are looked for; seed; precision: "float32" or "float64".
    """

    def __init__(
        self,
        x: Any,
        y: Any = None,
        *,
        target: Union[str, Sequence[str], None] = None,
        sample_weight: Any = None,
        validation: Any = "auto",
        task: str = "auto",
        names: Sequence[str] = (),
        classes: Sequence[str] = (),
        inputs: Sequence[str] = (),
        exclude: Sequence[str] = (),
        weights: Optional[str] = None,
        missing: str = "refuse",
        unknown: str = "refuse",
        scaling: str = "auto",
        layers: Layers = "auto",
        activation: str = "auto",
        recurrence: str = "lateral",
        architecture: Optional[str] = None,
        start: Union[str, Model] = "scaled",
        solver: str = "auto",
        tolerance: float = 0,
        loss: str = "auto",
        gradient: str = "exact",
        optimiser: str = "auto",
        rate: float = 0,
        schedule: str = "cosine",
        batch: Union[str, int] = "auto",
        epochs: Union[str, int] = "auto",
        patience: int = 0,
        metric: str = "loss",
        threshold: Union[str, float] = 0.5,
        clip: float = 1,
        certify: Union[str, float] = "auto",
        pull: float = 0,
        noise: Union[str, float] = "auto",
        least_settled: float = 0.5,
        seed: int = 0,
        precision: str = "float32",
    ) -> None:
        table, targets = _table_and_targets(x, y, target, names)
        judges, judge_weight, share = _judges(validation, targets)
        options = {
            "targets": targets,
            "classes": list(classes),
            "inputs": list(inputs),
            "exclude": list(exclude),
            "weights": weights or "",
            "validation": share,
            "task": task,
            "missing": missing,
            "unknown": unknown,
            "scaling": scaling,
            "layers": _layers(layers),
            "activation": activation,
            "recurrence": recurrence,
            "architecture": architecture or "",
            "start": start if isinstance(start, str) else "scaled",
            "solver": solver,
            "tolerance": tolerance,
            "loss": loss,
            "gradient": gradient,
            "optimiser": optimiser,
            "rate": rate,
            "schedule": schedule,
            "batch": _open("batch", batch),
            "epochs": _open("epochs", epochs),
            "patience": patience,
            "metric": metric,
            "threshold": _threshold(threshold),
            "clip": clip,
            "certify": _open("certify", certify),
            "pull": pull,
            "noise": _open("noise", noise),
            "least_settled": least_settled,
            "seed": _seed(seed),
            "precision": _precision(precision),
        }
        options["configuration"] = _toml(options)
        begin = None if isinstance(start, str) else start._core
        self._core = _core.Training(table, options, sample_weight, judges, judge_weight, begin)
        self._facts = self._core.describe()
        self._records: list[dict[str, Any]] = []
        self._model: Optional[tuple[int, Model]] = None  # after so many epochs

    def run(
        self, *, progress: Progress = False, callback: Optional[Callable[[dict[str, Any]], Any]] = None
    ) -> Training:
        """To the end, from wherever it is. `callback` gets each epoch's record; what it returns true for is the last."""
        bar = bar_for(progress, self._facts["epochs"])
        if bar is not None and self._records:
            bar.update(len(self._records))
        try:
            while self.ended is None:
                self._core.run_epoch()
                if self._note(bar, callback):
                    break
        finally:
            if bar is not None:
                bar.close()
        self._warn()
        return self

    def _note(self, bar: Any, callback: Optional[Callable[[dict[str, Any]], Any]]) -> bool:
        new = self._core.records(len(self._records))
        self._records.extend(new)
        for record in new:
            if bar is not None:
                bar.set_postfix(loss=f"{record['loss']:.4g}", **{self._facts["score"]: f"{record['score']:.4f}"}, settled=f"{record['settled']:.0%}")
                bar.update(1)
            if callback is not None and callback(dict(record)):
                return True
        return False

    def _warn(self) -> None:
        if self.ended not in _ENDS:
            return
        kept = f"the weights of epoch {self.best_epoch} are kept" if self.best_epoch else "no weights were good enough to keep"
        warnings.warn(
            f"training diverged in epoch {len(self._records)}: {_ENDS[str(self.ended)]}; {kept}. Try a lower rate, a smaller step"
            " (clip=0.1), or a certificate (certify=0.95)",
            TrainingWarning,
            stacklevel=3,
        )

    @property
    def model(self) -> Model:
        """With the best weights so far."""
        if self._model is None or self._model[0] != len(self._records):
            self._model = (len(self._records), Model(self._core.model()))
        return self._model[1]

    @property
    def records(self) -> list[dict[str, Any]]:
        """One an epoch: loss, settled, evaluations, rate, validation_loss, validation_settled, score, best, seconds, ..."""
        return list(self._records)

    def curve(self, name: str) -> Array:
        """One value an epoch, by its name in the records."""
        return np.array([record[name] for record in self._records])

    @property
    def ended(self) -> Optional[str]:
        """Why: "all_epochs", "patience"; "not_finite", "unsettled", "no_gradient" went wrong; None: not yet."""
        return self._core.ended

    @property
    def best_epoch(self) -> int:
        """Counted from 1; 0: none yet."""
        return self._core.best_epoch

    @property
    def settings(self) -> dict[str, Any]:
        """What was chosen where "auto" was said: architecture, epochs, batch, optimiser, certify, ..."""
        return {key: value for key, value in self._facts.items() if key != "encoding"}

    def __repr__(self) -> str:
        facts = self._facts
        state = f"{len(self._records)}/{facts['epochs']} epochs"
        if self.best_epoch:
            best = self._records[self.best_epoch - 1]
            whose = "validation" if facts["judging_rows"] else "training"
            state += f", best {self.best_epoch}: {whose} {facts['score']} {best['score']:.4f}, {best['validation_settled']:.0%} settled"
        return f"<irn.Training {facts['architecture']} on {facts['training_rows']} rows: {state}>"

    def _repr_html_(self) -> str:
        from irn._html import training_html

        return training_html(self)


def train(
    x: Any,
    y: Any = None,
    *,
    progress: Progress = False,
    callback: Optional[Callable[[dict[str, Any]], Any]] = None,
    **options: Any,
) -> Training:
    """Trains a network on a table to the end, with the program's own defaults, and returns the training: its `.model` answers.

    x, y: arrays, or a data frame and its target columns; numbers are scaled, texts encoded. Or x alone: a data frame, or the name of a
        file that `irn train` reads, with `target` naming the columns to predict.
    The options are those of `irn train`, see `irn.Training`; "auto" is what the program takes.

    >>> import irn, numpy as np
    >>> x = np.linspace(-2, 2, 200)[:, None]
    >>> training = irn.train(x, np.sin(3 * x), epochs=40)
    >>> training.ended, training.model.task
    ('all_epochs', 'regression')
    >>> training.model.predict(np.array([[0.5], [1.0]])).shape
    (2,)
    """
    return Training(x, y, **options).run(progress=progress, callback=callback)


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
    ) -> None:
        """heads: (layer, loss, weight, targets) of each, instead of one loss on the last layer."""
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
    """The parameters' next values from a gradient, whoever made it: for a training loop with a loss of one's own."""

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


def _table_and_targets(
    x: Any, y: Any, target: Union[str, Sequence[str], None], names: Sequence[str]
) -> tuple[_core.Table, list[str]]:
    named = [target] if isinstance(target, str) else [str(t) for t in target or ()]
    if isinstance(x, (str, os.PathLike)):
        if y is not None:
            raise _core.Error("a file has its targets among its columns: name them with target, and give no y")
        table = _core.Table.read(os.fspath(x), [])
        if not named and {"label", "pixel0"} <= set(table.names):
            named = ["label"]  # images come with a column called so
        if not named:
            raise _core.Error(f"name the column to predict with target; there are: {', '.join(table.names[:10])}")
        return table, named
    columns = _table.Columns()
    before = _table.add_inputs(columns, x, names)
    if y is not None:
        if named:
            raise _core.Error("give y, or name columns of x with target, not both")
        named = _table.add_targets(columns, y)
        _rename_clashes(columns, before, named)
    elif not named:
        raise _core.Error("there is nothing to predict: give y, or name columns of x with target")
    return columns.table("x"), named


def _rename_clashes(columns: _table.Columns, before: list[str], named: list[str]) -> None:
    for k, name in enumerate(named):
        while name in before:
            name = f"{name} (target)"
        named[k] = columns.names[len(before) + k] = name


def _judges(validation: Any, targets: list[str]) -> tuple[Optional[_core.Table], Any, Optional[float]]:
    """A table to judge by and its weights, or a share of the rows; neither for "auto"."""
    if isinstance(validation, str) and validation == "auto":
        return None, None, None
    if validation is None:
        return None, None, 0.0
    if isinstance(validation, (tuple, list)) and len(validation) in (2, 3):
        columns = _table.Columns()
        before = _table.add_inputs(columns, validation[0])
        given = _table.add_targets(columns, validation[1])
        if len(given) != len(targets):
            raise _core.Error(f"validation has {len(given)} targets, y has {len(targets)}")
        columns.names[len(before) :] = targets
        return columns.table("validation"), validation[2] if len(validation) == 3 else None, None
    if isinstance(validation, (int, float, np.number)) and not isinstance(validation, bool):
        return None, None, float(validation)
    raise _core.Error("validation: give a share of the rows, (x, y) to judge by, None for none, or 'auto'")


def _toml(options: dict[str, Any]) -> str:
    """The options as `irn train --config` has them, for the model file."""
    lines = ["# Python"]
    texts = {"validation", "certify", "noise", "threshold"}  # which may be words, too
    for key, value in options.items():
        if key in ("classes", "configuration"):
            continue
        if key == "layers" and value is not None:
            value = "-".join(map(str, value)) or "0"
        if key == "precision":
            value = {"float32": "float", "float64": "double"}.get(value, value)
        if (value is None and key in ("batch", "epochs")) or (key == "weights" and not value):
            continue
        words = ("best" if key == "threshold" else "auto") if value is None else str(value) if key in texts else value
        lines.append(f"{dict(targets='target', least_settled='least-settled').get(key, key)} = {_toml_value(words)}")
    return "\n".join(lines) + "\n"


def _toml_value(value: Any) -> str:
    import json

    if isinstance(value, list):
        return "[" + ", ".join(_toml_value(v) for v in value) + "]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def _layers(layers: Layers) -> Optional[list[int]]:
    """64, (64, 32) and "64-32"; None for "auto"."""
    if isinstance(layers, str):
        if layers == "auto":
            return None
        words: Sequence[Any] = [] if layers in ("", "0") else layers.replace(",", "-").split("-")
    else:
        words = [layers] if np.ndim(layers) == 0 else list(layers)  # type: ignore[arg-type]
    try:
        sizes = [int(word) for word in words]
    except (TypeError, ValueError):
        sizes = [-1]
    if sizes == [0]:
        return []
    if any(size < 1 for size in sizes):
        raise _core.Error(f"layers: {layers!r} is not a list of layers; write it like 64, (64, 32) or '64-32', or 0 for none")
    return sizes


def _heads(heads: Any) -> list[tuple[int, str, float, int]]:
    try:
        return [(int(layer), text(loss, "heads"), float(weight), int(targets)) for layer, loss, weight, targets in heads]
    except (TypeError, ValueError):
        raise _core.Error("heads: give (layer, loss, weight, targets) of each, as in [(1, 'squared', 1.0, 3)]") from None


def _threshold(threshold: Union[str, float]) -> Optional[float]:
    """None for the best."""
    return None if isinstance(threshold, str) and threshold == "best" else number(threshold, "threshold")


def _open(name: str, value: Any) -> Any:
    """None for what is left open."""
    if isinstance(value, str):
        if value == "auto":
            return None
        raise _core.Error(f"{name}: {value!r} is neither 'auto' nor a number")
    return value
