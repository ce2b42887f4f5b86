"""The class :class:`Graph`."""

import numpy as np

from kostra import _arrays, _convert, _device, _ids, _kostra, _read
from kostra._arrays import Columns
from kostra._forest import Forest
from kostra._values import Value, restored_graph

MAX_VERTICES = 2**32 - 1


class Graph(Value):
    """An undirected weighted multigraph.

    Edge ``i`` connects ``u[i]`` and ``v[i]`` and has weight ``w[i]``.

    The parameters are those of :func:`minimum_spanning_forest`, but the arrays must be in host
    memory. The arrays are copied and may change afterwards. With ``copy=False``, arrays of the
    engine's types are used without a copy and must not change. Two graphs are equal if their edges,
    numbers of vertices, ``nodes`` and ``coordinates`` are equal. Graphs can be copied and pickled,
    but are not hashable.

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

    __slots__ = (
        "_inner",
        "_end_types",
        "_gaps",
        "_weight_type",
        "coordinates",
        "geographic",
        "nodes",
        "notes",
    )

    def __init__(
        self, u, v, w=None, n=None, *, nan="error", relabel=False, copy=True, threads=None
    ):
        columns = Columns(u, v, w, n)
        if relabel:
            if n is not None:
                raise TypeError("n and relabel=True exclude each other; pass one of them")
            u, v, nodes = _ids.relabeled(u, v)
            columns = Columns(u, v, w, len(nodes), nodes)
        self._fill(columns, nan, copy, threads)

    def _fill(self, columns, nan, copy, threads):
        """Fills the attributes."""
        u, v, w, n, nodes, names = columns
        u, v = _arrays.ends(names[0], u), _arrays.ends(names[1], v)
        w, dtype = (None, np.dtype(np.int32)) if w is None else _arrays.weights(names[2], w)
        if len(u) != len(v) or (w is not None and len(w) != len(u)):
            lengths = ", ".join(f"{len(array)}" for array in (u, v, w) if array is not None)
            several = (
                f"{names[0]} and {names[1]}"
                if w is None
                else f"{names[0]}, {names[1]} and {names[2]}"
            )
            raise ValueError(f"{several} must have the same length, but have {lengths} entries")
        self._inner = _arrays.graph(
            Columns(u, v, w, _arrays.whole("n", n, 0, MAX_VERTICES), names=names),
            _arrays.choice("nan", nan, ("error", "skip")),
            bool(copy),
            _arrays.threads(threads),
        )
        self._end_types = (u.dtype, v.dtype)
        self._weight_type = dtype
        skips_nan = nan == "skip" and w is not None and w.dtype.kind == "f"
        self._gaps = _ids.Gaps(skips_nan and bool(np.isnan(w).any())) if n is None else None
        #: A list with the name or the original id per vertex; None if the vertices have only
        #: numbers.
        self.nodes = nodes
        #: The coordinates of the vertices, an array of n by 2: planar, or longitude and latitude in
        #: degrees. None if unknown.
        self.coordinates = None
        #: Whether ``coordinates`` are longitude and latitude.
        self.geographic = False
        #: Notes and warnings from reading a file, a list of one sentence each.
        self.notes = []

    @classmethod
    def _of(cls, columns, nan, threads, copy=True):
        graph = cls.__new__(cls)
        graph._fill(columns, nan, copy, threads)
        return graph

    @classmethod
    def _loaded(cls, loaded):
        graph = cls.__new__(cls)
        graph._inner, graph.coordinates, graph.geographic, graph.nodes, graph.notes = loaded
        graph._end_types = (np.dtype(np.int32),) * 2
        graph._weight_type = graph._inner.weights().dtype
        graph._gaps = None
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
        """The graph of a sparse matrix.

        Every stored entry is an edge, stored zeros included. Edge ids follow the order of storage.
        The matrix must be square; ``nan`` and ``threads`` are as in
        :func:`minimum_spanning_forest`.

        >>> import kostra, scipy.sparse
        >>> matrix = scipy.sparse.coo_array(([5, 0], ([0, 1], [1, 2])), shape=(3, 3))
        >>> kostra.Graph.from_scipy(matrix)
        <kostra.Graph: 3 vertices, 2 edges, int64 weights>
        """
        return cls._of(_convert.scipy(matrix), nan, threads)

    @classmethod
    def from_networkx(cls, graph, *, weight="weight", nan="error", threads=None):
        """The graph of a ``networkx.Graph`` or ``MultiGraph``.

        Edge ids are positions in ``graph.edges``. The list ``nodes`` contains the nodes.

        An edge without the attribute ``weight`` has weight 1. With ``weight=None``, all edges have
        weight 1. An attribute other than ``"weight"`` that no edge has raises a ValueError, and so
        does a directed graph.

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
        """The graph of an ``igraph.Graph``, with the same edge ids and vertices.

        All edges have weight 1 with ``weight=None``, and if the graph lacks the attribute
        ``"weight"``. Any other missing attribute raises a ValueError, and so does a directed graph.

        >>> import kostra, igraph
        >>> triangle = igraph.Graph([(0, 1), (1, 2), (0, 2)], edge_attrs={"weight": [4, 2, 3]})
        >>> kostra.Graph.from_igraph(triangle).minimum_spanning_forest().edge_ids
        array([1, 2])
        """
        return cls._of(_convert.igraph(graph, weight), nan, threads)

    @classmethod
    def from_rustworkx(cls, graph, *, weight_fn=None, nan="error", threads=None):
        """The graph of a ``rustworkx.PyGraph``.

        Edge ids are positions in ``graph.edge_list()``. Vertices are node indices.

        ``weight_fn`` returns the weight for the data of an edge. Without it, the data are the
        weights; if all data are None, all edges have weight 1. Indices of removed nodes, up to the
        highest index in use, become isolated vertices. A directed graph raises a ValueError.

        >>> import kostra, rustworkx
        >>> triangle = rustworkx.PyGraph()
        >>> edges = [(0, 1, {"km": 4}), (1, 2, {"km": 2}), (0, 2, {"km": 3})]
        >>> triangle.extend_from_weighted_edge_list(edges)
        >>> graph = kostra.Graph.from_rustworkx(triangle, weight_fn=lambda data: data["km"])
        >>> graph.minimum_spanning_forest().edge_ids
        array([1, 2])
        """
        return cls._of(_convert.rustworkx(graph, weight_fn), nan, threads)

    @classmethod
    def from_table(
        cls,
        table,
        source="source",
        target="target",
        weight=...,
        *,
        nan="error",
        relabel=False,
        threads=None,
    ):
        """The graph of a table of pandas, Polars, Arrow or DuckDB. Every row is an edge.

        ``source``, ``target`` and ``weight`` are names of columns. With ``weight=None``, all edges
        have weight 1. By default, the weights are the column ``"weight"``. A table without this
        column raises a ValueError, unless it has only the ends: then all edges have weight 1. A row
        without a value in one of the columns raises a ValueError. pandas stores missing floats as
        NaN; the parameter ``nan`` applies to them.

        Integer ends are vertices, or with ``relabel=True`` ids. Ends of other types, such as text
        and floats, are names, numbered in sorted order. ``nodes`` lists the ids or names.

        Other libraries than pandas must export Arrow's C data interface, which does not need
        pyarrow. A column in one chunk and of one of the engine's types is used without a copy and
        must not change. Other columns are copied.

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
            u, v, nodes = _ids.relabeled(columns.u, columns.v, names)
            columns, end_types = Columns(u, v, columns.w, len(nodes), nodes), None
        graph = cls._of(columns._replace(names=names), nan, threads, copy)
        graph._end_types = end_types or graph._end_types
        if graph._gaps is not None:
            graph._gaps.remedy = "pass relabel=True to number only the vertices that occur"
        return graph

    @classmethod
    def read(
        cls,
        path,
        *,
        format=None,
        weights=None,
        nan="error",
        names=False,
        threads=None,
        source=None,
        target=None,
        weight=None,
        header=None,
        columns=None,
        delimiter=None,
        decimal_comma=False,
        vertices=None,
        array=None,
        highway=None,
        bbox=None,
    ):
        """The graph of a file, plain or compressed by gzip, xz, zstd or bzip2.

        The engine reads DIMACS, SNAP, CSV and TSV edge lists, Matrix Market, METIS, ECL, GAP,
        GraphML, GeoJSON, node-link JSON, DOT, GML, Parquet, ``.npy``, OpenStreetMap and Kostra's
        own format. It recognizes the format by the content. NumPy reads SciPy's ``.npz``, which is
        recognized by its extension, and must not be compressed further. The graph does not change
        when the file changes.

        Parameters
        ----------
        path : path
        format : str, optional
            The format: ``gr edges mtx graph egr wsg graphml geojson json dot gml parquet npy npz
            osm.pbf`` or ``kst``. By default, it is recognized.
        weights : {"unit", "hash", "distance"}, optional
            The weights of a graph without weights: 1, a hash of the ends, or the distance between
            the ends. With this parameter, a file with weights and any ``.npz`` file raise a
            ValueError, and columns of an edge list or a Parquet file that may be weights are
            ignored. By default, the weights are those of the file, or 1 if it has none.
        nan : {"error", "skip"}
        names : bool
            Whether the vertices of an edge list or a Parquet file are names, even if they are
            integers. Text in a Parquet file always is. ``nodes`` lists the names.
        threads : int, optional
        source, target, weight : str or int, optional
            The columns of an edge list or a Parquet file, by name or by position, counted from 1.
            By default, they are recognized by names and contents; ambiguous columns raise a
            ValueError. For GraphML and JSON, ``weight`` names an attribute of the edges.
        header : bool, optional
            Whether the first line of an edge list contains the names of the columns. By default, it
            is recognized by its contents.
        columns : list of str, optional
            The names of all columns of an edge list, in order, instead of those of a header.
        delimiter : str, optional
            What separates the columns of an edge list: a character, ``"tab"`` or ``"blanks"``. By
            default, it is recognized.
        decimal_comma : bool
            Whether the weights of an edge list have a decimal comma, as in ``2,5``.
        vertices : int, optional
            The number of vertices of an edge list, which are the numbers from 0. By default, they
            are the numbers up to the highest.
        array : {"matrix", "edges"}, optional
            What an array of NumPy with as many rows as columns contains.
        highway : list of str, optional
            The roads of an OpenStreetMap file: values of the tag ``highway``. By default, all.
        bbox : (float, float, float, float), optional
            West, south, east and north in degrees: only the nodes of an OpenStreetMap file in this
            box are vertices.

        Warns
        -----
        UserWarning
            If some of the ids from 0 to the highest id in an edge list or a Parquet file do not
            occur. With ``names=True`` only the ids that occur are vertices.

        >>> import kostra, pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "roads.txt")
        ...     _ = path.write_text("a b 2.5\\nb c 4.0\\n")
        ...     graph = kostra.Graph.read(path, names=True)
        >>> graph, graph.nodes
        (<kostra.Graph: 3 vertices, 2 edges, float64 weights>, ['a', 'b', 'c'])
        """
        options = {
            "format": format,
            "weights": weights,
            "nan": nan,
            "names": bool(names),
            "threads": threads,
            "source": source,
            "target": target,
            "weight": weight,
            "header": header,
            "columns": columns,
            "delimiter": delimiter,
            "decimal_comma": bool(decimal_comma),
            "vertices": vertices,
            "array": array,
            "highway": highway,
            "bbox": bbox,
        }
        return _read.read(cls, path, options)

    @classmethod
    def generate(cls, spec):
        """A generated graph. ``kostra generate --list`` lists the generators.

        Equal values of ``spec`` give equal graphs on every machine. An invalid ``spec`` raises a
        ValueError.

        >>> import kostra
        >>> kostra.Graph.generate("grid:side=10")
        <kostra.Graph: 100 vertices, 180 edges, uint32 weights>
        """
        return cls._loaded(_kostra.generate(str(spec)))

    @property
    def n(self):
        """The number of vertices."""
        return self._inner.n

    @property
    def m(self):
        """The number of edges, self-loops and parallel edges included."""
        return self._inner.m

    @property
    def u(self):
        """The first ends by edge id, a read-only array of length m."""
        return _arrays.typed(self._inner.u(), self._end_types[0])

    @property
    def v(self):
        """The second ends by edge id, a read-only array of length m."""
        return _arrays.typed(self._inner.v(), self._end_types[1])

    @property
    def weights(self):
        """The weights by edge id, a read-only array of length m."""
        return _arrays.typed(self._inner.weights(), self._weight_type)

    def __repr__(self):
        vertices = _arrays.counted(self.n, "vertex", "vertices")
        edges = _arrays.counted(self.m, "edge", "edges")
        return f"<kostra.Graph: {vertices}, {edges}, {self._weight_type} weights>"

    def minimum_spanning_forest(
        self, *, maximum=False, threads=None, device="auto", algorithm="auto", parts=None
    ):
        """The minimum spanning forest; see :func:`kostra.minimum_spanning_forest`."""
        device = _device.check_any(device)
        if not isinstance(algorithm, str):
            raise TypeError(f"algorithm must be a name, not {algorithm!r}")
        self._warn_of_gaps(self.n > self.m + 1)
        options = {
            "maximum": bool(maximum),
            "threads": _arrays.threads(threads),
            "device": device,
            "algorithm": algorithm,
            "parts": _arrays.parts(parts, self.n),
        }
        inner = self._inner.solve(options)
        self._warn_of_gaps(inner.n_components > 1)
        forest = Forest(inner, self._end_types, self._weight_type, self.nodes)
        forest.coordinates, forest.geographic = self.coordinates, self.geographic
        return forest

    def _warn_of_gaps(self, is_unconnected):
        """Warns once about vertices without edges. A connected graph has none."""
        if self._gaps is not None and is_unconnected:
            gaps, self._gaps = self._gaps, None
            gaps.warn(self._inner.u(), self._inner.v(), self.n)
