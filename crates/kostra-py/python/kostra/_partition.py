"""The function :func:`partition`."""

import math
import numbers
import os

import numpy as np

from kostra import _arrays, _convert, _kostra
from kostra._graph import Graph
from kostra._ids import MAX_VERTICES
from kostra._values import Value


class Partition(Value):
    """A division of the vertices of a graph into parts, as :func:`partition` returns it.

    Two partitions are equal if all their attributes are equal. Partitions can be copied and
    pickled, but are not hashable.

    Attributes
    ----------
    parts : array of n uint32
        The part of each vertex, a number from 0 to k - 1. The array is read-only.
    k : int
        The number of parts.
    edge_cut : int
        The weight of the edges between different parts.
    balance : float
        The weight of the heaviest part divided by the mean weight of a part.
    boundary_vertices : int
        The number of vertices with a neighbor in another part.
    communication_volume : int
        The number of values that parts send if every vertex sends one value to each other part that
        contains a neighbor.
    nodes : list or None
        The graph's ``nodes``: the name or the original id of each vertex; None if the vertices have
        only numbers.
    """

    __slots__ = (
        "balance",
        "boundary_vertices",
        "communication_volume",
        "edge_cut",
        "k",
        "nodes",
        "parts",
    )

    def __init__(self, figures, nodes=None):
        self.parts = figures["parts"]
        self.parts.flags.writeable = False
        self.k = figures["k"]
        self.edge_cut = figures["edge_cut"]
        self.balance = figures["balance"]
        self.boundary_vertices = figures["boundary_vertices"]
        self.communication_volume = figures["communication_volume"]
        self.nodes = nodes

    def _parts(self):
        return tuple(getattr(self, name) for name in Partition.__slots__)

    def __reduce__(self):
        figures = {name: getattr(self, name) for name in Partition.__slots__ if name != "nodes"}
        return type(self), (figures, self.nodes)

    def __len__(self):
        return len(self.parts)

    def __repr__(self):
        vertices = _arrays.counted(len(self), "vertex", "vertices")
        parts = _arrays.counted(self.k, "part", "parts")
        return (
            f"<kostra.Partition: {vertices} in {parts}, edge cut {self.edge_cut}, "
            f"balance {self.balance:.4f}>"
        )


def partition(
    graph,
    k,
    *,
    imbalance=0.03,
    preset="fast",
    seed=0,
    threads=None,
    edge_weights=None,
    vertex_weights=None,
):
    """Divides the vertices of a graph into parts of nearly equal weight, with few edges between
    different parts.

    Parameters
    ----------
    graph : Graph, path, tuple of arrays, or graph of another library
        A :class:`Graph`; a path for :meth:`Graph.read`; a tuple ``(u, v)`` or ``(u, v, w)`` of the
        ends and the weights of the edges; a sparse array or matrix of SciPy; or an undirected graph
        of NetworkX, igraph or rustworkx. Parallel edges add up. A symmetric matrix stores each edge
        twice; pass ``scipy.sparse.triu(matrix)`` to count each edge once.
    k : int
        The number of parts, from 1 to the number of vertices.
    imbalance : float
        The tolerated imbalance: with 0.03, a part has at most 1.03 times the mean weight, which is
        rounded up first. If vertices have different weights, the limit is at least what greedy
        packing needs.
    preset : {"fast", "eco"}
        ``"eco"`` takes more time for a lower cut.
    seed : int
        The seed of the random decisions, from 0 to 2**64 - 1.
    threads : int, optional
        The number of threads; by default, all of the machine's. The result does not depend on it.
    edge_weights : "graph" or array of m integers, optional
        How much each edge adds to the cut: the weights of the graph, or an array by edge id. All
        must be whole numbers from 0. By default, each edge counts as 1.
    vertex_weights : array of n integers, optional
        How much each vertex adds to its part: whole numbers from 0. By default, each vertex counts
        as 1.

    Returns
    -------
    Partition
        Its attribute ``parts`` is the part of each vertex. ``nodes`` has the names of the vertices,
        if the graph has names.

    Raises
    ------
    ValueError, TypeError
        If an argument is wrong. The message names the argument, and the edge or the vertex with a
        wrong weight.
    KeyboardInterrupt
        If Ctrl-C is pressed.

    Examples
    --------
    >>> import kostra
    >>> triangles = kostra.Graph([0, 1, 2, 3, 4, 5, 2], [1, 2, 0, 4, 5, 3, 3])
    >>> found = kostra.partition(triangles, 2)
    >>> found
    <kostra.Partition: 6 vertices in 2 parts, edge cut 1, balance 1.0000>
    >>> bool(found.parts[0] == found.parts[1] == found.parts[2] != found.parts[3])
    True
    """
    uses_graph = isinstance(edge_weights, str)
    if uses_graph:
        _arrays.choice("edge_weights", edge_weights, ("graph",))
    graph = _graph(graph, uses_graph, _arrays.threads(threads))
    graph._warn_of_gaps(True)
    if uses_graph:
        edges = _importance(graph.weights, "edge {place} has weight {value}")
    else:
        edges = _given("edge_weights", edge_weights, graph.m, "edges")
    arguments = {
        "k": _arrays.required("k", k, 1, MAX_VERTICES),
        "imbalance": _imbalance(imbalance),
        "preset": _arrays.choice("preset", preset, ("fast", "eco")),
        "seed": _arrays.required("seed", seed, 0, 2**64 - 1),
        "threads": _arrays.threads(threads),
        "edge_weights": edges,
        "vertex_weights": _given("vertex_weights", vertex_weights, graph.n, "vertices"),
    }
    return Partition(_kostra.partition(graph._inner, arguments), graph.nodes)


def _graph(graph, weighted, threads):
    """An argument as a :class:`Graph`. Its weights are converted only if ``weighted`` is true."""
    if isinstance(graph, Graph):
        return graph
    if isinstance(graph, (str, os.PathLike)):
        return Graph.read(graph, nan="error" if weighted else "skip", threads=threads)
    if isinstance(graph, tuple):
        if len(graph) not in (2, 3):
            raise ValueError(f"graph must be (u, v) or (u, v, w), not a tuple of {len(graph)} items")
        arrays = graph if weighted else graph[:2]
        return Graph(*arrays, copy=False, threads=threads)
    if hasattr(graph, "tocoo"):
        columns = _convert.scipy(graph)
        columns = columns if weighted else columns._replace(w=None)
    elif hasattr(graph, "is_multigraph"):
        columns = _convert.networkx(graph, "weight" if weighted else None)
    elif hasattr(graph, "get_edgelist"):
        columns = _convert.igraph(graph, "weight" if weighted else None)
    elif hasattr(graph, "weighted_edge_list"):
        columns = _convert.rustworkx(graph, None if weighted else lambda data: 1)
    else:
        raise TypeError(
            "graph must be a kostra.Graph, a path, a tuple of arrays, a SciPy sparse matrix, or a "
            f"graph of NetworkX, igraph or rustworkx, not {type(graph).__name__}"
        )
    return Graph._of(columns, "error", threads, copy=False)


def _imbalance(value):
    if not isinstance(value, numbers.Real):
        raise TypeError(f"imbalance must be a number, not {_arrays.shown(value)}")
    if isinstance(value, numbers.Integral) and value > 0:
        percent = int(value)
        raise ValueError(
            f"is imbalance {percent} % or {percent}00 %? pass {percent / 100} or {percent}.0"
        )
    if not (value >= 0 and math.isfinite(value)):
        raise ValueError(f"imbalance must be a number from 0, such as 0.03 for 3 %, not {value}")
    return float(value)


def _given(name, values, count, items):
    """An argument that is None or an array of ``count`` weights."""
    if values is None:
        return None
    array, _ = _arrays.weights(name, values)
    if len(array) != count:
        entries = _arrays.counted(len(array), "entry", "entries")
        raise ValueError(f"{name} has {entries}, but the graph has {count} {items}")
    return _importance(array, name + "[{place}] is {value}")


def _importance(array, wrong):
    """Weights as int64. Refuses a weight that is not a whole number from 0."""
    with np.errstate(invalid="ignore"):
        whole = (array >= 0) & (array < 2.0**63)
        if array.dtype.kind == "f":
            whole &= array == np.floor(array)
    if not whole.all():
        place = int(whole.argmin())
        message = wrong.format(place=place, value=array[place])
        raise ValueError(f"{message}; it must be a whole number from 0 to 2**63 - 1")
    return np.ascontiguousarray(array, np.int64)
