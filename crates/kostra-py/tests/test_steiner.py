"""Steiner trees: graphs of all kinds, names, refusals, and NetworkX's approximation beside them."""

import copy
import pickle

import networkx
import numpy as np
import pytest
from networkx.algorithms.approximation import steiner_tree as approximation

import kostra

#: Three villages around a junction.
U, V, W = [0, 1, 2, 0, 1, 2], [1, 2, 0, 3, 3, 3], [5, 5, 5, 3, 3, 3]


def test_terminals_are_numbers_or_names():
    named = networkx.Graph()
    names = ["Alby", "Bro", "Cey", "Mill"]
    named.add_weighted_edges_from((names[u], names[v], w) for u, v, w in zip(U, V, W))
    for graph, terminals in [
        (kostra.Graph(U, V, W), [2, 0, 1, 0]),
        ((U, V, np.array(W, np.float32)), np.array([0, 1, 2])),
        (named, ["Cey", "Alby", "Bro"]),
    ]:
        tree = kostra.steiner_tree(graph, terminals)
        assert (tree.total_weight, tree.lower_bound, tree.gap, tree.complete) == (9, 9, 0, True)
        assert len(tree) == 3 and not tree.edge_ids.flags.writeable
        assert tree == pickle.loads(pickle.dumps(tree)) == copy.deepcopy(tree)
    assert isinstance(kostra.steiner_tree((U, V, W), [0]).total_weight, int)


def test_trees_join_the_terminals_and_are_no_heavier_than_those_of_networkx():
    graph = kostra.Graph.generate("road:n=300,seed=4")
    other = networkx.Graph()
    other.add_weighted_edges_from(zip(graph.u, graph.v, graph.weights))
    terminals = list(range(0, 300, 17))
    tree = kostra.steiner_tree(graph, terminals, threads=2)
    found = networkx.Graph(zip(graph.u[tree.edge_ids].tolist(), graph.v[tree.edge_ids].tolist()))
    assert networkx.is_tree(found) and set(terminals) <= set(found)
    assert {v for v, degree in found.degree() if degree == 1} <= set(terminals)
    assert tree.total_weight == graph.weights[tree.edge_ids].sum()
    peer = approximation(other, terminals, method="mehlhorn").size("weight")
    assert tree.lower_bound <= tree.total_weight <= peer
    assert kostra.steiner_tree(graph, terminals[::-1], threads=1) == tree


def test_wrong_arguments_are_refused():
    graph = kostra.Graph(U, V, W, 5)
    for arguments, words in [
        (([0, 5],), "terminals"),
        (([],), "at least one terminal"),
        (([0, 4],), "no path joins vertex 0"),
    ]:
        with pytest.raises(ValueError, match=words):
            kostra.steiner_tree(graph, *arguments)
    with pytest.raises(ValueError, match="edge 1 has weight -5"):
        kostra.steiner_tree((U, V, [5, -5, 5, 3, 3, 3]), [0, 1])
    with pytest.raises(ValueError, match="time_limit must be a number of seconds from 0"):
        kostra.steiner_tree(graph, [0, 1], time_limit=-1)
    with pytest.raises(TypeError, match="time_limit must be a number"):
        kostra.steiner_tree(graph, [0, 1], time_limit="soon")
    assert not kostra.steiner_tree(graph, [0, 1, 2], time_limit=0).complete
