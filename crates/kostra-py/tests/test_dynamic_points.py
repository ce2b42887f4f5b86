"""Points that come and go, against a fresh fit after every batch."""

import numpy as np
import pytest

import kostra
from kostra import DynamicPoints


def check(points, present, **options):
    """``present`` are the points by id."""
    assert points.ids.tolist() == sorted(present) and points.n == len(present)
    X = np.array([present[i] for i in sorted(present)])
    assert (points.points == X).all()
    tree, fresh = points.tree(), kostra.euclidean_mst(X, **options)
    assert tree.edges.tolist() == fresh.edges.tolist()
    assert tree.distances.tolist() == fresh.distances.tolist()
    return tree, fresh


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("min_samples", [1, 3])
def test_every_batch_gives_the_tree_of_a_fresh_fit(metric, dtype, min_samples):
    rng = np.random.default_rng(1)
    X = rng.integers(1, 9, (150, 3)).astype(dtype)
    points = DynamicPoints(X, metric=metric, min_samples=min_samples, threads=2)
    present = dict(enumerate(X))
    for step in range(10):
        if step % 4 == 3:
            gone = rng.choice(points.ids, 3, replace=False)
            points.remove(gone)
            for i in gone:
                del present[int(i)]
        else:
            new = rng.integers(1, 9, (4, 3)).astype(dtype)
            present.update(zip(points.add(new).tolist(), new))
        assert min_samples > 1 or not points.recomputed
        check(points, present, metric=metric, min_samples=min_samples)


def test_the_labels_are_those_of_a_fresh_fit():
    cluster = pytest.importorskip("kostra.cluster")
    rng = np.random.default_rng(2)
    X = np.vstack([rng.normal(center, 0.3, (60, 2)) for center in (0, 4)])
    points = DynamicPoints(X[:115], min_samples=4)
    points.add(X[115:])
    assert not points.recomputed
    tree, fresh = check(points, dict(enumerate(X)), min_samples=4)
    assert (tree.coordinates == X).all()
    labels = [cluster.HDBSCAN(min_samples=None).fit(of).labels_.tolist() for of in (tree, fresh)]
    assert labels[0] == labels[1] and max(labels[0]) == 1
    points = DynamicPoints(X[:115])
    points.add(X[115:])
    assert not points.recomputed
    linkage = kostra.single_linkage(points.tree())
    assert (linkage == kostra.single_linkage(X)).all()


def test_what_is_refused_changes_nothing():
    X = [[0.0, 0.0], [1.0, 2.0], [3.0, 4.0]]
    points = DynamicPoints(X, min_samples=2)
    for wrong, message in [
        (lambda: points.add([[1.0]]), "1 coordinates each, the fitted points 2"),
        (lambda: points.add([[1.0, np.nan]]), "NaN"),
        (lambda: points.add(np.empty((0, 2))), "no points"),
        (lambda: points.remove([0, 3]), "point 3 is not present"),
        (lambda: points.remove([1, 1]), "names point 1 twice"),
        (lambda: points.remove([0, 1]), "min_samples is 2"),
        (lambda: points.remove(-1), "is -1, which is not the id of a point"),
        (lambda: DynamicPoints(X, metric="canberra"), "compares all pairs"),
        (lambda: DynamicPoints(X, min_samples=4), "min_samples"),
    ]:
        with pytest.raises(ValueError, match=message):
            wrong()
    with pytest.raises(TypeError, match="must be integers"):
        points.remove(0.5)
    check(points, dict(enumerate(X)), min_samples=2)
    assert points.add([[5.0, 6.0]]).tolist() == [3]
    assert repr(points) == "<kostra.DynamicPoints: 4 points, euclidean>"
