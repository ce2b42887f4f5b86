"""Graphs of other libraries as columns: ends, weights, how many vertices, and what the vertices are called.

Each function asks its argument only for what that library's objects have; none of the libraries is imported unless an
object of its is there.
"""

import numpy as np


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
    """The rows of a table, of pandas, Polars or Arrow, or of anything that exports an Arrow stream.

    Ends that are integers are vertices; of any other type they are names, numbered in sorted order.
    """
    if not hasattr(frame, "__getitem__") or isinstance(frame, (list, tuple, np.ndarray)):
        if not hasattr(frame, "__arrow_c_stream__"):
            raise TypeError(f"table must be a table of pandas, Polars or Arrow, not {type(frame).__name__}")
        import pyarrow

        frame = pyarrow.table(frame)
    u, v = _column(frame, source), _column(frame, target)
    weights = None if weight is None else _column(frame, weight)
    if u.dtype.kind in "iu" and v.dtype.kind in "iu":
        return u, v, weights, None, None
    try:
        names, numbers = np.unique(np.concatenate([u, v]), return_inverse=True)
    except TypeError as error:
        raise TypeError(f"columns {source!r} and {target!r} hold what cannot be sorted: {error}") from error
    return numbers[: len(u)], numbers[len(u) :], weights, len(names), names.tolist()


def _column(frame, name):
    try:
        column = frame[name]
    except Exception as error:  # each library has its own
        raise ValueError(f"table has no column {name!r}") from error
    if isinstance(column, np.ndarray):
        return column
    missing = getattr(column, "null_count", None)
    missing = missing() if callable(missing) else missing
    if missing is None and hasattr(column, "isna"):
        missing = int(column.isna().sum()) if column.dtype.kind not in "f" else 0
    if missing:
        raise ValueError(f"column {name!r} has {missing} missing values; leave such rows out")
    return column.to_numpy()


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
    """Columns of a Parquet file; without names, the first two and, if there is one, the third."""
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
    return table(frame, source, target, weight)
