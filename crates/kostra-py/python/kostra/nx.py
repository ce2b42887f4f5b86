"""A NetworkX backend for spanning trees.

Call ``nx.minimum_spanning_tree(G, backend="kostra")``. To use the backend without changes to calls,
set ``nx.config.backend_priority = ["kostra"]`` or the environment variable
``NETWORKX_BACKEND_PRIORITY=kostra``.

Results are NetworkX graphs with all attributes and the keys of multigraphs. For every
``algorithm``, equal weights are ordered by position in ``G.edges``. Edges are returned in ascending
order of weight (descending for a maximum), as by NetworkX's Kruskal. Edges of infinite weight are
used for every ``algorithm``, Borůvka's included.

Weights may have any type that NetworkX accepts, such as ``Fraction``, ``Decimal`` and integers of
more than 64 bits. They are not rounded.

Each function takes the number of threads, too: ``nx.minimum_spanning_tree(G, backend="kostra",
threads=2)``.
"""

import contextlib
import gc
from itertools import chain, compress
from math import isnan
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from kostra import _kostra, _optional
from kostra._graph import Graph
from kostra._solve import minimum_spanning_forest

__all__ = ["KostraGraph", "backend"]

networkx = _optional.module("networkx", "kostra.nx")

# For graphs with fewer edges, the conversion takes longer than NetworkX's own algorithm.
_SMALL = 200


@contextlib.contextmanager
def _without_collections():
    """Pauses garbage collection.

    While many tuples are created, collections free nothing and take longer than the creation.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _is_of_dictionaries(graph):
    """Whether a graph stores its edges in plain dictionaries, which views do not."""
    adjacency = graph._adj
    if type(adjacency) is not dict or set(map(type, adjacency.values())) - {dict}:
        return False
    keyed = (
        chain.from_iterable(map(dict.values, adjacency.values())) if graph.is_multigraph() else ()
    )
    return not set(map(type, keyed)) - {dict}


def _adjacency(graph):
    """The edges by node and neighbor, as dictionaries with the original attributes."""
    if _is_of_dictionaries(graph):
        return graph._adj
    edges = dict if graph.is_multigraph() else lambda attributes: attributes
    return {
        node: {neighbor: edges(between) for neighbor, between in neighbors.items()}
        for node, neighbors in graph._adj.items()
    }


class KostraGraph:
    """A NetworkX graph, converted for the backend: edges as arrays, in the order of ``G.edges``."""

    __networkx_backend__ = "kostra"

    def __init__(self, original):
        self.original = original
        self._multigraph = original.is_multigraph()
        adjacency = _adjacency(original)
        self.nodes = list(adjacency)
        # Whether every node equals its position.
        self._numbered = set(map(type, self.nodes)) <= {int} and self.nodes == list(
            range(len(self.nodes))
        )
        degrees = np.fromiter(map(len, adjacency.values()), np.int64, len(adjacency))
        arcs = int(degrees.sum())
        u = np.repeat(np.arange(len(self.nodes), dtype=np.int32), degrees)
        v = self._numbers(adjacency, arcs)
        # Each edge is stored at both ends. The first occurrence is used.
        first = u <= v
        u, v = u[first], v[first]
        data = list(
            compress(chain.from_iterable(map(dict.values, adjacency.values())), first.tolist())
        )
        if self._multigraph:
            parallel = np.fromiter(map(len, data), np.int64, len(data))
            u, v = np.repeat(u, parallel), np.repeat(v, parallel)
            self.keys = list(chain.from_iterable(data))
            data = list(chain.from_iterable(map(dict.values, data)))
        else:
            self.keys = None
        self.u, self.v, self.data = u, v, data
        self._weighted = {}

    def _numbers(self, adjacency, arcs):
        """The numbers of all neighbors of all nodes."""
        if self._numbered:
            # A key may equal a number but have another type. NumPy converts it to the number or
            # raises TypeError.
            with contextlib.suppress(TypeError):
                return np.fromiter(chain.from_iterable(adjacency.values()), np.int32, arcs)
        numbers = {node: number for number, node in enumerate(self.nodes)}
        return np.fromiter(
            map(numbers.__getitem__, chain.from_iterable(adjacency.values())), np.int32, arcs
        )

    def named(self, numbers):
        """The nodes with the numbers ``numbers``."""
        return (
            numbers.tolist()
            if self._numbered
            else _kostra.pick(self.nodes, numbers.astype(np.int64))
        )

    def is_directed(self):
        """Whether edges have directions: never."""
        return False

    def is_multigraph(self):
        """Whether the graph is a multigraph, with keys for parallel edges."""
        return self._multigraph

    def edge(self, number):
        """An edge in the form of NetworkX's messages."""
        ends = self.nodes[self.u[number]], self.nodes[self.v[number]]
        return (
            (*ends, self.data[number])
            if self.keys is None
            else (*ends, self.keys[number], self.data[number])
        )

    def weighted(self, weight):
        """The graph with the attribute ``weight`` as weights, 1 if missing, and the ids of NaN
        edges.
        """
        found = self._weighted.get(weight)
        if found is None:
            values, nan = self._weights(weight)
            found = (Graph(self.u, self.v, values, len(self.nodes), nan="skip", copy=False), nan)
            self._weighted[weight] = found
        return found

    def _weights(self, weight):
        try:
            values = list(map(itemgetter(weight), self.data))
        except KeyError:
            values = [attributes.get(weight, 1) for attributes in self.data]
        try:
            array = np.array(values) if values else np.empty(0)
        except (ValueError, OverflowError):
            array = np.array(values, dtype=object)
        if array.ndim != 1 or array.dtype.kind not in "iufb" or _is_rounded(array, values):
            array = _ranks(values)
        return array, (
            np.flatnonzero(np.isnan(array)) if array.dtype.kind == "f" else np.empty(0, np.int64)
        )


def _is_rounded(array, values):
    """Whether integers of 2**53 or more became floats, or the type has more than 64 bits."""
    if array.dtype.itemsize > 8:
        return True
    if array.dtype.kind != "f":
        return False
    large = np.flatnonzero(np.abs(array) >= 2.0**53)
    return any(isinstance(values[edge], int) for edge in large.tolist())


def _ranks(values):
    """The rank of each value as a float, for any comparable numbers. The rank of NaN is NaN."""
    ranks = np.full(len(values), np.nan)
    numbers = [edge for edge, value in enumerate(values) if not isnan(value)]
    rank, previous = 0.0, None
    for edge in sorted(numbers, key=values.__getitem__):
        if previous is not None and values[edge] != previous:
            rank += 1
        ranks[edge], previous = rank, values[edge]
    return ranks


class _Query(NamedTuple):
    """The forest that a call asks for, by the arguments of NetworkX's functions."""

    minimum: bool
    weight: object
    ignore_nan: bool
    partition: object = None
    threads: object = None


def _forest(graph, query):
    """The edge ids of a spanning forest, in the order of Kruskal's algorithm."""
    weighted, nan = graph.weighted(query.weight)
    if len(nan) and not query.ignore_nan:
        raise ValueError(f"NaN found as an edge weight. Edge {graph.edge(nan[0])}")
    if query.partition is not None:
        return _partitioned(graph, weighted, nan, query)
    forest = weighted.minimum_spanning_forest(
        maximum=not query.minimum, threads=query.threads
    )
    return forest.edge_ids[forest._inner.in_order()]


def _partitioned(graph, weighted, nan, query):
    """As :func:`_forest` with a partition: included edges are first, and excluded edges are
    skipped.
    """
    from networkx.algorithms.tree.mst import EdgePartition

    states = [attributes.get(query.partition) for attributes in graph.data]
    usable = np.fromiter(
        (state != EdgePartition.EXCLUDED for state in states), np.bool_, len(states)
    )
    usable[nan] = False
    edges = np.flatnonzero(usable)
    included = np.fromiter(
        (states[edge] == EdgePartition.INCLUDED for edge in edges), np.bool_, len(edges)
    )
    _, ranks = np.unique(weighted.weights[edges], return_inverse=True)
    ranks = ranks if query.minimum else -ranks
    ranks[included] = -len(edges) - 1
    forest = minimum_spanning_forest(
        graph.u[edges], graph.v[edges], ranks, len(graph.nodes), threads=query.threads
    )
    return edges[forest.edge_ids[forest._inner.in_order()]]


def _edges(graph, query, keys, data):
    """Yields edges in the form of NetworkX's functions."""
    found = _forest(graph, query)
    with _without_collections():
        columns = [graph.named(graph.u[found]), graph.named(graph.v[found])]
        if keys and graph.keys is not None:
            columns.append(_kostra.pick(graph.keys, found))
        if data:
            columns.append(_kostra.pick(graph.data, found))
        edges = list(zip(*columns))
    yield from edges


def _tree(graph, query):
    """A spanning forest as a graph of the input's class, with all nodes and attributes."""
    original = graph.original
    edges = _edges(graph, query, keys=True, data=True)
    tree = original.__class__()
    tree.graph.update(original.graph)
    with _without_collections():
        if type(original) is networkx.Graph:
            _fill(tree, original, edges)
        else:
            tree.add_nodes_from(original.nodes.items())
            tree.add_edges_from(edges)
    return tree


def _fill(tree, original, edges):
    """Adds nodes and edges to an empty graph, faster than ``add_nodes_from`` and
    ``add_edges_from``.
    """
    tree._node.update((node, attributes.copy()) for node, attributes in original._node.items())
    adjacency = tree._adj
    adjacency.update((node, {}) for node in original._node)
    for u, v, attributes in edges:
        adjacency[u][v] = adjacency[v][u] = attributes.copy()


def _check_algorithm(algorithm, graph):
    if algorithm not in ("kruskal", "prim", "boruvka", "borůvka"):
        raise ValueError(f"{algorithm} is not a valid choice for an algorithm.")
    if algorithm in ("boruvka", "borůvka") and graph.is_multigraph():
        raise networkx.NetworkXNotImplemented("not implemented for multigraph type")


class _Backend:
    """The interface for NetworkX's dispatcher: NetworkX's functions with the same arguments."""

    @staticmethod
    def convert_from_nx(graph, **_):
        """Converts a graph for the functions below. NetworkX caches the result until the graph
        changes.

        A view changes with another graph, which NetworkX does not notice. So conversions of views
        are not cached.
        """
        if hasattr(graph, "_graph") or not _is_of_dictionaries(graph):
            graph.__networkx_cache__ = None
        with _without_collections():
            return KostraGraph(graph)

    @staticmethod
    def convert_to_nx(result, **_):
        """Converts a result to NetworkX. Only an unchanged converted graph needs a conversion."""
        return result.original if isinstance(result, KostraGraph) else result

    @staticmethod
    def can_run(name, args, kwargs):
        """True if the graph is undirected, otherwise the reason for refusing the call."""
        graph = args[0] if args else kwargs.get("G")
        if graph is not None and graph.is_directed():
            return "the graph is directed, but spanning forests need an undirected graph"
        return True

    @staticmethod
    def should_run(name, args, kwargs):
        """True if the graph is large enough, otherwise the reason for refusing the call."""
        graph = args[0] if args else kwargs.get("G")
        if isinstance(graph, KostraGraph) or graph.number_of_edges() >= _SMALL:
            return True
        return f"the graph has fewer than {_SMALL} edges, so NetworkX is faster than the conversion"

    @staticmethod
    def minimum_spanning_edges(
        G,
        algorithm="kruskal",
        weight="weight",
        keys=True,
        data=True,
        ignore_nan=False,
        threads=None,
    ):
        """See ``networkx.minimum_spanning_edges``."""
        _check_algorithm(algorithm, G)
        return _edges(G, _Query(True, weight, ignore_nan, None, threads), keys, data)

    @staticmethod
    def maximum_spanning_edges(
        G,
        algorithm="kruskal",
        weight="weight",
        keys=True,
        data=True,
        ignore_nan=False,
        threads=None,
    ):
        """See ``networkx.maximum_spanning_edges``."""
        _check_algorithm(algorithm, G)
        return _edges(G, _Query(False, weight, ignore_nan, None, threads), keys, data)

    @staticmethod
    def kruskal_mst_edges(
        G,
        minimum,
        weight="weight",
        keys=True,
        data=True,
        ignore_nan=False,
        partition=None,
        threads=None,
    ):
        """See ``networkx.algorithms.tree.mst.kruskal_mst_edges``."""
        return _edges(G, _Query(minimum, weight, ignore_nan, partition, threads), keys, data)

    @staticmethod
    def prim_mst_edges(
        G, minimum, weight="weight", keys=True, data=True, ignore_nan=False, threads=None
    ):
        """See ``networkx.algorithms.tree.mst.prim_mst_edges``."""
        return _edges(G, _Query(minimum, weight, ignore_nan, None, threads), keys, data)

    @staticmethod
    def boruvka_mst_edges(
        G, minimum=True, weight="weight", keys=False, data=True, ignore_nan=False, threads=None
    ):
        """See ``networkx.algorithms.tree.mst.boruvka_mst_edges``."""
        return _edges(G, _Query(minimum, weight, ignore_nan, None, threads), False, data)

    @staticmethod
    def minimum_spanning_tree(
        G, weight="weight", algorithm="kruskal", ignore_nan=False, threads=None
    ):
        """See ``networkx.minimum_spanning_tree``."""
        _check_algorithm(algorithm, G)
        return _tree(G, _Query(True, weight, ignore_nan, None, threads))

    @staticmethod
    def maximum_spanning_tree(
        G, weight="weight", algorithm="kruskal", ignore_nan=False, threads=None
    ):
        """See ``networkx.maximum_spanning_tree``."""
        _check_algorithm(algorithm, G)
        return _tree(G, _Query(False, weight, ignore_nan, None, threads))

    @staticmethod
    def partition_spanning_tree(
        G, minimum=True, weight="weight", partition="partition", ignore_nan=False, threads=None
    ):
        """See ``networkx.partition_spanning_tree``."""
        return _tree(G, _Query(minimum, weight, ignore_nan, partition, threads))


#: The object of the entry point ``networkx.backends``.
backend = _Backend()
