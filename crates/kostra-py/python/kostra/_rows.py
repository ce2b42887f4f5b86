"""The edges of a forest as rows: an array, tuples, and an Arrow stream."""

import numpy as np

from kostra import _arrays, _kept, _kostra

#: The types of Arrow by the kind and the size of NumPy's.
_FORMATS = {
    "i1": "c",
    "u1": "C",
    "i2": "s",
    "u2": "S",
    "i4": "i",
    "u4": "I",
    "i8": "l",
    "u8": "L",
    "f2": "e",
    "f4": "f",
    "f8": "g",
}
#: The units of times in Arrow.
_UNITS = {"s": "s", "ms": "m", "us": "u", "ns": "n"}


def array(forest, dtype):
    """The array for ``Forest.to_numpy``."""
    dtype = np.dtype(np.float64 if dtype is None else dtype)
    if dtype.kind not in "iufO":
        raise TypeError(f"dtype must be a type of numbers or object, not {dtype}")
    order = forest._inner.in_order()
    columns = {"u": forest.u, "v": forest.v, "weights": forest.weights}
    rows = np.empty((len(order), len(columns)), dtype)
    for place, (name, column) in enumerate(columns.items()):
        refuse_rounded(name, column, dtype)
        rows[:, place] = column[order]
    return rows


def refuse_rounded(name, column, dtype):
    """Refuses numbers of a forest that a type changes."""
    wrong = _changed(column, dtype)
    if wrong is not None:
        raise ValueError(
            f"forest.{name}[{wrong}] is {column[wrong]}, which {dtype} cannot hold exactly; "
            "forest.to_numpy(object) holds all numbers"
        )


def _changed(column, dtype):
    """The position of the first number that the type changes; None if there is none. Floats may be
    rounded to smaller floats.
    """
    if dtype.kind == "O" or (column.dtype.kind == "f" and dtype.kind == "f"):
        return None
    if dtype.kind == "f":
        limit = 2 ** (np.finfo(dtype).nmant + 1)
        wide = max(abs(int(column.min(initial=0))), int(column.max(initial=0))) > limit
        wrong = np.abs(column.astype(np.float64)) >= limit if wide else ()
    else:
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        # Python compares integers with floats exactly.
        wrong = [number != number // 1 or not low <= number <= high for number in column.tolist()]
    found = np.flatnonzero(wrong)
    return int(found[0]) if len(found) else None


def tuples(forest):
    """The iterator for ``Forest.__iter__``."""
    order = forest._inner.in_order()
    ends = [named(forest, column[order]) for column in (forest.u, forest.v)]
    return zip(*ends, forest.weights[order].tolist())


def named(forest, vertices):
    """The nodes of an array of vertices, or their numbers, as a list."""
    numbers = vertices.tolist()
    return numbers if forest.nodes is None else [forest.nodes[number] for number in numbers]


def stream(forest):
    """The capsule for ``Forest.__arrow_c_stream__``."""
    columns = {"edge": forest.edge_ids, "source": forest.u, "target": forest.v}
    if forest.nodes is not None:
        for name in ("source", "target"):
            columns[name] = _kept._narrow(named(forest, columns[name]))
    columns["weight"] = forest.weights
    for name, values in forest.kept.items():
        if name in columns:
            raise ValueError(f"two columns would be called {name!r}; rename the kept column")
        columns[name] = values
    listed = [_column(name, values) for name, values in columns.items()]
    return _kostra.stream_of_columns(len(forest), listed)


def _column(name, values):
    """A column in Arrow's layout: texts, booleans, numbers or times."""
    array, is_of_numpy = np.asarray(values), isinstance(values, np.ndarray)
    if array.dtype.kind in ("iufM" if is_of_numpy else "iuM"):
        return _numbers(name, array, None)
    # NumPy makes NaN of a missing value of pandas.
    items = _arrays.listed(array) if is_of_numpy else values.tolist()
    items = [None if _kept.is_missing(item) else item for item in items]
    missing = np.fromiter((item is None for item in items), np.bool_, len(items))
    present = [item for item in items if item is not None]
    if all(isinstance(item, str) for item in present):
        _arrays.check_unicode(f"column {name!r}", present)
        texts = [b"" if item is None else item.encode() for item in items]
        ends = np.cumsum([0, *map(len, texts)], dtype=np.int64)
        return _made(name, "U", missing, ends, np.frombuffer(b"".join(texts), np.uint8))
    if all(isinstance(item, bool) for item in present):
        bits = np.packbits([item is True for item in items], bitorder="little")
        return _made(name, "b", missing, bits)
    array = _kept._narrow([present[0] if item is None else item for item in items])
    if array.dtype.kind in "iuf":
        return _numbers(name, array, missing)
    kinds = " and ".join(sorted({type(item).__name__ for item in present}))
    raise TypeError(
        f"column {name!r} contains values of the type {kinds}, which a table of Arrow cannot hold; "
        "convert them to texts or to numbers"
    )


def _numbers(name, array, missing):
    if array.dtype.kind == "M":
        unit, _ = np.datetime_data(array.dtype)
        if unit not in _UNITS:
            array, unit = array.astype("M8[s]"), "s"
        return _made(name, f"ts{_UNITS[unit]}:", np.isnat(array), array.view(np.int64))
    code = f"{array.dtype.kind}{array.dtype.itemsize}"
    return _made(name, _FORMATS[code], missing, array)


def _made(name, format, missing, *buffers):
    """A column for the compiled part. ``missing`` is where rows have no value, or None."""
    nulls = 0 if missing is None else int(np.count_nonzero(missing))
    valid = np.packbits(~missing, bitorder="little") if nulls else None
    buffers = [np.ascontiguousarray(buffer).view(np.uint8) for buffer in buffers]
    return {"name": name, "format": format, "nulls": nulls, "buffers": [valid, *buffers]}
