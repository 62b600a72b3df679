"""Rows on their way into scikit-learn's estimators: checked as scikit-learn checks them, weighed, and in an order of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, Optional

import numpy as np
from sklearn.utils.validation import _check_sample_weight, check_consistent_length

from irn import _core, _table
from irn._arrays import is_frame, numpy_type

Array = np.ndarray[Any, Any]


class Rows(NamedTuple):
    """x: a matrix, or a data frame with columns of texts; y: a matrix of numbers or one row of texts; places: of each row among the caller's."""

    x: Any
    y: Array
    weights: Optional[Array]
    places: Array

    def table(self, names: Sequence[str], targets: Sequence[str], text: Sequence[str]) -> _core.Table:
        columns = _table.Columns(text)
        _table.add_inputs(columns, self.x, () if is_frame(self.x) else names)
        named = _table.add_targets(columns, self.y)
        columns.names[-len(named) :] = targets
        return columns.table("X")

    @contextmanager
    def named(self) -> Iterator[None]:
        """Errors name the caller's rows, of which these are some, or the same in another order."""
        try:
            yield
        except _core.DataError as error:
            raise _core.DataError(_ROW.sub(lambda found: f"{found[1]}, row {self.places[int(found[2])]} (", str(error))) from None


_ROW = re.compile(r"^(x|X), row (\d+) \(")  # of the table of training; rows to judge by are another's


def prepared(estimator: Any, x: Any, y: Any = None, *, reset: bool, numbers: bool = False) -> Any:
    """x as scikit-learn wants it: names and number of columns known, values finite. A frame with texts or truth values stays a frame."""
    if is_frame(x) and any(numpy_type(d).kind not in "fiu" for d in x.dtypes):
        _check_columns(estimator, x, reset)
        for place, name in enumerate(x.columns):
            _table.refuse_collections(str(name), x.iloc[:, place].to_numpy())
        if y is not None:
            check_consistent_length(x, y)
            if numbers:
                _finite(y)
        return x
    gaps = getattr(estimator, "missing", "refuse") != "refuse"
    options: dict[str, Any] = {"reset": reset, "dtype": [np.float64, np.float32], _FINITE: "allow-nan" if gaps else True}
    if y is None and not reset:
        return _validate(estimator, x, **options)
    x, _ = _validate(estimator, x, y, multi_output=True, y_numeric=numbers, **options)
    return x


def weighed(x: Any, y: Array, sample_weight: Any) -> Rows:
    """Without the rows of weight zero, which are as if they were not there."""
    everyone = np.arange(len(y))
    if sample_weight is None:
        return Rows(x, y, None, everyone)
    weights = _check_sample_weight(sample_weight, x, dtype=np.float64)
    if not (weights >= 0).all():
        raise _core.Error("sample_weight holds a negative weight; give zero or more")
    kept = weights > 0
    if not kept.any():
        raise _core.Error("sample_weight: all weights are zero; there is nothing to learn from")
    if kept.all():
        return Rows(x, y, None if (weights == 1).all() else weights, everyone)
    rest = weights[kept]
    x = x[kept] if isinstance(x, np.ndarray) else x.loc[kept]
    return Rows(x, y[kept], None if (rest == 1).all() else rest, everyone[kept])


def in_own_order(rows: Rows) -> Rows:
    """In an order that depends on the rows alone: the same rows give the same model, however they are shuffled."""
    order = np.argsort(_prints(rows), kind="stable")
    x = rows.x[order] if isinstance(rows.x, np.ndarray) else rows.x.iloc[order]
    return Rows(x, rows.y[order], None if rows.weights is None else rows.weights[order], rows.places[order])


def _prints(rows: Rows) -> Array:
    """A number a row that two rows share only if they are the same, or by a chance of 2^-64."""
    print_ = np.zeros(len(rows.y), dtype=np.uint64)
    if isinstance(rows.x, np.ndarray):
        columns = list(rows.x.T)
    else:
        from pandas.util import hash_pandas_object

        print_ ^= hash_pandas_object(rows.x, index=False).to_numpy()
        columns = []
    columns += list(rows.y.T) if rows.y.ndim == 2 else [np.unique(rows.y, return_inverse=True)[1]]
    if rows.weights is not None:
        columns.append(rows.weights)
    for column in columns:
        bits = (np.asarray(column, dtype=np.float64) + 0.0).view(np.uint64)  # -0.0 is 0.0
        print_ = (print_ ^ bits) * np.uint64(0x9E3779B97F4A7C15)
        print_ ^= print_ >> np.uint64(29)
    return print_


def _finite(y: Any) -> None:
    values = np.asarray(y, dtype=np.float64)
    if not np.isfinite(values).all():
        raise ValueError("Input y contains NaN or infinity.")


# What scikit-learn calls these changed in 1.6.
try:
    from sklearn.utils.validation import validate_data as _validate

    _FINITE = "ensure_all_finite"

    def _check_columns(estimator: Any, frame: Any, reset: bool) -> None:
        _validate(estimator, frame, reset=reset, skip_check_array=True)

except ImportError:
    _FINITE = "force_all_finite"

    def _validate(estimator: Any, *arrays: Any, **options: Any) -> Any:
        return estimator._validate_data(*arrays, **options)

    def _check_columns(estimator: Any, frame: Any, reset: bool) -> None:
        estimator._check_feature_names(frame, reset=reset)
        estimator._check_n_features(frame, reset=reset)
