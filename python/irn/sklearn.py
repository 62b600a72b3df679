"""scikit-learn's estimators: ImplicitClassifier and ImplicitRegressor.

They train as `irn train` does, with its defaults, and work wherever an estimator does: in a Pipeline, GridSearchCV, cross_val_score,
CalibratedClassifierCV, ColumnTransformer. Data frames keep their names, and columns of texts or categories are encoded.

    >>> from sklearn.datasets import load_iris
    >>> from irn.sklearn import ImplicitClassifier
    >>> x, y = load_iris(return_X_y=True)
    >>> model = ImplicitClassifier(epochs=60).fit(x, y)
    >>> model.score(x, y) > 0.9
    True
    >>> model.settled_
    1.0
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from irn import _core
from irn._estimator import PARAMETERS, Implicit
from irn._rows import Rows, prepared, weighed
from irn._training_options import Layers

Array = np.ndarray[Any, Any]

# A current check_estimator(expected_failed_checks=...) wants weights to be repetitions, which no training in batches can give. (Weights of
# zero are: such rows are left out.)
EXPECTED_FAILED_CHECKS = {
    "check_sample_weight_equivalence_on_dense_data": "a sample of weight two is in one batch, two samples may be in two"
}


class ImplicitClassifier(ClassifierMixin, Implicit):  # type: ignore[misc]
    __doc__ = (
        """A classifier whose answer is the equilibrium of an implicit recurrent network.

    class_weight : dict, 'balanced' or None; threshold : of two classes, the probability from which the second is the answer, or 'best', the
    one with the best metric over the rows that judge; beside the parameters below.

    After fit: classes_, model_ (an irn.Model), loss_curve_, validation_scores_ (accuracy of the rows that judge), n_iter_, best_epoch_,
    settled_ (share of the rows that judge that settled), n_features_in_, feature_names_in_.
"""
        + PARAMETERS
    )

    def __init__(
        self,
        layers: Layers = "auto",
        *,
        activation: str = "auto",
        recurrence: str = "lateral",
        architecture: Optional[str] = None,
        certify: Union[str, float] = "auto",
        pull: float = 0,
        loss: str = "auto",
        optimiser: str = "auto",
        rate: float = 0,
        schedule: str = "cosine",
        gradient: str = "exact",
        batch: Union[str, int] = "auto",
        epochs: Union[str, int] = "auto",
        validation: Any = "auto",
        patience: int = 0,
        metric: str = "loss",
        clip: float = 1,
        noise: Union[str, float] = "auto",
        images: str = "auto",
        augment: str = "auto",
        average: Union[str, float] = "auto",
        dropout: float = 0,
        normalise: bool = False,
        least_settled: float = 0.5,
        scaling: str = "auto",
        missing: str = "refuse",
        unknown: str = "refuse",
        dates: Union[str, Sequence[str]] = "days",
        date_order: str = "auto",
        categories: str = "all",
        text: Union[str, Sequence[str]] = (),
        precision: str = "float32",
        solver: str = "auto",
        tolerance: float = 0,
        device: str = "cpu",
        unsettled: str = "fallback",
        class_weight: Any = None,
        threshold: Union[str, float] = 0.5,
        random_state: Any = 0,
        warm_start: bool = False,
        verbose: bool = False,
    ) -> None:
        chosen = {k: v for k, v in locals().items() if k not in ("self", "__class__", "class_weight", "threshold")}
        super().__init__(**chosen)
        self.class_weight = class_weight
        self.threshold = threshold

    def _options(self) -> dict[str, Any]:
        return {**super()._options(), "threshold": self.threshold}

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ImplicitClassifier:
        """Trains on rows X of classes y."""
        with self._whole_or_not_at_all():
            rows = self._prepare(X, y, sample_weight, reset=True)
            if not (self.warm_start and hasattr(self, "classes_")):
                self.classes_ = np.unique(rows.y)
            self._check_known(rows.y)
            if len(self.classes_) < 2:
                raise _core.Error(f"there is only one class, {self.classes_[0]!r}; there is nothing to tell apart")
            self._fit(self._in_texts(rows), "classification", [_text(c) for c in self.classes_])
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> ImplicitClassifier:
        """Goes over these rows once. The first call names all classes; its means and deviations stay."""
        with self._whole_or_not_at_all():
            first = not hasattr(self, "model_")
            rows = self._prepare(X, y, sample_weight, reset=first)
            if first:
                if classes is None:
                    raise _core.Error("classes must be passed on the first call to partial_fit")
                self.classes_ = np.unique(classes)
            elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
                raise _core.Error("classes is not the same as on the first call to partial_fit")
            self._check_known(rows.y)
            self._partial_fit(self._in_texts(rows), "classification", [_text(c) for c in self.classes_])
        return self

    def predict(self, X: Any) -> Array:
        """The class of each row."""
        found = self._answers(X)
        places = found.label_places
        if (places < 0).any():
            raise _core.Error("rows that did not settle have no class; unsettled='fallback' gives them the most frequent one")
        return np.asarray(self.classes_[places])

    def predict_proba(self, X: Any) -> Array:
        """[row][class], in the order of classes_."""
        return self._answers(X).probabilities

    def predict_log_proba(self, X: Any) -> Array:
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def _prepare(self, X: Any, y: Any, sample_weight: Any, reset: bool) -> Rows:
        x = prepared(self, X, y, reset=reset)
        labels = column_or_1d(y, warn=True)
        check_classification_targets(labels)
        rows = weighed(x, labels, sample_weight)
        if self.class_weight is None:
            return rows
        of_classes = compute_sample_weight(self.class_weight, rows.y)
        return rows._replace(weights=of_classes if rows.weights is None else rows.weights * of_classes)

    def _check_known(self, labels: Array) -> None:
        unknown = np.setdiff1d(labels, self.classes_)
        if unknown.size:
            raise _core.Error(f"y has classes that were not there before: {', '.join(map(repr, unknown[:5].tolist()))}")

    def _in_texts(self, rows: Rows) -> Rows:
        """Labels as the model has them."""
        texts = np.array([_text(c) for c in self.classes_], dtype=object)
        return rows._replace(y=texts[np.searchsorted(self.classes_, rows.y)])

    def _more_tags(self) -> dict[str, Any]:
        return {"binary_only": False}


class ImplicitRegressor(RegressorMixin, Implicit):  # type: ignore[misc]
    __doc__ = (
        """A regressor whose answer is the equilibrium of an implicit recurrent network; of several targets at once, too.

    After fit: model_ (an irn.Model), loss_curve_, validation_scores_ (R2 of the rows that judge), n_iter_, best_epoch_, settled_ (share
    of the rows that judge that settled), n_outputs_, n_features_in_, feature_names_in_.
"""
        + PARAMETERS
    )

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ImplicitRegressor:
        """Trains on rows X of targets y, one or several a row."""
        with self._whole_or_not_at_all():
            self._fit(self._rows(X, y, sample_weight, reset=True), "regression", None)
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> ImplicitRegressor:
        """Goes over these rows once. The means and deviations of the first call stay."""
        with self._whole_or_not_at_all():
            rows = self._rows(X, y, sample_weight, reset=not hasattr(self, "model_"))
            self._partial_fit(rows, "regression", None)
        return self

    def predict(self, X: Any) -> Array:
        """[row], or of several targets [row][target]."""
        values = self._answers(X).values
        return values if self._several else values[:, 0]

    def _rows(self, X: Any, y: Any, sample_weight: Any, reset: bool) -> Rows:
        x = prepared(self, X, y, reset=reset, numbers=True)
        targets = np.asarray(y, dtype=np.float64)
        self._several = targets.ndim == 2
        if targets.ndim == 1:
            targets = targets[:, None]
        self.n_outputs_ = targets.shape[1]
        return weighed(x, targets, sample_weight)

    def _more_tags(self) -> dict[str, Any]:
        return {"multioutput": True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


def _text(label: Any) -> str:
    """As a model has it: 1 and 1.0 are "1"."""
    if isinstance(label, (float, np.floating)) and float(label).is_integer():
        return str(int(label))
    return str(label)
