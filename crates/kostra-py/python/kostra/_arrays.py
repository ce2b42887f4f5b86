"""Checks arguments and converts them for the compiled part."""

import operator
import sys
import warnings
from typing import NamedTuple

import numpy as np

from kostra import _device, _kostra


def warn(message):
    """Warns at the line that called the package, or scikit-learn, which called the package."""
    frame, level = sys._getframe(1), 2
    inside = ("kostra", "sklearn")
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in inside:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, UserWarning, stacklevel=level)


def refuse_blocks(name, matrix):
    """Refuses a sparse matrix of blocks that contain zeros, which may be entries or fill a block."""
    has_blocks = getattr(matrix, "format", None) == "bsr" and matrix.blocksize != (1, 1)
    if has_blocks and (matrix.data == 0).any():
        raise ValueError(
            f"{name} is a matrix of blocks, and a zero in a block may be an entry or none; pass "
            f"{name}.tocsr(), and call its eliminate_zeros() if zeros are no entries"
        )


class Columns(NamedTuple):
    """The columns of a graph."""

    #: The ends and the weights of the edges. Without weights, every edge has weight 1.
    u: object
    v: object
    w: object = None
    #: The number of vertices; by default, the highest vertex plus one.
    n: object = None
    #: A list with the name or the original id per vertex; None if the vertices have only numbers.
    nodes: object = None
    #: The names of ``u``, ``v`` and ``w`` in errors.
    names: tuple = ("u", "v", "w")


def graph(columns, nan, copy, threads):
    """The engine's graph of columns that are one-dimensional, contiguous arrays."""
    arguments = {
        "u": columns.u,
        "v": columns.v,
        "w": columns.w,
        "n": columns.n,
        "names": columns.names,
        "skip_nan": nan == "skip",
        "copy": copy,
        "threads": threads,
    }
    return _kostra.Graph.from_arrays(arguments)


def vector(name, values):
    """An argument as a one-dimensional, contiguous array in native byte order; copied only if
    necessary.
    """
    _device.refuse_if_on_device(name, values)
    array = exact(name, values)
    if array.ndim != 1:
        raise ValueError(f"{name} must have one dimension, not {array.ndim}")
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(
            f"{name}[{int(np.ma.getmaskarray(values).argmax())}] is masked; remove masked edges"
        )
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if array.flags.c_contiguous and array.flags.aligned:
        return array
    return np.require(array, requirements=("C_CONTIGUOUS", "ALIGNED"))


def refuse_other_labels(u, v, w):
    """Refuses columns of pandas with different labels: their rows belong together either by label
    or by position.
    """
    columns = {"u": u, "v": v, "w": w}
    labels = {name: getattr(column, "index", None) for name, column in columns.items()}
    labels = {name: index for name, index in labels.items() if hasattr(index, "equals")}
    for name, index in labels.items():
        first = next(iter(labels))
        if not index.equals(labels[first]):
            raise ValueError(
                f"do the rows of {first} and {name} belong together by label or by position? their "
                f"labels differ; pass columns of one table, or {first}.to_numpy() and "
                f"{name}.to_numpy()"
            )


def refuse_complex(name, dtype):
    """Refuses complex numbers, which have no order."""
    if dtype.kind == "c":
        raise TypeError(
            f"{name} must be an array of integers or floats of up to 64 bits, not of {dtype}, whose "
            f"numbers have no order; pass numpy.abs({name}), or {name}.real"
        )


def _of_frame(name, values):
    """A data frame whose columns are numbers as an array; other values as they are. Missing values
    are NaN. NumPy makes objects of nullable columns and of those of Arrow.
    """
    dtypes = getattr(values, "dtypes", None)
    if dtypes is None or not hasattr(values, "iloc") or np.ndim(dtypes) != 1:
        return values
    nullable = [not isinstance(dtype, np.dtype) for dtype in dtypes]
    if not any(nullable) or any(getattr(dtype, "kind", "O") not in "iufb" for dtype in dtypes):
        return values
    arrays = []
    for place, dtype in enumerate(dtypes):
        column = values.iloc[:, place]
        missing = column.isna().to_numpy()
        if not missing.any():
            arrays.append(column.to_numpy(getattr(dtype, "numpy_dtype", None)))
            continue
        array = column.to_numpy(np.float64, na_value=np.nan)
        if dtype.kind in "iu" and (np.abs(array[~missing]) >= 2.0**53).any():
            raise ValueError(
                f"column {place} of {name} contains an integer that a float would round, and other "
                "values are missing; remove the rows without a value"
            )
        arrays.append(array)
    return np.column_stack(arrays)


def exact(name, values):
    """Values as an array. Refuses values that NumPy would round."""
    if type(values) is np.ndarray and values.dtype.kind in "iufb":
        return values  # at once, because small graphs are solved as fast as arguments are checked
    values = _of_frame(name, values)
    try:
        array = np.asarray(values)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name} cannot be converted to an array: {error}") from error
    except OverflowError as error:
        raise ValueError(
            f"{name} contains an integer that is too large for a float; pass integers only"
        ) from error
    if array.dtype.kind == "O" and array.ndim == 0:
        raise TypeError(f"{name} must be an array or a list, not {type(values).__name__}")
    column_type = str(getattr(values, "dtype", getattr(values, "type", ""))).lower()
    if array.dtype.kind == "f" and column_type.startswith(("int", "uint")):
        # Integers of a column in which values are missing have become floats.
        wide = np.abs(array) >= 2.0**53
        if wide.any():
            raise ValueError(
                f"{name}[{int(wide.argmax())}] is an integer that a float would round, because "
                "other values are missing; remove the rows without a value"
            )
    place = rounded(values, array) if array.ndim == 1 else None
    if place is not None:
        raise ValueError(
            f"{name}[{place}] is {shown(int(values[place]))}, which a float would round; "
            "pass integers only, or floats only"
        )
    return array


def numbers(name, values):
    """An argument as an array of real numbers that a float64 holds exactly. Refuses masked entries,
    complex numbers and texts.
    """
    array = exact(name, values)
    if np.ma.is_masked(values):
        place = ", ".join(map(str, np.argwhere(np.ma.getmaskarray(values))[0]))
        raise ValueError(f"{name}[{place}] is masked; remove masked entries, or fill them in")
    refuse_complex(name, array.dtype)
    if array.dtype.kind not in "iufb" or array.dtype.itemsize > 8:
        remedy = f"; if it contains numbers, pass numpy.asarray({name}, float)"
        raise TypeError(
            f"{name} must be an array of integers or floats of up to 64 bits, "
            f"not of {array.dtype}{remedy if array.dtype.kind == 'O' else ''}"
        )
    _refuse_wide_integers(name, values, array)
    return array


def _refuse_wide_integers(name, values, array):
    """Refuses integers that a float64 would round, or that NumPy has rounded."""
    place = None
    if array.dtype.kind in "iu" and array.dtype.itemsize == 8:
        wide = np.argwhere((array > 2**53) | (array < -(2**53)))
        magnitudes = np.abs(array[tuple(wide.T)]).astype(np.uint64)
        lowest_bits = magnitudes & (~magnitudes + np.uint64(1))
        inexact = magnitudes // lowest_bits > 2**53
        place = tuple(wide[inexact.argmax()].tolist()) if inexact.any() else None
    elif array.dtype.kind == "f" and array.ndim == 2 and isinstance(values, (list, tuple)):
        for row in np.flatnonzero((np.abs(array) >= 2.0**53).any(axis=1)).tolist():
            column = rounded(values[row], array[row])
            place = (row, column) if column is not None else place
    if place is not None:
        value = array[place] if array.dtype.kind in "iu" else values[place[0]][place[1]]
        raise ValueError(
            f"{name}[{', '.join(map(str, place))}] is {shown(int(value))}, which a float would round; "
            "subtract a constant first if it is a coordinate"
        )


def rounded(values, array):
    """The first position at which NumPy rounded an integer to a float; None if there is none."""
    if array.dtype.kind != "f" or hasattr(values, "__array__"):
        return None
    for place in np.flatnonzero(np.abs(array, dtype=np.float64) >= 2.0**53).tolist():
        value = np.asarray(values[place]).item()
        if isinstance(value, int) and value != array[place].item():
            return place
    return None


def ends(name, values):
    """An argument that is an array of vertices."""
    array = vector(name, values)
    if array.size == 0 and array.dtype.kind == "f":  # NumPy's type of an empty list
        array = array.astype(np.int32)
    if array.dtype.kind not in "iu":
        remedy = "convert it to integers"
        if array.dtype.kind in "OUS":
            remedy = "number the vertices, or pass a table with their names to Graph.from_table"
        raise TypeError(f"{name} must be an array of integers, not of {array.dtype}; {remedy}")
    return array


def weights(name, values):
    """An argument that is an array of weights, in a type of the engine, and its original type."""
    array = vector(name, values)
    refuse_complex(name, array.dtype)
    if array.dtype.kind not in "iufb" or array.dtype.itemsize > 8:
        raise TypeError(
            f"{name} must be an array of integers or floats of up to 64 bits, not of "
            f"{array.dtype}; convert it, as with numpy.asarray({name}, float)"
        )
    dtype = array.dtype
    return (array.astype(np.float32) if dtype == np.float16 else array), dtype


def refuse_mask(name, dtype):
    """Refuses booleans as weights, because they may choose edges."""
    if dtype == np.bool_:
        raise TypeError(
            f"{name} consists of booleans: are they the weights 0 and 1, or do they choose edges? "
            f"convert {name} to integers, or pass only the chosen edges"
        )


def parts(values, n):
    """An argument that is None or the part of each of ``n`` vertices, as an array of uint32."""
    if values is None:
        return None
    array = ends("parts", getattr(values, "parts", values))
    if len(array) != n:
        entries = counted(len(array), "entry", "entries")
        raise ValueError(f"parts has {entries}, but the graph has {n} vertices")
    outside = (array < 0) | (array >= n)  # there are at most as many parts as vertices
    if outside.any():
        place = int(outside.argmax())
        raise ValueError(
            f"parts[{place}] is {array[place]}; part numbers are from 0 to {n - 1} for {n} vertices"
        )
    return np.ascontiguousarray(array, np.uint32)


def same(a, b):
    """Whether two arrays contain exactly the same numbers, independently of their types."""
    if a.dtype == b.dtype or a.shape != b.shape:
        return np.array_equal(a, b)
    return a.tolist() == b.tolist()  # Python compares integers with floats exactly


def listed(array):
    """The values of an array as a list of Python's types. Times of nanoseconds become datetimes if
    they are whole microseconds; ``tolist`` would make integers of them.
    """
    if isinstance(array, np.ndarray) and array.dtype.kind in "mM":
        rounded = array.astype(array.dtype.kind + "8[us]")
        if any(isinstance(value, int) for value in array.tolist()):
            return rounded.tolist() if (rounded == array).all() else list(array)
    return array.tolist()


def typed(array, dtype):
    """A read-only array of the engine, in the type of the input; copied if the widths differ."""
    if array.dtype != dtype:
        same_bits = (
            array.dtype.kind in "iu"
            and dtype.kind in "iu"
            and array.dtype.itemsize == dtype.itemsize
        )
        array = array.view(dtype) if same_bits else array.astype(dtype)
        array.flags.writeable = False
    return array


def shown(value):
    """A value in a message: as ``repr`` writes it, unless it is or has an integer of so many digits
    that Python does not write it.
    """
    try:
        return repr(value)
    except ValueError:
        is_one = isinstance(value, int)
        return _too_long() if is_one else f"a {type(value).__name__} with {_too_long()}"


def _too_long():
    return f"an integer of more than {sys.get_int_max_str_digits()} digits"


def texts(what, names):
    """Names as texts. Refuses integers that Python does not write."""
    try:
        return [str(name) for name in names]
    except ValueError:
        raise ValueError(f"{what} contains {_too_long()}; replace it by a text") from None


def whole(name, value, low, high):
    """An argument that is None or an integer from ``low`` to ``high``."""
    return None if value is None else required(name, value, low, high)


def required(name, value, low, high):
    """An argument that is an integer from ``low`` to ``high``."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool):
        raise TypeError(f"{name} must be an integer, not {shown(value)}")
    if not low <= number <= high:
        raise ValueError(f"{name} must be from {low} to {high}, not {shown(number)}")
    return number


def text(name, value):
    """An argument that is a text."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a text, not {shown(value)}")
    check_unicode(name, [value])
    return value


def flag(name, value):
    """An argument that is True or False."""
    if value is True or value is False:
        return value
    if not isinstance(value, np.bool_):
        raise TypeError(f"{name} must be True or False, not {shown(value)}")
    return bool(value)


def refuse_outside(name, numbers, among, remedy=""):
    """Refuses an array of two dimensions with numbers of no row: ``among`` is how many rows there
    are, and what they are called.
    """
    n, rows = among
    outside = (numbers < 0) | (numbers >= n)
    if outside.any():
        row, column = np.argwhere(outside)[0]
        raise ValueError(
            f"{name}[{row}, {column}] is {numbers[row, column]}, but there are {n} {rows}, numbered "
            f"from 0{remedy}"
        )


def positions(rows, n):
    """The position in ``rows`` of each of ``n`` rows; -1 for those that are not there."""
    found = np.full(n, -1, np.int64)
    found[rows] = np.arange(len(rows))
    return found


def vertex(name, value, n):
    """An argument that is a vertex below ``n``."""
    if value is None:
        raise TypeError(f"{name} must be a vertex, not None")
    return required(name, value, 0, n - 1)


def threads(value):
    """An argument that is a number of threads; None means that of the environment."""
    if value is None:
        _kostra.default_threads()  # refuses a wrong KOSTRA_NUM_THREADS
        return None
    return required("threads", value, 1, 4096)


def threads_of_jobs(value, jobs):
    """A number of threads from the arguments ``threads`` and ``n_jobs``. Only one may be given."""
    if jobs is None:
        return threads(value)
    if value is not None:
        raise ValueError("threads and n_jobs mean the same; pass one of them")
    jobs = required("n_jobs", jobs, -4096, 4096)
    if jobs == 0:
        raise ValueError("n_jobs must not be 0; pass -1 for all threads of the machine")
    if jobs == -1:
        return None
    return jobs if jobs > 0 else max(1, _kostra.default_threads() + 1 + jobs)


def choice(name, value, choices):
    """An argument that is one of the texts ``choices``."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be {' or '.join(map(repr, choices))}, not {shown(value)}")
    return value


def check_unicode(what, texts):
    """Refuses texts with half of a character, which no file can hold. None is no text."""
    for text in texts:
        try:
            _ = text and text.encode()
        except UnicodeEncodeError:
            raise ValueError(
                f"{what} contains {text!r}, which has a lone surrogate: half of a character, which "
                "no file can hold; replace it"
            ) from None


def counted(number, singular, plural):
    """A number with its noun, such as "1 edge"."""
    return f"{number} {singular if number == 1 else plural}"


def counts(forest):
    """The numbers of vertices, edges and components of a forest, in words."""
    components = forest.n_components
    parts = [
        counted(forest.n, "vertex", "vertices"),
        counted(len(forest), "edge", "edges"),
        "one component" if components == 1 else f"{components} components",
    ]
    return ", ".join(parts)
