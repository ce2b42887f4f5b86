"""The drop-in for the package hdbscan, beside the package."""

import inspect
import pathlib
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import pdist, squareform
from sklearn.base import clone
from sklearn.datasets import make_blobs

import kostra.cluster
from kostra import hdbscan

theirs = pytest.importorskip("hdbscan")


def blobs(n=240, d=2, seed=0):
    spread = [0.3, 0.5, 0.8, 1, 1.2, 2]
    return make_blobs(n, d, centers=6, cluster_std=spread, random_state=seed)[0]


def same_partition(a, b):
    return len(set(zip(a, b))) == len(set(a)) == len(set(b))


@pytest.mark.parametrize("name", sorted(set(hdbscan.__all__) & set(dir(theirs))))
def test_signatures_are_those_of_the_package(name):
    ours, other = (
        inspect.signature(getattr(module, name)).parameters.values() for module in (hdbscan, theirs)
    )
    ours = [parameter for parameter in ours if parameter.kind != parameter.KEYWORD_ONLY]
    assert [parameter.name for parameter in ours] == [parameter.name for parameter in other]
    for parameter, expected in zip(ours, other):
        if parameter.name not in ("memory", "metric_params"):  # objects without a value
            assert parameter.default == expected.default


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"cluster_selection_method": "leaf"},
        {"cluster_selection_epsilon": 0.6},
        {"max_cluster_size": 45},
        {"cluster_selection_persistence": 0.5},
        {"cluster_selection_persistence": 2.0, "cluster_selection_method": "leaf"},
        {"allow_single_cluster": True, "min_cluster_size": 40},
        {"metric": "manhattan"},
        {"metric": "minkowski", "p": 2},
        {"metric": "seuclidean", "V": np.array([1.0, 4.0])},
        {"metric": "canberra"},
    ],
    ids=str,
)
def test_clusters_are_those_of_the_package_if_no_distances_are_equal(options):
    points = blobs()
    options = {"min_cluster_size": 8, "min_samples": 1} | options
    found = hdbscan.HDBSCAN(**options).fit(points)
    exact = {"algorithm": "generic"} if "V" in options else {}
    expected = theirs.HDBSCAN(**options, **exact, approx_min_span_tree=False).fit(points)
    assert same_partition(np.append(found.labels_, -1), np.append(expected.labels_, -1))
    assert len(found.cluster_persistence_) == len(expected.cluster_persistence_)
    # The package rounds densities to 32 bits where it removes clusters.
    np.testing.assert_allclose(found.probabilities_, expected.probabilities_, rtol=1e-6)


def test_distances_and_radians_have_the_meaning_of_the_package():
    points = blobs(120)
    square = squareform(pdist(points))
    near = sparse.csr_array(np.where(square < 9, square, 0))
    angles = np.radians(blobs(120) * 4)
    for X, metric in [(square, "precomputed"), (near, "precomputed"), (angles, "haversine")]:
        options = {"min_samples": 1, "metric": metric}
        found = hdbscan.HDBSCAN(**options).fit(X)
        expected = theirs.HDBSCAN(**options, approx_min_span_tree=False).fit(X)
        assert same_partition(np.append(found.labels_, -1), np.append(expected.labels_, -1))
        np.testing.assert_allclose(
            np.sort(found.single_linkage_tree_.to_numpy()[:, 2]),
            np.sort(expected.single_linkage_tree_.to_numpy()[:, 2]),
            rtol=1e-6,
        )


def test_samples_are_counted_as_in_the_package():
    points = blobs(90)
    found = hdbscan.HDBSCAN(min_samples=4).fit(points)
    expected = kostra.cluster.HDBSCAN(min_samples=5).fit(points)
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    heights = theirs.HDBSCAN(min_samples=4, approx_min_span_tree=False).fit(points)
    heights = heights.single_linkage_tree_.to_numpy()[:, 2]
    np.testing.assert_allclose(found.single_linkage_tree_.to_numpy()[:, 2], heights)
    few = hdbscan.HDBSCAN(min_samples=99).fit([[1.0, 2.0], [3.0, 4.0]])
    assert few.labels_.tolist() == [-1, -1]


def test_the_function_returns_the_arrays_of_the_class():
    points = blobs(90)
    model = hdbscan.HDBSCAN(7).fit(points)
    labels, probabilities, persistence, condensed, linkage, tree = hdbscan.hdbscan(points, 7)
    np.testing.assert_array_equal(labels, model.labels_)
    np.testing.assert_array_equal(probabilities, model.probabilities_)
    np.testing.assert_array_equal(persistence, model.cluster_persistence_)
    np.testing.assert_array_equal(condensed, np.asarray(model.condensed_tree_))
    np.testing.assert_array_equal(linkage, np.asarray(model.single_linkage_tree_))
    assert tree is None
    assert hdbscan.hdbscan(points, gen_min_span_tree=True)[-1].shape == (89, 3)


def test_missing_points_are_noise():
    points = blobs(90)
    points[3], points[5, 0] = np.nan, np.inf
    model = hdbscan.HDBSCAN().fit(points)
    rest = hdbscan.HDBSCAN().fit(np.delete(points, [3, 5], axis=0))
    np.testing.assert_array_equal(np.delete(model.labels_, [3, 5]), rest.labels_)
    assert model.labels_[[3, 5]].tolist() == [-1, -1]
    assert model.probabilities_[[3, 5]].tolist() == [0, 0]
    assert not hdbscan.all_points_membership_vectors(model)[[3, 5]].any()
    assert model.dbscan_clustering(1.0)[[3, 5]].tolist() == [-1, -1]


def test_predictions_are_those_of_the_estimator():
    points, new = blobs(), blobs(seed=1)
    model = hdbscan.HDBSCAN(min_samples=4, prediction_data=True).fit(points)
    other = kostra.cluster.HDBSCAN(min_samples=5).fit(points)
    for name in ("approximate_predict", "membership_vector", "approximate_predict_scores"):
        found = getattr(hdbscan, name)(model, new)
        np.testing.assert_array_equal(found, getattr(kostra.cluster, name)(other, new))
    found = hdbscan.all_points_membership_vectors(model)
    np.testing.assert_array_equal(found, kostra.cluster.all_points_membership_vectors(other))
    assert model.prediction_data_.raw_data.shape == points.shape
    assert len(model.prediction_data_.exemplars) == len(model.exemplars_)
    with pytest.warns(UserWarning, match="points are noise"):
        none = hdbscan.HDBSCAN(400).fit(points)
    np.testing.assert_array_equal(hdbscan.all_points_membership_vectors(none), np.zeros(240))


def test_models_are_cloned_and_restored():
    points = blobs(90)
    model = hdbscan.HDBSCAN(metric="seuclidean", V=np.array([1.0, 9.0])).fit(points)
    copy = clone(model)
    assert not hasattr(copy, "labels_") and not hasattr(copy, "condensed_tree_")
    np.testing.assert_array_equal(copy.fit_predict(points), model.labels_)
    copy.set_params(V=np.array([9.0, 1.0]), min_cluster_size=9)
    assert copy.get_params()["V"][0] == 9 and copy.min_cluster_size == 9
    restored = pickle.loads(pickle.dumps(model))
    labels, expected = (
        hdbscan.approximate_predict(each, points)[0] for each in (restored, model)
    )
    np.testing.assert_array_equal(labels, expected)


def test_robust_single_linkage_is_that_of_the_package():
    points = blobs(120)
    distances = squareform(pdist(points))
    cores = np.sort(distances, axis=1)[:, 4]
    for alpha, gamma in [(1.0, 5), (1.4142135623730951, 3)]:
        found = hdbscan.RobustSingleLinkage(0.9, 4, alpha, gamma).fit(points)
        # The package's algorithm generic ignores alpha, and the others do not sort the edges.
        reached = np.maximum(distances / alpha, np.maximum(cores, cores[:, None]))
        np.fill_diagonal(reached, 0)
        linkage = kostra.single_linkage(reached, metric="precomputed")
        labels = theirs.plots.SingleLinkageTree(linkage).get_clusters(0.9, gamma)
        assert same_partition(found.labels_, labels)
        if alpha == 1:
            other = theirs.RobustSingleLinkage(0.9, 4, alpha, gamma, algorithm="generic")
            assert same_partition(found.labels_, other.fit_predict(points))
        labels, linkage = hdbscan.robust_single_linkage(points, 0.9, 4, alpha, gamma)
        np.testing.assert_array_equal(labels, found.labels_)
        np.testing.assert_array_equal(linkage, np.asarray(found.cluster_hierarchy_))


@pytest.mark.parametrize(
    "options, message",
    [
        ({"cluster_selection_persistence": -1.0}, "persistence must be at least 0"),
        ({"match_reference_implementation": True}, "Kostra has no match_reference"),
        ({"algorithm": "fastest"}, "algorithm must be 'best'"),
        ({"algorithm": "prims_kdtree", "metric": "cosine"}, "takes no metric='cosine'"),
        ({"min_samples": "four"}, "min_samples must be an integer"),
        ({"metric": "imperial"}, "metric must be one of"),
    ],
)
def test_what_is_not_there_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        hdbscan.HDBSCAN(**options).fit(blobs(30))


def test_libraries_that_import_the_package_get_the_drop_in():
    program = """
import sys, numpy, kostra.hdbscan
sys.modules["hdbscan"] = kostra.hdbscan
import hdbscan
from hdbscan import HDBSCAN
model = HDBSCAN(min_samples=2, prediction_data=True)
model.fit(numpy.random.default_rng(0).normal(size=(80, 2)), y=None)
assert isinstance(model, hdbscan.HDBSCAN)
labels, _ = hdbscan.prediction.approximate_predict(model, [[0.0, 0.0]])
print(labels.shape, hdbscan.__name__)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "(1,) kostra.hdbscan\n", done.stderr


def test_the_guide_lists_all_parameters_and_attributes_of_both_classes():
    from sklearn.cluster import HDBSCAN as OfScikitLearn

    root = pathlib.Path(__file__).resolve().parents[3]
    listed = set(re.findall(r"`(\w+)`", (root / "docs/guide/hdbscan.md").read_text()))
    points = blobs(60)
    names = set(theirs.__dict__) & {
        name for name in vars(theirs) if getattr(theirs, name).__class__.__name__ != "module"
    }
    names = {name for name in names if not name.startswith("_")}
    for kind in (theirs.HDBSCAN, OfScikitLearn):
        model = kind().fit(points)
        own = {name for name in vars(kind) if not name.startswith("_")}
        names |= own | {name for name in vars(model) if re.fullmatch("[a-z].*_", name)}
        names |= set(kind().get_params())
    of_scikit_learn = {"fit", "fit_predict", "HDBSCAN", "set_fit_request"}
    assert names - listed - of_scikit_learn == set()
