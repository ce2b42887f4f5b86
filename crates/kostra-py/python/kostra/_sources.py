"""Graphs from other libraries, tables, files and generators."""

from kostra import _arrays, _convert, _ids, _kept, _kostra, _read
from kostra._arrays import Columns
from kostra._lines import Lines


class Sources(Lines):
    """The constructors of :class:`kostra.Graph`."""

    __slots__ = ()

    @classmethod
    def from_scipy(cls, matrix, *, nan="error", threads=None):
        """The graph of a sparse matrix.

        Every stored entry is an edge, stored zeros included. Edge ids follow the order of storage.
        Entries that are stored twice are parallel edges; call ``matrix.sum_duplicates()`` first to
        add them, as SciPy's functions do.

        Parameters
        ----------
        matrix : sparse array or matrix of SciPy, n by n
        nan : {"error", "skip"}
            What to do with an edge of weight NaN, as for :func:`minimum_spanning_forest`.
        threads : int, optional
            The number of threads; by default, all of the machine's.

        Returns
        -------
        Graph

        Raises
        ------
        ValueError, TypeError
            If ``matrix`` is not square, not sparse, or has a wrong entry.

        Examples
        --------
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

        Parameters
        ----------
        graph : networkx.Graph or networkx.MultiGraph
        weight : hashable, optional
            The attribute of edges with the weights. An edge without it has weight 1. With None, all
            edges have weight 1. If no edge has it, but another attribute that is a number, a
            UserWarning names this one.
        nan : {"error", "skip"}
            What to do with an edge of weight NaN, as for :func:`minimum_spanning_forest`.
        threads : int, optional
            The number of threads; by default, all of the machine's.

        Returns
        -------
        Graph

        Raises
        ------
        ValueError, TypeError
            If ``graph`` is directed, a weight is not a number, or no edge has the attribute
            ``weight``, unless it is ``"weight"``.

        Examples
        --------
        >>> import kostra, networkx
        >>> roads = networkx.Graph()
        >>> roads.add_weighted_edges_from([("a", "b", 4), ("b", "c", 2), ("a", "c", 3)])
        >>> graph = kostra.Graph.from_networkx(roads)
        >>> [list(roads.edges)[edge] for edge in graph.minimum_spanning_forest().edge_ids]
        [('a', 'c'), ('b', 'c')]
        """
        return cls._of(
            _convert.networkx(graph, weight), nan, threads, weight=weight, directed=False
        )

    @classmethod
    def from_igraph(cls, graph, *, weight="weight", nan="error", threads=None):
        """The graph of an ``igraph.Graph``, with the same edge ids and vertices.

        The list ``nodes`` contains the vertices' attribute ``"name"``, if it consists of texts.

        Parameters
        ----------
        graph : igraph.Graph
        weight : str, optional
            The attribute of edges with the weights. With None, all edges have weight 1, and if the
            graph lacks the attribute ``"weight"``.
        nan : {"error", "skip"}
            What to do with an edge of weight NaN, as for :func:`minimum_spanning_forest`.
        threads : int, optional
            The number of threads; by default, all of the machine's.

        Returns
        -------
        Graph

        Raises
        ------
        ValueError, TypeError
            If ``graph`` is directed, a weight is not a number, or the graph lacks the attribute
            ``weight``, unless it is ``"weight"``.

        Examples
        --------
        >>> import kostra, igraph
        >>> triangle = igraph.Graph([(0, 1), (1, 2), (0, 2)], edge_attrs={"weight": [4, 2, 3]})
        >>> kostra.Graph.from_igraph(triangle).minimum_spanning_forest().edge_ids
        array([1, 2])
        """
        return cls._of(
            _convert.igraph(graph, weight), nan, threads, weight=weight, directed=False
        )

    @classmethod
    def from_rustworkx(cls, graph, *, weight_fn=None, nan="error", threads=None):
        """The graph of a ``rustworkx.PyGraph``.

        Edge ids are positions in ``graph.edge_list()``. Vertices are node indices. Indices of
        removed nodes, up to the highest index in use, become isolated vertices.

        Parameters
        ----------
        graph : rustworkx.PyGraph
        weight_fn : callable, optional
            Returns the weight for the data of an edge. Without it, the data are the weights; if all
            data are None, all edges have weight 1.
        nan : {"error", "skip"}
            What to do with an edge of weight NaN, as for :func:`minimum_spanning_forest`.
        threads : int, optional
            The number of threads; by default, all of the machine's.

        Returns
        -------
        Graph

        Raises
        ------
        ValueError, TypeError
            If ``graph`` is directed, or a weight is not a number.

        Examples
        --------
        >>> import kostra, rustworkx
        >>> triangle = rustworkx.PyGraph()
        >>> edges = [(0, 1, {"km": 4}), (1, 2, {"km": 2}), (0, 2, {"km": 3})]
        >>> triangle.extend_from_weighted_edge_list(edges)
        >>> graph = kostra.Graph.from_rustworkx(triangle, weight_fn=lambda data: data["km"])
        >>> graph.minimum_spanning_forest().edge_ids
        array([1, 2])
        """
        return cls._of(_convert.rustworkx(graph, weight_fn), nan, threads, directed=False)

    @classmethod
    def from_networkit(cls, graph, *, nan="error", threads=None):
        """The graph of an undirected ``networkit.Graph``.

        Edge ids are positions in ``graph.iterEdges()``. Vertices are nodes; numbers of removed
        nodes, up to the highest in use, become isolated vertices. The edges of a graph without
        weights have weight 1.

        Parameters
        ----------
        graph : networkit.Graph
        nan : {"error", "skip"}
            What to do with an edge of weight NaN, as for :func:`minimum_spanning_forest`.
        threads : int, optional
            The number of threads; by default, all of the machine's.

        Returns
        -------
        Graph

        Raises
        ------
        ValueError, TypeError
            If ``graph`` is directed, or not a graph of NetworKit.

        Examples
        --------
        >>> import kostra, networkit
        >>> triangle = networkit.Graph(3, weighted=True)
        >>> for edge in [(0, 1, 4), (1, 2, 2), (0, 2, 3)]:
        ...     _ = triangle.addEdge(*edge)
        >>> kostra.Graph.from_networkit(triangle).minimum_spanning_forest().total_weight
        5.0
        """
        return cls._of(_convert.networkit(graph), nan, threads, directed=False)

    @classmethod
    def from_edges(cls, edges, n=None, *, nan="error", relabel=False, threads=None):
        """The graph of an array with an edge per row.

        Parameters
        ----------
        edges : array of m by 2, or of m by 3
            The columns are the ends and, if there are three, the weight. Ends in an array of floats
            must be whole numbers.
        n, nan, relabel
            As for :func:`minimum_spanning_forest`.
        threads : int, optional
            The number of threads; by default, all of the machine's.

        Returns
        -------
        Graph

        Raises
        ------
        ValueError, TypeError
            If the shape or an entry is wrong.

        Examples
        --------
        >>> import kostra
        >>> graph = kostra.Graph.from_edges([[0, 1, 2.5], [1, 2, 4.0], [0, 2, 3.0]])
        >>> graph.minimum_spanning_forest().edge_ids
        array([0, 2])
        """
        columns = _convert.edges(edges)
        if _arrays.flag("relabel", relabel):
            if n is not None:
                raise TypeError("n and relabel=True exclude each other; pass one of them")
            u, v, nodes = _ids.relabeled(columns.u, columns.v, columns.names)
            columns = columns._replace(u=u, v=v, n=len(nodes), nodes=nodes)
        else:
            columns = columns._replace(n=n)
        return cls._of(columns, nan, threads)

    @classmethod
    def from_table(
        cls,
        table,
        source="source",
        target="target",
        weight=...,
        *,
        id=None,
        keep=None,
        nan="error",
        relabel=False,
        threads=None,
        vertices=None,
    ):
        """The graph of a table of pandas, Polars, Arrow or DuckDB. Every row is an edge.

        Integer ends are vertices, or with ``relabel=True`` ids. Ends of other types, such as text
        and floats, are names, numbered in sorted order. ``nodes`` lists the ids or names.

        Parameters
        ----------
        table : table
            Other libraries than pandas must export Arrow's C data interface, which does not need
            pyarrow. A column in one chunk and of one of the engine's types is used without a copy
            and must not change. Other columns are copied. A dictionary of arrays is a table, too.
        source, target : str
            The columns with the ends.
        weight : str, optional
            The column with the weights. With None, all edges have weight 1. By default, the column
            ``"weight"``. A table without it raises a ValueError, unless it has only the ends: then
            all edges have weight 1.
        id : str, optional
            The column with the ids of the edges. It is no weight, and is kept with the edges.
        keep : list of str, or "all", optional
            Further columns to keep with the edges, or all but the ends and the weight. They go with
            the edges to the forest, in
            ``kept``, :meth:`Forest.to_pandas` and :meth:`Forest.write`. They may contain any
            values, also missing ones. A query of DuckDB has no columns to keep; convert it to a
            table first.
        nan : {"error", "skip"}
            What to do with an edge of weight NaN. pandas stores missing floats as NaN.
        relabel : bool
            Whether integer ends are ids: only those that occur are vertices, in ascending order.
        threads : int, optional
            The number of threads; by default, all of the machine's.
        vertices : int, optional
            The number of vertices, for integer ends, which are the numbers from 0. By default, the
            highest end plus one, and a UserWarning gives the number of vertices without edges, if
            there are any. It excludes ``relabel``.

        Returns
        -------
        Graph

        Raises
        ------
        ValueError, TypeError
            If a column is missing, its type is wrong, or a row has no value in one of the columns
            of the ends and the weight.

        Examples
        --------
        >>> import kostra, polars
        >>> roads = polars.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "km": [2.5, 4.0]})
        >>> graph = kostra.Graph.from_table(roads, weight="km")
        >>> graph, graph.nodes
        (<kostra.Graph: 3 vertices, 2 edges, float64 weights>, ['a', 'b', 'c'])
        """
        for name, column in (("source", source), ("target", target), ("weight", weight)):
            try:
                hash(column)
            except TypeError as error:
                raise TypeError(
                    f"{name} must be the name of a column, not a {type(column).__name__}"
                ) from error
        for one, other, same in (
            ("source", "target", source == target),
            ("source", "weight", source == weight),
            ("target", "weight", target == weight),
        ):
            if same:
                raise ValueError(f"{one} and {other} name the same column")
        _convert.refuse_query(table)
        copy = _convert.arrow_exporter(table) is None
        kept = _kept.names(id, keep, (source, target, weight), _convert.labels(table))
        _kept.check_table(table, kept)
        columns, weight, end_types = _convert.table(table, source, target, weight, id)
        names = (str(source), str(target), "w" if weight is None else str(weight))
        has_integers = end_types is not None
        relabel = _arrays.flag("relabel", relabel)
        if vertices is not None and (relabel or not has_integers):
            raise ValueError("vertices needs integer ends without relabel=True; omit vertices")
        vertices = _arrays.whole("vertices", vertices, 0, _ids.MAX_VERTICES)
        if relabel and has_integers:
            u, v, nodes = _ids.relabeled(columns.u, columns.v, names)
            columns, end_types = Columns(u, v, columns.w, len(nodes), nodes), None
        elif has_integers:
            columns = columns._replace(n=vertices)
        graph = cls._of(columns._replace(names=names), nan, threads, copy, weight)
        _arrays.refuse_mask(f"column {weight!r}", graph._weight_type)
        graph._end_types = end_types or graph._end_types
        graph._kept = _kept.of_table(table, kept, graph.m)
        if graph._gaps is not None:
            graph._gaps.remedy = (
                "pass relabel=True to number only the vertices that occur, "
                "or vertices={n} to accept all vertices"
            )
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
        id=None,
        keep=None,
        header=None,
        columns=None,
        delimiter=None,
        decimal_comma=False,
        thousands=False,
        vertices=None,
        array=None,
        zeros=None,
        negatives=None,
        sheet=None,
        links=None,
        highway=None,
        bbox=None,
    ):
        """The graph of a file, plain or compressed by gzip, xz, zstd or bzip2.

        The engine reads all formats that the command reads, among them edge lists, matrices,
        spreadsheets, GraphML, GeoJSON, JSON, Parquet, ``.npy`` and ``.npz``. It recognizes the
        format by the content. The graph does not change when the file changes.

        Parameters
        ----------
        path : path
            The file.
        format : str, optional
            The format, such as ``"edges"``, ``"matrix"`` or ``"graphml"``; ``kostra solve --help``
            lists all. ``"raw:u32,u32,f32"`` reads binary rows of values of these types. By default,
            the format is recognized.
        weights : {"unit", "hash", "distance"}, optional
            The weights of a graph without weights: 1, a hash of the ends, or the distance between
            the ends. With this parameter, a file with weights raises a ValueError, and columns of
            an edge list or a Parquet file that may be weights are ignored. By default, the weights
            are those of the file, or 1 if it has none.
        nan : {"error", "skip"}
            What to do with an edge of weight NaN, as for :func:`minimum_spanning_forest`.
        names : bool
            Whether the vertices of an edge list or a Parquet file are names, even if they are
            integers. Text always is. ``nodes`` lists the names as texts, in the order of their
            first appearance.
        threads : int, optional
            The number of threads; by default, all of the machine's.
        source, target, weight : str or int, optional
            The columns of an edge list or a Parquet file, by name or by position, counted from 1.
            By default, they are recognized by names and contents; ambiguous columns raise a
            ValueError. For GraphML and JSON, ``weight`` names an attribute of the edges.
        id : str or int, optional
            The column of an edge list or a Parquet file with the ids of the edges. It is no weight,
            and is kept with the edges. For OpenStreetMap, ``"way"``.
        keep : list of str or int, or "all", optional
            Further columns to keep with the edges, all but the ends and the weight, or tags of an
            OpenStreetMap file. They go with
            the edges to the forest, in ``kept``, :meth:`Forest.to_pandas` and
            :meth:`Forest.write`.
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
        thousands : bool
            Whether the weights of an edge list have signs between thousands, as in ``1 250``,
            ``1'250`` or ``1,250``; with ``decimal_comma=True`` points, as in ``1.250,5``.
        vertices : int, optional
            The number of vertices of an edge list, which are the numbers from 0. By default, the
            vertices are those that occur: if some numbers up to the highest do not, ``nodes``
            lists the numbers that do, and ``u`` and ``v`` are positions in ``nodes``.
        array : {"matrix", "edges"}, optional
            What an array of NumPy with as many rows as columns contains.
        zeros : {"edge", "none"}, optional
            What zeros off the diagonal of a matrix are: distances of identical things, or no edges.
            By default, they raise a ValueError, unless they cannot be distances.
        negatives : {"edge", "none"}, optional
            What negative entries of a matrix and negative costs are. By default, they are weights,
            and raise a ValueError if all are one number that often means "no edge", such as -1.
        sheet : str, optional
            The sheet of a spreadsheet. By default, the only one that is not empty.
        links : {"id", "position"}, optional
            How the edges of a JSON graph name their nodes: by id, or by position, counted from 0.
            By default, a ValueError where both are possible.
        highway : list of str, optional
            The roads of an OpenStreetMap file: values of the tag ``highway``. By default, all.
        bbox : (float, float, float, float), optional
            West, south, east and north in degrees: only the nodes of an OpenStreetMap file in this
            box are vertices.

        Returns
        -------
        Graph

        Raises
        ------
        FileNotFoundError, OSError
            If the file cannot be read.
        ValueError, TypeError
            If the file is in no known format or breaks the rules of its format, or an option is
            wrong or does not apply to the format. The message gives the line or the byte.

        Warns
        -----
        UserWarning
            If some of the numbers from 0 to the highest vertex of an edge list, a Parquet file or
            an ``.npy`` file do not occur, as in a file that counts from 1. Then ``nodes`` lists
            those that occur. With ``vertices`` or ``names=True`` there is no warning.

        Notes
        -----
        A matrix of SciPy may store an entry twice, or both (i, j) and (j, i). These are parallel
        edges, and the forest contains at most one of them. SciPy's functions add entries that are
        stored twice. To add them here, too, call ``matrix.sum_duplicates()`` before
        ``scipy.sparse.save_npz``.

        Examples
        --------
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
            "names": _arrays.flag("names", names),
            "threads": threads,
            "source": source,
            "target": target,
            "weight": weight,
            "id": id,
            "keep": keep,
            "header": header,
            "columns": columns,
            "delimiter": delimiter,
            "decimal_comma": _arrays.flag("decimal_comma", decimal_comma),
            "thousands": _arrays.flag("thousands", thousands),
            "vertices": vertices,
            "array": array,
            "zeros": zeros,
            "negatives": negatives,
            "sheet": sheet,
            "links": links,
            "highway": highway,
            "bbox": bbox,
        }
        return _read.read(cls, path, options)

    @classmethod
    def generate(cls, spec):
        """A generated graph. Equal values of ``spec`` give equal graphs on every machine.

        Parameters
        ----------
        spec : str
            A generator and its parameters, such as ``"grid:side=10,seed=1"``. ``kostra generate
            --list`` lists the generators.

        Returns
        -------
        Graph

        Raises
        ------
        ValueError, TypeError
            If ``spec`` is invalid.

        Examples
        --------
        >>> import kostra
        >>> kostra.Graph.generate("grid:side=10")
        <kostra.Graph: 100 vertices, 180 edges, uint32 weights>
        """
        return cls._loaded(_kostra.generate(_arrays.text("spec", spec)))

