"""Clusters of points on a CUDA device: what any machine can check, and the results beside those of
the processor.

Without a device, tests that need one are skipped with a reason, or fail with
``KOSTRA_REQUIRE_DEVICE=1``. Estimators need scikit-learn.
"""

import gc
import os
import pickle

import numpy as np
import pytest

import kostra


@pytest.fixture
def device():
    """Skips where there is no device."""
    try:
        kostra.DeviceArray([1])
    except kostra.DeviceError as error:
        assert not os.environ.get("KOSTRA_REQUIRE_DEVICE"), (
            f"KOSTRA_REQUIRE_DEVICE is set, but: {error}"
        )
        pytest.skip(str(error))


@pytest.fixture
def cluster():
    """Skips without scikit-learn."""
    return pytest.importorskip("kostra.cluster", exc_type=ImportError)


class Rows:
    """Points on a device as an array of a library without DLPack."""

    def __init__(self, X):
        X = np.ascontiguousarray(X)
        self.flat = kostra.DeviceArray(X.reshape(-1))
        self.__cuda_array_interface__ = self.flat.__cuda_array_interface__ | {"shape": X.shape}


class Elsewhere:
    """Claims to be an array on a device."""

    def __init__(self, shape, typestr="<f4"):
        self.__cuda_array_interface__ = {
            "shape": shape,
            "typestr": typestr,
            "data": (0x1000, True),
            "version": 3,
        }


def test_what_needs_points_in_host_memory_is_refused(cluster):
    with pytest.raises(ValueError, match="needs points in host memory"):
        cluster.HDBSCAN(store_centers="medoid").fit(Elsewhere((10, 2)))
    for metric in ("jaccard", np.subtract):
        with pytest.raises(ValueError, match="metric must be one of"):
            kostra.euclidean_mst(Elsewhere((10, 2)), metric=metric)
    with pytest.raises(kostra.DeviceError, match="must be in host memory"):
        kostra.nearest_neighbors(Elsewhere((10, 2)), 1)


def uniform(n, d=2, dtype="f8", seed=0):
    return np.random.default_rng(seed).random((n, d)).astype(dtype)


def lattice(n, d=2, dtype="f8", seed=0):
    """Points with many equal distances."""
    return np.floor(20 * uniform(n, d, dtype, seed))


def same_clusters(found, expected):
    """Whether two fits by HDBSCAN are equal."""
    names = ["labels_", "probabilities_", "outlier_scores_", "condensed_tree_"]
    pairs = ((np.asarray(getattr(fit, name)) for fit in (found, expected)) for name in names)
    return all((ours == theirs).all() for ours, theirs in pairs)


# ---- On any machine ------------------------------------------------------------------------------


def test_wrong_arrays_on_a_device_are_refused_by_name(cluster):
    for make in (cluster.HDBSCAN, cluster.SingleLinkage):
        for X, error, message in [
            (Elsewhere((3,)), ValueError, "X must have two dimensions, one row per point"),
            (Elsewhere((9, 2), "<i4"), TypeError, "X must be an array of float32 or float64"),
        ]:
            with pytest.raises(error, match=f"^{message}"):
                make().fit(X)
        with pytest.raises(kostra.DeviceError, match="^X is on device cuda, but must be in host"):
            make(metric="precomputed").fit(Elsewhere((9, 9)))
    with pytest.raises(kostra.DeviceError, match="^X is on device cuda, but must be in host"):
        cluster.FelzenszwalbSegmentation().fit(Elsewhere((9, 2)))


# ---- On a device ---------------------------------------------------------------------------------


@pytest.mark.parametrize("points", [uniform, lattice])
@pytest.mark.parametrize(("n", "d"), [(1, 2), (2, 2), (3, 1), (1000, 3), (100_000, 2), (3000, 20)])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_hierarchies_of_points_on_a_device_are_those_of_the_processor(device, points, n, d, dtype):
    X = points(n, d, dtype)
    for min_samples in {1, min(5, n)}:
        expected = kostra.euclidean_mst(X, min_samples=min_samples)
        linkage = kostra.single_linkage(expected)
        found = kostra.euclidean_mst(Rows(X), min_samples=min_samples)
        assert (kostra.single_linkage(Rows(X), min_samples=min_samples) == linkage).all()
        assert (kostra.single_linkage(found) == linkage).all()
        assert (kostra.cut(found, k=1 + n // 10) == kostra.cut(expected, k=1 + n // 10)).all()
        s, t = np.random.default_rng(1).integers(0, n, (2, 1000))
        ours, theirs = (kostra.bottleneck(tree, s, t) for tree in (found, expected))
        assert (ours == theirs).all()


@pytest.mark.parametrize("points", [uniform, lattice])
@pytest.mark.parametrize("options", [{}, {"min_samples": 1}, {"metric": "cosine"}])
def test_estimators_take_points_on_a_device(device, cluster, points, options):
    X = points(5000, 3) + 1
    found = cluster.HDBSCAN(**options).fit(Rows(X))
    assert same_clusters(found, cluster.HDBSCAN(**options).fit(X))
    assert found.n_features_in_ == 3 and found.spanning_tree_ == kostra.euclidean_mst(
        X, metric=found.metric, min_samples=options.get("min_samples", 5)
    )
    assert same_clusters(pickle.loads(pickle.dumps(found)), found)
    for how in ({"n_clusters": 40}, {"n_clusters": None, "distance_threshold": 0.01}):
        found = cluster.SingleLinkage(**how, **options).fit(Rows(X))
        expected = cluster.SingleLinkage(**how, **options).fit(X)
        assert (found.labels_ == expected.labels_).all()
        assert (found.linkage_ == expected.linkage_).all()


@pytest.mark.parametrize("points", [uniform, lattice])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("d", [2, 10, 20, 80])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_labels_do_not_depend_on_the_order_of_rows(device, cluster, points, metric, d, dtype):
    X = points(600, d, dtype) + 1
    X[500:] = X[100:200]  # equal rows, too
    options = {"metric": metric, "min_cluster_size": 4}
    for min_samples in (1, 5):
        make = lambda: cluster.HDBSCAN(min_samples=min_samples, **options)
        expected = make().fit(Rows(X))
        assert same_clusters(expected, make().fit(X))
        assert (expected.labels_[500:] == expected.labels_[100:200]).all()
        for seed in range(4):
            order = np.random.default_rng(seed).permutation(len(X))
            found = make().fit(Rows(X[order]))
            for name in ("probabilities_", "outlier_scores_"):
                assert (getattr(found, name) == getattr(expected, name)[order]).all()
            assert (found.labels_ == expected.labels_[order]).all()


def test_a_tree_on_a_device_serves_several_estimators(device, cluster):
    X = uniform(5000)
    tree = kostra.euclidean_mst(Rows(X), min_samples=5)
    for least in (5, 20):
        found = cluster.HDBSCAN(least, min_samples=5)
        assert same_clusters(found.fit(tree), cluster.HDBSCAN(least, min_samples=5).fit(X))


def test_a_device_names_what_is_wrong_with_points(device, cluster):
    X = uniform(10, 2, "f4")
    X[7, 1] = np.nan
    with pytest.raises(ValueError, match="row 7, column 1"):
        cluster.HDBSCAN().fit(Rows(X))


@pytest.mark.parametrize("library", ["cupy", "torch"])
def test_points_of_other_libraries_have_clusters(device, cluster, library):
    module = pytest.importorskip(library)
    X = uniform(20_000, 2, "f4")
    there = module.asarray(X) if library == "cupy" else module.from_numpy(X).cuda()
    assert same_clusters(cluster.HDBSCAN(50).fit(there), cluster.HDBSCAN(50).fit(X))
    assert (kostra.single_linkage(there) == kostra.single_linkage(X)).all()
    del there
    gc.collect()
