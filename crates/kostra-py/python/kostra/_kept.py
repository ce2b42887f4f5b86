"""Columns that are kept with the edges of a graph, and go with them to its forest."""

import re
import sys
from collections.abc import Hashable

import numpy as np

from kostra import _arrays, _convert, _kostra

_INTEGER = re.compile(r"0|-?[1-9][0-9]*")
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
#: Longer integers stay texts: Python takes quadratic time for them, and refuses them by default.
_MOST_DIGITS = 4300
#: The types of values that no field of a text represents.
_NESTED = (list, tuple, dict, set, frozenset, bytes, np.ndarray)
#: The types of values by the type of a column in a file.
_TYPES = {
    "texts": str,
    "booleans": (bool, np.bool_),
    "floats": (float, np.floating),
}


class Kept:
    """Kept columns, one row per edge: texts of a file, or arrays of a table by name."""

    __slots__ = ("_arrays", "_texts")

    def __init__(self, texts=None, arrays=None):
        self._texts = texts
        self._arrays = arrays

    def pick(self, edges):
        """The columns with only the rows of these edges, an array of integers."""
        if self._texts is None:
            return Kept(arrays={name: array[edges] for name, array in self._arrays.items()})
        return Kept(self._texts.pick(edges.astype(np.uint32)))

    def arrays(self):
        """The columns as a dictionary from names to arrays."""
        if self._arrays is None:
            columns = self._texts.columns()
            self._arrays = {name: _typed(kind, texts) for name, kind, texts in columns}
        for array in self._arrays.values():
            if isinstance(array, np.ndarray):
                array.flags.writeable = False
        return dict(self._arrays)

    def texts(self):
        """The columns for a file."""
        if self._texts is not None:
            return self._texts
        columns = [(name, *_as_texts(name, array)) for name, array in self._arrays.items()]
        for name, _, texts in columns:
            _arrays.check_unicode("a column's name", [name])
            _arrays.check_unicode(f"column {name!r}", texts)
        return _kostra.Kept.of_columns(columns)

    def __eq__(self, other):
        if not isinstance(other, Kept):
            return NotImplemented
        ours, theirs = self.arrays(), other.arrays()
        return list(ours) == list(theirs) and all(
            len(array) == len(theirs[name])
            and all(map(_same, np.asarray(array).tolist(), np.asarray(theirs[name]).tolist()))
            for name, array in ours.items()
        )

    __hash__ = None

    def __reduce__(self):
        if self._texts is None:
            return Kept, (None, self._arrays)
        return _restored, (self._texts.columns(),)


def _restored(columns):
    return Kept(_kostra.Kept.of_columns(columns))


def of_table(frame, names, rows):
    """The columns ``names`` of a table that has ``rows`` rows. None if there are no names."""
    if not names:
        return None
    arrays = {}
    for name in dict.fromkeys(names):
        if str(name) in arrays:
            raise ValueError(f"two kept columns would be called {str(name)!r}; rename one of them")
        array = arrays[str(name)] = _array(frame, name)
        if len(array) != rows:
            raise ValueError(f"column {name!r} has {len(array)} rows, but the table has {rows}")
    return Kept(arrays=arrays)


def names(id, keep, others, labels):
    """The names of the columns of a table to keep. ``others`` are the ends and the weight, and
    ``labels`` all columns, or None if they are unknown.
    """
    if id is not None and id in others:
        raise ValueError(f"id is {id!r}, which is also an end or the weight; omit one of them")
    if isinstance(keep, str) and keep == "all":
        if labels is None:
            raise TypeError('keep="all" needs a table with columns; pass the names of columns')
        likely = ("weight",) if others[-1] is ... else ()
        keep = [label for label in labels if label not in (*others, *likely)]
    if not isinstance(keep, (list, tuple, type(None))):
        raise TypeError(f'keep must be "all" or a list of names of columns, not {keep!r}')
    found = [*([] if id is None else [id]), *(keep or [])]
    for name in found:
        if not isinstance(name, Hashable):
            raise TypeError(f"id and keep must be names of columns, not {name!r}")
    return found


def check_table(frame, names):
    """Refuses kept columns of a table that is a stream or a query."""
    if names and (not hasattr(frame, "__getitem__") or hasattr(frame, "fetchall")):
        raise TypeError(
            f"the columns of a {type(frame).__name__} cannot be kept; "
            "convert it to a table of pandas, Polars or Arrow first"
        )


def _array(frame, name):
    """A copy of a column as an array of NumPy or pandas."""
    column = _convert.column_of(frame, name)
    if getattr(column, "ndim", 1) == 2:
        count = column.shape[1]
        raise ValueError(f"table has {count} columns named {name!r}; rename all but one")
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(column, pandas.Series):
        array = column.array.copy()
        return array.to_numpy() if type(array).__name__ == "NumpyExtensionArray" else array
    to_list = getattr(column, "to_pylist", None) or getattr(column, "to_list", None)
    if to_list is not None:
        array = None if getattr(column, "null_count", 0) else np.array(column)
        exact = array is not None and array.dtype.kind in "iufbM"
        return array if exact else _narrow(to_list())
    if isinstance(column, np.ma.MaskedArray):
        return _narrow(column.tolist())
    if isinstance(column, np.ndarray):
        return column.copy()
    if isinstance(column, (str, bytes)) or not hasattr(column, "__iter__"):
        raise TypeError(f"column {name!r} must be an array or a list, not {column!r}")
    return _narrow(list(column))


def _objects(values):
    """An array of Python objects, which may be sequences."""
    array = np.empty(len(values), object)
    array[:] = values
    return array


def _narrow(values):
    """Python values as an array of their type; None is a missing value."""
    types = {type(value) for value in values}
    if types in ({int}, {float}, {bool}):
        array = np.array(values)
        if array.dtype.kind in "iufb" and _arrays.rounded(values, array) is None:
            return array
    if types == {int} and min(values) >= 0 and max(values) < 2**64:
        return np.array(values, np.uint64)
    if types == {float, type(None)}:
        return np.array([np.nan if value is None else value for value in values])
    return _objects(values)


def _typed(kind, texts):
    """The fields of a column as an array. Empty fields of numbers are missing."""
    present = [text for text in texts if text]
    if kind == "unknown":
        if present and all(_INTEGER.fullmatch(text) for text in present):
            kind = "integers"
        elif present and all(_DECIMAL.fullmatch(text) for text in present):
            kind = "decimals"
    if kind == "decimals":
        array = _floats(texts)
        return _objects(texts) if np.isinf(array).any() else array
    if kind == "floats":
        return _floats(texts)
    if kind == "integers" and all(len(text) <= _MOST_DIGITS for text in present):
        return _narrow([int(text) if text else None for text in texts])
    if kind == "booleans":
        return _narrow([text == "true" if text else None for text in texts])
    return _objects(texts)


def _floats(texts):
    return np.array([float(text) if text else np.nan for text in texts], np.float64)


def _as_texts(name, array):
    """The type of a column, and its values as texts. A missing value is None."""
    values = list(array)
    present = [value for value in values if not is_missing(value)]
    nested = next((value for value in present if isinstance(value, _NESTED)), None)
    if nested is not None:
        raise ValueError(
            f"column {name!r} contains values of the type {type(nested).__name__}, which a file "
            "cannot hold; convert them to text, or pass keep=False to leave out kept columns"
        )
    kinds = (
        kind
        for kind, types in _TYPES.items()
        if present and all(isinstance(value, types) for value in present)
    )
    return next(kinds, "unknown"), [None if is_missing(value) else _text(value) for value in values]


def _text(value):
    """A value as the command writes it."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)):
        return str(value).removesuffix(".0")
    return str(value)


def is_missing(value):
    """Whether a value is None, NaN, NaT or NA of pandas."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating, np.datetime64, np.timedelta64)) and value != value


def _same(a, b):
    return (is_missing(a) and is_missing(b)) or (type(a) is type(b) and a == b)
