"""The function :func:`arborescence`."""

import os

import numpy as np

from kostra import _arrays, _convert, _kostra, _names
from kostra._alternatives import _Named
from kostra._graph import Graph
from kostra._values import Value


class Arborescence(Value):
    """The minimum (or maximum) spanning forest of a directed graph, as :func:`arborescence` returns
    it.

    Two forests are equal if all their attributes are equal. Forests can be copied and pickled, but
    are not hashable.

    Attributes
    ----------
    edge_ids : array of int64
        The ids of the edges, ascending: positions in the edges of the graph. The array is
        read-only, and so is ``roots``.
    roots : array of int64
        The vertices to which no edge of the forest leads, ascending: the root of each tree.
    total_weight : int or float
        The sum of the weights of the edges.
    """

    __slots__ = ("edge_ids", "roots", "total_weight")

    def __init__(self, figures):
        for name in Arborescence.__slots__:
            setattr(self, name, figures[name])
        self.edge_ids.flags.writeable = False
        self.roots.flags.writeable = False

    def _parts(self):
        return tuple(getattr(self, name) for name in Arborescence.__slots__)

    def __reduce__(self):
        return type(self), ({name: getattr(self, name) for name in Arborescence.__slots__},)

    def __len__(self):
        return len(self.edge_ids)

    def __repr__(self):
        edges = _arrays.counted(len(self), "edge", "edges")
        trees = "one tree" if len(self.roots) == 1 else f"{len(self.roots)} trees"
        return f"<kostra.Arborescence: {edges}, {trees}, total weight {self.total_weight}>"


def arborescence(graph, roots=None, *, maximum=False):
    """The minimum spanning forest of a directed graph: a minimum spanning arborescence, or several.

    Parameters
    ----------
    graph : Graph, path, tuple of arrays, SciPy sparse matrix, or directed graph of NetworkX
        Edge i leads from ``u[i]`` to ``v[i]``. A tuple is (u, v) or (u, v, w). A path is read as
        :meth:`Graph.read` does. An entry of a matrix leads from its row to its column. The edges of
        a graph of NetworkX are those of ``graph.edges``, in order, and a missing weight is 1.
    roots : vertex, or sequence of vertices, optional
        A tree leads from each of them, and every vertex is in a tree. They are given by number or,
        if the graph has ``nodes``, by name. By default, there are as few trees as possible, and
        their roots are chosen so that the total weight is least.
    maximum : bool
        Whether to find the forest of the greatest total weight.

    Returns
    -------
    Arborescence
        Its attributes are ``edge_ids``, ``roots`` and ``total_weight``.

    Raises
    ------
    ValueError, TypeError
        If an argument is wrong, the edges have no directions, a weight is infinite or NaN, or no
        path leads from the roots to some vertex.
    KeyboardInterrupt
        If Ctrl-C is pressed.

    Notes
    -----
    Comparisons are exact, also for floats. Takes O(m log n) time, on one thread. Of several best
    forests, the answer is the one that grows from its first root by the lowest edge ids.

    Examples
    --------
    >>> import kostra
    >>> found = kostra.arborescence(([0, 0, 1, 2], [1, 2, 2, 1], [5, 7, 1, 2]))
    >>> found
    <kostra.Arborescence: 2 edges, one tree, total weight 6>
    >>> found.edge_ids, found.roots
    (array([0, 2]), array([0]))
    """
    maximum = _arrays.flag("maximum", maximum)
    graph = _directed(graph)
    if roots is None:
        vertices = np.empty(0, np.uint32)
    else:
        vertices, _ = _names.vertices("roots", roots, _Named(graph), None)
        vertices = np.atleast_1d(vertices).astype(np.uint32)
        if vertices.size == 0:
            raise ValueError("roots has no vertex; pass None to let the roots be chosen")
    return Arborescence(_kostra.arborescence(graph._inner, vertices, maximum))


def _directed(graph):
    """An argument as a :class:`Graph` whose edges lead from ``u`` to ``v``."""
    if isinstance(graph, (str, os.PathLike)):
        graph = Graph.read(graph)
    if isinstance(graph, Graph):
        if graph._undirected is not None:
            raise ValueError(graph._undirected)
        return graph
    if isinstance(graph, tuple):
        if len(graph) not in (2, 3):
            raise ValueError(f"graph must be (u, v) or (u, v, w), not a tuple of {len(graph)} items")
        return Graph(*graph, copy=False)
    if hasattr(graph, "tocoo"):
        return Graph.from_scipy(graph)
    if hasattr(graph, "is_multigraph"):
        if not graph.is_directed():
            raise ValueError("graph is undirected; pass graph.to_directed() for edges both ways")
        columns = _convert.networkx(graph, "weight", directed=True)
        return Graph._of(columns, "error", None, copy=False)
    raise TypeError(
        "graph must be a kostra.Graph, a path, a tuple of arrays, a SciPy sparse matrix, or a "
        f"directed graph of NetworkX, not {type(graph).__name__}"
    )
