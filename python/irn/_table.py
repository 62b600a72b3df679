"""Arrays and data frames as tables: columns with names, of numbers or of texts."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from irn import _core
from irn._arrays import numbers

Array = np.ndarray[Any, Any]


def is_frame(given: Any) -> bool:
    """A data frame of pandas, which nobody needs to have."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(given, pandas.DataFrame)


def is_series(given: Any) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(given, pandas.Series)


class Columns:
    """Columns side by side: numbers in one matrix, texts as places in a list of them. Those named in `text` are texts whatever they hold."""

    def __init__(self, text: Sequence[str] = ()) -> None:
        self.text = frozenset(text)
        self.names: list[str] = []
        self.blocks: list[Array] = []
        self.texts: list[tuple[int, Array, list[str]]] = []

    def add_matrix(self, given: Any, what: str, names: Sequence[str]) -> None:
        matrix = numbers(given, what)
        if matrix.ndim == 1:
            matrix = matrix[:, None]
        self._add(matrix, what, names)

    def add_text(self, name: str, values: Array) -> None:
        """Values of any kind but numbers; None and NaN are missing."""
        words = np.where(_missing(values), "", values).astype(str)
        found, first, places = np.unique(words, return_index=True, return_inverse=True)
        order = np.argsort(first)  # by first appearance, as in a table that was read
        order = order[found[order] != ""]
        rank = np.full(len(found), -1, dtype=np.int64)
        rank[order] = np.arange(len(order))
        self.texts.append((len(self.names), rank[places], [str(word) for word in found[order]]))
        self._add(np.zeros((len(values), 1)), name, [name])

    def add_frame(self, frame: Any, what: str) -> None:
        """A frame's columns: numbers and truth values as they are, texts, categories and dates as texts."""
        if all(d.kind in "fiub" for d in map(_numpy_type, frame.dtypes)) and not self.text.intersection(map(str, frame.columns)):
            return self.add_matrix(frame.to_numpy(), what, [str(c) for c in frame.columns])
        for position, name in enumerate(frame.columns):
            self.add_column(str(name), frame.iloc[:, position], f"{what}, column {str(name)!r}")

    def add_column(self, name: str, column: Any, what: str) -> None:
        kind = _numpy_type(column.dtype).kind
        if name in self.text:
            return self.add_text(name, column.astype(object).to_numpy())
        if kind in "fiub":
            values = column.to_numpy(dtype=np.float64, na_value=np.nan)
            return self.add_matrix(values, what, [name])
        if kind in "mc":
            return self.add_matrix(column.to_numpy(), what, [name])  # which refuses, and says why
        self.add_text(name, column.astype(object).to_numpy())

    def table(self, source: str) -> _core.Table:
        values = self.blocks[0] if len(self.blocks) == 1 else np.hstack(self.blocks)
        return _core.Table(source, self.names, values, self.texts)

    def _add(self, matrix: Array, what: str, names: Sequence[str]) -> None:
        if matrix.ndim != 2:
            raise _core.Error(f"{what} has {matrix.ndim} axes; give two, a row for each sample")
        if self.blocks and len(matrix) != len(self.blocks[0]):
            raise _core.Error(f"{what} has {len(matrix)} rows for {len(self.blocks[0])} rows of x")
        if len(matrix) == 0 or matrix.shape[1] == 0:
            raise _core.Error(f"{what} is empty (shape {matrix.shape})")
        self.names.extend(names)
        self.blocks.append(matrix)


def flat_images(x: Any, images: str = "auto") -> tuple[Any, str]:
    """An array of images as rows, channel after channel, and their shape in words; what is none stays what it is."""
    found = _core.images_of(x.shape) if isinstance(x, np.ndarray) and x.ndim > 2 else None
    if found is None:
        return x, images
    shape, channels_last = found
    if images not in ("auto", "none", shape, f"1x{shape}"):
        raise _core.Error(f"images: images of {images}, but those of x are {shape}; leave it out")
    rows = np.moveaxis(x, -1, 1) if channels_last else x
    return rows.reshape(len(rows), int(np.prod(rows.shape[1:]))), images if images == "none" else shape


def add_inputs(columns: Columns, x: Any, names: Sequence[str] = ()) -> list[str]:
    """The columns of x; returns their names: the frame's own, those given, or x0, x1, ..."""
    if is_frame(x):
        columns.add_frame(x, "x")
    else:
        matrix = _object_matrix(x)
        if matrix is not None:
            for name, column in zip(_names(names, matrix), matrix.T):
                columns.add_text(name, column) if name in columns.text else _add_objects(columns, name, column)
        else:
            array = numbers(x, "x")
            if array.ndim != 2:
                raise _core.Error(f"x has {array.ndim} axes; give two, a row for each sample")
            _add_numbers(columns, _names(names, array), array)
    return list(columns.names)


def _add_numbers(columns: Columns, names: list[str], array: Array) -> None:
    if columns.text.isdisjoint(names):
        return columns.add_matrix(array, "x", names)
    for name, column in zip(names, array.T):
        columns.add_text(name, column) if name in columns.text else columns.add_matrix(column, "x", [name])


def _names(given: Sequence[str], matrix: Array) -> list[str]:
    if len(given) not in (0, matrix.shape[1]):
        raise _core.Error(f"there are {len(given)} names for {matrix.shape[1]} columns of x")
    return [str(name) for name in given] or [f"x{k}" for k in range(matrix.shape[1])]


def add_targets(columns: Columns, y: Any, *, classes: bool = True) -> list[str]:
    """The columns of y; returns their names: the frame's or series' own, or y, or y0, y1, ... Whole numbers that a double cannot hold are
    names of classes, if there may be any."""
    if classes and not is_frame(y) and _beyond_doubles(y):
        y = y.astype(str)
    before = len(columns.names)
    if is_frame(y):
        columns.add_frame(y, "y")
    elif is_series(y):
        name = str(y.name) if y.name is not None else "y"
        if _numpy_type(y.dtype).kind == "b":
            columns.add_text(name, y.astype(object).to_numpy())
        else:
            columns.add_column(name, y, "y")
    else:
        array = np.asarray(y)
        if array.dtype.kind in "OUSb" and array.ndim == 1:
            _add_objects(columns, "y", array)
        else:
            width = array.shape[1] if array.ndim == 2 else 1
            columns.add_matrix(array, "y", ["y"] if width == 1 else [f"y{k}" for k in range(width)])
    return columns.names[before:]


def _beyond_doubles(y: Any) -> bool:
    values = y.to_numpy() if is_series(y) else y
    return isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "iu" and bool(np.any((values > 2**53) | (values < -(2**53))))


def _object_matrix(x: Any) -> Optional[Array]:
    """Rows of mixed values, numbers and texts; None for what is plainly numbers."""
    if isinstance(x, np.ndarray):
        return x if x.dtype.kind in "OUS" and x.ndim == 2 else None
    if isinstance(x, (list, tuple)) and x and isinstance(x[0], (list, tuple)):
        if any(isinstance(value, str) for value in x[0]) and len({len(row) for row in x}) == 1:
            return np.array(x, dtype=object)
    return None


def _add_objects(columns: Columns, name: str, values: Array) -> None:
    if values.dtype.kind == "O":
        try:
            return columns.add_matrix(values.astype(np.float64), name, [name])
        except (TypeError, ValueError):
            if not all(isinstance(v, (str, bool, np.bool_)) for v in values[~_missing(values)]):
                raise _core.Error(
                    f"column {name!r} holds neither numbers nor texts alone; convert it to one of them"
                ) from None
    columns.add_text(name, values)


def _missing(values: Array) -> Array:
    """None, NaN, and what pandas calls NA."""
    pandas = sys.modules.get("pandas")
    if pandas is not None:
        return np.asarray(pandas.isna(values), dtype=bool)
    return np.array([v is None or v != v for v in values], dtype=bool)


def _numpy_type(dtype: Any) -> np.dtype[Any]:
    """What NumPy would call a type of pandas: Int64 is int64, category and string are objects."""
    if isinstance(dtype, np.dtype):
        return dtype
    own = getattr(dtype, "numpy_dtype", None)
    return own if isinstance(own, np.dtype) else np.dtype(object)
