"""The class :class:`DynamicForest`."""

import operator
import os

import numpy as np

from kostra import _arrays, _ids, _kostra, _matrix, _names
from kostra._forest import Forest
from kostra._graph import Graph
from kostra._tree import bottleneck_weights

_DTYPES = ("float64", "float32", "int64", "int32", "uint64", "uint32")


class DynamicForest:
    """A graph that changes, and its minimum spanning forest.

    Edges are inserted, deleted and reweighted in batches. After each batch, the forest is the one
    that :func:`minimum_spanning_forest` returns for the present edges. An edge keeps its id from
    its insertion to its deletion. Ids ascend in the order of insertion and are never used again, so
    among equal weights the edge that was inserted first wins.

    Parameters
    ----------
    graph : int, Graph, matrix, table, or graph of another library
        The number of vertices of a graph without edges. Or a graph as the first argument of
        :func:`minimum_spanning_forest`, whose edges keep their ids.
    dtype : {"float64", "float32", "int64", "int32", "uint64", "uint32"}, optional
        The type of all weights; by default, that of the graph's weights, or float64.
    maximum : bool
        Whether the forest is a maximum spanning forest.
    log : path, optional
        A new file, or an empty one, that records the graph and all updates. Each batch is on the
        disk before its method returns. :meth:`open` continues from the file, also after a crash.

    Attributes
    ----------
    nodes : list or None
        The names of the vertices. Methods take vertices by number or by name.

    Raises
    ------
    ValueError, TypeError, OSError
        If an argument is wrong, or the log exists or cannot be written. An update that is refused
        changes nothing.

    Notes
    -----
    For n vertices, inserting an edge takes O(log n) amortized time. Deleting an edge of the forest
    takes O(log n + s) time, for s edges at the smaller of the two trees that remain. A batch that
    is large enough is solved as a whole. Memory: about 50 bytes per present edge, up to 130 while
    most edges are deleted, and 130 per vertex.

    Examples
    --------
    >>> import kostra
    >>> f = kostra.DynamicForest(4)
    >>> f.insert([0, 1, 2], [1, 2, 0], [1.0, 2.0, 3.0])
    array([0, 1, 2])
    >>> f.edge_ids, f.total_weight, f.n_components
    (array([0, 1]), 3.0, 2)
    >>> f.delete(1)
    >>> f.entered, f.left
    (array([2]), array([1]))
    >>> f.bottleneck(1, 2)
    3.0
    """

    __slots__ = ("_inner", "_named", "nodes")

    def __init__(self, graph, *, dtype=None, maximum=False, log=None):
        if dtype is not None:
            dtype = _arrays.choice("dtype", np.dtype(dtype).name, _DTYPES)
        graph = _graph(graph, dtype)
        self._inner = _kostra.DynamicForest.of_graph(graph._inner, _arrays.flag("maximum", maximum))
        self.nodes = _copy(graph.nodes)
        self._named = None
        if log is not None:
            self._inner.log_to(os.fspath(log), _texts(self.nodes))

    @classmethod
    def open(cls, path):
        """Continues from the log of another forest, which records further updates.

        Parameters
        ----------
        path : path
            The log.

        Returns
        -------
        DynamicForest
            The forest after the last batch whose method returned. A batch that a crash interrupted
            is dropped, with a warning.

        Raises
        ------
        ValueError
            If the file is no log, or is damaged before its last batch.
        OSError
            If the file cannot be read, or another process uses it.
        """
        forest = cls.__new__(cls)
        forest._inner, forest.nodes, dropped = _kostra.DynamicForest.open(os.fspath(path))
        forest._named = None
        if dropped:
            _arrays.warn(f"the last batch was interrupted; {dropped} bytes of it were dropped")
        return forest

    def compact(self):
        """Rewrites the log to the present edges, in one step.

        A log grows with each batch. Afterwards it has the size of the present graph. Edges keep
        their ids, and ids are still never used again. A crash leaves the former log or the new one.

        Raises
        ------
        ValueError
            If the forest has no log.
        OSError
            If the file cannot be written. It is as it was then.
        """
        if not self._inner.has_log:
            raise ValueError("the forest has no log; pass log to DynamicForest")
        if self.nodes is not None and len(self.nodes) != self.n:
            raise ValueError(f"nodes has {len(self.nodes)} names, and the forest {self.n} vertices")
        self._inner.compact(_texts(self.nodes))

    def add_vertices(self, vertices):
        """Adds isolated vertices.

        Parameters
        ----------
        vertices : int, or names
            Their number, or for a forest with ``nodes`` their names, which must be new. A forest
            without vertices takes either.

        Returns
        -------
        array of int64
            Their numbers: the next ones.
        """
        try:
            names = None
            count = _arrays.required("vertices", operator.index(vertices), 0, 2**31)
        except TypeError:
            names = [vertices] if isinstance(vertices, str) else list(vertices)
            count = len(names)
        if names is None and self.nodes is not None:
            raise ValueError("the vertices of the forest have names; pass the names of the new ones")
        if names is not None and self.nodes is None and self.n > 0:
            raise ValueError("the vertices of the forest have no names; pass the number of new ones")
        if names is None:
            first = self._inner.add_vertices(count, None)
        else:
            known, new = self._names(), set()
            for place, name in enumerate(names):
                if name in known or name in new:
                    shown = _arrays.shown(name)
                    raise ValueError(f"vertices[{place}] is {shown}, which is the name of a vertex")
                new.add(name)
            first = self._inner.add_vertices(count, _texts(names) if self._inner.has_log else None)
            known.extend(names)
            self.nodes = known.nodes
        return np.arange(first, first + count, dtype=np.int64)

    def insert(self, u, v, w=None):
        """Inserts edges.

        Parameters
        ----------
        u, v : vertices, or arrays of vertices
            The ends of the edges.
        w : numbers, optional
            The weights; by default 1. They are converted to ``dtype``, which must hold them
            exactly.

        Returns
        -------
        array of int64
            The ids of the edges.
        """
        (u, _), (v, _) = (
            _names.vertices(name, values, self, None) for name, values in (("u", u), ("v", v))
        )
        w = np.ones(len(u), self.dtype) if w is None else self._weights("w", w)
        columns = _arrays.Columns(u, v, w, self.n)
        first, end = self._inner.insert(_arrays.graph(columns, "error", copy=False, threads=1))
        return np.arange(first, end, dtype=np.int64)

    def delete(self, ids):
        """Deletes edges.

        Parameters
        ----------
        ids : int, or array of integers
            The ids of present edges, each once.
        """
        self._inner.delete(ids_of("ids", ids, "an edge"))

    def expire(self, before):
        """Deletes all edges with ids below ``before``, the oldest ones.

        Parameters
        ----------
        before : int
            The first id that stays, such as the first one that :meth:`insert` returned for the
            oldest batch of a sliding window.

        Returns
        -------
        int
            The number of deleted edges.
        """
        return self._inner.expire(_arrays.required("before", before, 0, _ids.MAX_VERTICES))

    def reweight(self, ids, w):
        """Changes weights.

        Parameters
        ----------
        ids : int, or array of integers
            The ids of present edges, each once.
        w : number, or numbers
            The new weight of each edge.
        """
        self._inner.reweight(ids_of("ids", ids, "an edge"), self._weights("w", w))

    def _weights(self, name, values):
        """Weights as an array of ``dtype``."""
        if np.ndim(values) == 0:
            values = [values]
        array, _ = _arrays.weights(name, values)
        if array.dtype == self.dtype:
            return array
        with np.errstate(invalid="ignore", over="ignore"):
            converted = array.astype(self.dtype)
            wrong = converted.astype(array.dtype) != array
        wrong &= ~((array != array) & (self.dtype.kind == "f"))
        signs = (array < 0) != (converted < 0)
        if (wrong | signs).any():
            place = int((wrong | signs).argmax())
            raise ValueError(
                f"{name}[{place}] is {array[place]}, which {self.dtype} does not hold exactly; "
                "pass another dtype to DynamicForest"
            )
        return converted

    @property
    def n(self):
        """The number of vertices."""
        return self._inner.n

    @property
    def m(self):
        """The number of present edges."""
        return self._inner.m

    @property
    def dtype(self):
        """The type of the weights."""
        return np.dtype(self._inner.dtype)

    @property
    def maximum(self):
        """Whether the forest is a maximum spanning forest."""
        return self._inner.maximum

    @property
    def edge_ids(self):
        """The ids of the forest's edges, ascending: an array of int64."""
        return self._inner.ids(False).astype(np.int64)

    @property
    def present_ids(self):
        """The ids of all present edges, ascending: an array of int64."""
        return self._inner.ids(True).astype(np.int64)

    @property
    def entered(self):
        """The ids of the edges that the last batch brought into the forest, ascending."""
        return self._inner.changes()[0].astype(np.int64)

    @property
    def left(self):
        """The ids of the edges that the last batch took out of the forest, ascending."""
        return self._inner.changes()[1].astype(np.int64)

    @property
    def total_weight(self):
        """The sum of the forest's weights, as :attr:`Forest.total_weight`. Takes O(m) time."""
        return self._inner.total

    @property
    def n_components(self):
        """The number of components. Every isolated vertex is a component."""
        return self._inner.n_components

    def edges(self, ids=None):
        """The ends and the weights of present edges.

        Parameters
        ----------
        ids : array of integers, optional
            The ids; by default, those of the forest.

        Returns
        -------
        u, v, w : arrays
            One entry per id.
        """
        ids = self._inner.ids(False) if ids is None else ids_of("ids", ids, "an edge")
        graph = self._inner.edges(ids)
        return graph.u(), graph.v(), graph.weights()

    def forest(self):
        """A copy of the present forest, as :func:`minimum_spanning_forest` returns it.

        Returns
        -------
        Forest
            Its ``edge_ids`` are the ids in this object.
        """
        ids = self._inner.ids(False)
        inner = _kostra.Forest.whole_of(self._inner.edges(ids), ids, self.maximum, "dynamic")
        return Forest(inner, (np.dtype(np.int32),) * 2, self.dtype, _copy(self.nodes))

    def connected(self, s, t):
        """Whether a path connects ``s`` and ``t``.

        Parameters
        ----------
        s, t : vertices, or arrays of vertices
            As for :func:`kostra.bottleneck`.

        Returns
        -------
        bool or array of bool
        """
        found, one = self._path_edges(s, t)
        return bool(found[0] != -2) if one else found != -2

    def bottleneck(self, s, t):
        """The smallest weight such that edges of at most this weight connect ``s`` and ``t``.

        Parameters
        ----------
        s, t : vertices, or arrays of vertices
            As for :func:`kostra.bottleneck`.

        Returns
        -------
        float or array of float64
            As for :func:`kostra.bottleneck`. Takes O(log n) amortized time per pair.
        """
        edges, one = self._path_edges(s, t)
        found = bottleneck_weights(
            edges, self.maximum, lambda ids: self._inner.edges(ids.astype(np.uint32)).weights()
        )
        return float(found[0]) if one else found

    def _path_edges(self, s, t):
        s, t, is_one = _names.pairs(s, t, self, None)
        return self._inner.bottlenecks(s, t), is_one

    def component_size(self, vertices):
        """The number of vertices of a vertex's component.

        Parameters
        ----------
        vertices : vertex, or array of vertices
            By number, or by name if there are names.

        Returns
        -------
        int or array of int64
        """
        numbers, one = _names.vertices("vertices", vertices, self, None)
        sizes = self._inner.component_sizes(numbers)
        return int(sizes[0]) if one else sizes

    def _names(self):
        """The map from names to vertices."""
        if self._named is None or self._named.nodes is not self.nodes:
            self._named = _names.Names([] if self.nodes is None else self.nodes)
        return self._named

    def __repr__(self):
        vertices = _arrays.counted(self.n, "vertex", "vertices")
        edges = _arrays.counted(self.m, "edge", "edges")
        return f"<kostra.DynamicForest: {vertices}, {edges}, {self.dtype} weights>"


def _graph(graph, dtype):
    """The graph of the first argument, with weights of the type ``dtype``, if it is given."""
    try:
        n = operator.index(graph)
    except TypeError:
        graph = _matrix.graph_of(graph, Graph, "error", None)
        if dtype is None or graph.weights.dtype == dtype:
            return graph
        weights = graph.weights.astype(dtype)
        if not (weights == graph.weights).all():
            raise ValueError(f"{dtype} does not hold all weights of the graph exactly") from None
        converted = Graph(graph.u, graph.v, weights, graph.n)
        converted.nodes = graph.nodes
        return converted
    n = _arrays.required("graph", n, 0, 2**31)
    none = np.empty(0, np.int32)
    return Graph(none, none, np.empty(0, dtype or np.float64), n)


def _copy(nodes):
    """The names of the vertices, which grow with the forest."""
    return None if nodes is None else list(nodes)


def _texts(names):
    """Names for a log. None is no names."""
    for name in names or []:
        if not isinstance(name, str):
            raise ValueError(
                f"a log keeps names that are texts, and nodes has {_arrays.shown(name)}; "
                "set graph.nodes = None, or to texts"
            )
    _arrays.check_unicode("nodes", names or [])
    return names


def ids_of(name, ids, what):
    """Ids as an array of uint32. ``what`` is what they identify, such as ``"an edge"``."""
    array = _arrays.vector(name, [ids] if np.ndim(ids) == 0 else ids)
    if array.size == 0:
        return np.empty(0, np.uint32)
    if array.dtype.kind not in "iu":
        values = array.tolist()
        if array.dtype.kind == "O" and all(isinstance(value, int) for value in values):
            place = next(place for place, value in enumerate(values) if not 0 <= value < 2**64)
            shown = _arrays.shown(values[place])
            raise ValueError(f"{name}[{place}] is {shown}, which is not the id of {what}")
        raise TypeError(f"{name} must be integers, not {array.dtype}")
    outside = (array < 0) | (array > _ids.MAX_VERTICES)
    if outside.any():
        place = int(outside.argmax())
        raise ValueError(f"{name}[{place}] is {array[place]}, which is not the id of {what}")
    return array.astype(np.uint32)
