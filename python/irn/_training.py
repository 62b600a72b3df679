"""Training on a table to its end, as `irn train` does it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np

from irn import _core, _table
from irn._arrays import text as text_of
from irn._going_on import as_begun, begin_of
from irn._model import Model
from irn._network import _precision, _seed
from irn._outcome import TrainingWarning
from irn._progress import Progress, bar_for
from irn._training_options import (
    Layers,
    as_toml,
    class_weights_of,
    judges_of,
    layers_of,
    names_of,
    or_open,
    reading_of,
    table_and_targets,
    threshold_of,
)

Array = np.ndarray[Any, Any]

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
        inputs, exclude: a column, or several, to predict from and to leave out; weights: column of x that says how much each row counts.
        class_weights: "balanced", all classes count alike, or {class: weight} for some of them.
        missing: "refuse", "mean" (of the column) or "drop" (the row); unknown: texts not seen in training, "refuse" or "zeros".
        dates: what dates become, "days" since 1970 or some of "days", "year", "month", "day", "weekday", "hour"; date_order: of dates like
            05/03/2024, "day" or "month" (first).
        categories: of columns with many texts, "all" (an input each, of at most 1,000), "frequent:N" or "hashed:N".
        text: columns that are texts even where they look like numbers, dates, or yes and no.
        images: of rows that are images, their shape: "28x28", "3x32x32", "none"; "auto": that of the file, or of x if it is an array of three or
            four axes.
        scaling: "columns" (each to mean 0, deviation 1), "common" (all alike), "none".
        validation: share of the rows held out to judge by; (x, y) or (x, y, weights) to judge by; None for none.
    Reading, if x is a file or a list of files:
        header: "yes" or "no"; delimiter: "tab" or a character; decimal: "." or ","; thousands: "none", "space" or a mark.
        arrays: of an NPZ archive, as "x" or "x=X_train"; labels: the IDX file with the labels of images.
    Network:
        convolutions: of images, layers of filters before the hidden layers, as in "32k5s2,64k3"; "none".
        layers: neurons of the hidden layers, 64, (64, 32) or "64-32", 0 for none; activation; recurrence ("none", "lateral",
        "feedback", "full"); architecture: the whole network instead; start: "scaled", "paper", or a Model to go on with: options that
            contradict it are refused, and its gaps and unknown texts may be taken otherwise.
    Training:
        loss, gradient, optimiser, schedule: as `irn.losses`, ... list them; rate: 0 leaves it to the optimiser.
        batch, epochs; patience: epochs without improvement before training ends, 0: never before the last.
        metric: by which the best epoch is chosen, as `irn.metrics` lists them.
        threshold: of two classes, the probability from which the second is the answer; "best": the one with the best metric.
        clip: largest norm of a gradient; certify: bound, below 1, of the certificate that training keeps, 0: none.
        pull: without a certificate, the bound of one towards which rows that do not settle pull; 0: they only take no part.
        noise: deviation of noise on the inputs; augment: how images change, as in "shift=2,rotate=10"; average: answer with a running mean of
            the weights, 0.999 is what a step leaves of it.
        dropout: share of the hidden neurons that a sample leaves out of its search; normalise: learn weights as lengths and directions.
        least_settled: stop if a smaller share of the samples settles.
        solver, tolerance: how equilibria are looked for; seed; precision: "float32" or "float64".
        device: "cpu", "cuda" or "cuda:N" (irn.devices), to train on; the model runs on any.
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
        names: Union[str, Sequence[str]] = (),
        classes: Union[str, Sequence[str]] = (),
        inputs: Union[str, Sequence[str]] = (),
        exclude: Union[str, Sequence[str]] = (),
        weights: Optional[str] = None,
        class_weights: Union[str, Mapping[Any, float], None] = None,
        missing: str = "refuse",
        unknown: str = "refuse",
        dates: Union[str, Sequence[str]] = "days",
        date_order: str = "auto",
        categories: str = "all",
        text: Union[str, Sequence[str]] = (),
        header: str = "auto",
        delimiter: str = "auto",
        decimal: str = "auto",
        thousands: str = "auto",
        arrays: Union[str, Sequence[str]] = (),
        labels: Optional[str] = None,
        images: str = "auto",
        scaling: str = "auto",
        convolutions: str = "auto",
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
        augment: str = "auto",
        average: Union[str, float] = "auto",
        dropout: float = 0,
        normalise: bool = False,
        least_settled: float = 0.5,
        seed: int = 0,
        precision: str = "float32",
        device: str = "cpu",
    ) -> None:
        _core.check_device(text_of(device, "device"))  # before a file is read
        reading = reading_of(names_of(text, "text"), header, delimiter, decimal, thousands, names_of(arrays, "arrays"), labels)
        if not isinstance(start, (str, Model)):
            raise _core.Error(f"start: give 'scaled', 'paper' or an irn.Model, not a {type(start).__name__}")
        if isinstance(start, Model):
            task = start.task if task == "auto" else task
            if y is None and target is None:
                target = [column.name for column in start.targets]
        x, images = _table.flat_images(x, text_of(images, "images"))
        table, targets = table_and_targets(x, y, target, names, task, reading)
        judges, judge_weight, share = judges_of(validation, targets, reading["text"], task != "regression")
        options: dict[str, Any] = {
            "targets": targets,
            "classes": names_of(classes, "classes"),
            "inputs": names_of(inputs, "inputs"),
            "exclude": names_of(exclude, "exclude"),
            "weights": weights or "",
            "class_weights": class_weights_of(class_weights),
            "validation": share,
            "task": task,
            "missing": missing,
            "unknown": unknown,
            "dates": names_of(dates, "dates"),
            "date_order": date_order,
            "categories": categories,
            **reading,
            "images": images,
            "scaling": scaling,
            "convolutions": convolutions,
            "layers": layers_of(layers),
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
            "batch": or_open("batch", batch),
            "epochs": or_open("epochs", epochs),
            "patience": patience,
            "metric": metric,
            "threshold": threshold_of(threshold),
            "clip": clip,
            "certify": or_open("certify", certify),
            "pull": pull,
            "noise": or_open("noise", noise),
            "augment": text_of(augment, "augment"),
            "average": or_open("average", average),
            "dropout": dropout,
            "normalise": normalise,
            "least_settled": least_settled,
            "seed": _seed(seed),
            "precision": _precision(precision),
            "device": device,
        }
        begin = None
        if isinstance(start, Model):
            options, begin = as_begun(options, start), begin_of(start, missing, unknown)
        options["configuration"] = as_toml(options)
        if isinstance(start, Model):
            options["architecture"] = start.architecture  # on which defaults depend
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
