"""The estimators of clusters, beside scikit-learn's."""

import pickle
import sys

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import pdist, squareform
from sklearn.base import clone
from sklearn.cluster import HDBSCAN as Theirs
from sklearn.cluster import AgglomerativeClustering
from sklearn.cluster._hdbscan import _tree
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import haversine_distances
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import NearestNeighbors, kneighbors_graph
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import kostra
from kostra.cluster import (
    HDBSCAN,
    FelzenszwalbSegmentation,
    SingleLinkage,
    membership_vector,
)


def blobs(n=300, d=2, seed=0):
    spread = [0.3, 0.5, 0.8, 1, 1.2, 2]
    return make_blobs(n, d, centers=6, cluster_std=spread, random_state=seed)[0]


def same_partition(a, b):
    return len(set(zip(a, b))) == len(set(a)) == len(set(b))


@pytest.mark.parametrize("estimator", [HDBSCAN, SingleLinkage, FelzenszwalbSegmentation])
def test_the_estimators_pass_scikit_learns_checks(estimator):
    check_estimator(estimator())


def theirs(function, *arguments, **options):
    """Calls scikit-learn. Its search upwards from ``cluster_selection_epsilon`` does not run with
    NumPy 2.4 and later.
    """
    try:
        return function(*arguments, **options)
    except TypeError as error:
        if "0-dimensional" in str(error) and options.get("cluster_selection_epsilon"):
            pytest.skip("this scikit-learn does not run with this NumPy")
        raise


OPTIONS = [
    {},
    {"min_cluster_size": 12},
    {"min_cluster_size": 2, "min_samples": 1},
    {"cluster_selection_method": "leaf"},
    {"cluster_selection_method": "leaf", "cluster_selection_epsilon": 0.6},
    {"cluster_selection_epsilon": 0.8},
    {"cluster_selection_epsilon": 0.8, "allow_single_cluster": True},
    {"allow_single_cluster": True, "min_cluster_size": 40},
    {"max_cluster_size": 45},
    {"cluster_selection_method": "leaf", "max_cluster_size": 5},
    {"metric": "manhattan"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_labels_and_probabilities_are_scikit_learns_if_no_distances_are_equal(options, seed):
    # With more samples, many mutual reachability distances are one core distance.
    options = {"min_samples": 2} | options
    points = blobs(seed=seed, d=2 + seed % 2)
    found = HDBSCAN(**options, ties="scikit-learn").fit(points)
    expected = theirs(lambda **options: Theirs(**options, copy=True).fit(points), **options)
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    np.testing.assert_allclose(found.probabilities_, expected.probabilities_, rtol=1e-9)


@pytest.mark.parametrize("options", OPTIONS[:-1], ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_labels_and_probabilities_are_scikit_learns_for_the_same_hierarchy(options, seed):
    options = {name: option for name, option in options.items() if name != "min_samples"}
    points = blobs(seed=seed).round(seed % 2)
    tree = kostra.euclidean_mst(points, min_samples=7)
    linkage = kostra.single_linkage(tree)
    rows = np.empty(len(linkage), _tree.HIERARCHY_dtype)
    for name, column in zip(rows.dtype.names, linkage.T):
        rows[name] = column
    options = {"min_cluster_size": 5} | options
    labels, probabilities = theirs(_tree.tree_to_labels, rows, **options)
    found = HDBSCAN(**options, ties="scikit-learn").fit(tree)
    # Which of two parts is the left one is not in a linkage matrix.
    assert same_partition(found.labels_, labels)
    np.testing.assert_allclose(found.probabilities_, probabilities)


def test_a_single_cluster_and_noise_only_are_scikit_learns():
    points = np.random.default_rng(1).normal(size=(60, 2))
    for options in ({}, {"allow_single_cluster": True}, {"min_cluster_size": 50}):
        options = {"min_samples": 2} | options
        expected = Theirs(**options, copy=True).fit(points)
        found = HDBSCAN(**options, ties="scikit-learn").fit(points)
        np.testing.assert_array_equal(found.labels_, expected.labels_)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "cosine", "haversine"])
@pytest.mark.parametrize("form", ["points", "float32", "square", "sparse"])
def test_rows_in_another_order_have_the_same_labels(metric, form):
    random = np.random.default_rng(5)
    for n in (7, 30, 200):
        # Few values, so that points and distances are equal, too.
        points = random.integers(1, 4 + n // 10, (n, 2)).astype(float)
        order = random.permutation(n)
        results = []
        for rows in (points, points[order]):
            options = {"metric": metric}
            if form == "float32":
                rows = rows.astype(np.float32)
            elif form != "points":
                rows, options = kostra_distances(rows, metric), {"metric": "precomputed"}
                if form == "sparse":  # without the diagonal
                    rows = sparse.csr_array((rows + 1) * ~np.eye(n, dtype=bool))
            found = HDBSCAN(min_cluster_size=3, min_samples=3, **options).fit(rows)
            results.append((found.labels_, found.probabilities_, found.outlier_scores_))
        (labels, *first), (permuted, *second) = results
        if form in ("points", "float32"):
            np.testing.assert_array_equal(labels[order], permuted)
        else:  # without coordinates, only the numbers may depend on the order
            assert same_partition(np.append(labels[order], -1), np.append(permuted, -1))
        for ours, theirs_ in zip(first, second):
            np.testing.assert_array_equal(ours[order], theirs_)


def kostra_distances(points, metric):
    """All distances, each computed in one way for both orders of its points."""
    if metric == "haversine":
        metric, points = "euclidean", np.radians(points)
    return squareform(pdist(points, "cityblock" if metric == "manhattan" else metric))


def test_no_cluster_has_points_of_two_components():
    def paths(sizes):
        ends = np.cumsum(sizes) - 1
        u = np.setdiff1d(np.arange(sum(sizes)), ends)
        return sparse.coo_array((np.ones(len(u)), (u, u + 1)), shape=(sum(sizes),) * 2).tocsr()

    for sizes in ([1] * 5 + [6, 6], [2, 2, 2, 6], [6, 1, 6], [100] + [8] * 7 + [1] * 35):
        half = paths(sizes)
        expected = np.repeat([size >= 5 for size in sizes], sizes)
        found = HDBSCAN(5, min_samples=1, metric="precomputed").fit(half + half.T)
        if expected.sum() > max(sizes):
            np.testing.assert_array_equal(found.labels_ >= 0, expected)
        component = np.repeat(np.arange(len(sizes)), sizes)
        for label in range(found.labels_.max() + 1):
            assert len(set(component[found.labels_ == label])) == 1


def test_points_that_coincide_have_labels():
    points = np.repeat([[0.0, 0.0], [5.0, 5.0], [9.0, 0.0]], 10, axis=0)
    ours = HDBSCAN(min_cluster_size=5).fit(points)
    assert same_partition(ours.labels_, np.repeat([0, 1, 2], 10))
    assert (ours.probabilities_ == 1).all() and (ours.outlier_scores_ == 0).all()


def test_every_form_of_the_distances_gives_the_labels_of_the_points():
    points = blobs(150)
    expected = HDBSCAN(min_samples=2).fit(points)
    condensed = pdist(points)
    square = squareform(condensed)
    # Every entry of the sparse form is stored, the diagonal included.
    rows, columns = np.indices(square.shape).reshape(2, -1)
    full = sparse.coo_array((square.reshape(-1), (rows, columns)), shape=square.shape)
    arrays = NearestNeighbors(n_neighbors=149).fit(points).kneighbors()
    forms = [square, condensed, full, full.tocsr(), arrays, arrays[::-1]]
    for form in forms:
        found = HDBSCAN(metric="precomputed", min_samples=2).fit(form)
        np.testing.assert_array_equal(found.labels_, expected.labels_)
        np.testing.assert_allclose(found.probabilities_, expected.probabilities_)
    tree = kostra.euclidean_mst(points, min_samples=2)
    np.testing.assert_array_equal(HDBSCAN().fit(tree).labels_, expected.labels_)


def test_neighbors_with_two_distances_are_a_warning():
    arrays = np.array([[0, 1.0], [0, 2.0]]), np.array([[0, 1], [1, 0]])
    with pytest.warns(UserWarning, match="have the distances 2.0 and 1.0, and the lesser counts"):
        tree = SingleLinkage(metric="precomputed", n_clusters=1).fit(arrays).spanning_tree_
    np.testing.assert_array_equal(tree.distances, [1.0])


@pytest.mark.parametrize("min_samples", [None, 2, 5])
@pytest.mark.parametrize("seed", range(5))
def test_every_form_of_tied_distances_gives_the_tree_of_the_points(min_samples, seed):
    random = np.random.default_rng(seed)
    points = random.integers(0, 5, (40, 1 + seed % 3)).astype(float)
    expected = kostra.euclidean_mst(points, min_samples=min_samples)
    square = squareform(pdist(points))
    entries = random.permutation(square.size)  # in any order
    ends = np.unravel_index(entries, square.shape)
    full = sparse.coo_array((square.reshape(-1)[entries], ends), shape=square.shape)
    arrays = NearestNeighbors(n_neighbors=39).fit(points).kneighbors()
    for form in (square, full, full.tocsr(), arrays, kostra.nearest_neighbors(points, 39)):
        estimator = SingleLinkage(metric="precomputed", min_samples=min_samples).fit(form)
        found = estimator.spanning_tree_
        np.testing.assert_array_equal(found.edges, expected.edges)
        np.testing.assert_allclose(found.distances, expected.distances)
        np.testing.assert_array_equal(found.edge_ids, np.arange(39))


def test_sparse_neighbors_give_scikit_learns_labels():
    points = blobs(200)
    graph = kneighbors_graph(points, 60, mode="distance")
    graph = graph.maximum(graph.T).tocsr()
    assert sparse.csgraph.connected_components(graph)[0] == 1
    options = {"metric": "precomputed", "min_cluster_size": 8, "min_samples": 1}
    expected = Theirs(**options, copy=True).fit(graph)
    assert same_partition(HDBSCAN(**options).fit(graph).labels_, expected.labels_)


def test_the_directions_of_a_sparse_matrix_must_agree():
    square = squareform(pdist(blobs(40)))
    wrong = square.copy()
    wrong[7, 3] *= 2
    fits = [
        estimator(metric="precomputed").fit
        for estimator in (HDBSCAN, SingleLinkage, FelzenszwalbSegmentation)
    ]
    fits.append(lambda X: kostra.single_linkage(X, metric="precomputed"))
    for fit in fits:
        for kind in ("csr", "csc", "coo"):
            with pytest.raises(ValueError, match=r"X must be symmetric, but X\[\d, \d\] is .* pass"):
                fit(sparse.csr_array(wrong).asformat(kind))
        # Neighbors are stored in one direction, and rounded in another way in the other.
        fit(kneighbors_graph(blobs(40), 12, mode="distance"))
        fit(sparse.csr_array(square * np.where(np.tri(40), 1, 1 + 1e-9)))


def test_components_are_apart_at_an_infinite_distance():
    square = squareform(pdist(np.array([[0.0], [1], [2], [10], [11], [12], [30]])))
    square[square > 3] = 0
    found = HDBSCAN(2, metric="precomputed", min_samples=1).fit(sparse.csr_array(square))
    np.testing.assert_array_equal(found.labels_, [0, 0, 0, 1, 1, 1, -1])
    assert found.spanning_tree_.n_components == 3
    linkage = SingleLinkage(n_clusters=4, metric="precomputed").fit(sparse.csr_array(square))
    assert linkage.n_clusters_ == 4 and np.isinf(linkage.linkage_[-2:, 2]).all()
    square[square == 0] = np.inf
    np.fill_diagonal(square, 0)
    for k in (1, 2, 3, 4):  # components are joined in the order of their lowest points
        linkage.set_params(n_clusters=k)
        of_sparse = linkage.fit(sparse.csr_array(np.where(square < 9, square, 0)))
        assert of_sparse.n_clusters_ == len(set(of_sparse.labels_)) == k
        np.testing.assert_array_equal(of_sparse.labels_, linkage.fit_predict(square))


def test_the_condensed_tree_has_the_columns_of_hdbscan():
    points = blobs(100)
    found = HDBSCAN(min_cluster_size=6).fit(points)
    rows = found.condensed_tree_.to_numpy()
    assert rows.dtype.names == ("parent", "child", "lambda_val", "child_size")
    assert sorted(rows["child"][rows["child_size"] == 1]) == list(range(100))
    clusters = rows[rows["child_size"] > 1]
    for cluster in np.unique(rows["parent"]):
        inside = rows[rows["parent"] == cluster]["child_size"].sum()
        own = 100 if cluster == 100 else clusters[clusters["child"] == cluster]["child_size"][0]
        assert inside == own
    restored = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(np.asarray(restored.condensed_tree_), rows)
    with pytest.raises(NotFittedError, match="HDBSCAN instance is not fitted"):
        HDBSCAN().condensed_tree_
    np.testing.assert_array_equal(clone(found).fit_predict(points), found.labels_)


def test_outlier_scores_are_highest_far_from_clusters():
    points = np.vstack([blobs(200), [[100.0, 100.0]]])
    scores = HDBSCAN(min_cluster_size=10).fit(points).outlier_scores_
    assert scores.argmax() == 200 and 0 <= scores.min() and scores.max() <= 1


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"min_cluster_size": 1}, ValueError, "min_cluster_size must be from 2"),
        ({"min_cluster_size": 2.5}, TypeError, "min_cluster_size must be an integer"),
        ({"min_samples": 11}, ValueError, "min_samples must be from 1 to 10, not 11"),
        ({"min_cluster_size": 11}, ValueError, "not 11; by default, it is min_cluster_size"),
        ({"cluster_selection_method": "best"}, ValueError, "'eom' or 'leaf'"),
        ({"cluster_selection_epsilon": -1}, ValueError, "at least 0"),
        ({"max_cluster_size": 0}, ValueError, "max_cluster_size must be from 1"),
        ({"max_cluster_size": 4}, ValueError, "max_cluster_size is 4, below min_cluster_size, 5"),
        ({"metric": "nearest"}, ValueError, "metric must be one of"),
        ({"min_cluster_size": None}, TypeError, "min_cluster_size must be an integer, not None"),
        ({"allow_single_cluster": "no"}, TypeError, "allow_single_cluster must be True or False"),
        ({"store_centers": "mean"}, ValueError, "'centroid' or 'medoid' or 'both'"),
    ],
)
def test_bad_parameters_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        HDBSCAN(**options).fit(np.random.default_rng(0).random((10, 2)))


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "canberra", "haversine"])
def test_centers_of_clusters_are_scikit_learns(metric):
    points = blobs(150) + 20
    theirs_of = Theirs(min_samples=2, metric=metric, store_centers="both", copy=True)
    expected = theirs_of.fit(np.radians(points) if metric == "haversine" else points)
    options = {"min_samples": 2, "metric": metric, "ties": "scikit-learn"}
    found = HDBSCAN(**options, store_centers="medoid").fit(points)
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    assert not hasattr(found, "centroids_") and len(found.medoids_) > 1
    if metric == "haversine":
        np.testing.assert_allclose(np.radians(found.medoids_), expected.medoids_)
        return
    np.testing.assert_array_equal(found.medoids_, expected.medoids_)
    found = HDBSCAN(**options, store_centers="both").fit(points)
    np.testing.assert_allclose(found.centroids_, expected.centroids_)
    found = HDBSCAN(**options, store_centers="centroid").fit(points)
    np.testing.assert_allclose(found.centroids_, expected.centroids_)
    assert not hasattr(found, "medoids_")


def test_centers_without_points_are_refused():
    points = blobs(30)
    with pytest.raises(ValueError, match="needs points in host memory"):
        HDBSCAN(store_centers="medoid").fit(kostra.euclidean_mst(points, min_samples=5))
    with pytest.raises(ValueError, match="needs points in host memory"):
        HDBSCAN(store_centers="both", metric="precomputed").fit(squareform(pdist(points)))


def test_a_callable_gives_the_labels_of_its_metric():
    points = blobs(80)
    for estimator in (HDBSCAN(4, min_samples=2), SingleLinkage(5)):
        expected = clone(estimator).set_params(metric="chebyshev").fit_predict(points)
        metric = lambda a, b: np.abs(a - b).max()  # noqa: E731
        found = clone(estimator).set_params(metric=metric).fit_predict(points)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("estimator", [HDBSCAN(2), SingleLinkage(), FelzenszwalbSegmentation()])
def test_values_that_would_be_changed_are_refused(estimator):
    fit = estimator.fit
    with pytest.raises(ValueError, match=r"X\[1, 0\] is masked"):
        fit(np.ma.array([[1.0], [2.0], [3.0]], mask=[[0], [1], [0]]))
    with pytest.raises(ValueError, match="would round"):
        fit(np.array([[1], [2**53 + 1], [5]]))
    distances = sparse.csr_array(np.array([[0, 7, 2**53 + 1], [7, 0, 2], [2**53 + 1, 2, 0]]))
    with pytest.raises(ValueError, match=r"X.data\[1\] is 9007199254740993, which a float would"):
        clone(estimator).set_params(metric="precomputed").fit(distances)
    for texts in (np.array([["1"], ["2"], ["3"]]), np.array([["1"], [2], [3]], object)):
        with pytest.raises(TypeError, match="X contains texts"):
            fit(texts)
    for times in (np.array([["2020"], ["NaT"]], "datetime64[D]"), np.array([[5], [6]], "m8[s]")):
        with pytest.raises(TypeError, match="X contains times"):
            fit(times)
    table = pytest.importorskip("pandas").DataFrame
    with pytest.raises(TypeError, match="column 't' of X contains times"):
        fit(table({"x": [1.0, 2.0], "t": np.array(["2020", "2021"], "datetime64[D]")}))
    with pytest.raises(ValueError, match="latitude, then the longitude"):
        clone(estimator).set_params(metric="haversine").fit(
            table({"lon": [14.4, 16.6], "lat": [50.1, 49.2]})
        )
    with pytest.raises(ValueError, match="is column 'id' of X a coordinate"):
        fit(table({"id": [7, 8], "x": [1.0, 2.0]}))
    distances = table([[0.0, 1.0], [1.0, 0.0]], columns=["id", "index"])  # these are points
    clone(estimator).set_params(metric="precomputed").fit(distances)


def test_similarities_are_refused():
    points = blobs(40)
    square = squareform(pdist(points))
    alike = np.exp(-square)
    indices = np.argsort(-alike, axis=1)[:, :5]
    neighbors = (indices, np.take_along_axis(alike, indices, 1))
    for estimator in (HDBSCAN(5), SingleLinkage()):
        for form in (alike, sparse.csr_array(alike), neighbors):
            with pytest.raises(ValueError, match="pass distances, not similarities"):
                clone(estimator).set_params(metric="precomputed").fit(form)
    # Searches in float32 round the distance of a point to itself.
    distances = np.take_along_axis(square, indices, 1) + 1e-4
    assert SingleLinkage(metric="precomputed").fit((indices, distances)).n_clusters_ == 2


def test_matrices_that_contain_no_distances_have_no_segments():
    square = squareform(pdist(blobs(40)))
    fit = FelzenszwalbSegmentation(metric="precomputed").fit
    for wrong, message in [
        (np.triu(square), "X must be symmetric"),
        (np.exp(-square), "pass distances, not similarities"),
        (square[:, :30], "X must be a square matrix"),
        (square - 1, "negative distance"),
        (sparse.csr_array(square - 1), r"X.data\[0\] is the negative distance"),
    ]:
        with pytest.raises(ValueError, match=message):
            fit(wrong)
    assert len(fit(square).labels_) == 40


def test_infinite_distances_separate_clusters_as_missing_ones_do():
    square = squareform(pdist(np.array([[0.0], [1], [2], [10], [11], [12], [30]])))
    square[square > 3] = np.inf
    found = HDBSCAN(2, metric="precomputed", min_samples=1).fit(square)
    np.testing.assert_array_equal(found.labels_, [0, 0, 0, 1, 1, 1, -1])


def test_segments_by_haversine_take_degrees_and_meters():
    cities = [[50.08, 14.42], [50.09, 14.43], [49.19, 16.60], [49.20, 16.61]]
    options = {"metric": "haversine", "min_size": 1, "n_neighbors": 3}
    found = FelzenszwalbSegmentation(2000, **options).fit_predict(cities)
    assert found.tolist() == [0, 0, 1, 1]  # 2 km, but not 180 km
    with pytest.raises(ValueError, match="latitude"):
        FelzenszwalbSegmentation(**options).fit([[95.0, 0.0], [1.0, 2.0]])


def test_bad_neighbors_are_refused():
    with pytest.raises(ValueError, match="unclear which of them are the distances"):
        HDBSCAN(2, metric="precomputed").fit((np.array([[1], [0]]), np.array([[3], [3]])))
    indices, distances = np.array([[1], [0]]), np.array([[1.0], [1.0]])
    fit = HDBSCAN(2, metric="precomputed", min_samples=1).fit
    assert fit((indices, distances)).labels_.tolist() == [-1, -1]
    for pair in ((indices, distances[:1]), (distances, distances), (indices + 5, distances)):
        with pytest.raises(ValueError):
            fit(pair)
    with pytest.raises(ValueError, match=r"distances\[0, 0\] is the negative distance -1.0"):
        fit((indices, -distances))
    with pytest.raises(ValueError, match=r"distances\[0, 0\] is NaN; pass distances of at least 0"):
        fit((indices, distances * np.nan))
    # Libraries write -1 for a neighbor that they did not find.
    for min_samples in (1, 2):
        with pytest.raises(ValueError, match=r"indices\[1, 0\] is -1, .* pass fewer neighbors"):
            HDBSCAN(2, metric="precomputed", min_samples=min_samples).fit(
                (np.array([[1], [-1]]), distances)
            )
    with pytest.raises(ValueError, match="point 0 has 2 neighbors, itself included"):
        HDBSCAN(2, metric="precomputed", min_samples=3).fit(
            (np.array([[1], [0], [1]]), np.ones((3, 1)))
        )
    with pytest.raises(ValueError, match="more neighbors; by default, it is min_cluster_size"):
        HDBSCAN(3, metric="precomputed").fit((np.array([[1], [0], [1]]), np.ones((3, 1))))
    with pytest.raises(ValueError, match="leave min_samples out"):
        kostra.single_linkage(kostra.euclidean_mst([[0.0], [1.0]]), min_samples=2)


def test_single_linkage_is_scikit_learns():
    points = blobs(120)
    for options in ({"n_clusters": 7}, {"n_clusters": None, "distance_threshold": 0.9}):
        found = SingleLinkage(**options).fit(points)
        expected = AgglomerativeClustering(linkage="single", **options).fit(points)
        assert same_partition(found.labels_, expected.labels_)
        assert found.n_clusters_ == expected.n_clusters_
    with pytest.raises(ValueError, match="either n_clusters or distance_threshold"):
        SingleLinkage(distance_threshold=1.0).fit(points)
    with pytest.raises(ValueError, match="n_clusters must be from 1 to 120"):
        SingleLinkage(n_clusters=121).fit(points)


def test_segments_of_points_are_their_groups():
    points = np.vstack([np.random.default_rng(2).normal(at, 0.2, (50, 2)) for at in (0, 10)])
    found = FelzenszwalbSegmentation(scale=5).fit(points)
    np.testing.assert_array_equal(found.labels_, np.repeat([0, 1], 50))
    assert found.n_segments_ == 2
    square = FelzenszwalbSegmentation(scale=5, metric="precomputed")
    np.testing.assert_array_equal(square.fit_predict(squareform(pdist(points))), found.labels_)


def test_without_scikit_learn_the_rest_of_the_package_works(monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "sklearn"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    for name in ("cluster", "_estimator"):
        monkeypatch.delitem(sys.modules, f"kostra.{name}")
    with pytest.raises(ImportError, match="pip install -U scikit-learn"):
        kostra.__getattr__("cluster")
    assert kostra.single_linkage([[0.0], [1.0]]).shape == (1, 4)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "cosine"])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_fitted_points_are_predicted_in_their_own_clusters(metric, kind):
    points = blobs(400, 3).astype(kind)
    found = HDBSCAN(min_cluster_size=8, min_samples=4, metric=metric).fit(points)
    assert found.labels_.max() > 0
    np.testing.assert_array_equal(found.predict(points), found.labels_)
    restored = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(restored.predict(points[:5].tolist()), found.labels_[:5])
    # A later change of the array does not matter.
    points += 100
    np.testing.assert_array_equal(found.predict(points - 100), restored.predict(points - 100))


def test_new_points_join_near_clusters_or_are_noise():
    points = np.concatenate([blobs(200), [[np.nan, 0.0]]])
    found = HDBSCAN(nonfinite="label").fit(points)
    inside = int(np.argmax(found.probabilities_[:-1]))
    new = [points[inside] + 1e-9, [1e6, 1e6]]
    np.testing.assert_array_equal(found.predict(new), [found.labels_[inside], -1])


def test_predictions_that_cannot_be_made_are_refused():
    points = blobs(100)
    with pytest.raises(NotFittedError):
        HDBSCAN().predict(points)
    found = HDBSCAN().fit(points)
    with pytest.raises(ValueError, match="1 features.*2 features"):
        found.predict(points[:, :1])
    with pytest.raises(ValueError, match="row 1, column 0 .* is NaN"):
        found.predict([[0.0, 0.0], [np.nan, 0.0]])
    with pytest.raises(TypeError, match="pass the coordinates of new points"):
        found.predict(found.spanning_tree_)
    others = [
        HDBSCAN().fit(kostra.euclidean_mst(points)),
        HDBSCAN(metric="precomputed").fit(squareform(pdist(points))),
        HDBSCAN(metric="canberra").fit(points),
    ]
    for other in others:
        with pytest.raises(ValueError, match="predict needs the points of the fit"):
            other.predict(points)


@pytest.mark.parametrize("form", ["points", "square", "manhattan", "haversine", "jaccard"])
def test_alpha_divides_distances_but_no_core_distances(form):
    points, options = blobs(120), {"metric": form}
    if form == "haversine":
        distances = haversine_distances(np.radians(points)) * 6_371_008.7714
    elif form == "jaccard":
        points = np.random.default_rng(0).random((60, 9)) < 0.5
        points[:, 0] = True
        distances = squareform(pdist(points, form))
    else:
        distances = squareform(pdist(points, "cityblock" if form == "manhattan" else "euclidean"))
    if form == "square":
        points, options = distances, {"metric": "precomputed"}
    if form == "points":
        options = {}
    core = np.sort(distances, axis=1)[:, 3]
    reached = np.maximum(distances / 1.5, np.maximum(core, core[:, None]))
    np.fill_diagonal(reached, 0)
    expected = HDBSCAN(metric="precomputed", min_samples=1).fit(reached)
    found = HDBSCAN(alpha=1.5, min_samples=4, **options).fit(points)
    np.testing.assert_allclose(
        found.spanning_tree_.weights, expected.spanning_tree_.weights, rtol=1e-9
    )
    if form in ("points", "square"):
        assert same_partition(np.append(found.labels_, -1), np.append(expected.labels_, -1))
    if form in ("points", "manhattan"):
        np.testing.assert_array_equal(found.predict(points), found.labels_)
    else:
        with pytest.raises(ValueError, match="predict needs the points of the fit"):
            found.predict(points)
    for X in (found.spanning_tree_, sparse.csr_array(np.ones((3, 3)))):
        with pytest.raises(ValueError, match="alpha=1.5 needs points in host memory or a square"):
            HDBSCAN(alpha=1.5, metric="precomputed").fit(X)


def test_clusters_by_metrics_with_parameters_are_scikit_learns_and_predict():
    points, new = blobs(200, 3), blobs(50, 3, seed=1)
    for metric, params in [
        ("seuclidean", {"V": [1.0, 4.0, 0.5]}),
        ("minkowski", {"p": 1}),
        ("mahalanobis", None),
    ]:
        options = {"min_samples": 2, "metric": metric, "metric_params": params}
        theirs_of = Theirs(**options, algorithm="brute", copy=True).fit(points)
        found = HDBSCAN(**options, ties="scikit-learn", store_centers="medoid").fit(points)
        assert same_partition(found.labels_, theirs_of.labels_)
        together = HDBSCAN(**options).fit(points)
        np.testing.assert_array_equal(together.predict(points), together.labels_)
        labels = pickle.loads(pickle.dumps(together)).predict(new)
        np.testing.assert_array_equal(labels, together.predict(new))
        assert all(row in points.tolist() for row in found.medoids_.tolist())


def test_sparse_features_have_the_labels_of_the_array():
    points = np.maximum(blobs(90, 5), 0)
    expected = HDBSCAN(min_samples=2).fit(points)
    for X in (sparse.csr_array(points), sparse.coo_matrix(points)):
        found = HDBSCAN(min_samples=2).fit(X)
        np.testing.assert_array_equal(found.labels_, expected.labels_)
        np.testing.assert_array_equal(found.predict(X), expected.predict(points))
        assert found.n_features_in_ == 5
        SingleLinkage(3).fit(X)
    # Clusters with the same distances inside are numbered by their coordinates.
    words = np.repeat([[1, 1, 0, 0], [0, 0, 1, 1], [0, 1, 1, 0]], 6, axis=0)
    found = HDBSCAN(3).fit(sparse.csr_array(words))
    np.testing.assert_array_equal(found.labels_, HDBSCAN(3).fit_predict(words))
    assert found.labels_.max() == 2
    with pytest.raises(TypeError, match="does the square sparse matrix X contain distances"):
        HDBSCAN().fit(sparse.csr_array(np.eye(9)))


def test_parameters_of_scikit_learn_without_effect_are_checked():
    points = blobs(60)
    expected = HDBSCAN(min_samples=2).fit_predict(points)
    options = {"algorithm": "ball_tree", "leaf_size": 7, "copy": True, "n_jobs": 2}
    np.testing.assert_array_equal(HDBSCAN(min_samples=2, **options).fit_predict(points), expected)
    assert HDBSCAN(min_samples=2).fit(kostra.euclidean_mst(points)).n_features_in_ == 60
    for bad in ({"algorithm": "best"}, {"leaf_size": 0}, {"alpha": 0}, {"alpha": np.inf}):
        with pytest.raises(ValueError, match=f"{next(iter(bad))} must be"):
            HDBSCAN(**bad).fit(points)
    # All of scikit-learn's parameters are known.
    assert set(Theirs().get_params()) <= set(HDBSCAN().get_params())


@pytest.mark.parametrize("allow_single_cluster", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_no_cluster_begins_above_the_largest_epsilon(seed, allow_single_cluster):
    theirs_of = pytest.importorskip("hdbscan").HDBSCAN
    points = blobs(seed=seed)
    options = {"allow_single_cluster": allow_single_cluster}
    numbers = set()
    for most in (0.2, 0.4, 0.8, 1.5, 100.0):
        options["cluster_selection_epsilon_max"] = most
        found = HDBSCAN(10, min_samples=2, **options).fit_predict(points)
        # hdbscan does not count the point itself.
        expected = theirs_of(10, min_samples=1, approx_min_span_tree=False, **options)
        assert same_partition(found, expected.fit_predict(points))
        numbers.add(found.max())
    assert len(numbers) > 2
    options |= {"cluster_selection_epsilon": 2.0, "cluster_selection_epsilon_max": 1.0}
    with pytest.raises(ValueError, match="at least cluster_selection_epsilon, 2, but is 1"):
        HDBSCAN(**options).fit(points)


@pytest.mark.slow
def test_tools_of_scikit_learn_take_the_estimator(tmp_path):
    joblib, pandas = pytest.importorskip("joblib"), pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    points = blobs(200, 3)
    table = pandas.DataFrame(points, columns=["width", "height", "depth"])
    found = HDBSCAN(min_samples=3).fit(table)
    assert list(found.feature_names_in_) == ["width", "height", "depth"]
    for X in (points, polars.from_pandas(table)):
        np.testing.assert_array_equal(HDBSCAN(min_samples=3).fit_predict(X), found.labels_)
    joblib.dump(found, tmp_path / "model")
    np.testing.assert_array_equal(joblib.load(tmp_path / "model").predict(table), found.labels_)
    steps = make_pipeline(StandardScaler(), HDBSCAN(min_samples=3)).set_output(transform="pandas")
    scaled = StandardScaler().fit_transform(points)
    labels = steps.fit(table).predict(table)
    np.testing.assert_array_equal(labels, HDBSCAN(min_samples=3).fit_predict(scaled))
    table.index = np.arange(200) + 1000
    memberships = HDBSCAN(min_samples=3).set_output(transform="pandas").fit_transform(table)
    assert list(memberships.index) == list(table.index)
    assert list(memberships.columns) == [f"hdbscan{i}" for i in range(found.labels_.max() + 1)]
    np.testing.assert_array_equal(memberships.to_numpy(), membership_vector(found, table))
    everything = [(np.arange(200), np.arange(200))]
    search = GridSearchCV(
        HDBSCAN(),
        {"min_cluster_size": [5, 20, 60], "min_samples": [2]},
        scoring=lambda model, X, y=None: model.relative_validity_,
        cv=everything,
        n_jobs=2,
    ).fit(table)
    scores = [
        HDBSCAN(size, min_samples=2).fit(points).relative_validity_ for size in (5, 20, 60)
    ]
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], scores)
