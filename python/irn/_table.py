"""Arrays and data frames as tables: columns with names, of numbers or of texts."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from typing import Any, Optional

import numpy as np

from irn import _core
from irn._arrays import is_frame, is_series, numbers, numpy_type

Array = np.ndarray[Any, Any]


class Columns:
    """Columns side by side: numbers in one matrix, texts as places in a list of them.

    text: columns that are texts whatever they hold; exact: those that are texts if they hold whole numbers beyond the exact doubles.
    Columns of truth values are texts, True and False, as in a file: so a model knows that they are no numbers.
    """

    def __init__(self, text: Sequence[str] = (), exact: Sequence[str] = ()) -> None:
        self.text, self.exact = frozenset(text), frozenset(exact)
        self.names: list[str] = []
        self.blocks: list[Array] = []
        self.texts: list[tuple[int, Array, list[str]]] = []

    def add_matrix(self, given: Any, what: str, names: Sequence[str]) -> None:
        matrix = numbers(given, what)
        if matrix.ndim == 1:
            matrix = matrix[:, None]
        self._add(matrix, what, names)

    def add_text(self, name: str, given: Any) -> None:
        """An array or a series of values of any kind, as texts; None and NaN are missing."""
        values = _objects(given)
        refuse_collections(name, values)
        words = np.where(_missing(values), "", values).astype(str)
        found, first, places = np.unique(words, return_index=True, return_inverse=True)
        order = np.argsort(first)  # by first appearance, as in a table that was read
        order = order[found[order] != ""]
        rank = np.full(len(found), -1, dtype=np.int64)
        rank[order] = np.arange(len(order))
        self.texts.append((len(self.names), rank[places], [str(word) for word in found[order]]))
        self._add(np.zeros((len(values), 1)), name, [name])

    def add_objects(self, name: str, values: Array) -> None:
        """Values of an array that are all numbers, or all texts or truth values."""
        found = _number_objects(name, values)
        if found is not None:
            return self.add_matrix(found, name, [name])
        if values.dtype.kind == "O" and not all(issubclass(kind, (str, bool, np.bool_)) for kind in _kinds(values)):
            raise _core.Error(f"column {name!r} holds neither numbers nor texts alone; convert it to one of them")
        self.add_text(name, values)

    def add_numbers(self, name: str, given: Any, what: str) -> None:
        """What is known to be numbers: truth values are 1 and 0, and texts may say numbers. Others stay texts, to be refused with their place."""
        if numpy_type(given.dtype).kind in "fiubmc":
            return self.add_matrix(given, what, [name])  # which refuses durations and complex numbers
        values = _objects(given)
        refuse_collections(name, values)
        found = _floats(values)
        self.add_text(name, values) if found is None else self.add_matrix(found, what, [name])

    def add_frame(self, frame: Any, what: str) -> None:
        """A frame's columns: numbers as they are, texts, truth values, categories and dates as texts."""
        names = [str(c) for c in frame.columns]
        if all(numpy_type(d).kind in "fiu" for d in frame.dtypes) and (self.text | self.exact).isdisjoint(names):
            return self.add_matrix(frame, what, names)
        for position, name in enumerate(names):
            self.add_column(name, frame.iloc[:, position], f"{what}, column {name!r}")

    def add_column(self, name: str, column: Any, what: str) -> None:
        """One column of a frame."""
        kind = numpy_type(column.dtype).kind
        if name in self.text or kind == "b" or (name in self.exact and beyond_doubles(np.asarray(column))):
            return self.add_text(name, column)
        if kind in "fiumc":
            return self.add_matrix(column, what, [name])  # which refuses durations and complex numbers
        found = _number_objects(name, column.to_numpy()) if column.dtype == object else None  # categories of numbers stay categories
        self.add_text(name, column) if found is None else self.add_matrix(found, what, [name])

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
                columns.add_text(name, column) if name in columns.text else columns.add_objects(name, column)
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
    before = len(columns.names)
    if is_frame(y):
        columns.exact = frozenset(map(str, y.columns) if classes and y.shape[1] == 1 else ())
        columns.add_frame(y, "y")
    elif is_series(y):
        name = str(y.name) if y.name is not None else "y"
        columns.exact = frozenset([name] if classes else ())
        columns.add_column(name, y, "y")
    else:
        array = np.asarray(y)
        if array.ndim == 1 and classes and beyond_doubles(array):
            columns.add_text("y", array)
        elif array.ndim == 1 and array.dtype.kind in "OUSb":
            columns.add_objects("y", array)
        else:
            width = array.shape[1] if array.ndim == 2 else 1
            columns.add_matrix(array, "y", ["y"] if width == 1 else [f"y{k}" for k in range(width)])
    return columns.names[before:]


def beyond_doubles(values: Array) -> bool:
    """Whether there are whole numbers among them beyond those that doubles hold exactly."""
    if values.dtype.kind == "O":
        return any(isinstance(value, (int, np.integer)) and abs(int(value)) > 2**53 for value in values)
    return values.dtype.kind in "iu" and bool(np.any((values > 2**53) | (values < -(2**53))))


def _object_matrix(x: Any) -> Optional[Array]:
    """Rows of mixed values, numbers and texts; None for what is plainly numbers."""
    if isinstance(x, np.ndarray):
        return x if x.dtype.kind in "OUS" and x.ndim == 2 else None
    if isinstance(x, (list, tuple)) and x and isinstance(x[0], (list, tuple)):
        if any(isinstance(value, str) for value in x[0]) and len({len(row) for row in x}) == 1:
            return np.array(x, dtype=object)
    return None


def refuse_collections(name: str, values: Array) -> None:
    """Refuses lists and the like, where one value a row is expected."""
    if values.dtype.kind != "O" or not any(map(_is_collection, set(map(type, values)))):
        return
    row, value = next((row, value) for row, value in enumerate(values) if _is_collection(type(value)))
    raise _core.DataError(
        f"column {name!r} holds more than one value a row: in row {row} (counted from 0) a {type(value).__name__}; give each a column of its own"
    )


def _is_collection(kind: type) -> bool:
    return issubclass(kind, Collection) and not issubclass(kind, (str, bytes))


def _kinds(values: Array) -> set[type]:
    return set(map(type, values[~_missing(values)]))


def _number_objects(name: str, values: Array) -> Optional[Array]:
    """Objects that are numbers; none if there are texts among them, or truth values alone: a text that looks like a number may be a code."""
    refuse_collections(name, values)
    kinds = _kinds(values) if values.dtype.kind == "O" else set()
    words = any(issubclass(kind, (str, bytes)) for kind in kinds) or all(issubclass(kind, (bool, np.bool_)) for kind in kinds)
    return None if words else _floats(values)


def _floats(values: Array) -> Optional[Array]:
    """NaN where one is missing; None if some are no numbers."""
    try:
        return np.where(_missing(values), np.nan, values).astype(np.float64)
    except (TypeError, ValueError):
        return None


def _objects(given: Any) -> Array:
    return given if isinstance(given, np.ndarray) else np.asarray(given.astype(object).to_numpy())


def _missing(values: Array) -> Array:
    """None, NaN, and what pandas calls NA."""
    pandas = sys.modules.get("pandas")
    if pandas is not None:
        return np.asarray(pandas.isna(values), dtype=bool)
    return np.array([v is None or v != v for v in values], dtype=bool)
