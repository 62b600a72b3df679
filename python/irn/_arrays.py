"""What is taken for numbers, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np

from irn import _core

# Kinds of NumPy's types, in words, that hold no numbers.
_REFUSED = {
    "O": "Python objects (dtype object)",
    "U": "text",
    "S": "bytes",
    "V": "records",
    "M": "dates",
    "m": "durations",
    "c": "complex numbers",
}


def numbers(given: Any, what: str) -> np.ndarray[Any, Any]:
    """`given` as an aligned array of float32 or float64, without a copy where it is one; irn.Error if it holds no numbers."""
    if isinstance(given, np.ma.MaskedArray):
        raise _core.Error(f"{what} is a masked array; fill the gaps (x.filled(value)) or leave these rows out")
    if _is_sparse(given):
        raise _core.Error(f"{what} is a sparse matrix; irn takes dense ones: x.toarray()")
    try:
        array = np.asarray(given)
    except Exception as error:  # whatever the object's own conversion raises: ragged lists, tensors of another device
        raise _core.Error(f"{what} cannot be read as an array of numbers: {_one_line(error)}") from None
    if array.dtype.kind in _REFUSED:
        raise _core.Error(f"{what} holds {_REFUSED[array.dtype.kind]}, not numbers; convert it to float32 or float64")
    if array.dtype not in (np.float32, np.float64) or not array.dtype.isnative:
        array = array.astype(np.float64)
    return array if array.flags.aligned else array.copy()


def text(given: Any, what: str) -> str:
    if isinstance(given, str):
        return given
    raise _core.Error(f"{what}: {given!r} is not a text")


def number(given: Any, what: str) -> float:
    try:
        return float(given)
    except (TypeError, ValueError):
        raise _core.Error(f"{what}: {given!r} is not a number") from None


def count(given: Any, what: str) -> int:
    if isinstance(given, (int, np.integer)) and not isinstance(given, bool) and 0 <= given < 2**63:
        return int(given)
    raise _core.Error(f"{what}: {given!r} is not a whole number, zero or more")


def _is_sparse(given: Any) -> bool:
    return type(given).__module__.startswith("scipy.sparse")


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
