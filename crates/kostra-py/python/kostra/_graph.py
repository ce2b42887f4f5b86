"""Graphs, and the function :func:`minimum_spanning_forest`."""

import os
import warnings

import numpy as np

from kostra import _arrays, _convert, _device, _ids, _kostra
from kostra._forest import Forest
from kostra._values import Value, restored_graph

MOST_VERTICES = 2**32 - 1


def minimum_spanning_forest(
    u, v, w=None, n=None, *,
    maximum=False, nan="error", relabel=False, threads=None, device="auto", algorithm="auto",
):
    """The minimum spanning forest of the graph in which edge ``i`` joins ``u[i]`` and ``v[i]`` and weighs ``w[i]``.

    Parameters
    ----------
    u, v : arrays of integers
        The ends of the edges: vertices, numbered from 0. ``int32`` and ``uint32`` are used without a copy, other types
        are converted. Self-loops are in no forest; of parallel edges, at most the lightest is.
    w : array of integers or floats, optional
        The weights. ``float64 float32 int64 int32 uint64 uint32`` are used without a copy, smaller types are converted;
        none is rounded. Without weights all weigh 1, and the first edge that connects wins. Masked entries, here and
        in ``u`` and ``v``, are a ValueError.
    n : int, optional
        How many vertices there are; by default, one more than the highest in ``u`` and ``v``. By default, a
        UserWarning gives the number of vertices without edges, if there are any.
    maximum : bool
        Whether a maximum spanning forest is wanted instead.
    nan : {"error", "skip"}
        What to do about a weight that is not a number: raise a ValueError that names the edge, or leave the edge
        out. The other edges keep their ids. A :class:`Graph` keeps the edge as a self-loop of weight 0.
    relabel : bool
        Whether to number only the vertices that occur, in the order of their ids; the forest's ``nodes`` lists these
        ids. For ids that leave gaps, are negative or do not fit 32 bits. Not with ``n``, nor for arrays on a device.
    threads : int, optional
        How many threads to use; by default, all that the machine has. The answer does not depend on it.
    device : {"auto", "cpu", "cuda", "cuda:<number>"}
        Where to solve. By default, a graph that repays the transfer goes to the first CUDA device, if there is one.
    algorithm : str
        One of :func:`solvers`; by default, the one that should be fastest.

    Returns
    -------
    Forest
        Or, for arrays on a CUDA device, a :class:`DeviceForest`.

    Raises
    ------
    ValueError, TypeError
        If an argument is wrong; the message names it, and the position in it where there is one.
    DeviceError
        If the arrays are on a device that cannot be used, or ``device`` names one.
    KeyboardInterrupt
        If Ctrl-C is pressed during the solve.

    Notes
    -----
    Arrays on a CUDA device, such as those of CuPy, PyTorch, JAX and Numba, are solved there, and the forest's arrays
    stay there; nothing but an answer's length leaves the device. All of ``u``, ``v`` and ``w`` have to be on the same
    one. 32-bit ends, and the types of weights above, are used without a copy, others are converted there.

    Other Python threads run meanwhile. They must not write to the arrays. The scratch memory of ``fast``, 12 bytes an
    edge and 24 a vertex, is kept for the next call if it is no more than 128 MiB.

    Examples
    --------
    >>> import kostra
    >>> forest = kostra.minimum_spanning_forest([0, 1, 2], [1, 2, 0], [0.5, 0.0, 0.5])
    >>> forest.edge_ids
    array([0, 1])
    >>> kostra.minimum_spanning_forest([0, 1, 2], [1, 2, 0], [0.5, 0.0, 0.5], maximum=True).edge_ids
    array([0, 2])
    """
    if any(_device.place_of(values) is not None for values in (u, v, w)):
        from kostra import _device_forest

        if relabel:
            raise ValueError("relabel=True is for arrays in memory; copy u, v and w to the host first")
        return _device_forest.minimum_spanning_forest(u, v, w, n, maximum, nan, threads, device, algorithm)
    graph = Graph(u, v, w, n, nan=nan, relabel=relabel, copy=False, threads=threads)
    return graph.minimum_spanning_forest(maximum=maximum, threads=threads, device=device, algorithm=algorithm)


class Graph(Value):
    """An undirected weighted multigraph: edge ``i`` joins ``u[i]`` and ``v[i]`` and weighs ``w[i]``.

    Takes the arrays that :func:`minimum_spanning_forest` takes, but not from a device. The arrays are copied, and may
    change afterwards. With ``copy=False`` they are used without a copy where their types allow it, and must not change.
    Graphs are equal if their edges, numbers of vertices, ``nodes`` and ``coordinates`` are equal. Graphs can be copied
    and pickled, and cannot be keys of dictionaries.

    >>> import kostra
    >>> graph = kostra.Graph([0, 1, 2], [1, 2, 0], [1.5, 2.5, 3.5])
    >>> graph
    <kostra.Graph: 3 vertices, 3 edges, float64 weights>
    >>> graph.minimum_spanning_forest().total_weight
    4.0

    With ``relabel=True``, only the vertices that occur are numbered, and ``nodes`` lists their ids:

    >>> graph = kostra.Graph([101, 205], [205, 309], [1.5, 2.5], relabel=True)
    >>> graph, graph.nodes
    (<kostra.Graph: 3 vertices, 2 edges, float64 weights>, [101, 205, 309])
    """

    __slots__ = ("_inner", "_end_types", "_n_is_bound", "_weight_type", "coordinates", "nodes", "notes")

    def __init__(self, u, v, w=None, n=None, *, nan="error", relabel=False, copy=True, threads=None):
        nodes = None
        if relabel:
            if n is not None:
                raise TypeError("n counts vertices by id, and relabel=True those that occur; pass one of them")
            u, v, nodes = _ids.relabelled(u, v)
            n = len(nodes)
        self._fill(u, v, w, n, nan, copy, threads)
        self.nodes = nodes

    def _fill(self, u, v, w, n, nan, copy, threads, names=("u", "v", "w")):
        """Sets up the graph; errors call the arrays by these names."""
        u, v = _arrays.ends(names[0], u), _arrays.ends(names[1], v)
        w, dtype = (None, np.dtype(np.int32)) if w is None else _arrays.weights(names[2], w)
        if len(u) != len(v) or (w is not None and len(w) != len(u)):
            lengths = ", ".join(f"{len(array)}" for array in (u, v, w) if array is not None)
            several = f"{names[0]} and {names[1]}" if w is None else f"{names[0]}, {names[1]} and {names[2]}"
            raise ValueError(f"{several} must be equally long, but have {lengths} entries")
        self._inner = _kostra.Graph.from_arrays(
            u,
            v,
            w,
            _arrays.whole("n", n, 0, MOST_VERTICES),
            names=names,
            skip_nan=_arrays.choice("nan", nan, ("error", "skip")) == "skip",
            copy=bool(copy),
            threads=_arrays.threads(threads),
        )
        self._end_types = (u.dtype, v.dtype)
        self._weight_type = dtype
        self._n_is_bound = n is None
        self._plain()

    def _plain(self):
        #: The names or the ids of the vertices, by number; None where they have none.
        self.nodes = None
        #: The coordinates of the vertices, n by 2, planar or longitude and latitude in degrees; None where unknown.
        self.coordinates = None
        #: Notes and warnings from reading a file, one sentence each.
        self.notes = []

    @classmethod
    def _of(cls, columns, nan, threads, copy=True, names=("u", "v", "w")):
        u, v, w, n, nodes = columns
        graph = cls.__new__(cls)
        graph._fill(u, v, w, n, nan, copy, threads, names)
        graph.nodes = nodes
        return graph

    @classmethod
    def _loaded(cls, loaded):
        graph = cls.__new__(cls)
        graph._inner, graph.coordinates, _, graph.nodes, graph.notes = loaded
        graph._end_types = (np.dtype(np.int32),) * 2
        graph._weight_type = graph._inner.weights().dtype
        graph._n_is_bound = False
        return graph

    def _parts(self):
        return self.n, self.u, self.v, self.weights, self.nodes, self.coordinates

    def __reduce__(self):
        inner = self._inner
        arrays = inner.u(), inner.v(), inner.weights(), inner.n
        rest = {name: getattr(self, name) for name in Graph.__slots__ if name != "_inner"}
        return restored_graph, (type(self), arrays, rest)

    @classmethod
    def from_scipy(cls, matrix, *, nan="error", threads=None):
        """The graph of a sparse matrix: every stored entry is an edge, zeros included, in the order of storage.

        >>> import kostra, scipy.sparse
        >>> kostra.Graph.from_scipy(scipy.sparse.coo_array(([5, 0], ([0, 1], [1, 2])), shape=(3, 3)))
        <kostra.Graph: 3 vertices, 2 edges, int64 weights>
        """
        return cls._of(_convert.scipy(matrix), nan, threads, names=("matrix.row", "matrix.col", "matrix.data"))

    @classmethod
    def from_networkx(cls, graph, *, weight="weight", nan="error", threads=None):
        """A ``networkx.Graph`` or ``MultiGraph``: edge ids are positions in ``graph.edges``, ``nodes`` are its nodes.

        An edge without the attribute weighs 1; with ``weight=None`` all do. An attribute other than ``weight`` that no
        edge has is a ValueError.

        >>> import kostra, networkx
        >>> roads = networkx.Graph()
        >>> roads.add_weighted_edges_from([("a", "b", 4), ("b", "c", 2), ("a", "c", 3)])
        >>> graph = kostra.Graph.from_networkx(roads)
        >>> [list(roads.edges)[edge] for edge in graph.minimum_spanning_forest().edge_ids]
        [('a', 'c'), ('b', 'c')]
        """
        return cls._of(_convert.networkx(graph, weight), nan, threads)

    @classmethod
    def from_igraph(cls, graph, *, weight="weight", nan="error", threads=None):
        """An ``igraph.Graph``: edge ids and vertices are igraph's. All edges weigh 1 with ``weight=None``, and where there
        is no attribute ``weight``; any other attribute that is missing is a ValueError.

        >>> import kostra, igraph
        >>> triangle = igraph.Graph([(0, 1), (1, 2), (0, 2)], edge_attrs={"weight": [4, 2, 3]})
        >>> kostra.Graph.from_igraph(triangle).minimum_spanning_forest().edge_ids
        array([1, 2])
        """
        return cls._of(_convert.igraph(graph, weight), nan, threads)

    @classmethod
    def from_rustworkx(cls, graph, *, weight_fn=None, nan="error", threads=None):
        """A ``rustworkx.PyGraph``: edge ids are positions in ``graph.edge_list()``, vertices are its node indices.

        ``weight_fn`` takes the weight out of an edge's data. Without it, the data are the weights; if all are None, all
        edges weigh 1. Indices of removed nodes, up to the highest index in use, become isolated vertices.

        >>> import kostra, rustworkx
        >>> triangle = rustworkx.PyGraph()
        >>> triangle.extend_from_weighted_edge_list([(0, 1, {"km": 4}), (1, 2, {"km": 2}), (0, 2, {"km": 3})])
        >>> kostra.Graph.from_rustworkx(triangle, weight_fn=lambda data: data["km"]).minimum_spanning_forest().edge_ids
        array([1, 2])
        """
        return cls._of(_convert.rustworkx(graph, weight_fn), nan, threads)

    @classmethod
    def from_table(
        cls, table, source="source", target="target", weight=..., *, nan="error", relabel=False, threads=None
    ):
        """The rows of a table of pandas, Polars, Arrow or DuckDB, or of whatever exports Arrow's C data interface.

        ``source``, ``target`` and ``weight`` name columns; with ``weight=None`` all edges weigh 1. By default, the
        weights are the column ``weight``. A table without it is refused, unless it has only the ends: then all edges
        weigh 1. Integer ends are vertices, or with ``relabel=True`` ids. Ends of other types, such as text and floats,
        are names, numbered in sorted order. ``nodes`` lists ids and names. A row without a value in one of these columns
        is a ValueError. Weights of NaN, which is how pandas stores missing floats, are treated as ``nan`` says.

        Tables other than those of pandas are read through Arrow's interface, which needs no pyarrow. A column in one
        piece and of one of the engine's types is used without a copy; it must not change. Other columns are copied.

        >>> import kostra, polars
        >>> roads = polars.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "km": [2.5, 4.0]})
        >>> graph = kostra.Graph.from_table(roads, weight="km")
        >>> graph, graph.nodes
        (<kostra.Graph: 3 vertices, 2 edges, float64 weights>, ['a', 'b', 'c'])
        """
        copy = _convert.arrow_exporter(table) is None
        columns, weight, end_types = _convert.table(table, source, target, weight)
        names = (str(source), str(target), "w" if weight is None else str(weight))
        if relabel and end_types is not None:
            u, v, nodes = _ids.relabelled(*columns[:2], names)
            columns, end_types = (u, v, columns[2], len(nodes), nodes), None
        graph = cls._of(columns, nan, threads, copy, names)
        graph._end_types = end_types or graph._end_types
        return graph

    @classmethod
    def read(
        cls, path, *, format=None, weights=None, nan="error", names=False, threads=None,
        source=None, target=None, weight=None, header=None,
    ):
        """A graph from a file, recognized by its content, plain or compressed by gzip, xz, zstd or bzip2.

        DIMACS, SNAP, CSV and TSV edge lists, Matrix Market, METIS, ECL, GAP, OpenStreetMap and Kostra's own format are
        read by the engine; SciPy's ``.npz`` by NumPy and Parquet by pyarrow. These two are recognized by their extension,
        and must not be compressed further. The graph is a copy: it does not change when the file does.

        Parameters
        ----------
        path : path
        format : str, optional
            ``gr edges mtx graph egr wsg osm.pbf kst``, ``npz`` or ``parquet``, instead of recognizing it.
        weights : {"unit", "hash", "distance"}, optional
            Weights for a graph that has none: 1 each, a hash of the ends, or the distance between them. A file with
            weights, and any ``.npz`` or Parquet file, is a ValueError then. Columns of an edge list that may or may not
            be weights are left out. By default, the file's weights; where it has none, each edge weighs 1.
        nan : {"error", "skip"}
        names : bool
            Whether the vertices of an edge list or a Parquet file are names, integers included; ``nodes`` lists them.
        threads : int, optional
        source, target, weight : str or int, optional
            Columns of an edge list, by name, or by position, counted from 1. By default, their names and contents
            decide; columns that these leave open are a ValueError. Columns of a Parquet file, by name; by default
            ``source``, ``target`` and ``weight``, or at most three columns in order.
        header : bool, optional
            Whether the first line of an edge list names the columns. By default, its contents decide.

        Warns
        -----
        UserWarning
            If some of the ids from 0 to the highest in an edge list do not occur; ``names=True`` numbers those that do.

        >>> import kostra, pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "roads.txt")
        ...     _ = path.write_text("a b 2.5\\nb c 4.0\\n")
        ...     graph = kostra.Graph.read(path, names=True)
        >>> graph, graph.nodes
        (<kostra.Graph: 3 vertices, 2 edges, float64 weights>, ['a', 'b', 'c'])
        """
        if weights is not None:
            _arrays.choice("weights", weights, ("unit", "hash", "distance"))
        columns = {"source": source, "target": target, "weight": weight}
        for name, column in columns.items():
            if column is not None and (isinstance(column, bool) or not isinstance(column, (str, int))):
                raise TypeError(f"{name} must be the name or the position of a column, not {column!r}")
            if isinstance(column, int) and column < 1:
                raise ValueError(f"{name} must be a position from 1, not {column}")
        if header is not None and not isinstance(header, bool):
            raise TypeError(f"header must be True, False or None, not {header!r}")
        skip_nan = _arrays.choice("nan", nan, ("error", "skip")) == "skip"
        path = os.fsdecode(os.fspath(path))
        kind = format or os.path.splitext(path)[1][1:].lower()
        given = {"weights": weights, "header": header}
        if kind == "npz":
            given |= columns | {"names": names or None}
        if kind in ("npz", "parquet"):
            for name, value in given.items():
                if value is not None:
                    raise ValueError(f"{name} does not apply to {path}, which is read as {kind}; leave it out")
        if kind == "npz":
            columns, arrays = _convert.npz(path)
            return cls._of(columns, nan, threads, names=arrays)
        if kind == "parquet":
            table = _convert.parquet(path, source, target, weight)
            return cls.from_table(*table, nan=nan, threads=threads, relabel=bool(names))
        arguments = columns | given | {
            "format": format,
            "skip_nan": skip_nan,
            "names": bool(names),
            "threads": _arrays.threads(threads),
        }
        loaded, messages = _kostra.read(path, arguments)
        for message in messages:
            warnings.warn(message, UserWarning, stacklevel=2)
        return cls._loaded(loaded)

    @classmethod
    def generate(cls, spec):
        """A generated graph, the same on every machine; ``kostra generate --list`` lists the generators.

        >>> import kostra
        >>> kostra.Graph.generate("grid:side=10")
        <kostra.Graph: 100 vertices, 180 edges, uint32 weights>
        """
        return cls._loaded(_kostra.generate(str(spec)))

    @property
    def n(self):
        """How many vertices there are."""
        return self._inner.n

    @property
    def m(self):
        """How many edges there are, self-loops and parallel edges included."""
        return self._inner.m

    @property
    def u(self):
        """First ends by edge id, read-only."""
        return _arrays.typed(self._inner.u(), self._end_types[0])

    @property
    def v(self):
        """Second ends by edge id, read-only."""
        return _arrays.typed(self._inner.v(), self._end_types[1])

    @property
    def weights(self):
        """Weights by edge id, read-only."""
        return _arrays.typed(self._inner.weights(), self._weight_type)

    def __repr__(self):
        return f"<kostra.Graph: {self.n} vertices, {self.m} edges, {self._weight_type} weights>"

    def minimum_spanning_forest(self, *, maximum=False, threads=None, device="auto", algorithm="auto"):
        """The minimum spanning forest; see :func:`kostra.minimum_spanning_forest`."""
        device = _device.check(device)
        if not isinstance(algorithm, str):
            raise TypeError(f"algorithm must be a name, not {algorithm!r}")
        self._warn_of_gaps(self.n > self.m + 1)
        inner = self._inner.solve(bool(maximum), _arrays.threads(threads), device, algorithm)
        self._warn_of_gaps(inner.n_components > 1)
        return Forest(inner, self._end_types, self._weight_type, self.nodes)

    def _warn_of_gaps(self, is_unconnected):
        """Warns once about gaps in the ids. A connected graph has none, and is not searched for them."""
        if self._n_is_bound and is_unconnected:
            self._n_is_bound = False
            _ids.warn_of_isolated(self._inner.u(), self._inner.v(), self.n)
