"""Models: a trained network and all that is needed to use it on other data. One file, the same as the program's."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from irn import _core, _table
from irn._arrays import count, is_frame, text
from irn._network import Network, Path
from irn._outcome import UnsettledWarning, answered, counts, settled

Array = np.ndarray[Any, Any]


class Column(NamedTuple):
    """A column of the data, as a model encodes it."""

    name: str
    categories: tuple[str, ...]  #: texts, one input each; empty: a number
    mean: float
    scale: float  #: a number x becomes (x - mean) / scale


class Predictions:
    """Answers to rows, in the words of the targets, and what became of each.

    values: [row][target] of a regression, NaN where there is no answer.
    probabilities: [row][class] of a classification, likewise.
    labels: [row], "" where there is no answer.
    unanswered: how many rows have no answer.
    basis: what each is: "settled", "iterated", "last", "fallback" or "none"; the latter three are no answers of the network.
    """

    __slots__ = ("_numbers", "_labels", "_basis", "_classes", "outcomes", "residuals", "evaluations", "unanswered")

    def __init__(self, found: _core.Found, classes: tuple[str, ...]) -> None:
        self._numbers, self._labels, self._basis, self.outcomes, self.residuals, self.evaluations, self.unanswered = found
        self._classes = classes

    @property
    def values(self) -> Array:
        if self._classes:
            raise _core.Error("the model predicts classes, not numbers: take labels or probabilities")
        return self._numbers

    @property
    def probabilities(self) -> Array:
        if not self._classes:
            raise _core.Error("the model predicts numbers, not classes: take values")
        return self._numbers

    @property
    def label_places(self) -> Array:
        """Where in the model's classes each label stands; -1: there is none."""
        if not self._classes:
            raise _core.Error("the model predicts numbers, not classes: take values")
        return self._labels

    @property
    def labels(self) -> Array:
        return np.array([*self._classes, ""])[self.label_places]

    @property
    def basis(self) -> Array:
        return np.array(_core.basis_names)[self._basis]

    @property
    def settled(self) -> Array:
        return np.asarray(settled(self.outcomes))

    @property
    def answered(self) -> Array:
        return np.asarray(answered(self.outcomes))

    def __len__(self) -> int:
        return len(self.outcomes)

    def __repr__(self) -> str:
        return f"<irn.Predictions: {len(self)} row{'s' * (len(self) != 1)}: {counts(self.outcomes)}>"


class Model:
    """A trained model: from rows as the data have them to answers.

    `irn.load` reads one, `irn.train` makes one; `irn predict` and this class use the same files.
    """

    __slots__ = ("_core", "_facts", "_classes", "_truths", "_words", "_texts", "__weakref__")

    def __init__(self, core: _core.Model) -> None:
        self._core = core
        self._facts = core.describe()
        self._classes = self.targets[0].categories if self.task == "classification" else ()
        inputs = json.loads(self._facts["encoding"])["inputs"]
        self._truths = frozenset(column["name"] for column in inputs if column.get("reading") == "boolean")  # texts or numbers
        self._words = frozenset(self._facts["text_columns"]) - self._truths
        self._texts = any(column.categories or column.name in self._words for column in self.inputs)

    @classmethod
    def of_network(cls, network: Network) -> Model:
        """A network that takes and gives numbers as they are: columns x0, x1, ... and y0, y1, ..."""
        return cls(_core.Model.of_network(network._core, "", ""))

    def save(self, path: Path) -> None:
        """As the one file that `irn predict` and `irn.load` read; written whole or not at all."""
        self._core.save(os.fspath(path))

    @property
    def network(self) -> Network:
        """A copy of its network, which takes encoded inputs."""
        return Network._of(self._core.network())

    @property
    def task(self) -> str:
        """'regression' or 'classification'."""
        return str(self._facts["task"])

    @property
    def inputs(self) -> tuple[Column, ...]:
        """The columns it takes, in their order."""
        return _columns(self._facts["inputs"])

    @property
    def targets(self) -> tuple[Column, ...]:
        return _columns(self._facts["targets"])

    @property
    def classes(self) -> tuple[str, ...]:
        """Of a classification: its labels, which are texts in a model. Else none."""
        return self._classes

    @property
    def metrics(self) -> dict[str, float]:
        """What its training reached."""
        return dict(self._facts["metrics"])

    @property
    def certified(self) -> bool:
        """Whether it was trained with a certificate: every input has one equilibrium, reached from every start."""
        return bool(self._facts["certified"])

    architecture = property(lambda self: self._facts["architecture"], doc="Of its network.")
    precision = property(lambda self: self._facts["precision"], doc="'float32' or 'float64'.")
    solver = property(lambda self: self._facts["solver"], doc="With which it was trained, and answers.")
    tolerance = property(lambda self: self._facts["tolerance"], doc="Of the residual; 0: that of the precision.")
    loss = property(lambda self: self._facts["loss"], doc="That was lowered, if it is known.")
    images = property(lambda self: self._facts["images"], doc="Shape of the images that its rows are, as '28x28'; None: they are none.")
    augmentation = property(lambda self: self._facts["augmentation"], doc="How the images changed in its training; 'none'.")
    seed = property(lambda self: self._facts["seed"], doc="Of its training.")
    configuration = property(lambda self: self._facts["configuration"], doc="Of its training, as TOML.")

    def answers(
        self, x: Any, *, unsettled: str = "empty", views: int = 1, device: str = "cpu", date_order: str = "auto"
    ) -> Predictions:
        """Answers to the rows of x, with what became of each. Says nothing of those that have none: look at `answered`.

        x: [row][column], in the order of `inputs`; or a data frame with columns of these names; or an array of images, of three or four axes.
        unsettled: what stands where a row did not settle: "empty" (NaN, ""), "last" (where its search ended) or "fallback" (the
            means of the targets, or the shares of the classes, in training).
        views: of a model of images, answer with the mean over so many views: the image, and changes of it as in training. A row is settled
            if all its views are.
        device: "cpu", "cuda" or "cuda:N" (irn.devices), to compute on. A model runs on any; one that cannot be used is refused.
        date_order: "day" or "month", what comes first in dates like 05/03/2024; "auto": as in training, and where that does not tell they
            are refused.
        """
        x = self._flat(x)
        how = text(unsettled, "unsettled"), count(views, "views"), text(device, "device"), text(date_order, "date_order")
        if is_frame(x) and not len(x):
            _chosen_columns(x, [name for name, _, _, _ in self._facts["inputs"]])  # which names those that are missing
            x = np.zeros((0, len(self._facts["inputs"])))
        if (is_frame(x) or self._texts or (self._truths and np.asarray(x).dtype.kind not in "fiub")) and len(x):
            found = self._core.predict_table(self._table_of(x), *how)
        else:
            found = self._core.predict_rows(x, *how)
        return Predictions(found, self._classes)

    def predict(
        self, x: Any, *, unsettled: str = "empty", views: int = 1, device: str = "cpu", date_order: str = "auto"
    ) -> Array:
        """Labels, or numbers (of a single target one a row). Warns of rows that did not settle."""
        found = self.answers(x, unsettled=unsettled, views=views, device=device, date_order=date_order)
        warn_unsettled(found, unsettled, stacklevel=3)
        if self._classes:
            return found.labels
        values = found.values
        return values[:, 0] if values.shape[1] == 1 else values

    def predict_proba(
        self, x: Any, *, unsettled: str = "empty", views: int = 1, device: str = "cpu", date_order: str = "auto"
    ) -> Array:
        """[row][class], in the order of `classes`. Warns of rows that did not settle."""
        found = self.answers(x, unsettled=unsettled, views=views, device=device, date_order=date_order)
        warn_unsettled(found, unsettled, stacklevel=3)
        return found.probabilities

    def _flat(self, x: Any) -> Any:
        if isinstance(x, (str, os.PathLike)):
            raise _core.Error(f"x is the name of a file, {os.fspath(x)!r}; give what is in it, as pandas.read_csv reads it")
        flat, shape = _table.flat_images(x)
        if flat is not x and self.images is not None and shape != self.images:
            raise _core.Error(f"x has images of {shape}; the model was trained on images of {self.images}")
        return flat

    def _table_of(self, x: Any) -> _core.Table:
        names = [name for name, _, _, _ in self._facts["inputs"]]
        columns = _table.Columns()
        if is_frame(x):
            chosen = _chosen_columns(x, names)
            given = [chosen[name] for name in names]
        else:
            matrix = np.asarray(x, dtype=object)
            if matrix.ndim == 1:
                matrix = matrix[None, :]
            if matrix.ndim != 2 or matrix.shape[1] != len(names):
                raise _core.Error(f"x has the shape {matrix.shape}; the model takes rows of {len(names)} columns")
            given = list(matrix.T)
        for column, values in zip(self.inputs, given):
            if column.categories or column.name in self._words:
                columns.add_text(column.name, values)
            else:
                columns.add_numbers(column.name, values, f"x, column {column.name!r}")
        return columns.table("x")

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle, (type(self), self._core.to_bytes())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Model):
            return NotImplemented
        return self._core.to_bytes() == other._core.to_bytes()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        targets = ", ".join(c.name for c in self.targets)
        certified = ", certified" if self.certified else ""
        return f"<irn.Model {self.architecture}: {self.task} of {targets} from {len(self.inputs)} columns{certified}>"

    def _repr_html_(self) -> str:
        from irn._html import model_html

        return model_html(self)


def load(path: Path) -> Model:
    """The model in a file, or in the folder of its training (`irn train`, or Model.save)."""
    return Model(_core.Model.read(model_path(path)))


def model_path(path: Path) -> str:
    name = os.fspath(path)
    return os.path.join(name, "model.safetensors") if os.path.isdir(name) else name


def warn_unsettled(found: Predictions, unsettled: str, stacklevel: int) -> None:
    """Never silent about rows without an answer."""
    if found.unanswered:
        instead = {"empty": "have no answer", "last": "show where their search ended", "fallback": "show what is best known of any row"}
        warnings.warn(
            f"{found.unanswered} of {len(found)} rows did not settle and {instead.get(unsettled, 'have no answer')}"
            f" ({counts(found.outcomes[~found.answered])})",
            UnsettledWarning,
            stacklevel=stacklevel,
        )


def _chosen_columns(frame: Any, names: Sequence[str]) -> Any:
    known = {str(c): c for c in frame.columns}
    lacking = [name for name in names if name not in known]
    if lacking:
        raise _core.Error(f"x lacks the column{'s' * (len(lacking) > 1)} {', '.join(map(repr, lacking))} that the model takes")
    chosen = frame[[known[name] for name in names]]
    return chosen.set_axis(list(names), axis=1)


def _columns(facts: Any) -> tuple[Column, ...]:
    return tuple(Column(name, tuple(categories), mean, scale) for name, categories, mean, scale in facts)


def _unpickle(cls: type[Model], content: bytes) -> Model:
    return cls(_core.Model.from_bytes(content))
