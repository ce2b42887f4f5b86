"""Converts graphs of other libraries to columns: ends, weights, number of vertices, vertex names.

The functions use only attributes and methods of the libraries' objects and do not import the
libraries.
"""

import sys
from numbers import Real

import numpy as np

from kostra import _arrays, _device, _kostra
from kostra._arrays import Columns


#: How programs write a missing value.
_MISSING = frozenset((*_kostra.MISSING_VALUES, ""))


def scipy(matrix):
    """The entries of a sparse array or matrix, in the order of storage."""
    if getattr(matrix, "format", None) is None or not hasattr(matrix, "tocoo"):
        raise TypeError(
            f"matrix must be a SciPy sparse array or matrix, not {type(matrix).__name__}"
        )
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"matrix must be square, but its shape is {matrix.shape}")
    _arrays.refuse_blocks("matrix", matrix)
    matrix = matrix.tocoo(copy=False)
    names = ("matrix.row", "matrix.col", "matrix.data")
    return Columns(matrix.row, matrix.col, matrix.data, matrix.shape[0], names=names)


def networkx(graph, weight, *, directed=False):
    """The edges of a NetworkX graph, in the order of ``graph.edges``. A missing weight is 1. With
    ``directed``, edges lead from ``u`` to ``v``.
    """
    if not hasattr(graph, "is_multigraph"):
        raise TypeError(f"graph must be a NetworkX graph, not {type(graph).__name__}")
    if graph.is_directed() and not directed:
        raise ValueError("graph is directed; pass graph.to_undirected()")
    nodes = list(graph)
    numbers = {node: number for number, node in enumerate(nodes)}
    edges = list(graph.edges(data=weight, default=1)) if weight is not None else list(graph.edges())
    u = np.fromiter((numbers[edge[0]] for edge in edges), np.int32, len(edges))
    v = np.fromiter((numbers[edge[1]] for edge in edges), np.int32, len(edges))
    if (
        weight is not None
        and edges
        and not any(weight in data for *_, data in graph.edges(data=True))
    ):
        others = {}
        for *_, data in graph.edges(data=True):
            others.update(data)
        _report_missing(weight, others)
    weights = (
        None
        if weight is None
        else _numbers([edge[2] for edge in edges], f"weights {weight!r} of graph")
    )
    return Columns(u, v, weights, len(nodes), nodes)


def _report_missing(weight, attributes):
    """Refuses a weight that no edge has, or warns of the default one. ``attributes`` are the others,
    with a value each.
    """
    if weight != "weight":
        raise ValueError(
            f"no edge of graph has the attribute {weight!r}; pass weight=None for weight 1"
        )
    for name, value in attributes.items():
        if isinstance(value, Real) and not isinstance(value, bool):
            _arrays.warn(
                "no edge of graph has the attribute 'weight', so every edge weighs 1; pass "
                f"weight={name!r} if that is the weight, or weight=None"
            )
            return


def igraph(graph, weight):
    """The edges of an igraph graph, in the order of its edge ids."""
    if not hasattr(graph, "get_edgelist"):
        raise TypeError(f"graph must be an igraph graph, not {type(graph).__name__}")
    if graph.is_directed():
        raise ValueError("graph is directed; pass graph.as_undirected(mode='each')")
    ends = np.array(graph.get_edgelist(), np.int32).reshape(-1, 2)
    weights = None
    attributes = graph.es.attributes()
    if weight is not None and weight not in attributes and graph.ecount():
        _report_missing(weight, {name: graph.es[0][name] for name in attributes})
    if weight is not None and weight in attributes:
        weights = _numbers(graph.es[weight], f"weights {weight!r} of graph")
    names = graph.vs["name"] if "name" in graph.vs.attributes() else [None]
    nodes = names if all(isinstance(name, str) for name in names) else None
    return Columns(ends[:, 0], ends[:, 1], weights, graph.vcount(), nodes)


def rustworkx(graph, weight_fn):
    """The edges of a rustworkx PyGraph, in the order of ``graph.edge_list()``. Vertices are node
    indices.
    """
    if not hasattr(graph, "weighted_edge_list"):
        raise TypeError(f"graph must be a rustworkx.PyGraph, not {type(graph).__name__}")
    if hasattr(graph, "in_degree"):
        raise ValueError("graph is directed; pass graph.to_undirected()")
    ends = np.array(graph.edge_list(), np.int64).reshape(-1, 2)
    data = list(graph.edges())
    if weight_fn is not None:
        weights = _numbers([weight_fn(attributes) for attributes in data], "weights of graph")
    elif all(attributes is None for attributes in data):
        weights = None
    else:
        weights = _numbers(data, "weights of graph (pass weight_fn to get them from the edge data)")
    indices = list(graph.node_indices())
    return Columns(ends[:, 0], ends[:, 1], weights, max(indices, default=-1) + 1)


def networkit(graph):
    """The edges of a NetworKit graph, in the order of ``graph.iterEdges()``."""
    if not hasattr(graph, "upperNodeIdBound"):
        raise TypeError(f"graph must be a networkit.Graph, not {type(graph).__name__}")
    if graph.isDirected():
        raise ValueError("graph is directed; pass networkit.graphtools.toUndirected(graph)")
    n = graph.upperNodeIdBound()
    if not graph.isWeighted():
        ends = np.array(list(graph.iterEdges()), np.uint32).reshape(-1, 2)
        return Columns(ends[:, 0], ends[:, 1], None, n)
    edges = np.array(list(graph.iterEdgesWeights()), np.float64).reshape(-1, 3)
    u, v = edges[:, :2].astype(np.uint32).T
    return Columns(u, v, edges[:, 2], n)


def edges(rows):
    """The columns of an array with an edge per row: the ends, and the weight if there is one."""
    _device.refuse_if_on_device("edges", rows)
    array = _arrays.exact("edges", rows)
    if array.ndim != 2 or array.shape[1] not in (2, 3):
        raise ValueError(
            f"edges must have the shape (m, 2) or (m, 3), not {array.shape}: a row per edge with its "
            "ends and its weight"
        )
    if np.ma.is_masked(rows):
        raise ValueError("edges contains masked entries; remove masked edges")
    if array.dtype.kind == "O":
        # Rows such as (0, 1, 2**60) of Python numbers are not rounded.
        columns = [np.array(column) for column in array.T.tolist()]
    else:
        columns = list(array.T)
    for place, column in enumerate(columns[:2]):
        if column.dtype.kind == "f":
            is_whole = np.isfinite(column) & (column == np.floor(column))
            is_whole &= np.abs(column) < 2.0 ** (np.finfo(column.dtype).nmant + 1)
            if not is_whole.all():
                row = int((~is_whole).argmax())
                raise ValueError(
                    f"edges[{row}, {place}] is {column[row]}, which is not the number of a vertex; "
                    "columns 0 and 1 are the ends"
                )
            columns[place] = column.astype(np.int64)
    names = tuple(f"edges[:, {place}]" for place in range(3))
    return Columns(*columns, *(() if len(columns) == 3 else (None,)), names=names)


def table(frame, source, target, weight, id=None):
    """The rows of a table of pandas, Polars or Arrow, or of any object with Arrow's C data
    interface.

    Integer ends are vertices. Other ends are names, numbered in sorted order. Returns the columns,
    the name of the weight column, and the types of the ends in the table; None instead of the types
    if the ends are names.
    """
    export = arrow_exporter(frame)
    if export is not None:
        u, v, weights, weight, types = _arrow_columns(export, source, target, weight, id)
    elif hasattr(frame, "__getitem__") and not isinstance(
        frame, (list, tuple, str, bytes, np.ndarray)
    ):
        u, v = _column(frame, source), _column(frame, target)
        weight = weight_column(weight, labels(frame), (source, target, id))
        weights = None if weight is None else _column(frame, weight)
        types = [None, None]
    else:
        raise TypeError(
            f"table must be a table of pandas, Polars or Arrow, not {type(frame).__name__}"
        )
    if isinstance(weights, _kostra.StringColumn):
        raise TypeError(f"column {weight!r} contains text; cast it to integers or floats")
    if isinstance(u, _kostra.StringColumn) and isinstance(v, _kostra.StringColumn):
        u, v, nodes = _kostra.number_names(u, v)
        _warn_of_missing(nodes)
        ends = np.int32 if len(nodes) <= 1 << 31 else np.uint32
        columns = Columns(u.view(ends), v.view(ends), weights, len(nodes), nodes)
        return columns, weight, None
    if _is_text(u) != _is_text(v):
        text, other = (source, target) if _is_text(u) else (target, source)
        raise TypeError(
            f"column {text!r} contains text and column {other!r} does not; cast one of them"
        )
    if u.dtype.kind in "iu" and v.dtype.kind in "iu":
        types = tuple(np.dtype(kind or array.dtype) for kind, array in zip(types, (u, v)))
        return Columns(u, v, weights), weight, types
    _refuse_rounded(source, u, v)
    _refuse_rounded(target, v, u)
    try:
        nodes, numbers = np.unique(np.concatenate([u, v]), return_inverse=True)
    except TypeError as error:
        raise TypeError(
            f"columns {source!r} and {target!r} contain values that cannot be sorted: {error}; "
            "convert both to texts"
        ) from error
    u, v = numbers[: len(u)], numbers[len(u) :]
    nodes = _arrays.listed(nodes)
    _warn_of_missing(nodes)
    return Columns(u, v, weights, len(nodes), nodes), weight, None


def _warn_of_missing(nodes):
    """Warns of a vertex that is called as programs write a missing value."""
    try:
        missing = _MISSING.intersection(nodes)
    except TypeError as error:
        raise TypeError(f"the ends cannot be names: {error}; convert them to texts") from error
    if missing:
        _arrays.warn(
            f"{min(missing)!r} is a vertex; if it stands for a missing value, remove its edges"
        )


def weight_column(weight, labels, others):
    """The name of the weight column. For ``...`` it is ``weight``, or None if all columns are others.

    ``labels`` are the names of the table's columns, or None if they are unknown. ``others`` are the
    ends and the ids.
    """
    if weight is not ...:
        return weight
    if labels is None or ("weight" in labels and "weight" not in others):
        return "weight"
    if all(label in others for label in labels):
        return None
    raise ValueError(
        f"which column is the weight? columns: {_listed(labels)}; "
        f"pass weight={_likely_weight(labels, others)!r}, or weight=None for weight 1"
    )


def _likely_weight(labels, others):
    """The column that an error proposes as the weight."""
    rest = [label for label in labels if label not in others]
    likely = (
        label for label in rest if any(word in str(label).lower() for word in _WORDS_FOR_WEIGHTS)
    )
    return next(likely, rest[0])


def _listed(labels):
    return ", ".join(map(repr, labels[:_MAX_LISTED])) + (
        ", and so on" if len(labels) > _MAX_LISTED else ""
    )


# Parts of column names that suggest weights.
_WORDS_FOR_WEIGHTS = ("weight", "length", "dist", "cost", "km", "time", "value")
# The most columns that an error lists.
_MAX_LISTED = 12


def labels(frame):
    """The names of a table's columns; None if the table has no list of them."""
    names = getattr(frame, "column_names", getattr(frame, "columns", None))
    if names is None and hasattr(frame, "keys"):
        names = frame.keys()
    return None if names is None else list(names)


def _is_text(column):
    return isinstance(column, _kostra.StringColumn) or column.dtype.kind in "US"


def _refuse_rounded(name, ends, others):
    """Refuses numeric names that are equal to others after rounding to floats."""
    if ends.dtype.kind == "f":
        if np.isnan(ends).any():
            raise _no_value(name, int(np.isnan(ends).argmax()))
        merged = np.isfinite(ends) & (np.abs(ends) >= 2.0 ** (np.finfo(ends.dtype).nmant + 1))
    elif ends.dtype.kind in "iu" and others.dtype.kind == "f":
        merged = (ends > 2**53) | (ends < -(2**53))
    else:
        return
    if merged.any():
        row = int(merged.argmax())
        raise ValueError(
            f"column {name!r} contains {ends[row]} in row {row}, "
            "which floats do not represent exactly; "
            "convert the ends to integers or to text instead of floats"
        )


def refuse_query(frame):
    """Refuses a query without rows, such as a LazyFrame of Polars or a table of Dask, and a dataset
    of xarray.
    """
    for method in ("to_dataframe", "collect", "compute"):
        if callable(getattr(type(frame), method, None)):
            raise TypeError(f"a {type(frame).__name__} has no rows yet; pass table.{method}()")


def arrow_exporter(frame):
    """The method with which a table exports Arrow's C data interface; None for pandas and if
    missing.

    Exported data are immutable, so they are not copied.
    """
    pandas = getattr(sys.modules.get("pandas"), "DataFrame", None)
    if pandas is not None and isinstance(frame, pandas):
        return None  # pandas stores NumPy arrays, and exports Arrow only with pyarrow
    return getattr(frame, "__arrow_c_stream__", getattr(frame, "__arrow_c_array__", None))


def _arrow_columns(export, source, target, weight, id):
    for name in (source, target, *(() if weight in (None, ...) else (weight,))):
        if not isinstance(name, str):
            raise TypeError(f"source, target and weight must be names of columns, not {name!r}")
    names = []

    def wanted(labels):
        nonlocal names, weight
        if source in labels and target in labels:  # otherwise columns_of_table raises
            weight = weight_column(weight, labels, (source, target, id))
        names = [name for name in dict.fromkeys((source, target, weight)) if isinstance(name, str)]
        return names, [name in (source, target) for name in names]

    columns = _kostra.columns_of_table(export(), wanted)
    columns = dict(zip(names, columns))
    (u, u_type), (v, v_type) = columns[source], columns[target]
    weights = None if weight is None else columns[weight][0]
    return u, v, weights, weight, [u_type, v_type]


def column_of(frame, name):
    """The column ``name`` of a table."""
    try:
        return frame[name]
    except Exception as error:  # the type depends on the library
        known = labels(frame)
        columns = f"; columns: {_listed(known)}" if known else ""
        remedy = "; pass source, target and weight" if name in ("source", "target") else ""
        if getattr(getattr(frame, "index", None), "nlevels", 1) > 1:
            names = ", ".join(map(repr, frame.index.names))
            remedy = f"; its index has the levels {names}, so pass table.reset_index()"
        raise ValueError(f"table has no column {name!r}{columns}{remedy}") from error


def _column(frame, name):
    column = column_of(frame, name)
    if np.ndim(column) == 2 and hasattr(frame, "columns"):
        raise ValueError(
            f"table has {np.shape(column)[1]} columns named {name!r}; rename all but one"
        )
    if np.ndim(column) > 1:
        raise ValueError(f"column {name!r} must have one dimension, not {np.ndim(column)}")
    dtype = getattr(column, "dtype", None)
    # A NaN in a float column is a value. The engine decides about weights of NaN.
    if hasattr(column, "isna") and not (isinstance(dtype, np.dtype) and dtype.kind == "f"):
        missing = np.asarray(column.isna())
        if missing.any():
            raise _no_value(name, int(missing.argmax()))
    if np.ma.is_masked(column):
        raise _no_value(name, int(np.ma.getmaskarray(column).argmax()))
    if hasattr(column, "to_numpy"):
        return column.to_numpy()
    array = _arrays.exact(name, column)
    # NumPy converts numbers in a list with strings to strings.
    return (
        np.array(column, dtype=object)
        if array.dtype.kind in "US" and isinstance(column, (list, tuple))
        else array
    )


def _no_value(name, row):
    return ValueError(f"column {name!r} has no value in row {row}; remove such rows")


def _numbers(values, name):
    """Python numbers as an array. Refuses numbers that the array would round."""
    try:
        array = np.array(values) if len(values) else np.empty(0)
    except ValueError:  # lists of different lengths
        array = np.array(values, object)
    if array.dtype.kind not in "iufb" or array.dtype.itemsize > 8 or array.ndim != 1:
        for edge, value in enumerate(values):
            if not isinstance(value, (int, float, np.number)):
                raise TypeError(
                    f"{name}: the value of edge {edge} is {value!r}, which is not a number"
                )
        raise ValueError(f"{name} do not fit in 64 bits")
    edge = _arrays.rounded(values, array)
    if edge is not None:
        raise ValueError(
            f"{name}: the value of edge {edge} is {values[edge]}, which a float would round"
        )
    return array
