"""Forests as graphs of igraph, rustworkx and NetworKit, and back."""

import numpy as np
import pytest

import kostra


def forest_of(**kept):
    random = np.random.default_rng(5)
    u, v = random.integers(0, 30, (2, 80))
    table = {"source": u, "target": v, "weight": random.random(80)} | kept
    graph = kostra.Graph.from_table(table, keep=list(kept), vertices=32)
    return graph.minimum_spanning_forest()


def same_edges(graph, forest):
    assert graph.n == forest.n and graph.weights.tolist() == forest.weights.tolist()
    ends = [np.sort(np.column_stack([edges.u, edges.v])) for edges in (graph, forest)]
    assert np.array_equal(*ends)


def test_igraph_has_the_edges_in_order():
    igraph = pytest.importorskip("igraph")
    forest = forest_of(road=[f"A{edge}" for edge in range(80)])
    graph = forest.to_igraph(weight="km")
    assert isinstance(graph, igraph.Graph) and not graph.is_directed()
    same_edges(kostra.Graph.from_igraph(graph, weight="km"), forest)
    assert graph.es["road"] == list(forest.kept["road"])
    assert "name" not in graph.vs.attributes()
    assert graph.is_tree() is (forest.n_components == 1)
    with pytest.raises(ValueError, match="two attributes would be called 'road'"):
        forest.to_igraph(weight="road")


def test_igraph_has_the_names():
    pytest.importorskip("igraph")
    forest = kostra.minimum_spanning_forest([0, 1], [1, 2], [5, 6])
    forest.nodes = ["a", "b", "c"]
    assert kostra.Graph.from_igraph(forest.to_igraph()).nodes == ["a", "b", "c"]
    forest.nodes = [7, 8, 9]
    assert forest.to_igraph().vs["node"] == [7, 8, 9]


def test_rustworkx_has_the_edges_in_order():
    rustworkx = pytest.importorskip("rustworkx")
    forest = forest_of()
    graph = forest.to_rustworkx()
    assert isinstance(graph, rustworkx.PyGraph)
    same_edges(kostra.Graph.from_rustworkx(graph), forest)
    theirs = rustworkx.minimum_spanning_tree(graph, weight_fn=float)
    assert len(theirs.edge_list()) == len(forest)
    forest.nodes = [f"town {vertex}" for vertex in range(forest.n)]
    assert forest.to_rustworkx().nodes() == forest.nodes


def test_rustworkx_has_dictionaries_where_columns_are_kept():
    pytest.importorskip("rustworkx")
    forest = forest_of(lanes=list(range(80)))
    graph = forest.to_rustworkx(weight="km")
    expected = zip(forest.weights.tolist(), forest.kept["lanes"].tolist())
    assert list(graph.edges()) == [{"km": km, "lanes": lanes} for km, lanes in expected]
    again = kostra.Graph.from_rustworkx(graph, weight_fn=lambda data: data["km"])
    same_edges(again, forest)


def test_networkit_has_the_edges():
    networkit = pytest.importorskip("networkit")
    forest = forest_of()
    graph = forest.to_networkit()
    assert (graph.numberOfNodes(), graph.numberOfEdges()) == (forest.n, len(forest))
    assert graph.totalEdgeWeight() == pytest.approx(forest.total_weight)
    again = kostra.Graph.from_networkit(graph).minimum_spanning_forest()
    assert sorted(again.weights.tolist()) == sorted(forest.weights.tolist())
    found = networkit.graph.UnionMaximumSpanningForest(graph)
    found.run()
    assert found.getUMSF().numberOfEdges() == len(forest)
    wide = kostra.minimum_spanning_forest([0], [1], [2**53 + 1])
    with pytest.raises(ValueError, match="float64 cannot hold exactly"):
        wide.to_networkit()


def test_graphs_of_networkit_keep_their_nodes():
    networkit = pytest.importorskip("networkit")
    random = np.random.default_rng(8)
    graph = networkit.Graph(40, weighted=True)
    for u, v, weight in zip(*random.integers(0, 40, (2, 100)).tolist(), random.random(100)):
        graph.addEdge(u, v, weight)
    graph.removeNode(17)
    edges = np.array(list(graph.iterEdgesWeights()))
    ours = kostra.Graph.from_networkit(graph)
    assert ours.n == 40
    assert np.column_stack([ours.u, ours.v, ours.weights]).tolist() == edges.tolist()
    assert kostra.minimum_spanning_forest(graph) == ours.minimum_spanning_forest()
    plain = networkit.Graph(3)
    plain.addEdge(0, 1)
    assert kostra.Graph.from_networkit(plain).weights.tolist() == [1]
    assert kostra.Graph.from_networkit(networkit.Graph(3)).n == 3
    with pytest.raises(ValueError, match="graph is directed"):
        kostra.Graph.from_networkit(networkit.Graph(3, directed=True))
    with pytest.raises(TypeError, match="must be a networkit.Graph"):
        kostra.Graph.from_networkit([[0, 1]])


@pytest.mark.parametrize(
    "method, package",
    [
        ("to_igraph", "igraph"),
        ("to_rustworkx", "rustworkx"),
        ("to_networkit", "networkit"),
        ("to_networkx", "networkx"),
        ("to_scipy", "scipy"),
        ("to_pandas", "pandas"),
    ],
)
def test_a_missing_package_is_named_with_what_to_run(method, package, monkeypatch):
    import sys

    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, package, None)
    forest = kostra.minimum_spanning_forest([0], [1])
    with pytest.raises(ImportError, match=f"{method} needs {package}; run `pip install {package}`"):
        getattr(forest, method)()
