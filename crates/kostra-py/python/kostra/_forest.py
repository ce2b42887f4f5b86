"""Forests in host memory."""

import numpy as np

from kostra import _arrays, _kept, _kostra, _names, _picture
from kostra._values import Value, graph_of_arrays


class Forest(Value):
    """A minimum (or maximum) spanning forest, as :func:`minimum_spanning_forest` returns it.

    The forest has its own read-only arrays, with one entry per edge of the forest, in ascending
    order of the edge ids. It does not keep the graph. Two forests are equal if their edge ids,
    ends, weights, numbers of vertices, ``nodes``, ``kept`` and ``maximum`` are equal. Forests can
    be copied and pickled, but are not hashable.

    >>> import kostra
    >>> forest = kostra.minimum_spanning_forest([0, 1, 2], [1, 2, 0], [5, 6, 7], n=4)
    >>> forest
    <kostra.Forest: 4 vertices, 2 edges, 2 components, total weight 11>
    >>> forest.u, forest.v, forest.weights
    (array([0, 1]), array([1, 2]), array([5, 6]))
    """

    __slots__ = (
        "_inner",
        "_end_types",
        "_weight_type",
        "_arrays",
        "_kept",
        "_named",
        "coordinates",
        "geographic",
        "nodes",
    )

    def __init__(
        self, inner, end_types, weight_type, nodes=None, coordinates=None, geographic=False
    ):
        self._inner = inner
        self._end_types = end_types
        self._weight_type = weight_type
        self._arrays = {}
        self._kept = None
        self._named = None
        #: The graph's ``nodes``: a list with the name or the original id per vertex; None if the
        #: vertices have only numbers.
        self.nodes = nodes
        #: The graph's ``coordinates``: a position per vertex, an array of n by 2. None if unknown.
        self.coordinates = coordinates
        #: Whether ``coordinates`` are longitude and latitude in degrees.
        self.geographic = geographic

    def _parts(self):
        edges = self.edge_ids, self.u, self.v, self.weights, self._kept
        return self.n, self.maximum, *edges, self.nodes

    def __reduce__(self):
        inner = self._inner
        arrays = inner.ids(), inner.u(), inner.v(), inner.weights(), inner.n
        kind = self.maximum, self.algorithm
        return _restored, (
            type(self),
            arrays,
            kind,
            (
                self._end_types,
                self._weight_type,
                self.nodes,
                self.coordinates,
                self.geographic,
            ),
            self._kept,
        )

    def _names(self):
        """The map from names to vertices."""
        if self._named is None or self._named.nodes is not self.nodes:
            self._named = _names.Names(self.nodes)
        return self._named

    def _array(self, name, make, dtype):
        array = self._arrays.get(name)
        if array is None:
            array = self._arrays[name] = _arrays.typed(make(), np.dtype(dtype))
        return array

    @property
    def n(self):
        """The number of vertices, isolated vertices included."""
        return self._inner.n

    @property
    def edge_ids(self):
        """The positions of the forest's edges in the input, ascending: an array of int64."""
        return self._array("edge_ids", self._inner.ids, np.int64)

    @property
    def u(self):
        """The first ends, ``u[edge_ids]``, in the type of the input."""
        return self._array("u", self._inner.u, self._end_types[0])

    @property
    def v(self):
        """The second ends, ``v[edge_ids]``, in the type of the input."""
        return self._array("v", self._inner.v, self._end_types[1])

    @property
    def weights(self):
        """The weights, ``w[edge_ids]``, in the type of the input; 1 without input weights."""
        return self._array("weights", self._inner.weights, self._weight_type)

    @property
    def kept(self):
        """The columns that the graph keeps with its edges: a dictionary from names to arrays with
        one entry per edge of the forest, empty without any. See :meth:`Graph.read`.
        """
        return {} if self._kept is None else self._kept.arrays()

    @property
    def total_weight(self):
        """The sum of the weights: an exact int for integers, a float by compensated summation for
        floats.
        """
        return self._inner.total

    @property
    def n_components(self):
        """The number of components. Every isolated vertex is a component."""
        return self._inner.n_components

    @property
    def maximum(self):
        """Whether this is a maximum spanning forest."""
        return self._inner.maximum

    @property
    def algorithm(self):
        """The name of the algorithm that computed the forest."""
        return self._inner.algorithm

    def __len__(self):
        return len(self.edge_ids)

    def __repr__(self):
        return f"<kostra.Forest: {_arrays.counts(self)}, total weight {self.total_weight}>"

    def labels(self):
        """The component of each vertex: an array of n integers. Takes O(n) time.

        Components are numbered from 0 in the order of their lowest vertices. The type is int32, or
        int64 for 2**31 vertices or more.

        >>> import kostra
        >>> kostra.minimum_spanning_forest([0, 3], [2, 1], n=5).labels()
        array([0, 1, 0, 1, 2], dtype=int32)
        """
        return _signed(self._inner.labels())

    def parents(self, root=..., *, names=None):
        """The forest as rooted trees: the parent per vertex, -1 for roots, as an array of n int64.

        The vertex ``root`` is the root of its tree. The root of any other tree is the tree's lowest
        vertex. ``root`` is a number or one of the names in ``nodes``; see :func:`kostra.bottleneck`
        for ``names``. Takes O(n) time.

        >>> import kostra
        >>> kostra.minimum_spanning_forest([0, 1, 3], [1, 2, 4]).parents(root=2)
        array([ 1,  2, -1, -1,  3])
        """
        if self.n == 0:
            return np.empty(0, np.int64)
        return self._inner.parents(0 if root is ... else _names.vertex("root", root, self, names))

    def to_scipy(self, *, symmetric=False):
        """The forest as an n-by-n ``scipy.sparse.csr_array`` with an entry at ``(u, v)`` per edge.

        Weights of zero are stored. With ``symmetric=True``, each edge also has an entry at ``(v,
        u)``. Weights of float16 are converted to float32, because SciPy's matrices do not support
        float16.

        >>> import kostra
        >>> kostra.minimum_spanning_forest([0, 1], [1, 2], [5, 6]).to_scipy().toarray()
        array([[0, 5, 0],
               [0, 0, 6],
               [0, 0, 0]])
        """
        from scipy import sparse

        rows, columns, data = self.u, self.v, self.weights
        if data.dtype == np.float16:
            data = data.astype(np.float32)
        if symmetric:
            rows, columns = np.concatenate([rows, columns]), np.concatenate([columns, rows])
            data = np.concatenate([data, data])
        return sparse.coo_array((data, (rows, columns)), shape=(self.n, self.n)).tocsr()

    def to_networkx(self, *, weight="weight"):
        """The forest as a ``networkx.Graph`` with all vertices and the weights as the attribute
        ``weight``.

        The graph's nodes are ``nodes``, or the numbers of the vertices if ``nodes`` is None. The
        columns in ``kept`` are attributes of edges. An edge without a value has no such attribute.
        A kept column named ``weight`` raises a ValueError.

        >>> import kostra
        >>> forest = kostra.minimum_spanning_forest([0, 1], [1, 2], [5, 6])
        >>> forest.to_networkx().edges(data="weight")
        EdgeDataView([(0, 1, 5), (1, 2, 6)])
        """
        import networkx

        graph = networkx.Graph()
        u, v = self.u.tolist(), self.v.tolist()
        if self.nodes is None:
            graph.add_nodes_from(range(self.n))
        else:
            graph.add_nodes_from(self.nodes)
            u, v = [self.nodes[vertex] for vertex in u], [self.nodes[vertex] for vertex in v]
        graph.add_weighted_edges_from(zip(u, v, self.weights.tolist()), weight=weight)
        for name, values in self.kept.items():
            if name == weight:
                raise ValueError(
                    f"two attributes would be called {name!r}; pass another name for the weights "
                    "as weight"
                )
            for a, b, value in zip(u, v, np.asarray(values).tolist()):
                if not _kept.is_missing(value):
                    graph.edges[a, b][name] = value
        return graph

    def to_pandas(self, *, weight="weight"):
        """The forest as a ``pandas.DataFrame`` with a row per edge.

        Parameters
        ----------
        weight : str
            The name of the column of weights.

        Returns
        -------
        pandas.DataFrame
            The columns are ``source``, ``target`` and ``weight``. The ends are those in ``nodes``,
            or the numbers of the vertices if ``nodes`` is None. The columns in ``kept`` follow. The
            index ``edge`` contains the edge ids, so that ``table.iloc[frame.index]`` are the rows
            of the input.

        Raises
        ------
        ImportError
            If pandas is not installed.
        ValueError
            If ``weight`` or a kept column has the name of another column.

        Examples
        --------
        >>> import kostra
        >>> forest = kostra.minimum_spanning_forest([0, 1, 2], [1, 2, 0], [7, 6, 5])
        >>> forest.to_pandas().reset_index()
           edge  source  target  weight
        0     1       1       2       6
        1     2       2       0       5
        """
        return _picture.frame(self, weight)

    def to_geopandas(self, *, weight="weight", crs=None):
        """The forest as a ``geopandas.GeoDataFrame`` with a row and a line per edge.

        Parameters
        ----------
        weight : str
            The name of the column of weights.
        crs : optional
            The coordinate reference system of ``coordinates``. By default, WGS 84 for longitudes
            and latitudes, and none for other coordinates.

        Returns
        -------
        geopandas.GeoDataFrame
            The columns and the index of :meth:`to_pandas`, and ``geometry``.

        Raises
        ------
        ImportError
            If geopandas is not installed.
        ValueError
            If the vertices have no coordinates.

        Examples
        --------
        >>> import kostra
        >>> forest = kostra.Graph.generate("road:n=100").minimum_spanning_forest()
        >>> forest.to_geopandas().geometry.iloc[0].geom_type
        'LineString'
        """
        return _picture.geoframe(self, weight, crs)

    def write(self, path, *, format=None, keep=True):
        """Writes the forest to a file, which appears whole or not at all.

        Parameters
        ----------
        path : path
            The extension decides the format: ``.csv``, ``.tsv``, ``.parquet``, ``.graphml``,
            ``.json`` (node-link), ``.dot``, ``.geojson``, ``.mtx``, ``.gr``, ``.kst``, a picture as
            ``.svg``, or ``.ids`` for one edge id per line. Text is compressed with ``.gz`` or
            ``.zst``. A file without extension holds edge ids.
        format : str, optional
            The format, if the extension does not name it.
        keep : bool
            Whether the file contains the columns in ``kept``. CSV, TSV, Parquet, GeoJSON,
            GraphML, JSON and DOT can hold them.

        Raises
        ------
        ValueError
            If no format has the extension, two nodes have the same text, or the format cannot hold
            the forest or its kept columns. GeoJSON needs longitudes and latitudes, and a picture
            needs coordinates.
        OSError
            If the file cannot be written.

        Examples
        --------
        >>> import kostra, pathlib, tempfile
        >>> forest = kostra.minimum_spanning_forest([0, 1, 2], [1, 2, 0], [7, 6, 5])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "forest.csv")
        ...     forest.write(path)
        ...     print(path.read_text(), end="")
        edge,u,v,weight
        1,1,2,6
        2,2,0,5
        """
        _picture.write(self, path, format, keep)

    def plot(self, positions=None, *, ax=None, **style):
        """Draws the edges with matplotlib, colored by component.

        Parameters
        ----------
        positions : array of n by 2 or dict, optional
            The position of each vertex, or a dictionary from nodes to positions, as layouts of
            NetworkX return it. By default, ``coordinates``.
        ax : matplotlib.axes.Axes, optional
            Where to draw. By default, the current axes.
        **style
            Properties of the ``matplotlib.collections.LineCollection``, such as ``linewidths``.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If ``positions`` does not have one row of two numbers per vertex, or there are none.

        Examples
        --------
        >>> import kostra, matplotlib.figure
        >>> forest = kostra.minimum_spanning_forest([0, 1], [1, 2], [5, 6])
        >>> ax = matplotlib.figure.Figure().subplots()
        >>> len(forest.plot([[0, 0], [1, 0], [1, 1]], ax=ax).collections)
        1
        """
        return _picture.plot(self, positions, ax, style)

    def _repr_html_(self):
        """The main figures as a table, and a drawing if there is one, for notebooks."""
        return _picture.table(self) + (self._repr_svg_() or "")

    def _repr_svg_(self):
        """A drawing, for notebooks; None without coordinates or with many edges."""
        is_small = self.coordinates is not None and len(self) <= _picture.MOST_DRAWN
        return _picture.svg(self) if is_small else None


def _restored(cls, arrays, kind, rest, kept=None):
    """Restores a forest from the arguments of ``Forest.__reduce__``."""
    ids, u, v, weights, n = arrays
    inner = _kostra.Forest.whole_of(graph_of_arrays(u, v, weights, n), ids, *kind)
    forest = cls.__new__(cls)
    Forest.__init__(forest, inner, *rest)
    forest._kept = kept
    return forest


def in_memory(forest):
    """A forest; copied to host memory if it is on a device."""
    return forest.to_host() if hasattr(forest, "to_host") else forest


def _signed(numbers):
    """An array of uint32 as int32, the type of SciPy's labels, or as int64 if it has 2**31 entries
    or more.
    """
    return numbers.view(np.int32) if numbers.size < 1 << 31 else numbers.astype(np.int64)
