"""Forests as matrices, graphs, tables, files and pictures."""

import numpy as np

from kostra import _arrays, _kept, _optional, _picture, _rows
from kostra._values import Vertices


class Exports(Vertices):
    """The methods of :class:`kostra.Forest` that convert, write and draw it."""

    __slots__ = ()

    def __iter__(self):
        """The edges as tuples ``(source, target, weight)``, in the order of :meth:`to_numpy`. The
        ends are those in ``nodes``, or the numbers of the vertices if ``nodes`` is None.
        """
        return _rows.tuples(self)

    def __array__(self, dtype=None, copy=None):
        """The array of :meth:`to_numpy`, for ``numpy.asarray``."""
        if copy is False:
            raise ValueError("the rows of a forest are not stored; pass copy=None")
        return _rows.array(self, dtype)

    def __arrow_c_stream__(self, requested_schema=None):
        """The rows of :meth:`to_pandas`, by Arrow's C stream interface: pyarrow, Polars, DuckDB and
        other libraries take a forest as a table with the columns ``edge``, ``source``, ``target``
        and ``weight``, and those in ``kept``. The rows are copied.
        """
        return _rows.stream(self)

    def to_numpy(self, dtype=None):
        """The edges in ascending order of weight, equal weights by edge id; in descending order of
        weight for a maximum forest.

        ``numpy.asarray(forest)`` returns the same array.

        Parameters
        ----------
        dtype : dtype, optional
            The type of the array, by default float64. An object array contains integers and floats
            of Python.

        Returns
        -------
        array of k by 3, for k edges
            The columns are the first end, the second end, and the weight. The ends are numbers of
            vertices.

        Raises
        ------
        ValueError
            If the type cannot hold a number, such as an integer above 2**53 in float64.

        Examples
        --------
        >>> import kostra
        >>> kostra.minimum_spanning_forest([0, 1, 2], [1, 2, 0], [7, 6, 5]).to_numpy()
        array([[2., 0., 5.],
               [1., 2., 6.]])
        """
        return _rows.array(self, dtype)

    def to_scipy(self, *, symmetric=False):
        """The forest as a sparse matrix of SciPy.

        Parameters
        ----------
        symmetric : bool
            Whether each edge also has an entry at ``(v, u)``.

        Returns
        -------
        scipy.sparse.csr_array, n by n
            The weight of each edge at ``(u, v)``. Weights of zero are stored. Weights of float16
            are converted to float32, because SciPy's matrices do not support float16.

        Raises
        ------
        ImportError
            If SciPy is not installed.

        Examples
        --------
        >>> import kostra
        >>> kostra.minimum_spanning_forest([0, 1], [1, 2], [5, 6]).to_scipy().toarray()
        array([[0, 5, 0],
               [0, 0, 6],
               [0, 0, 0]])
        """
        sparse = _optional.module("scipy.sparse", "to_scipy")
        rows, columns, data = self.u, self.v, self.weights
        if data.dtype == np.float16:
            data = data.astype(np.float32)
        if _arrays.flag("symmetric", symmetric):
            rows, columns = np.concatenate([rows, columns]), np.concatenate([columns, rows])
            data = np.concatenate([data, data])
        return sparse.coo_array((data, (rows, columns)), shape=(self.n, self.n)).tocsr()

    def to_networkx(self, *, weight="weight"):
        """The forest as a ``networkx.Graph``.

        Parameters
        ----------
        weight : str
            The name of the attribute with the weights.

        Returns
        -------
        networkx.Graph
            The nodes are ``nodes``, or the numbers of the vertices if ``nodes`` is None; isolated
            vertices are included. The columns in ``kept`` are attributes of edges. An edge without
            a value has no such attribute.

        Raises
        ------
        ImportError
            If NetworkX is not installed.
        ValueError
            If a kept column has the name ``weight``, or two vertices have the same name.

        Examples
        --------
        >>> import kostra
        >>> forest = kostra.minimum_spanning_forest([0, 1], [1, 2], [5, 6])
        >>> forest.to_networkx().edges(data="weight")
        EdgeDataView([(0, 1, 5), (1, 2, 6)])
        """
        networkx = _optional.module("networkx", "to_networkx")
        kept = self._attributes(weight)
        weights = kept.pop(weight)
        graph = networkx.Graph()
        u, v = self.u.tolist(), self.v.tolist()
        if self.nodes is None:
            graph.add_nodes_from(range(self.n))
        else:
            graph.add_nodes_from(self.nodes)
            if len(graph) < self.n:
                raise ValueError("two vertices have the same name in nodes; rename one of them")
            u, v = _rows.named(self, self.u), _rows.named(self, self.v)
        graph.add_weighted_edges_from(zip(u, v, weights), weight=weight)
        for name, values in kept.items():
            for a, b, value in zip(u, v, values):
                if not _kept.is_missing(value):
                    graph.edges[a, b][name] = value
        return graph

    def to_igraph(self, *, weight="weight"):
        """The forest as an ``igraph.Graph``.

        Parameters
        ----------
        weight : str
            The name of the attribute of edges with the weights.

        Returns
        -------
        igraph.Graph
            The vertices and the edges have the order of the forest. The columns in ``kept`` are
            attributes of edges. The ``nodes`` are the attribute ``name`` of vertices, if they are
            texts, and otherwise ``node``.

        Raises
        ------
        ImportError
            If igraph is not installed.
        ValueError
            If a kept column has the name ``weight``.

        Examples
        --------
        >>> import kostra
        >>> forest = kostra.minimum_spanning_forest([0, 1], [1, 2], [5, 6])
        >>> forest.to_igraph().es["weight"]
        [5, 6]
        """
        igraph = _optional.module("igraph", "to_igraph")
        attributes = self._attributes(weight)
        nodes = self.nodes
        named = nodes is not None and all(isinstance(node, str) for node in nodes)
        return igraph.Graph(
            self.n,
            np.column_stack([self.u, self.v]).tolist(),
            edge_attrs=attributes,
            vertex_attrs={} if nodes is None else {"name" if named else "node": nodes},
        )

    def to_rustworkx(self, *, weight="weight"):
        """The forest as a ``rustworkx.PyGraph``.

        Parameters
        ----------
        weight : str
            The key of the weight, where the data of an edge is a dictionary.

        Returns
        -------
        rustworkx.PyGraph
            The data of a node is its entry in ``nodes``, or its number if ``nodes`` is None. The
            data of an edge is its weight. If the forest has columns in ``kept``, it is a dictionary
            of the weight and these.

        Raises
        ------
        ImportError
            If rustworkx is not installed.
        ValueError
            If a kept column has the name ``weight``.

        Examples
        --------
        >>> import kostra
        >>> forest = kostra.minimum_spanning_forest([0, 1], [1, 2], [5, 6])
        >>> forest.to_rustworkx().weighted_edge_list()
        WeightedEdgeList[(0, 1, 5), (1, 2, 6)]
        """
        rustworkx = _optional.module("rustworkx", "to_rustworkx")
        attributes = self._attributes(weight)
        data = attributes[weight]
        if len(attributes) > 1:
            data = [dict(zip(attributes, row)) for row in zip(*attributes.values())]
        graph = rustworkx.PyGraph(multigraph=False)
        graph.add_nodes_from(list(range(self.n)) if self.nodes is None else self.nodes)
        graph.add_edges_from(list(zip(self.u.tolist(), self.v.tolist(), data)))
        return graph

    def to_networkit(self):
        """The forest as a weighted ``networkit.Graph``, whose nodes are the numbers of the
        vertices.

        Returns
        -------
        networkit.Graph

        Raises
        ------
        ImportError
            If networkit is not installed.
        ValueError
            If a weight is an integer that NetworKit's float64 would round.

        Examples
        --------
        >>> import kostra
        >>> forest = kostra.minimum_spanning_forest([0, 1], [1, 2], [5, 6])
        >>> forest.to_networkit().totalEdgeWeight()
        11.0
        """
        networkit = _optional.module("networkit", "to_networkit")
        _rows.refuse_rounded("weights", self.weights, np.dtype(np.float64))
        graph = networkit.Graph(self.n, weighted=True)
        for u, v, weight in zip(self.u.tolist(), self.v.tolist(), self.weights.tolist()):
            graph.addEdge(u, v, weight)
        return graph

    def _attributes(self, weight):
        """The weights, under this name, and the columns in ``kept``, as lists."""
        kept = self.kept
        if weight in kept:
            raise ValueError(
                f"two attributes would be called {weight!r}; pass another name for the weights as "
                "weight"
            )
        return {weight: self.weights.tolist()} | {
            name: _arrays.listed(np.asarray(values)) for name, values in kept.items()
        }

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

        The line is that of the input, if :meth:`Graph.from_geopandas` or a file has it, or else
        straight.

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
            ``.json`` (node-link), ``.dot``, ``.geojson``, ``.mtx``, ``.gr``, ``.kst``, or ``.ids``
            for one edge id per line. ``.nwk`` is Newick: each tree from its lowest vertex, with its
            weights as lengths of branches. ``.svg``, ``.png`` and ``.html`` (a page that pans and
            zooms) are pictures, with one color per component and the ten heaviest edges marked;
            vertices without coordinates get a layout. Text is compressed with ``.gz`` or ``.zst``.
            A file without extension holds edge ids.
        format : str, optional
            The format, if the extension does not name it.
        keep : bool
            Whether the file contains the columns in ``kept``. CSV, TSV, Parquet, GeoJSON,
            GraphML, JSON and DOT can hold them.

        Raises
        ------
        ValueError
            If no format has the extension, two nodes have the same text, or the format cannot hold
            the forest or its kept columns. GeoJSON needs longitudes and latitudes, and Newick
            finite weights.
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

        Up to 50 vertices have the names in ``nodes`` at their positions.

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
        drawing = self._repr_svg_() or ""
        return _picture.table(self) + f'<div style="max-width:480px">{drawing}</div>'

    def _repr_svg_(self):
        """A drawing, for notebooks; None without coordinates or with more than 5000 edges."""
        is_small = self.coordinates is not None and len(self) <= _picture.MOST_DRAWN
        return _picture.draw(self, "svg").decode() if is_small else None
