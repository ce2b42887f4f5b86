"""Hierarchies, clusters and bottlenecks, beside SciPy's, scikit-learn's and plain search."""

import math
import re
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from scipy.cluster import hierarchy
from scipy.sparse.csgraph import dijkstra
from scipy.spatial.distance import pdist
from sklearn.cluster import AgglomerativeClustering

import kostra


def complete(points):
    """All pairs of some points, with their distances."""
    u, v = np.triu_indices(len(points), 1)
    return kostra.minimum_spanning_forest(u, v, pdist(points), len(points))


def same_partition(a, b):
    return len(set(zip(a, b))) == len(set(a)) == len(set(b))


@pytest.mark.parametrize("n", [2, 3, 10, 100])
@pytest.mark.parametrize("dimensions", [1, 2, 5])
def test_single_linkage_is_scipys(n, dimensions):
    points = np.random.default_rng(n).random((n, dimensions))
    ours, theirs = kostra.single_linkage(complete(points)), hierarchy.linkage(points, "single")
    np.testing.assert_array_equal(ours, theirs)
    assert hierarchy.is_valid_linkage(ours) and hierarchy.is_monotonic(ours)


def test_single_linkage_with_ties_has_scipys_heights_and_clusters():
    points = np.random.default_rng(4).integers(0, 6, (60, 2)).astype(float)
    ours, theirs = kostra.single_linkage(complete(points)), hierarchy.linkage(points, "single")
    np.testing.assert_array_equal(ours[:, 2], theirs[:, 2])
    assert hierarchy.is_valid_linkage(ours)
    for height in (0, 1, 1.5, 2):
        flat = [
            hierarchy.fcluster(linkage, height, "distance").tolist() for linkage in (ours, theirs)
        ]
        assert same_partition(*flat)
        assert same_partition(flat[0], kostra.cut(complete(points), height=height).tolist())


def test_components_that_no_edge_joins_are_joined_where_asked():
    forest = kostra.minimum_spanning_forest([4, 2], [1, 3], [2.0, 1.0], n=6)
    with pytest.raises(ValueError, match="the forest of X has 4 components, .* pass join="):
        kostra.single_linkage(forest)
    linkage = kostra.single_linkage(forest, join=math.inf)
    assert linkage.tolist() == [
        [2, 3, 1, 2],
        [1, 4, 2, 2],
        [0, 7, math.inf, 3],
        [6, 8, math.inf, 5],
        [5, 9, math.inf, 6],
    ]
    assert hierarchy.is_valid_linkage(linkage)
    assert same_partition(
        hierarchy.fcluster(linkage, 2, "distance").tolist(), forest.labels().tolist()
    )
    with pytest.raises(
        ValueError, match="join must not be below the largest distance in the forest, 2.0, but is 1"
    ):
        kostra.single_linkage(forest, join=1)
    isolated = kostra.single_linkage(kostra.minimum_spanning_forest([], [], n=3), join=1)
    assert isolated.tolist() == [[0, 1, 1, 2], [2, 3, 1, 3]]


def test_single_linkage_of_one_vertex_or_none_is_empty():
    for n in (0, 1):
        assert kostra.single_linkage(kostra.minimum_spanning_forest([], [], n=n)).shape == (0, 4)


def test_wrong_arguments_of_linkages_and_cuts_are_refused():
    graph = kostra.Graph([0, 2], [1, 3], [1.0, 2.0])
    forest = graph.minimum_spanning_forest()
    for call, error, message in [
        (lambda: kostra.single_linkage(graph), TypeError, r"pass X.minimum_spanning_forest\(\)"),
        (lambda: kostra.single_linkage([]), ValueError, "X contains no distances"),
        (lambda: kostra.single_linkage(forest, join="x"), TypeError, "join must be a number"),
        (lambda: kostra.single_linkage(forest, join=np.nan), ValueError, "join is NaN"),
        (lambda: kostra.single_linkage(forest, join=9, threads=0), ValueError, "threads must be"),
        (lambda: kostra.cut(forest, height=1j), TypeError, "height must be a number"),
        (lambda: forest.parents(True), TypeError, "root must be an integer, not True"),
        (lambda: kostra.verify(graph, [1, 0, 1]), ValueError, "forest contains edge 1 twice"),
    ]:
        with pytest.raises(error, match=message):
            call()


def test_similarities_have_no_linkage():
    forest = kostra.minimum_spanning_forest([0], [1], maximum=True)
    with pytest.raises(ValueError, match="maximum spanning forest"):
        kostra.single_linkage(forest)


@pytest.mark.parametrize("k", [1, 2, 7, 80])
def test_cuts_into_k_are_scikit_learns(k):
    points = np.random.default_rng(k).random((80, 3))
    theirs = AgglomerativeClustering(n_clusters=k, linkage="single").fit_predict(points)
    assert same_partition(kostra.cut(complete(points), k=k).tolist(), theirs.tolist())


def test_cuts_are_numbered_by_lowest_vertices_and_have_k_parts_whatever_the_ties():
    forest = kostra.minimum_spanning_forest(range(9), range(1, 10))
    for k in range(1, 11):
        labels = kostra.cut(forest, k=k).tolist()
        assert len(set(labels)) == k
        firsts = [labels.index(label) for label in range(k)]
        assert firsts == sorted(firsts)
    assert kostra.cut(forest, k=3).tolist() == [0] * 8 + [1, 2], (
        "among equals the last edges go first"
    )


def test_a_height_keeps_what_is_at_it():
    edges = [0, 1, 2], [1, 2, 3], [3.0, 1.0, 2.0]
    forest = kostra.minimum_spanning_forest(*edges)
    assert kostra.cut(forest, height=2).tolist() == [0, 1, 1, 1]
    assert kostra.cut(forest, height=-math.inf).tolist() == [0, 1, 2, 3]
    assert kostra.cut(forest, height=math.inf).tolist() == [0, 0, 0, 0]
    forest = kostra.minimum_spanning_forest(*edges, maximum=True)
    assert kostra.cut(forest, height=2).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("kind", [np.int64, np.uint64])
def test_a_height_is_compared_exactly_with_large_integers(kind):
    big = 2**53
    edges = [0, 1, 2], [1, 2, 3], np.array([big, big + 1, 2**62 + 1], kind)
    forest = kostra.minimum_spanning_forest(*edges)
    for height, clusters in [
        (float(big), 3),
        (big, 3),
        (big + 1, 2),
        (big + 0.0, 3),
        (2.0**62, 2),
        (2**62 + 1, 1),
        (math.inf, 1),
        (-math.inf, 4),
        (1e300, 1),
        (-1e300, 4),
        (10**400, 1),
        (-(10**400), 4),
        (Fraction(2 * big + 1, 2), 3),
        (np.float64(big), 3),
    ]:
        assert len(set(kostra.cut(forest, height=height).tolist())) == clusters, height
    forest = kostra.minimum_spanning_forest(*edges, maximum=True)
    for height, clusters in [
        (float(big), 1),
        (big + 1, 2),
        (2.0**62, 3),
        (2**62 + 2, 4),
        (-math.inf, 1),
        (math.inf, 4),
    ]:
        assert len(set(kostra.cut(forest, height=height).tolist())) == clusters, height


def test_a_height_is_compared_exactly_with_floats():
    edges = [0, 1], [1, 2], np.array([0.1, math.inf], np.float32)
    forest = kostra.minimum_spanning_forest(*edges)
    for height, clusters in [
        (0.1, 3),
        (np.float32(0.1), 2),
        (1e300, 2),
        (10**400, 2),
        (math.inf, 1),
        (1, 2),
    ]:
        assert len(set(kostra.cut(forest, height=height).tolist())) == clusters, height
    forest = kostra.minimum_spanning_forest([0], [1], [2.0**53 + 4])
    assert kostra.cut(forest, height=2**53 + 3).tolist() == [0, 1]
    for bad in ("1", None.__class__, [1]):
        with pytest.raises(TypeError, match="height must be a number"):
            kostra.cut(forest, height=bad)


def test_impossible_cuts_are_refused():
    forest = kostra.minimum_spanning_forest([0, 2], [1, 3])
    for bad in (1, 5):
        with pytest.raises(ValueError, match=f"k must be from 2 to 4, not {bad}"):
            kostra.cut(forest, k=bad)
    for bad in ({}, {"k": 2, "height": 1}):
        with pytest.raises(TypeError, match="pass either k or height"):
            kostra.cut(forest, **bad)
    with pytest.raises(ValueError, match="height is NaN"):
        kostra.cut(forest, height=math.nan)
    with pytest.raises(TypeError, match="forest must be a kostra.Forest, not list"):
        kostra.cut([], k=1)


@pytest.mark.parametrize("maximum", [False, True])
def test_bottlenecks_are_those_of_the_best_paths(maximum):
    random = np.random.default_rng(6)
    n, m = 40, 60
    u, v, w = random.integers(0, n, m), random.integers(0, n, m), random.integers(-5, 30, m)
    forest = kostra.minimum_spanning_forest(u, v, w, n, maximum=maximum)
    s, t = (pairs.ravel() for pairs in np.meshgrid(np.arange(n), np.arange(n)))
    found = kostra.bottleneck(forest, s, t).reshape(n, n)
    # Grow the graph edge by edge: the edge that first connects a pair is its bottleneck.
    worst = math.inf if maximum else -math.inf
    expected = np.full((n, n), -worst)
    np.fill_diagonal(expected, worst)
    graph = nx.empty_graph(n)
    for edge in np.argsort(-w if maximum else w, kind="stable"):
        graph.add_edge(int(u[edge]), int(v[edge]))
        part = list(nx.node_connected_component(graph, int(u[edge])))
        block = expected[np.ix_(part, part)]
        block[block == -worst] = w[edge]
        expected[np.ix_(part, part)] = block
    np.testing.assert_array_equal(found, expected)


def test_bottlenecks_of_one_pair_and_of_many_have_their_shapes():
    forest = kostra.minimum_spanning_forest([0, 1], [1, 2], [3, 1])
    assert kostra.bottleneck(forest, 0, 2) == 3.0 and isinstance(
        kostra.bottleneck(forest, 0, 2), float
    )
    assert kostra.bottleneck(forest, [1], [2]).tolist() == [1]
    assert kostra.bottleneck(forest, [0, 1], 2).tolist() == [3, 1]
    assert kostra.bottleneck(forest, [], []).tolist() == []
    with pytest.raises(ValueError, match=r"t\[1\] is 3, but the forest has 3 vertices"):
        kostra.bottleneck(forest, [0, 1], [1, 3])
    with pytest.raises(ValueError, match="s must be from 0 to 2, not -1"):
        kostra.bottleneck(forest, -1, 0)
    with pytest.raises(ValueError, match="s and t must have the same length"):
        kostra.bottleneck(forest, [0, 1], [0, 1, 2])
    with pytest.raises(TypeError, match="s must be an integer, not 0.5"):
        kostra.bottleneck(forest, 0.5, 1)


def parse_newick(text):
    """The names of the nodes, and the parent and the length of each; the root is node 0."""
    names, parents, lengths, node, at = [""], [None], [0.0], 0, 0
    tokens = re.findall(r"'(?:[^']|'')*'|[(),:;]|[^(),:;']+", text.strip())
    while tokens[at] != ";":
        token = tokens[at]
        if token in "(,":
            parent = node if token == "(" else parents[node]
            node = len(names)
            names.append(""), parents.append(parent), lengths.append(0.0)
        elif token == ")":
            node = parents[node]
        elif token == ":":
            at += 1
            lengths[node] = float(tokens[at])
        else:
            quoted = token.startswith("'")
            names[node] = token[1:-1].replace("''", "'") if quoted else token
        at += 1
    return names, parents, lengths


def path_lengths(text, names):
    """The length of the path between each two nodes with these names, condensed."""
    labels, parents, lengths = parse_newick(text)
    nodes = [labels.index(name) for name in names]
    distances = []
    for index, a in enumerate(nodes):
        above, node, total = {}, a, 0.0
        while node is not None:
            above[node] = total
            total += lengths[node]
            node = parents[node]
        for b in nodes[index + 1 :]:
            node, total = b, 0.0
            while node not in above:
                total += lengths[node]
                node = parents[node]
            distances.append(above[node] + total)
    return distances


def test_paths_in_newick_are_the_cophenetic_distances_of_scipy():
    X = np.random.default_rng(5).random((40, 3))
    names = [["plain", "two words", "under_score", "it's", "(a,b)"][i % 5] + str(i) for i in range(40)]
    text = kostra.newick(kostra.single_linkage(X), names)
    expected = hierarchy.cophenet(hierarchy.linkage(X, "single"))
    assert np.allclose(path_lengths(text, names), expected, rtol=1e-12)
    average = hierarchy.linkage(X, "average")
    numbers = [str(i) for i in range(40)]
    paths = path_lengths(kostra.newick(average), numbers)
    assert np.allclose(paths, hierarchy.cophenet(average), rtol=1e-12)


def test_newick_refuses_what_is_no_linkage_matrix():
    linkage = kostra.single_linkage([[0.0], [1.0], [3.0]])
    twice, early = [[0, 1, 1.0, 2], [0, 2, 2.0, 3]], [[0, 3, 1.0, 2], [1, 2, 2.0, 3]]
    for wrong in (linkage[:, :3], twice, early):
        with pytest.raises(ValueError, match="linkage must"):
            kostra.newick(wrong)
    with pytest.raises(ValueError, match="2 names, and linkage has 3 leaves"):
        kostra.newick(linkage, ["a", "b"])
    apart = kostra.minimum_spanning_forest([0], [1], [1.0], n=3)
    with pytest.raises(ValueError, match="cannot hold the distance inf"):
        kostra.newick(kostra.single_linkage(apart, join=np.inf))


def test_a_forest_in_newick_has_the_paths_of_the_forest(tmp_path):
    rng = np.random.default_rng(6)
    graph = kostra.Graph(rng.integers(0, 30, 90), rng.integers(0, 30, 90), rng.random(90), n=30)
    forest = graph.minimum_spanning_forest()
    forest.nodes = [f"node_{i}" for i in range(30)]
    path = tmp_path / "forest.nwk"
    forest.write(path)
    trees = path.read_text().splitlines(keepends=True)
    assert len(trees) == forest.n_components
    distances = dijkstra(forest.to_scipy(), directed=False)
    labels = forest.labels()
    for component, tree in enumerate(trees):
        vertices = np.flatnonzero(labels == component)
        inside = distances[np.ix_(vertices, vertices)][np.triu_indices(len(vertices), 1)]
        names = [forest.nodes[vertex] for vertex in vertices]
        assert np.allclose(path_lengths(tree, names), inside, rtol=1e-12)
