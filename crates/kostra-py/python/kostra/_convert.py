"""Graphs of other libraries as columns: ends, weights, how many vertices, and what the vertices are called.

Each function asks its argument only for what that library's objects have; none of the libraries is imported unless an
object of its is there.
"""

import sys

import numpy as np

from kostra import _kostra


def scipy(matrix):
    """The entries of a sparse array or matrix, in the order in which it stores them."""
    if getattr(matrix, "format", None) is None or not hasattr(matrix, "tocoo"):
        raise TypeError(f"matrix must be a SciPy sparse array or matrix, not {type(matrix).__name__}")
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"matrix must be square, but its shape is {matrix.shape}")
    matrix = matrix.tocoo(copy=False)
    return matrix.row, matrix.col, matrix.data, matrix.shape[0], None


def networkx(graph, weight):
    """The edges of a NetworkX graph, in the order of ``graph.edges``; 1 where an edge has no weight."""
    if not hasattr(graph, "is_multigraph"):
        raise TypeError(f"graph must be a NetworkX graph, not {type(graph).__name__}")
    if graph.is_directed():
        raise ValueError("graph is directed; pass graph.to_undirected()")
    nodes = list(graph)
    numbers = {node: number for number, node in enumerate(nodes)}
    edges = list(graph.edges(data=weight, default=1)) if weight is not None else list(graph.edges())
    u = np.fromiter((numbers[edge[0]] for edge in edges), np.int32, len(edges))
    v = np.fromiter((numbers[edge[1]] for edge in edges), np.int32, len(edges))
    weights = None if weight is None else _numbers([edge[2] for edge in edges], f"weights {weight!r} of graph")
    return u, v, weights, len(nodes), nodes


def igraph(graph, weight):
    """The edges of an igraph graph, in the order of its edge ids."""
    if not hasattr(graph, "get_edgelist"):
        raise TypeError(f"graph must be an igraph graph, not {type(graph).__name__}")
    if graph.is_directed():
        raise ValueError("graph is directed; pass graph.as_undirected(mode='each')")
    ends = np.array(graph.get_edgelist(), np.int32).reshape(-1, 2)
    weights = None
    if weight is not None and weight in graph.es.attributes():
        weights = _numbers(graph.es[weight], f"weights {weight!r} of graph")
    return ends[:, 0], ends[:, 1], weights, graph.vcount(), None


def rustworkx(graph, weight_fn):
    """The edges of a rustworkx PyGraph, in the order of ``graph.edge_list()``; vertices are its node indices."""
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
        weights = _numbers(data, "weights of graph (pass weight_fn to take them out of the edges)")
    indices = list(graph.node_indices())
    return ends[:, 0], ends[:, 1], weights, max(indices, default=-1) + 1, None


def table(frame, source, target, weight):
    """The rows of a table, of pandas, Polars or Arrow, or of anything that exports Arrow's C data interface.

    Ends that are integers are vertices; of any other type they are names, numbered in sorted order. After the columns,
    the types that the ends have in the table.
    """
    names = [source, target] if weight is None else [source, target, weight]
    export = arrow_exporter(frame)
    if export is not None:
        (u, v, *weights), types = _arrow_columns(export, names)
    elif hasattr(frame, "__getitem__") and not isinstance(frame, (list, tuple, str, bytes, np.ndarray)):
        u, v, *weights = [_column(frame, name) for name in names]
        types = [None, None]
    else:
        raise TypeError(f"table must be a table of pandas, Polars or Arrow, not {type(frame).__name__}")
    weights = weights[0] if weights else None
    if isinstance(weights, _kostra.Text):
        raise TypeError(f"column {weight!r} holds text; cast it to integers or floats")
    if isinstance(u, _kostra.Text) and isinstance(v, _kostra.Text):
        u, v, nodes = _kostra.number_names(u, v)
        ends = np.int32 if len(nodes) <= 1 << 31 else np.uint32
        return (u.view(ends), v.view(ends), weights, len(nodes), nodes), None
    if isinstance(u, _kostra.Text) or isinstance(v, _kostra.Text):
        text, other = (source, target) if isinstance(u, _kostra.Text) else (target, source)
        raise TypeError(f"column {text!r} holds text and column {other!r} does not; cast one of them")
    if u.dtype.kind in "iu" and v.dtype.kind in "iu":
        types = tuple(np.dtype(kind or array.dtype) for kind, array in zip(types, (u, v)))
        return (u, v, weights, None, None), types
    for name, ends in ((source, u), (target, v)):
        if ends.dtype.kind == "f" and np.isnan(ends).any():
            raise _no_value(name, int(np.isnan(ends).argmax()))
    try:
        nodes, numbers = np.unique(np.concatenate([u, v]), return_inverse=True)
    except TypeError as error:
        raise TypeError(f"columns {source!r} and {target!r} hold what cannot be sorted: {error}") from error
    return (numbers[: len(u)], numbers[len(u) :], weights, len(nodes), nodes.tolist()), None


def arrow_exporter(frame):
    """The method by which a table exports Arrow's C data interface, if that is the way to take it.

    What it exports nobody writes to, so it need not be copied.
    """
    pandas = getattr(sys.modules.get("pandas"), "DataFrame", None)
    if pandas is not None and isinstance(frame, pandas):
        return None  # its columns are NumPy's, and it exports none without pyarrow
    return getattr(frame, "__arrow_c_stream__", getattr(frame, "__arrow_c_array__", None))


def _arrow_columns(export, names):
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"source, target and weight must be names of columns, not {name!r}")
    distinct = list(dict.fromkeys(names))
    as_vertices = [name not in names[2:] for name in distinct]
    columns = dict(zip(distinct, _kostra.columns_of_table(export(), distinct, as_vertices)))
    return zip(*(columns[name] for name in names))


def _column(frame, name):
    try:
        column = frame[name]
    except Exception as error:  # each library has its own
        raise ValueError(f"table has no column {name!r}") from error
    if np.ndim(column) == 2:
        raise ValueError(f"table has {np.shape(column)[1]} columns {name!r}; rename all but one")
    dtype = getattr(column, "dtype", None)
    # A NaN is a value: as a weight, it is the engine's to judge.
    if hasattr(column, "isna") and not (isinstance(dtype, np.dtype) and dtype.kind == "f"):
        missing = np.asarray(column.isna())
        if missing.any():
            raise _no_value(name, int(missing.argmax()))
    return column.to_numpy() if hasattr(column, "to_numpy") else np.asarray(column)


def _no_value(name, row):
    return ValueError(f"column {name!r} has no value in row {row}; leave such rows out")


def _numbers(values, name):
    """Python numbers as an array that rounds none of them."""
    array = np.array(values) if len(values) else np.empty(0)
    if array.dtype.kind not in "iufb" or array.dtype.itemsize > 8:
        for edge, value in enumerate(values):
            if not isinstance(value, (int, float, np.number)):
                raise TypeError(f"{name}: that of edge {edge} is {value!r}, which is no number")
        raise ValueError(f"{name} do not fit 64 bits")
    if array.dtype.kind == "f":
        for edge in np.flatnonzero(np.abs(array) >= 2.0**53).tolist():
            if isinstance(values[edge], int) and int(array[edge]) != values[edge]:
                raise ValueError(f"{name}: that of edge {edge} is {values[edge]}, which a float would round")
    return array


def npz(path):
    """A matrix that ``scipy.sparse.save_npz`` wrote."""
    with np.load(path, allow_pickle=False) as file:
        form = file["format"].item() if "format" in file else b""
        form = form.decode() if isinstance(form, bytes) else form
        if form not in ("csr", "csc", "coo"):
            raise ValueError(f"{path}: this holds no sparse matrix in csr, csc or coo form, as scipy.sparse.save_npz writes it")
        shape, data = file["shape"], file["data"]
        if form == "coo":
            rows, columns = file["coords"] if "coords" in file else (file["row"], file["col"])
        else:
            starts, columns = file["indptr"], file["indices"]
            if len(starts) != shape[0 if form == "csr" else -1] + 1 or (np.diff(starts) < 0).any():
                raise ValueError(f"{path}: the rows of this matrix do not fit its shape")
            rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ValueError(f"{path}: the matrix must be square, but its shape is {tuple(shape.tolist())}")
    return rows, columns, data, int(shape[0]), None


def parquet(path, source, target, weight):
    """A Parquet file as a table, and its columns' names: where none is given, the first two and, if there is one, the third."""
    try:
        from pyarrow import parquet
    except ImportError as error:
        raise ImportError("reading Parquet needs pyarrow: pip install pyarrow") from error
    frame = parquet.read_table(path)
    names = frame.column_names
    if source is None and target is None:
        if len(names) < 2:
            raise ValueError(f"{path}: a table of edges has two columns or more, but this has {len(names)}")
        source, target = names[:2]
        weight = names[2] if weight is None and len(names) > 2 else weight
    return frame, source, target, weight
