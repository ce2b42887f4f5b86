"""Alternatives to forests and forests under constraints, beside NetworkX and brute force."""

import itertools
import pickle

import networkx
import numpy as np
import pytest

import kostra


def spanning_trees(u, v, n):
    """All spanning trees of a connected graph, as lists of edges."""
    trees = []
    for edges in itertools.combinations(range(len(u)), n - 1):
        graph = networkx.MultiGraph()
        graph.add_nodes_from(range(n))
        graph.add_edges_from((u[edge], v[edge]) for edge in edges)
        if networkx.is_tree(graph):
            trees.append(list(edges))
    return trees


def random_graph(seed, n=6, m=11, weights=3):
    random = np.random.default_rng(seed)
    u = np.concatenate([np.arange(n - 1), random.integers(0, n, m - n + 1)])
    v = np.concatenate([np.arange(1, n), random.integers(0, n, m - n + 1)])
    return u, v, random.integers(0, weights, m)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("dtype", ["int32", "uint64", "float32", "float64"])
def test_alternatives_are_those_of_all_trees(seed, dtype):
    u, v, w = random_graph(seed)
    maximum = seed % 2 == 1
    trees = spanning_trees(u, v, 6)
    totals = [int(w[tree].sum()) for tree in trees]
    best = (max if maximum else min)(totals)
    members = [
        sum(edge in tree for tree, total in zip(trees, totals) if total == best)
        for edge in range(len(w))
    ]
    number = totals.count(best)
    found = kostra.alternatives(u, v, w.astype(dtype), maximum=maximum)
    assert found.count() == number and found.unique == (number == 1)
    assert (found.in_every == (np.array(members) == number)).all()
    assert (found.in_some == (np.array(members) > 0)).all()
    assert (found.network == np.flatnonzero(found.in_some)).all()
    forests = list(found.best())
    assert sorted(forest.edge_ids.tolist() for forest in forests) == sorted(trees)
    assert [forest.total_weight for forest in forests] == sorted(totals, reverse=maximum)
    assert forests[0] == found.forest == kostra.minimum_spanning_forest(
        u, v, w.astype(dtype), maximum=maximum
    )
    assert [forest.edge_ids.tolist() for forest in found.best(5)] == [
        forest.edge_ids.tolist() for forest in forests[:5]
    ]


def test_the_number_is_that_of_networkx_also_with_thousands_of_digits():
    for graph in networkx.grid_2d_graph(4, 4), networkx.petersen_graph():
        number = networkx.number_of_spanning_trees(graph)
        assert kostra.alternatives(graph).count() == round(number)
    club = networkx.karate_club_graph()
    number = networkx.number_of_spanning_trees(club, weight=None)
    found = kostra.alternatives(kostra.Graph.from_networkx(club, weight=None))
    assert found.count() == pytest.approx(number, rel=1e-9)
    # The torus of 40 x 40 has more digits than Python converts from text.
    places = np.arange(1600).reshape(40, 40)
    u = np.concatenate([places.ravel()] * 2)
    v = np.concatenate([np.roll(places, 1, axis).ravel() for axis in (0, 1)])
    # The eigenvalues of the Laplacian of a torus are sums of those of two cycles.
    cycle = 2 - 2 * np.cos(2 * np.pi * np.arange(40) / 40)
    sums = np.add.outer(cycle, cycle).ravel()
    logarithm = np.log2(np.sort(sums)[1:]).sum() - np.log2(1600)
    assert kostra.alternatives(u, v).count().bit_length() == int(logarithm) + 1


def test_rivals_tell_how_far_weights_may_change():
    u, v, w = random_graph(5, weights=100)
    found = kostra.alternatives(u, v, w)
    for edge, rival in enumerate(found.rivals.tolist()):
        if rival < 0:
            continue
        inside = edge in found.forest.edge_ids
        for step, stays in ((-1, True), (1, False)):
            changed = w.copy()
            changed[edge] = w[rival] + (step if inside else -step)
            forest = kostra.minimum_spanning_forest(u, v, changed)
            assert (edge in forest.edge_ids) == (inside == stays), (edge, rival, step)


def test_forests_keep_names_and_types_and_can_be_pickled():
    graph = networkx.Graph()
    graph.add_edge("a", "b", weight=1.5)
    graph.add_edge("b", "c", weight=1.5)
    graph.add_edge("c", "a", weight=1.5)
    found = kostra.alternatives(graph)
    second = list(found.best(2))[1]
    assert second.nodes == ["a", "b", "c"] and second.weights.dtype == np.float64
    assert pickle.loads(pickle.dumps(second)) == second and second.algorithm == "alternatives"
    assert "3 in some" in repr(found)


def test_arguments_at_fault_are_named():
    with pytest.raises(ValueError, match="edge 1 has an infinite weight"):
        next(kostra.alternatives([0, 1], [1, 2], [1.0, np.inf]).best())
    with pytest.raises(TypeError, match="k must be an integer"):
        kostra.alternatives([0], [1]).best(1.5)
    with pytest.raises(TypeError, match="pass v"):
        kostra.alternatives([0], w=[1])
    ring = [0, 1, 2, 3], [1, 2, 3, 0], [1, 2, 3, 4]
    refused = [
        (dict(include=[4]), ValueError, r"include\[0\] is 4, but the graph has 4 edges"),
        (dict(exclude=[0.5]), TypeError, "exclude must be an array of the ids"),
        (dict(exclude=[True]), ValueError, "exclude must have 4 booleans"),
        (dict(include=[0, 1, 2, 3]), ValueError, "edges 0, 1, 2 and 3 close a cycle"),
        (dict(include=[1], exclude=[1]), ValueError, "edge 1 is both included and excluded"),
        (dict(include=[0], links=[[0, 1]]), ValueError, "edge 0 closes a cycle with linked"),
        (dict(links=[[0, 9]]), ValueError, r"links\[0\]\[1\] is 9"),
        (dict(trees=5), ValueError, "it has 1 to 4"),
        (dict(trees=-1), ValueError, "trees must be from 0"),
        (dict(trees=1, most_trees=1), TypeError, "exclude each other"),
    ]
    for keywords, error, match in refused:
        with pytest.raises(error, match=match):
            kostra.constrained_forest(*ring, **keywords)


def test_constrained_forests_contain_avoid_link_and_count():
    graph = networkx.Graph()
    edges = [("A", "B", 4), ("B", "C", 3), ("C", "D", 5), ("D", "A", 1), ("A", "C", -2)]
    graph.add_weighted_edges_from(edges)
    ids = {frozenset((u, v)): i for i, (u, v, _) in enumerate(graph.edges(data="weight"))}

    def edge(pair):
        return ids[frozenset(pair)]

    def chosen(**keywords):
        forest = kostra.constrained_forest(graph, **keywords)
        return {pair for pair, i in ids.items() if i in forest.edge_ids}

    def pairs(text):
        return {frozenset(pair) for pair in text.split()}

    assert chosen() == pairs("BC DA AC")
    assert chosen(include=[edge("CD")]) == pairs("BC CD AC")
    assert chosen(exclude=[edge("AC"), edge("DA")]) == pairs("AB BC CD")
    assert chosen(links=[["A", "B", "C"]]) == pairs("DA")
    assert chosen(trees=3) == pairs("AC") and chosen(most_trees=4) == pairs("AC")
    assert chosen(trees=2, maximum=True) == pairs("AB CD")
    mask = np.zeros(len(ids), bool)
    mask[edge("AC")] = True
    assert chosen(exclude=mask) == pairs("AB BC DA")
