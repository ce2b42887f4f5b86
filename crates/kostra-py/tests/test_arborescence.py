"""Forests of directed graphs: graphs of all kinds, names, refusals, and NetworkX beside them."""

import copy
import pickle

import networkx
import numpy as np
import pytest
import scipy.sparse

import kostra

#: The cheapest edges into 1 and 2 are a cycle.
U, V, W = [0, 0, 1, 2, 2], [1, 2, 2, 1, 0], [5, 7, 1, 2, 9]


def test_graphs_and_roots_are_numbers_or_names():
    named = networkx.DiGraph()
    names = ["Hub", "Bro", "Cey"]
    named.add_weighted_edges_from((names[u], names[v], w) for u, v, w in zip(U, V, W))
    for graph, roots in [
        (kostra.Graph(U, V, W), 0),
        ((U, V, np.array(W, np.float32)), [0]),
        (named, "Hub"),
        (named, ["Hub"]),
        (scipy.sparse.coo_array((W, (U, V))), 0),
        (kostra.Graph(U, V, W), None),
    ]:
        found = kostra.arborescence(graph, roots)
        assert found.total_weight == 6 and found.roots.tolist() == [0]
        assert len(found) == 2 and not found.edge_ids.flags.writeable
        assert found == pickle.loads(pickle.dumps(found)) == copy.deepcopy(found)
    assert isinstance(kostra.arborescence((U, V, W)).total_weight, int)
    assert kostra.arborescence((U, V, W), maximum=True).total_weight == 14


def test_totals_are_those_of_networkx():
    random = np.random.default_rng(3)
    for n, m in [(5, 12), (20, 120), (60, 200)]:
        u, v = random.integers(0, n, (2, m))
        w = random.integers(-20, 20, m)
        # A ring makes every vertex reach all others.
        u, v = np.append(u, np.arange(n)), np.append(v, (np.arange(n) + 1) % n)
        w = np.append(w, np.full(n, 30))
        graph = networkx.MultiDiGraph()
        graph.add_weighted_edges_from(zip(u.tolist(), v.tolist(), w.tolist()))
        graph.remove_edges_from(list(networkx.selfloop_edges(graph)))
        for maximum, peer in [
            (False, networkx.minimum_spanning_arborescence),
            (True, networkx.maximum_spanning_arborescence),
        ]:
            found = kostra.arborescence((u, v, w), maximum=maximum)
            assert found.total_weight == w[found.edge_ids].sum()
            assert found.total_weight == peer(graph).size("weight")
            tree = networkx.DiGraph(zip(u[found.edge_ids].tolist(), v[found.edge_ids].tolist()))
            assert networkx.is_arborescence(tree) and len(tree) == n


def test_only_edges_with_directions_are_followed(tmp_path):
    rows, both = tmp_path / "rows.csv", tmp_path / "both.graphml"
    rows.write_text("from,to,ms\nHub,Bro,5\nHub,Cey,7\nBro,Cey,1\n")
    assert kostra.arborescence(rows, "Hub").edge_ids.tolist() == [0, 2]
    read = kostra.Graph.read(rows)
    assert kostra.arborescence(pickle.loads(pickle.dumps(read)), "Hub").total_weight == 6
    networkx.write_graphml(networkx.path_graph(3), both)
    undirected = networkx.path_graph(3)
    matrix = np.array([[0, 1, 2], [1, 0, 4], [2, 4, 0]])
    for graph in [
        both,
        kostra.Graph.read(both),
        kostra.Graph.from_networkx(undirected),
        pickle.loads(pickle.dumps(kostra.Graph.from_networkx(undirected))),
        kostra.Graph.from_matrix(matrix),
        kostra.grid(matrix),
    ]:
        with pytest.raises(ValueError, match="have no directions"):
            kostra.arborescence(graph, 0)


def test_wrong_arguments_are_refused():
    for arguments, words in [
        (((U, V, W), 3), "roots"),
        (((U, V, W), []), "roots has no vertex"),
        ((([0, 2], [1, 0]), 0), "no path leads from the roots to one vertex, such as vertex 2"),
        ((([0], [1], [np.inf]),), "edge 0 has an infinite weight"),
        ((networkx.Graph([(0, 1)]),), "graph is undirected"),
    ]:
        with pytest.raises(ValueError, match=words):
            kostra.arborescence(*arguments)
    with pytest.raises(TypeError, match="graph must be a kostra.Graph"):
        kostra.arborescence([[0, 1], [1, 0]])
