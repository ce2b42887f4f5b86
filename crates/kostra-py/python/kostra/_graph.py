"""The class :class:`Graph`."""

import numpy as np

from kostra import _arrays, _device, _ids, _kostra, _picture, _ties
from kostra._arrays import Columns
from kostra._forest import Forest
from kostra._kept import Kept
from kostra._sources import Sources
from kostra._values import restored_graph

#: Why a graph is refused where edges have directions.
UNDIRECTED = "the edges of graph have no directions; pass (u, v, w), with edges from u to v"


class Graph(Sources):
    """An undirected weighted multigraph.

    Edge ``i`` connects ``u[i]`` and ``v[i]`` and has weight ``w[i]``. Two graphs are equal if their
    edges, numbers of vertices, ``nodes``, ``coordinates`` and ``kept`` are equal. Graphs can be
    copied and pickled, but are not hashable.

    Parameters
    ----------
    u, v, w, n, nan, relabel
        As for :func:`minimum_spanning_forest`, but the arrays must be in host memory.
    copy : bool
        Whether the arrays are copied, so that they may change afterwards. With False, arrays of the
        engine's types are used without a copy and must not change.
    threads : int, optional
        The number of threads; by default, all of the machine's.

    Attributes
    ----------
    geographic : bool
        Whether ``coordinates`` are longitude and latitude.
    notes : list of str
        Notes and warnings from reading a file, one sentence each.

    Raises
    ------
    ValueError, TypeError
        If an argument is wrong. The message names the argument and the position of the wrong entry.

    Examples
    --------
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
        "_kept",
        "_lines",
        "_weight_type",
        "_coordinates",
        "_nodes",
        "_similarity",
        "_undirected",
        "geographic",
        "notes",
    )

    def __init__(
        self, u, v, w=None, n=None, *, nan="error", relabel=False, copy=True, threads=None
    ):
        _arrays.refuse_other_labels(u, v, w)
        columns = Columns(u, v, w, n)
        if _arrays.flag("relabel", relabel):
            if n is not None:
                raise TypeError("n and relabel=True exclude each other; pass one of them")
            u, v, nodes = _ids.relabeled(u, v)
            columns = Columns(u, v, w, len(nodes), nodes)
        self._fill(columns, nan, copy, threads)
        _arrays.refuse_mask("w", self._weight_type)

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
            Columns(u, v, w, _arrays.whole("n", n, 0, _ids.MAX_VERTICES), names=names),
            _arrays.choice("nan", nan, ("error", "skip")),
            _arrays.flag("copy", copy),
            _arrays.threads(threads),
        )
        self._end_types = (u.dtype, v.dtype)
        self._weight_type = dtype
        skips_nan = nan == "skip" and w is not None and w.dtype.kind == "f"
        self._gaps = _ids.Gaps(skips_nan and bool(np.isnan(w).any())) if n is None else None
        self._kept = None
        self._lines = None
        self._nodes = nodes
        self._coordinates = None
        self._similarity = None
        self._undirected = None
        self.geographic = False
        self.notes = []

    @classmethod
    def _of(cls, columns, nan, threads, copy=True, weight=None, directed=True):
        """The graph of columns, whose weights have the name ``weight``. If not ``directed``, which
        end of an edge is the first one means nothing.
        """
        graph = cls.__new__(cls)
        graph._fill(columns, nan, copy, threads)
        if not directed:
            graph._undirected = UNDIRECTED
        if isinstance(weight, str) and _kostra.is_similarity(weight):
            graph._similarity = weight
        return graph

    @classmethod
    def _loaded(cls, loaded):
        graph = cls.__new__(cls)
        graph._inner, graph._coordinates = loaded["graph"], loaded.get("coordinates")
        graph.geographic = loaded.get("geographic", False)
        graph._nodes, graph.notes = loaded.get("names"), loaded.get("notes", [])
        graph._end_types = (np.dtype(np.int32),) * 2
        graph._weight_type = graph._inner.weights().dtype
        graph._gaps = None
        graph._similarity = loaded.get("similarity")
        graph._undirected = loaded.get("undirected")
        graph._kept = None if loaded.get("kept") is None else Kept(loaded["kept"])
        graph._lines = loaded.get("lines")
        return graph

    def _parts(self):
        return self.n, self.u, self.v, self.weights, self.nodes, self.coordinates, self._kept

    def __reduce__(self):
        inner = self._inner
        arrays = inner.u(), inner.v(), inner.weights(), inner.n
        rest = {name: getattr(self, name) for name in Graph.__slots__ if name != "_inner"}
        return restored_graph, (type(self), arrays, rest)

    def write(self, path, *, format=None, keep=True):
        """Writes all edges to a file, which appears whole or not at all.

        Parameters
        ----------
        path, format, keep
            As for :meth:`Forest.write`, without pictures. ``.kst`` is the format that is read
            fastest.

        Raises
        ------
        ValueError, OSError
            As for :meth:`Forest.write`.

        Examples
        --------
        >>> import kostra, pathlib, tempfile
        >>> graph = kostra.Graph([0, 1], [1, 2], [7, 6])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "graph.kst")
        ...     graph.write(path)
        ...     kostra.Graph.read(path) == graph
        True
        """
        _picture.write(self, path, format, keep)

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

    @property
    def kept(self):
        """The kept columns: a dictionary from names to arrays of length m, empty without any.

        :meth:`read` and :meth:`from_table` keep the columns ``id`` and ``keep``.
        """
        return {} if self._kept is None else self._kept.arrays()

    def __repr__(self):
        vertices = _arrays.counted(self.n, "vertex", "vertices")
        edges = _arrays.counted(self.m, "edge", "edges")
        return f"<kostra.Graph: {vertices}, {edges}, {self._weight_type} weights>"

    def minimum_spanning_forest(
        self,
        *,
        maximum=False,
        threads=None,
        device="auto",
        algorithm="auto",
        parts=None,
        ties=None,
    ):
        """The minimum spanning forest.

        Parameters
        ----------
        maximum, threads, device, algorithm, parts, ties
            As for :func:`kostra.minimum_spanning_forest`.

        Returns
        -------
        Forest

        Raises
        ------
        ValueError, TypeError, DeviceError, KeyboardInterrupt
            As for :func:`kostra.minimum_spanning_forest`.
        """
        device = _device.check_any(device)
        self._warn_of_gaps(self.n > self.m + 1)
        options = {
            "maximum": _arrays.flag("maximum", maximum),
            "threads": _arrays.threads(threads),
            "device": device,
            "algorithm": _arrays.text("algorithm", algorithm),
            "parts": _arrays.parts(parts, self.n),
        }
        if not maximum:
            self._warn_of_similarity()
        inner = (
            self._inner.solve(options) if ties is None else _ties.solve(self, ties, options)
        )
        self._warn_of_gaps(inner.n_components > 1)
        return self._forest_of(inner)

    def _forest_of(self, inner):
        """A forest of this graph, which the engine has found."""
        forest = Forest(inner, self._end_types, self._weight_type, self._nodes)
        forest._coordinates, forest.geographic = self._coordinates, self.geographic
        forest._kept = None if self._kept is None else self._kept.pick(forest.edge_ids)
        if self._lines is not None:
            forest._lines = [self._lines[edge] for edge in forest.edge_ids.tolist()]
        return forest

    def _warn_of_similarity(self):
        """Warns once about weights that are greater where vertices are nearer."""
        if self._similarity is not None:
            name, self._similarity = self._similarity, None
            _arrays.warn(
                f"the weights are {name!r}, and a minimum spanning forest keeps the least; pass "
                "maximum=True if the greatest are meant"
            )

    def _warn_of_gaps(self, is_unconnected):
        """Warns once about vertices without edges. A connected graph has none."""
        if self._gaps is not None and is_unconnected:
            gaps, self._gaps = self._gaps, None
            gaps.warn(self._inner.u(), self._inner.v(), self.n)
