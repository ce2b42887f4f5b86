"""Pairs of rows that must be, or cannot be, in one cluster."""

import itertools
import pickle

import numpy as np
import pytest

from kostra.cluster import HDBSCAN, PLSCAN, all_points_membership_vectors


def sample(seed=0):
    """Three groups, of which two are near to each other."""
    random = np.random.default_rng(seed)
    centers = [(0, 0), (3, 0), (20, 0)]
    return np.concatenate([random.normal(center, 0.7, (40, 2)) for center in centers])


def satisfied(labels, must_link, cannot_link):
    def are_together(a, b):
        return labels[a] >= 0 and labels[a] == labels[b]

    return sum(are_together(*pair) for pair in must_link) + sum(
        not are_together(*pair) for pair in cannot_link
    )


def selections(parents):
    """All choices of one cluster on each path, without the cluster of all points."""
    children = {}
    for child, parent in enumerate(parents):
        children.setdefault(parent, []).append(child)

    def below(cluster):
        parts = [below(child) for child in children.get(cluster, [])]
        whole = [sum(choice, []) for choice in itertools.product(*parts)] if parts else []
        return whole + [[cluster]]

    return [choice for choice in below(0) if choice != [0]]


def test_no_selection_satisfies_more_constraints():
    changed = 0
    for seed in range(8):
        X, random = sample(seed), np.random.default_rng(seed)
        pairs = random.permutation(120)[:24].reshape(-1, 2)
        must_link, cannot_link = pairs[:6], pairs[6:]
        plain = HDBSCAN(5, min_samples=3).fit(X)
        found = HDBSCAN(5, min_samples=3).fit(X, must_link=must_link, cannot_link=cannot_link)
        parents, homes = found._condensed.clusters()["parent"], found._condensed.points()[0]
        counts = []
        for chosen in selections(parents):
            labels = np.full(len(parents), -1)
            labels[chosen] = chosen
            for cluster, parent in enumerate(parents):
                if parent >= 0 and labels[cluster] < 0:
                    labels[cluster] = labels[parent]
            counts.append(satisfied(labels[homes], must_link, cannot_link))
        assert satisfied(found.labels_, must_link, cannot_link) == max(counts)
        changed += (found.labels_ != plain.labels_).any()
    assert changed > 2


def test_constraints_join_and_divide_clusters():
    X = sample()
    plain = HDBSCAN(10, min_samples=5).fit(X)
    assert [set(plain.labels_[part]) - {-1} for part in np.split(np.arange(120), 3)] != [{0}] * 3
    joined = HDBSCAN(10, min_samples=5).fit(X, must_link=[[0, 40], [1, 41], [2, 42], [3, 43]])
    assert joined.labels_.max() == 1
    pairs = [[a, a + 40] for a in range(40)]
    apart = HDBSCAN(10, min_samples=5).fit(X, cannot_link=pairs)
    assert apart.labels_.max() == 2
    for model in (joined, apart):
        np.testing.assert_array_equal(model.predict(X), model.labels_)
        restored = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(restored.predict(X), model.labels_)
        assert all_points_membership_vectors(model).shape == (120, model.labels_.max() + 1)
        assert len(model.exemplars_) == model.labels_.max() + 1
        np.testing.assert_array_equal(model.labels_of_sizes([10])[0], model.labels_)
    order = np.random.default_rng(2).permutation(120)
    places = np.argsort(order)
    other = HDBSCAN(10, min_samples=5).fit(X[order], cannot_link=places[np.array(pairs)])
    np.testing.assert_array_equal(other.labels_, apart.labels_[order])
    # A later fit without constraints forgets them.
    np.testing.assert_array_equal(joined.fit(X).labels_, plain.labels_)


def test_constraints_count_rows_of_the_table():
    X = sample()
    must_link = np.array([[0, 40], [1, 41], [2, 42], [3, 43]])
    found = HDBSCAN(10, min_samples=5).fit(X, must_link=must_link)
    rows = np.insert(X, 0, np.nan, axis=0)
    other = HDBSCAN(10, min_samples=5, nonfinite="label")
    other.fit(rows, must_link=[[0, 5], *(must_link + 1)])
    np.testing.assert_array_equal(other.labels_[1:], found.labels_)
    weights = np.random.default_rng(3).integers(1, 3, 120)
    weighted = HDBSCAN(10, min_samples=5).fit(X, sample_weight=weights, must_link=must_link)
    first = np.cumsum(weights) - weights
    repeated = HDBSCAN(10, min_samples=5)
    repeated.fit(np.repeat(X, weights, axis=0), must_link=first[must_link])
    np.testing.assert_array_equal(np.repeat(weighted.labels_, weights), repeated.labels_)


@pytest.mark.parametrize(
    ("links", "message"),
    [
        ({"must_link": [[0, 120]]}, r"must_link\[0, 1\] is 120, but there are 120 rows"),
        ({"cannot_link": [[0, 1], [-1, 2]]}, r"cannot_link\[1, 0\] is -1"),
        ({"must_link": [[0.5, 1]]}, "must_link must be pairs of row numbers"),
        ({"must_link": [0, 1]}, r"of the shape \(2,\)"),
        ({"must_link": [[3, 3]]}, "point 3 and itself"),
        ({"must_link": [[3, 4]], "cannot_link": [[4, 3]]}, "points 3 and 4 must be and cannot be"),
    ],
)
def test_constraints_without_a_meaning_are_refused(links, message):
    with pytest.raises(ValueError, match=message):
        HDBSCAN().fit(sample(), **links)


def test_constraints_need_the_excess_of_mass():
    links = {"must_link": [[0, 1]]}
    for other in ({"cluster_selection_method": "leaf"}, {"cluster_selection_epsilon": 0.5}):
        with pytest.raises(ValueError, match="by the excess of mass; pass cluster_selection_method"):
            HDBSCAN(**other).fit(sample(), **links)
    with pytest.raises(ValueError, match="by the excess of mass"):
        PLSCAN().fit(sample(), **links)
