"""The backend for NetworkX, beside NetworkX. scripts/peers runs NetworkX's own tests."""

import math
from decimal import Decimal
from fractions import Fraction

import networkx as nx
import pytest
from networkx.algorithms.tree.mst import (
    EdgePartition,
    boruvka_mst_edges,
    kruskal_mst_edges,
    prim_mst_edges,
)
from networkx.utils import edges_equal

import kostra.nx


def random_graph(kind, seed, weights=20):
    graph = kind(nx.gnm_random_graph(60, 150, seed=seed), name="random")
    for number, edge in enumerate(graph.edges):
        graph.edges[edge].update(weight=(number * 7919 + seed) % weights, name=f"edge {number}")
    if graph.is_multigraph():
        for u, v in list(graph.edges(keys=False))[::3]:
            graph.add_edge(u, v, key="other", weight=(u * 31 + v) % weights)
    graph.add_edge(3, 3, weight=-5)
    graph.add_node("apart", colour="red")
    return graph


@pytest.mark.parametrize("kind", [nx.Graph, nx.MultiGraph])
@pytest.mark.parametrize("function", [nx.minimum_spanning_tree, nx.maximum_spanning_tree])
def test_trees_are_those_of_networkxs_kruskal_attributes_keys_order_and_all(kind, function):
    for seed in range(5):
        graph = random_graph(kind, seed)
        ours, theirs = function(graph, backend="kostra"), function(graph, backend="networkx")
        assert type(ours) is type(theirs)
        assert ours.graph == theirs.graph and list(ours.nodes.items()) == list(theirs.nodes.items())
        assert list(ours.edges(data=True)) == list(theirs.edges(data=True))
        if graph.is_multigraph():
            assert list(ours.edges(keys=True)) == list(theirs.edges(keys=True))


@pytest.mark.parametrize("kind", [nx.Graph, nx.MultiGraph])
@pytest.mark.parametrize("keys", [False, True])
@pytest.mark.parametrize("data", [False, True])
def test_edges_come_in_networkxs_order_and_form(kind, keys, data):
    graph = random_graph(kind, 1)
    for function in (nx.minimum_spanning_edges, nx.maximum_spanning_edges):
        ours, theirs = (
            list(function(graph, keys=keys, data=data, backend=backend))
            for backend in ("kostra", "networkx")
        )
        assert ours == theirs
    for minimum in (True, False):
        ours, theirs = (
            list(kruskal_mst_edges(graph, minimum, keys=keys, data=data, backend=backend))
            for backend in ("kostra", "networkx")
        )
        assert ours == theirs


def test_every_algorithm_finds_the_same_weight():
    graph = random_graph(nx.Graph, 2, weights=1009)
    expected = sorted(d["weight"] for *_, d in nx.minimum_spanning_edges(graph, backend="networkx"))
    for edges in (
        prim_mst_edges(graph, True, backend="kostra"),
        boruvka_mst_edges(graph, True, backend="kostra"),
        *(
            nx.minimum_spanning_edges(graph, name, backend="kostra")
            for name in ("kruskal", "prim", "boruvka", "borůvka")
        ),
    ):
        assert [d["weight"] for *_, d in edges] == expected


@pytest.mark.parametrize("kind", [nx.Graph, nx.MultiGraph])
def test_partitions_are_respected(kind):
    graph = random_graph(kind, 3)
    for number, (*_, attributes) in enumerate(graph.edges(data=True)):
        attributes["part"] = (
            list(EdgePartition)[number % 5] if number % 5 < 3 else EdgePartition.OPEN
        )
    for minimum in (True, False):
        ours, theirs = (
            nx.partition_spanning_tree(graph, minimum, partition="part", backend=backend)
            for backend in ("kostra", "networkx")
        )
        assert list(ours.edges(data=True)) == list(theirs.edges(data=True))


@pytest.mark.parametrize(
    "weights",
    [
        [Fraction(1, 3), Fraction(1, 2), 1, Fraction(1, 3)],
        [Decimal("0.1"), Decimal("0.2"), Decimal("0.1"), Decimal(0)],
        [2**80, 2**80 + 1, -(2**70), 0],
        [2**53 + 1, 2**53, 0.5, 2**53 + 1],
        [2**63, 2**64 - 1, -1, 5],
        [True, False, 2, 0.5],
        [math.inf, 2, 3, -math.inf],
    ],
)
def test_weights_of_any_kind_are_compared_exactly(weights):
    graph = nx.Graph()
    for (u, v), weight in zip([(0, 1), (1, 2), (2, 0), (0, 3)], weights):
        graph.add_edge(u, v, weight=weight)
    for function in (nx.minimum_spanning_edges, nx.maximum_spanning_edges):
        assert list(function(graph, backend="kostra")) == list(function(graph, backend="networkx"))


def test_nan_is_refused_with_the_edge_or_ignored():
    graph = nx.Graph()
    graph.add_weighted_edges_from([(0, 1, 1.0), (1, 2, math.nan), (2, 0, 3.0)])
    with pytest.raises(
        ValueError, match=r"NaN found as an edge weight. Edge \(1, 2, {'weight': nan}\)"
    ):
        nx.minimum_spanning_tree(graph, backend="kostra")
    tree = nx.minimum_spanning_tree(graph, ignore_nan=True, backend="kostra")
    assert edges_equal(tree.edges, [(0, 1), (2, 0)])


def test_weights_that_are_none_are_refused_as_by_networkx():
    graph = nx.Graph()
    graph.add_edge(0, 1, weight=None)
    with pytest.raises(TypeError):
        nx.minimum_spanning_tree(graph, backend="kostra")


def test_nodes_may_be_anything_that_networkx_takes():
    for nodes in (
        range(4),
        [0, 1.0, 2, True + 2],
        ["a", (1, 2), None.__class__, 3.5],
        [3, 2, 1, 0],
    ):
        graph = nx.Graph()
        graph.add_nodes_from(nodes)
        a, b, c, d = nodes
        graph.add_weighted_edges_from([(a, b, 3), (b, c, 1), (c, a, 2), (d, a, 5), (d, b, 4)])
        ours, theirs = (
            list(nx.minimum_spanning_edges(graph, backend=backend))
            for backend in ("kostra", "networkx")
        )
        assert ours == theirs
    graph = nx.path_graph(3)
    graph.add_edge(Fraction(0), Fraction(2), weight=0)
    tree = nx.minimum_spanning_tree(graph, backend="kostra")
    assert tree.number_of_edges() == 2 and tree.has_edge(0, 2)


def test_a_tree_shares_nothing_with_the_graph():
    graph = random_graph(nx.Graph, 4)
    tree = nx.minimum_spanning_tree(graph, backend="kostra")
    u, v = next(iter(tree.edges))
    tree.edges[u, v]["name"] = tree.nodes["apart"]["colour"] = "new"
    assert graph.edges[u, v]["name"] != "new" and graph.nodes["apart"]["colour"] == "red"
    assert tree.adj[u][v] is tree.adj[v][u]
    tree.add_edge("apart", u)
    assert not graph.has_edge("apart", u)


def test_changes_of_a_graph_are_seen():
    graph = nx.path_graph(4)
    graph.add_edge(0, 3, weight=5)
    assert not nx.minimum_spanning_tree(graph, backend="kostra").has_edge(0, 3)
    graph.add_edge(0, 3, weight=0)
    assert nx.minimum_spanning_tree(graph, backend="kostra").has_edge(0, 3)
    assert nx.minimum_spanning_tree(graph, weight="length", backend="kostra").number_of_edges() == 3


def test_the_backend_says_when_it_is_no_use_and_why():
    backend = kostra.nx.backend
    small, large = nx.path_graph(5), nx.path_graph(1000)
    assert "fewer than 200 edges" in backend.should_run("minimum_spanning_tree", (small,), {})
    assert backend.should_run("minimum_spanning_tree", (), {"G": large}) is True
    assert "undirected" in backend.can_run("minimum_spanning_tree", (nx.DiGraph(),), {})
    assert backend.can_run("minimum_spanning_tree", (small,), {}) is True
    with pytest.raises(nx.NetworkXNotImplemented):
        nx.minimum_spanning_edges(nx.DiGraph([(0, 1)]), backend="kostra")
    with pytest.raises(nx.NetworkXNotImplemented):
        nx.minimum_spanning_edges(nx.MultiGraph([(0, 1)]), algorithm="boruvka", backend="kostra")
    with pytest.raises(ValueError, match="random is not a valid choice for an algorithm."):
        nx.minimum_spanning_edges(small, algorithm="random", backend="kostra")


def test_a_priority_is_enough_to_use_it():
    with nx.config(backend_priority=["kostra"]):
        tree = nx.minimum_spanning_tree(nx.path_graph(1000))
    assert tree.number_of_edges() == 999


def views_of(kind):
    """An ordinary graph, views of all kinds of it, and undirected views of a directed one."""
    graph = kind(nx.gnm_random_graph(40, 120, seed=1))
    directed = kind().to_directed_class()(nx.gnm_random_graph(40, 200, seed=1, directed=True))
    for each in (graph, directed):
        for number, edge in enumerate(each.edges):
            each.edges[edge]["weight"] = number * 7 % 13
    edges = list(graph.edges)
    return [
        graph,
        graph.subgraph(range(5, 30)),
        graph.edge_subgraph(edges[::2]),
        nx.restricted_view(graph, [3], edges[:3]),
        nx.subgraph_view(graph, filter_node=lambda node: node % 3),
        graph.copy(as_view=True),
        directed.to_undirected(as_view=True),
        directed.subgraph(range(20)).to_undirected(as_view=True),
    ]


@pytest.mark.parametrize("kind", [nx.Graph, nx.MultiGraph])
def test_views_give_what_networkx_gives(kind):
    for graph in views_of(kind):
        for edges in (nx.minimum_spanning_edges, nx.maximum_spanning_edges):
            assert list(edges(graph, backend="kostra")) == list(edges(graph, backend="networkx"))
        tree = nx.minimum_spanning_tree(graph, backend="kostra")
        expected = nx.minimum_spanning_tree(graph, backend="networkx")
        assert type(tree) is type(expected)
        assert list(tree.edges(data=True)) == list(expected.edges(data=True))


@pytest.mark.parametrize("kind", [nx.Graph, nx.MultiGraph])
def test_a_view_changes_with_its_graph(kind):
    graph = views_of(kind)[0]
    view = graph.subgraph(range(10))
    list(nx.minimum_spanning_edges(view, backend="kostra"))
    u, v = next(iter(view.edges()))[:2]
    graph.remove_edges_from([edge for edge in list(graph.edges) if set(edge[:2]) == {u, v}])
    graph.add_edge(u, v, weight=-100)
    after = list(nx.minimum_spanning_edges(view, backend="kostra"))
    assert after == list(nx.minimum_spanning_edges(view, backend="networkx"))
    assert after[0][:2] in [(u, v), (v, u)]


def test_the_number_of_threads_can_be_given():
    graph = random_graph(nx.Graph, 3)
    expected = nx.minimum_spanning_tree(graph, backend="kostra")
    found = nx.minimum_spanning_tree(graph, backend="kostra", threads=1)
    assert edges_equal(found.edges(data=True), expected.edges(data=True))
    assert list(nx.minimum_spanning_edges(graph, backend="kostra", threads=2))
    with pytest.raises(ValueError, match="threads must be from 1"):
        nx.minimum_spanning_tree(graph, backend="kostra", threads=0)
