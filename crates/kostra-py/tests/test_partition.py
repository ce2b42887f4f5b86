"""Partitions: of every kind of graph, with and without weights, and as the parts of a solve."""

import copy
import pickle

import igraph
import networkx
import numpy as np
import pytest
import rustworkx
from scipy import sparse

import kostra

# Two triangles, joined by one edge.
U, V = [0, 1, 2, 3, 4, 5, 2], [1, 2, 0, 4, 5, 3, 3]


def graphs(folder):
    """The two triangles as every kind of argument."""
    path = folder / "triangles.txt"
    path.write_text("".join(f"{u} {v}\n" for u, v in zip(U, V)))
    named = networkx.Graph()
    named.add_nodes_from("abcdef")
    named.add_edges_from(("abcdef"[u], "abcdef"[v]) for u, v in zip(U, V))
    indexed = rustworkx.PyGraph()
    indexed.add_nodes_from(list("abcdef"))
    indexed.add_edges_from([(u, v, {"km": 1.5}) for u, v in zip(U, V)])
    return [
        (kostra.Graph(U, V), None),
        ((U, V), None),
        ((np.array(U), np.array(V), np.full(7, np.nan)), None),
        (path, None),
        (str(path), None),
        (sparse.coo_array((np.full(7, 0.5), (U, V)), shape=(6, 6)).tocsr(), None),
        (named, list("abcdef")),
        (igraph.Graph(list(zip(U, V))), None),
        (indexed, None),
    ]


def test_every_kind_of_graph_is_taken_and_names_are_kept(tmp_path):
    for graph, nodes in graphs(tmp_path):
        found = kostra.partition(graph, 2)
        assert found.parts.dtype == np.uint32 and not found.parts.flags.writeable
        left = found.parts[0]
        assert found.parts.tolist() == [left] * 3 + [1 - left] * 3
        assert (found.k, found.edge_cut, found.balance) == (2, 1, 1.0)
        assert (found.boundary_vertices, found.communication_volume) == (2, 2)
        assert found.nodes == nodes and len(found) == 6


def test_the_figures_are_those_of_a_recount_and_threads_do_not_change_them():
    graph = kostra.Graph.generate("road:n=3000,seed=5")
    for preset in ("fast", "eco"):
        found = kostra.partition(graph, 8, preset=preset, threads=1)
        cut = found.parts[graph.u] != found.parts[graph.v]
        assert found.edge_cut == np.count_nonzero(cut)
        ends = np.concatenate([graph.u[cut], graph.v[cut]])
        assert found.boundary_vertices == len(np.unique(ends))
        sizes = np.bincount(found.parts, minlength=8)
        assert found.balance == pytest.approx(sizes.max() / (graph.n / 8)) and found.balance < 1.04
        others = found.parts[np.concatenate([graph.v[cut], graph.u[cut]])]
        assert found.communication_volume == len(np.unique(np.stack([ends, others]), axis=1).T)
        assert kostra.partition(graph, 8, preset=preset, threads=3) == found
    assert kostra.partition(graph, 8, seed=1) != kostra.partition(graph, 8)


def test_edge_weights_are_the_importance_of_edges():
    path = [0, 1, 2], [1, 2, 3]
    for weights in ([9, 1, 9], np.array([9.0, 1.0, 9.0]), np.array([9, 1, 9], np.uint8)):
        found = kostra.partition(path, 2, edge_weights=weights)
        assert found.edge_cut == 1 and found.parts[0] == found.parts[1]
        of_graph = kostra.partition((*path, weights), 2, edge_weights="graph")
        assert of_graph == found
    allowed = {"imbalance": 0.5, "edge_weights": [1, 9, 9]}
    assert kostra.partition(path, 2, **allowed).parts.tolist() in ([0, 1, 1, 1], [1, 0, 0, 0])
    assert kostra.partition((*path, [9, 1, 9]), 2).edge_cut == 1


def test_vertex_weights_are_balanced():
    graph = kostra.Graph.generate("road:n=2000,seed=3")
    weights = np.where(np.arange(graph.n) < 500, 9, 1)
    found = kostra.partition(graph, 4, vertex_weights=weights)
    of_parts = np.bincount(found.parts, weights)
    assert found.balance == pytest.approx(of_parts.max() / of_parts.mean())
    assert found.balance < 1.04
    sizes = np.bincount(found.parts)
    assert sizes.max() > 1.1 * sizes.mean()


@pytest.mark.parametrize(
    "options, message",
    [
        ({"k": 0}, "k must be from 1 to"),
        ({"k": 7}, "6 vertices cannot be divided into 7 parts"),
        ({"imbalance": -0.1}, "imbalance must be a number from 0"),
        ({"imbalance": 3}, "is imbalance 3 % or 300 %\\? pass 0.03 or 3.0"),
        ({"imbalance": float("nan")}, "imbalance must be a number from 0"),
        ({"preset": "best"}, "preset must be 'fast' or 'eco', not 'best'"),
        ({"seed": -1}, "seed must be from 0"),
        ({"threads": 0}, "threads must be from 1"),
        ({"edge_weights": "unit"}, "edge_weights must be 'graph', not 'unit'"),
        ({"edge_weights": [1, 2]}, "edge_weights has 2 entries, but the graph has 7 edges"),
        ({"edge_weights": [1, 2, -3, 4, 5, 6, 7]}, r"edge_weights\[2\] is -3; it must be a whole"),
        ({"edge_weights": [1, 2, 3, 4, 5, 6.5, 7]}, r"edge_weights\[5\] is 6.5; it must be a whole"),
        ({"edge_weights": [1, np.nan, 3, 4, 5, 6, 7]}, r"edge_weights\[1\] is nan; it must be"),
        ({"edge_weights": np.full(7, 2**63, np.uint64)}, r"edge_weights\[0\] is 92233720368547758"),
        ({"edge_weights": [2**61] * 7}, "the sum of the weights of all edges exceeds"),
        ({"vertex_weights": [1] * 5}, "vertex_weights has 5 entries, but the graph has 6 vertices"),
        ({"vertex_weights": [1, 1, 1, -1, 1, 1]}, r"vertex_weights\[3\] is -1; it must be a whole"),
    ],
)
def test_wrong_arguments_are_refused_with_the_reason(options, message):
    with pytest.raises(ValueError, match=message):
        kostra.partition((U, V), **({"k": 2} | options))


def test_weights_of_a_graph_that_are_no_importance_are_refused_with_the_edge():
    for weight, text in [(-1.0, "-1.0"), (0.5, "0.5"), (np.inf, "inf")]:
        graph = kostra.Graph([0, 1], [1, 2], [1.0, weight])
        with pytest.raises(ValueError, match=f"^edge 1 has weight {text}; it must be a whole"):
            kostra.partition(graph, 2, edge_weights="graph")
        assert kostra.partition(graph, 2).edge_cut == 1


def test_arguments_of_wrong_types_are_refused():
    for graph in (7, None, [U, V], {"source": U, "target": V}):
        with pytest.raises(TypeError, match="graph must be a kostra.Graph, a path"):
            kostra.partition(graph, 2)
    with pytest.raises(ValueError, match=r"graph must be \(u, v\) or \(u, v, w\)"):
        kostra.partition((U,), 2)
    for name in ("k", "seed", "imbalance"):
        with pytest.raises(TypeError, match=f"{name} must be"):
            kostra.partition((U, V), **({"k": 2} | {name: None}))
    with pytest.raises(ValueError, match="graph is directed"):
        kostra.partition(networkx.DiGraph([(0, 1)]), 1)


def test_isolated_vertices_get_a_part_and_are_told_of():
    with pytest.warns(UserWarning, match="2 of the 5 vertices have no edge"):
        found = kostra.partition(([0, 4], [1, 1]), 5)
    assert sorted(found.parts.tolist()) == [0, 1, 2, 3, 4]


def test_partitions_are_values():
    found = kostra.partition(networkx.path_graph(["a", "b", "c", "d"]), 2)
    for other in (copy.copy(found), copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert other == found and other.nodes == ["a", "b", "c", "d"]
        assert not other.parts.flags.writeable
    with pytest.raises(TypeError):
        hash(found)
    assert repr(found) == "<kostra.Partition: 4 vertices in 2 parts, edge cut 1, balance 1.0000>"


def test_a_solver_takes_parts():
    graph = kostra.Graph.generate("road:n=2000")
    expected = graph.minimum_spanning_forest()
    found = kostra.partition(graph, 4)
    for parts in (found, found.parts, found.parts.astype(np.int64), found.parts.tolist()):
        forest = graph.minimum_spanning_forest(algorithm="prim-union", parts=parts)
        assert forest == expected
    forest = kostra.minimum_spanning_forest(
        graph.u, graph.v, graph.weights, algorithm="prim-union", parts=found
    )
    assert forest == expected
    # The approximate solver uses the parts: with one part it is exact.
    one = graph.minimum_spanning_forest(algorithm="prim-boundary", parts=np.zeros(graph.n, int))
    assert one == expected


def test_wrong_parts_are_refused():
    for parts, message in [
        ([0, 1], "parts has 2 entries, but the graph has 3 vertices"),
        ([0, -1, 0], r"parts\[1\] is -1; part numbers are from 0 to 2"),
        ([0, 1, 3], r"parts\[2\] is 3; part numbers are from 0 to 2"),
    ]:
        with pytest.raises(ValueError, match=message):
            kostra.minimum_spanning_forest([0, 1], [1, 2], algorithm="prim-union", parts=parts)
    with pytest.raises(TypeError, match="parts must be an array of integers"):
        kostra.minimum_spanning_forest([0], [1], algorithm="prim-union", parts=[0.0, 1.0])
    with pytest.raises(ValueError, match="does not use parts"):
        kostra.minimum_spanning_forest([0], [1], parts=[0, 1])
