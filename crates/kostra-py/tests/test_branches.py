"""Branches in clusters: the results depend on the set of points, and are near to the package's."""

import pickle

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.metrics import adjusted_rand_score

import kostra
import kostra.hdbscan as ours
from kostra import cluster
from kostra.hdbscan.branches import BranchDetector, approximate_predict_branch

RESULTS = ("labels_", "probabilities_", "branch_labels_", "branch_probabilities_", "centralities_")


def stars(seed, rays=3):
    """Two clusters with rays from their centers, and noise. The ray of each point; -1 for noise."""
    random = np.random.default_rng(seed)
    parts, numbers = [], []
    for star, center in enumerate([(0, 0), (30, 5)]):
        for ray in range(rays):
            along, angle = np.linspace(0.3, 9, 70), 2 * np.pi * ray / rays
            part = np.outer(along, [np.cos(angle), np.sin(angle)])
            parts.append(part + random.normal(0, 0.15, (70, 2)) + center)
            numbers += [star * rays + ray] * 70
    parts.append(random.uniform(-20, 50, (40, 2)))
    return np.concatenate(parts), np.array(numbers + [-1] * 40)


def fit(X, **options):
    return ours.HDBSCAN(25, min_samples=5, branch_detection_data=True, **options).fit(X)


def by_definition(model, X, points, probabilities, least):
    """The clusters of the matrix of centralities of the graph with all near pairs."""
    tree, part = model.spanning_tree_, X[points]
    inside = np.isin(tree.u, points) & np.isin(tree.v, points)
    center = np.average(part, weights=probabilities[points], axis=0)
    centralities = 1 / np.linalg.norm(part - center, axis=1)
    near = cdist(part, part) <= tree.weights[inside].max() * (1 + 1e-9)
    reach = np.where(near, np.maximum(centralities, centralities[:, None]), np.inf)
    np.fill_diagonal(reach, 0)
    return cluster.HDBSCAN(least, metric="precomputed", min_samples=1).fit(reach)


def test_branches_are_the_clusters_by_eccentricity():
    compared = 0
    for seed in range(4):
        X, rays = stars(seed, 3 + seed % 2)
        model = fit(X)
        found = BranchDetector().fit(model)
        assert len(found.cluster_points_) == 2
        for points, persistences in zip(found.cluster_points_, found.branch_persistences_):
            expected = by_definition(model, X, points, found.cluster_probabilities_, 25)
            assert len(persistences) == expected.labels_.max() + 1
            if len(persistences) < 3:
                assert not found.branch_labels_[points].any()
                continue
            compared += 1
            branches = found.branch_labels_[points]
            assert adjusted_rand_score(branches, expected.labels_) == 1
            shares = found.branch_probabilities_[points]
            np.testing.assert_allclose(shares, expected.probabilities_, rtol=1e-9)
        if seed == 0:
            # The branches are the rays.
            is_far = (found.branch_labels_ >= 0) & (rays >= 0) & (found.cluster_labels_ >= 0)
            assert adjusted_rand_score(found.labels_[is_far], rays[is_far]) > 0.95
    assert compared > 3


@pytest.mark.parametrize("method", ["full", "core"])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine", "canberra"])
def test_the_order_of_rows_has_no_effect(method, metric):
    X, _ = stars(2)
    X = np.concatenate([X, X[:30]]) + 40
    model = fit(X, metric=metric)
    found = BranchDetector(method, True).fit(model)
    order = np.random.default_rng(9).permutation(len(X))
    other = BranchDetector(method, True).fit(fit(X[order], metric=metric))
    for name in RESULTS:
        np.testing.assert_array_equal(getattr(other, name), getattr(found, name)[order])
    # Equal rows have equal results.
    for name in RESULTS:
        values = getattr(found, name)
        np.testing.assert_array_equal(values[-30:], values[:30])


@pytest.mark.filterwarnings("ignore::DeprecationWarning:hdbscan")
@pytest.mark.parametrize("sides", [False, True])
def test_branches_are_near_to_those_of_hdbscan(sides):
    theirs = pytest.importorskip("hdbscan")
    for seed in range(3):
        X, _ = stars(seed, 3 + seed % 2)
        model = fit(X)
        options = {"branch_detection_data": True, "approx_min_span_tree": False}
        options |= {"core_dist_n_jobs": 1}
        package = theirs.HDBSCAN(25, min_samples=5, **options).fit(X)
        found = BranchDetector(label_sides_as_branches=sides).fit(model)
        expected = theirs.BranchDetector(label_sides_as_branches=sides)
        expected.fit(package, model.labels_.astype(int), model.probabilities_)
        np.testing.assert_allclose(
            found.centralities_[model.labels_ >= 0], expected.centralities_[model.labels_ >= 0]
        )
        # A point where several branches meet is in one of them in the package.
        assert adjusted_rand_score(found.labels_, expected.labels_) > 0.97
        counts = [[len(of) for of in by.branch_persistences_] for by in (found, expected)]
        assert counts[0] == counts[1]


def test_new_points_join_branches_and_a_restored_detector_is_the_same():
    X, _ = stars(0)
    model = fit(X)
    found = BranchDetector().fit(model)
    labels, probabilities, clusters, strengths, branches, shares = approximate_predict_branch(
        found, X
    )
    right = cluster.approximate_predict(model, X, return_connecting_points=True)
    np.testing.assert_array_equal(clusters, right[0])
    np.testing.assert_array_equal(labels, np.where(right[0] < 0, -1, found.labels_[right[2]]))
    is_in = clusters >= 0
    np.testing.assert_array_equal(probabilities[is_in], (strengths + shares)[is_in] / 2)
    np.testing.assert_array_equal(branches[is_in], found.branch_labels_[right[2]][is_in])
    restored = pickle.loads(pickle.dumps(found))
    for one, other in zip(approximate_predict_branch(restored, X), (labels, probabilities)):
        np.testing.assert_array_equal(one, other)
    assert [len(tree.to_numpy()) for tree in restored.linkage_trees_] == [
        len(points) - 1 for points in found.cluster_points_
    ]
    for points, tree, parts in zip(
        found.cluster_points_, found.condensed_trees_, found.exemplars_
    ):
        assert tree.to_numpy()["parent"].min() == len(points)
        assert len(parts) == 3 and all(len(part) for part in parts)
    few = found.labels_ == 1
    center = np.average(X[few], weights=found.probabilities_[few], axis=0)
    np.testing.assert_allclose(found.weighted_centroid(1), center)
    assert found.weighted_medoid(1) in X[few]


def test_other_labels_and_clusters_with_few_branches():
    X, _ = stars(1)
    X = np.insert(X, 7, np.nan, axis=0)
    model = fit(X)
    long = np.random.default_rng(0).uniform(0, 1, (200, 2)) * [20, 1]
    plain = fit(long, allow_single_cluster=True)
    found = BranchDetector(allow_single_cluster=False).fit(plain)
    assert set(found.labels_) == {0} and len(found.branch_persistences_[0]) == 2
    both = BranchDetector(label_sides_as_branches=True, allow_single_cluster=False).fit(plain)
    assert len(set(both.branch_labels_) - {-1}) == 2
    # All points in one cluster: they are not connected.
    whole = np.zeros(len(X), int)
    found = BranchDetector().fit(model, whole)
    assert found.cluster_labels_[7] == found.labels_[7] == -1
    assert found.condensed_trees_ == [None] or len(found.branch_persistences_) == 1
    with pytest.raises(ValueError, match="these branches are of other labels"):
        approximate_predict_branch(found, X[:3])
    with pytest.raises(ValueError, match="labels must be 461 integers"):
        BranchDetector().fit(model, [0, 1])


@pytest.mark.filterwarnings("ignore::DeprecationWarning:hdbscan")
def test_the_graph_is_that_of_hdbscan():
    theirs = pytest.importorskip("hdbscan")
    X, _ = stars(3)
    model = fit(X)
    found = BranchDetector().fit(model)
    points, edges = found.approximation_graph_.to_numpy()
    options = {"branch_detection_data": True, "approx_min_span_tree": False, "core_dist_n_jobs": 1}
    package = theirs.HDBSCAN(25, min_samples=5, **options).fit(X)
    expected = theirs.BranchDetector()
    expected.fit(package, model.labels_.astype(int), model.probabilities_)
    _, right = expected.approximation_graph_.to_numpy()
    right = right[np.lexsort([right["child"], right["parent"], right["component"]])]
    for name in ("component", "parent", "child", "centrality"):
        np.testing.assert_allclose(edges[name], right[name], rtol=1e-9)
    # The package takes the core distances of other rows.
    distances = cdist(X, X)
    cores = np.sort(distances, axis=1)[:, 5]
    u, v = edges["parent"], edges["child"]
    reach = np.maximum(distances[u, v], np.maximum(cores[u], cores[v]))
    np.testing.assert_allclose(edges["mutual_reachability"], reach, rtol=1e-9)
    np.testing.assert_array_equal(points["id"], np.flatnonzero(model.labels_ >= 0))
    np.testing.assert_array_equal(points["branch_label"], found.branch_labels_[points["id"]])


def test_the_core_graph_has_the_tree_and_the_nearest_points():
    X, _ = stars(3)
    X = X[np.lexsort(X.T[::-1])]  # the order in which the tree of the graph is found
    model = fit(X)
    edges = BranchDetector("core").fit(model).approximation_graph_.to_numpy()[1]
    distances, tree = cdist(X, X), model.spanning_tree_
    radii = np.sort(distances, axis=1)[:, 4]
    right = distances <= np.maximum(radii, radii[:, None])
    right[tree.u, tree.v] = True
    right &= (model.labels_ == model.labels_[:, None]) & (model.labels_ >= 0)
    found = np.zeros_like(right)
    found[edges["parent"], edges["child"]] = True
    np.testing.assert_array_equal(found, np.triu(right, 1))


def test_the_graph_has_other_forms_and_a_plot():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    X = np.insert(stars(3)[0], 7, np.nan, axis=0)
    graph = BranchDetector("core").fit(fit(X)).approximation_graph_
    points, edges = graph.to_pandas()
    network = graph.to_networkx(["x", "y"])
    assert (len(points), len(edges)) == (network.number_of_nodes(), network.number_of_edges())
    first = edges.iloc[0]
    distance = network.edges[int(first.parent), int(first.child)]["mutual_reachability"]
    assert distance == first.mutual_reachability
    assert network.nodes[int(first.parent)]["x"] == X[int(first.parent), 0]
    for options in ({}, {"node_color": "y", "feature_names": ["x", "y"]}, {"node_color": X[:, 0]}):
        axes = graph.plot(edge_color="centrality", **options)
        assert len(axes.collections[0].get_segments()) == len(edges)
        pyplot.close()
    assert graph.point_mask.sum() == len(points) and not graph.point_mask[7]
    with pytest.raises(ValueError, match="positions must have 461 rows"):
        graph.plot(positions=X[:3])


@pytest.mark.parametrize("metric", ["euclidean", "canberra"])
@pytest.mark.parametrize("method", ["full", "core"])
def test_weights_are_repeated_rows(method, metric):
    random = np.random.default_rng(4)
    X, weights = stars(2)[0] + 40, random.integers(0, 4, 460)
    repeated = np.repeat(np.arange(len(X)), weights)
    options = {"min_cluster_size": 40, "min_samples": 8, "metric": metric}
    model = cluster.HDBSCAN(**options).fit(X, sample_weight=weights)
    found = BranchDetector(method, True).fit(model)
    right = BranchDetector(method, True).fit(cluster.HDBSCAN(**options).fit(X[repeated]))
    assert found.branch_labels_.max() > 0
    for name in RESULTS:
        np.testing.assert_allclose(getattr(found, name)[repeated], getattr(right, name), rtol=1e-9)
    for ours, other in zip(found.branch_persistences_, right.branch_persistences_):
        np.testing.assert_allclose(ours, other, rtol=1e-9)
    for ours, other in zip(found.condensed_trees_, right.condensed_trees_):
        assert ours.to_numpy()["child_size"].sum() == other.to_numpy()["child_size"].sum()
    for center in ("weighted_centroid", "weighted_medoid"):
        np.testing.assert_allclose(getattr(found, center)(0), getattr(right, center)(0))


def test_branches_contain_connected_pairs_only():
    X, _ = stars(0)
    everything = np.ones((len(X), len(X)))
    for method in ("full", "core"):
        for metric in ("euclidean", "canberra"):
            options = {"min_cluster_size": 25, "min_samples": 6, "metric": metric}
            plain = BranchDetector(method, True).fit(cluster.HDBSCAN(**options).fit(X + 40))
            joined = cluster.HDBSCAN(connectivity=everything, **options).fit(X + 40)
            joined = BranchDetector(method, True).fit(joined)
            for name in RESULTS:
                np.testing.assert_array_equal(getattr(joined, name), getattr(plain, name))
    # Connected are near points only, and a permutation of the rows is one of the result.
    near = cdist(X, X) < 1.5
    order = np.random.default_rng(3).permutation(len(X))
    for method in ("full", "core"):
        model = cluster.HDBSCAN(25, min_samples=6, connectivity=near).fit(X)
        found = BranchDetector(method).fit(model)
        edges = found.approximation_graph_.to_numpy()[1]
        assert near[edges["parent"], edges["child"]].all()
        if method == "full":
            tree, inside = model.spanning_tree_, model.labels_ == 0
            longest = tree.weights[inside[tree.u] & inside[tree.v]].max()
            pairs = np.triu(near & (cdist(X, X) <= longest * (1 + 1e-9)), 1)[inside][:, inside]
            assert (edges["component"] == 0).sum() == pairs.sum()
        other = near[order][:, order]
        other = cluster.HDBSCAN(25, min_samples=6, connectivity=other).fit(X[order])
        other = BranchDetector(method).fit(other)
        for name in RESULTS:
            np.testing.assert_array_equal(getattr(other, name), getattr(found, name)[order])


def test_models_without_points_have_no_branches():
    X, _ = stars(1)
    with pytest.raises(ValueError, match="branches need the points of the fit"):
        BranchDetector().fit(cluster.HDBSCAN(12).fit(kostra.euclidean_mst(X)))
    with pytest.raises(ValueError, match="branch_detection_method must be"):
        BranchDetector("half").fit(fit(X))
