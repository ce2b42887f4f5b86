"""The function :func:`steiner_tree`."""

import numbers

import numpy as np

from kostra import _arrays, _kostra, _names
from kostra._alternatives import _Named
from kostra._partition import _graph
from kostra._values import Value


class SteinerTree(Value):
    """A cheap tree that joins some vertices of a graph, as :func:`steiner_tree` returns it.

    Two trees are equal if all their attributes are equal. Trees can be copied and pickled, but are
    not hashable.

    Attributes
    ----------
    edge_ids : array of int64
        The ids of the edges, ascending: positions in the edges of the graph. The array is
        read-only.
    total_weight : int or float
        The sum of the weights of the edges.
    lower_bound : int or float
        No tree that joins the terminals has a lower total.
    gap : float
        The share of the bound by which the total is above it. With 0, no tree is lighter.
    complete : bool
        Whether the search ended by itself, and not at the time limit.
    first_weight : int or float
        The total of the first tree, Mehlhorn's, which is at most twice the least.
    start_weight : int or float
        The total of the tree from which the local search started.
    """

    __slots__ = (
        "complete",
        "edge_ids",
        "first_weight",
        "gap",
        "lower_bound",
        "start_weight",
        "total_weight",
    )

    def __init__(self, figures):
        for name in SteinerTree.__slots__:
            setattr(self, name, figures[name])
        self.edge_ids.flags.writeable = False

    def _parts(self):
        return tuple(getattr(self, name) for name in SteinerTree.__slots__)

    def __reduce__(self):
        return type(self), ({name: getattr(self, name) for name in SteinerTree.__slots__},)

    def __len__(self):
        return len(self.edge_ids)

    def __repr__(self):
        edges = _arrays.counted(len(self), "edge", "edges")
        return (
            f"<kostra.SteinerTree: {edges}, total weight {self.total_weight}, "
            f"at least {self.lower_bound}>"
        )


def steiner_tree(graph, terminals, *, rounds=64, time_limit=None, threads=None):
    """A cheap tree that joins some vertices of a graph, the terminals, over other vertices or not.

    The problem is NP-hard, so the tree may be heavier than the lightest. A lower bound says by how
    much at most.

    Parameters
    ----------
    graph : Graph, path, tuple of arrays, or graph of another library
        As for :func:`partition`. The weights are costs, and must not be negative.
    terminals : sequence of vertices
        The vertices to join. They are given by number or, if the graph has ``nodes``, by name.
    rounds : int
        The most rounds of the search after the first improvements; 0 for none.
    time_limit : float, optional
        The search ends after this number of seconds, with the best tree so far. Without a limit,
        the tree is the same on any machine and for any number of threads.
    threads : int, optional
        The number of threads; by default, all of the machine's.

    Returns
    -------
    SteinerTree
        Its attribute ``edge_ids`` has the edges. Every leaf of the tree is a terminal.

    Raises
    ------
    ValueError, TypeError
        If an argument is wrong, a weight is negative or infinite, or no tree joins the terminals.
    KeyboardInterrupt
        If Ctrl-C is pressed.

    Examples
    --------
    >>> import kostra
    >>> graph = kostra.Graph([0, 1, 2, 0, 1, 2], [1, 2, 0, 3, 3, 3], [5, 5, 5, 3, 3, 3])
    >>> tree = kostra.steiner_tree(graph, [0, 1, 2])
    >>> tree
    <kostra.SteinerTree: 3 edges, total weight 9, at least 9>
    >>> tree.edge_ids
    array([3, 4, 5])
    """
    if time_limit is not None:
        if not isinstance(time_limit, numbers.Real) or isinstance(time_limit, bool):
            raise TypeError(f"time_limit must be a number, not {_arrays.shown(time_limit)}")
        if not time_limit >= 0:
            raise ValueError(f"time_limit must be a number of seconds from 0, not {time_limit}")
        time_limit = float(time_limit)
    rounds = _arrays.required("rounds", rounds, 0, 2**32 - 1)
    threads = _arrays.threads(threads)
    graph = _graph(graph, True, threads)
    vertices, _ = _names.vertices("terminals", terminals, _Named(graph), None)
    vertices = np.atleast_1d(vertices).astype(np.uint32)
    return SteinerTree(
        _kostra.steiner_tree(graph._inner, vertices, (rounds, time_limit), threads)
    )
