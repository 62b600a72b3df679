"""What irn.Training is asked, made ready for the core: a table with its targets, rows to judge by, and options as `irn train` has them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np

from irn import _core, _table
from irn._arrays import number

Layers = Union[str, int, Sequence[int]]


def table_and_targets(
    x: Any, y: Any, target: Union[str, Sequence[str], None], names: Union[str, Sequence[str]], task: str, reading: Mapping[str, Any]
) -> tuple[_core.Table, list[str]]:
    named = [target] if isinstance(target, str) else [str(t) for t in target or ()]
    files = _files(x)
    if files:
        if y is not None:
            raise _core.Error("a file has its targets among its columns: name them with target, and give no y")
        table = _read(files, {**reading, "exact": [] if task == "regression" else named})
        if not named and {"label", "pixel0"} <= set(table.names):
            named = ["label"]  # images come with a column called so
        if not named:
            raise _core.Error(f"name the column to predict with target; there are: {', '.join(table.names[:10])}")
        return table, named
    _refuse_reading(reading)
    columns = _table.Columns(reading["text"], exact=named if task != "regression" and len(named) == 1 else ())
    before = _table.add_inputs(columns, x, [names] if isinstance(names, str) else names)
    if y is not None:
        if named:
            raise _core.Error("give y, or name columns of x with target, not both")
        named = _table.add_targets(columns, y, classes=task != "regression")
        _rename_clashes(columns, before, named)
    elif not named:
        raise _core.Error("there is nothing to predict: give y, or name columns of x with target")
    return columns.table("x"), named


def _read(files: list[str], reading: Mapping[str, Any]) -> _core.Table:
    try:
        return _core.Table.read(files, dict(reading))
    except _core.DataError as error:
        if str(error).startswith("cannot read "):  # the file, not what is in it
            raise _core.FileError(str(error)) from None
        raise


def _files(x: Any) -> list[str]:
    """The name of a file, or a list of them; none if x is something else."""
    given = [x] if isinstance(x, (str, os.PathLike)) else x
    if isinstance(given, (list, tuple)) and given and all(isinstance(one, (str, os.PathLike)) for one in given):
        return [os.fspath(one) for one in given]
    return []


def reading_of(text: Sequence[str], header: str, delimiter: str, decimal: str, thousands: str, arrays: Sequence[str], labels: Optional[str]) -> dict[str, Any]:
    """How a file is read, as `irn train` has it."""
    return {
        "text": list(text),
        "header": header,
        "delimiter": delimiter,
        "decimal": decimal,
        "thousands": thousands,
        "arrays": list(arrays),
        "labels": "" if labels is None else os.fspath(labels),
    }


def _refuse_reading(reading: Mapping[str, Any]) -> None:
    standard: Mapping[str, Any] = reading_of((), "auto", "auto", "auto", "auto", (), None)
    for key, value in reading.items():
        if key != "text" and value != standard[key]:
            raise _core.Error(f"{key}: is for files; x is none")


def _rename_clashes(columns: _table.Columns, before: list[str], named: list[str]) -> None:
    for k, name in enumerate(named):
        while name in before:
            name = f"{name} (target)"
        named[k] = columns.names[len(before) + k] = name


def judges_of(validation: Any, targets: list[str], text: Sequence[str], classes: bool) -> tuple[Optional[_core.Table], Any, Optional[float]]:
    """A table to judge by and its weights, or a share of the rows; neither for "auto"."""
    if isinstance(validation, str) and validation == "auto":
        return None, None, None
    if validation is None:
        return None, None, 0.0
    if isinstance(validation, (tuple, list)) and len(validation) in (2, 3):
        columns = _table.Columns(text)
        before = _table.add_inputs(columns, _table.flat_images(validation[0])[0])
        given = _table.add_targets(columns, validation[1], classes=classes)
        if len(given) != len(targets):
            raise _core.Error(f"validation has {len(given)} targets, y has {len(targets)}")
        columns.names[len(before) :] = targets
        return columns.table("validation"), validation[2] if len(validation) == 3 else None, None
    if isinstance(validation, (int, float, np.number)) and not isinstance(validation, bool):
        return None, None, float(validation)
    raise _core.Error("validation: give a share of the rows, (x, y) to judge by, None for none, or 'auto'")


def as_toml(options: dict[str, Any]) -> str:
    """The options as `irn train --config` has them, for the model file."""
    lines = ["# Python"]
    texts = {"validation", "certify", "noise", "average", "threshold"}  # which may be words, too
    for key, value in options.items():
        if key in ("classes", "configuration"):
            continue
        if key == "layers" and value is not None:
            value = "-".join(map(str, value)) or "0"
        if key == "precision":
            value = {"float32": "float", "float64": "double"}.get(value, value)
        if (value is None and key in ("batch", "epochs")) or (key in ("weights", "class_weights", "text", "arrays", "labels") and not value):
            continue
        words = ("best" if key == "threshold" else "auto") if value is None else str(value) if key in texts else value
        lines.append(f"{'target' if key == 'targets' else key.replace('_', '-')} = {_toml_value(words)}")
    return "\n".join(lines) + "\n"


def _toml_value(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_toml_value(v) for v in value) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def layers_of(layers: Layers) -> Optional[list[int]]:
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


def names_of(given: Union[str, Sequence[str]], what: str) -> list[str]:
    """One name, or a list of them."""
    names = [given] if isinstance(given, str) else list(given)
    for name in names:
        if not isinstance(name, str):
            raise _core.Error(f"{what}: {name!r} is not a name")
    return names


def class_weights_of(weights: Union[str, Mapping[Any, float], None]) -> list[str]:
    """As `irn train --class-weights` has them."""
    if weights is None or isinstance(weights, str):
        return [weights] if weights else []
    if not isinstance(weights, Mapping):
        raise _core.Error(f"class_weights: give 'balanced' or {{class: weight}}, not {weights!r}")
    return [f"{label}={number(weight, f'class_weights: the weight of {label!r}')!r}" for label, weight in weights.items()]


def threshold_of(threshold: Union[str, float]) -> Optional[float]:
    """None for the best."""
    return None if isinstance(threshold, str) and threshold == "best" else number(threshold, "threshold")


def or_open(name: str, value: Any) -> Any:
    """None for what is left open."""
    if isinstance(value, str):
        if value == "auto":
            return None
        raise _core.Error(f"{name}: {value!r} is neither 'auto' nor a number")
    return value
