"""What is taken for numbers, and what is refused."""

from __future__ import annotations

import sys
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


def is_frame(given: Any) -> bool:
    """A data frame of pandas, which nobody needs to have."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(given, pandas.DataFrame)


def is_series(given: Any) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(given, pandas.Series)


def numpy_type(dtype: Any) -> np.dtype[Any]:
    """What NumPy would call a type of pandas: Int64 is int64, Sparse[float64] is float64, category and string are objects."""
    if isinstance(dtype, np.dtype):
        return dtype
    pandas = sys.modules.get("pandas")
    sparse = pandas is not None and isinstance(dtype, pandas.SparseDtype)
    own = getattr(dtype, "subtype" if sparse else "numpy_dtype", None)
    return own if isinstance(own, np.dtype) else np.dtype(object)


def numbers(given: Any, what: str) -> np.ndarray[Any, Any]:
    """`given` as an aligned array of float32 or float64, without a copy where it is one; irn.Error if it holds no numbers."""
    if isinstance(given, np.ma.MaskedArray):
        raise _core.Error(f"{what} is a masked array; fill the gaps (x.filled(value)) or leave these rows out")
    if _is_sparse(given):
        raise _core.Error(f"{what} is a sparse matrix; irn takes dense ones: x.toarray()")
    try:
        array = _array(given)
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


def _array(given: Any) -> np.ndarray[Any, Any]:
    array = np.asarray(given)
    if array.dtype.kind == "O" and (is_frame(given) or is_series(given)):
        types = given.dtypes if is_frame(given) else [given.dtype]
        if all(numpy_type(dtype).kind in "fiub" for dtype in types):
            # Objects to NumPy: columns of several types side by side, and pandas' own types.
            return np.asarray(given.to_numpy(dtype=np.float64, na_value=np.nan))
    return array


def _is_sparse(given: Any) -> bool:
    return type(given).__module__.startswith("scipy.sparse")


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
