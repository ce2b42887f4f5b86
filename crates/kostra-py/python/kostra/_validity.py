"""How good clusters are, and how well separated."""

import numpy as np


def persistence(condensed, selected, labels):
    """The stability of each selected cluster, divided by its greatest possible value."""
    clusters = condensed.clusters()
    with np.errstate(divide="ignore"):
        densest = 1 / clusters["death"].min(initial=np.inf)
    if densest == np.inf or densest == 0:
        return np.ones(len(selected))
    sizes = np.bincount(labels[labels >= 0], minlength=len(selected))
    return clusters["stability"][selected] / (sizes * densest)


def relative_validity(tree, labels, n):
    """The index DBCV with the edges of one tree for the distances in and between clusters.

    ``labels`` are those of the tree's points, of ``n`` points in all.
    """
    sizes = np.bincount(labels[labels >= 0])
    if len(sizes) == 0:
        return 0.0
    lengths = tree.weights
    low, high = np.sort([labels[tree.u], labels[tree.v]], axis=0)
    # The sparseness of a cluster is its longest edge, its separation the shortest edge to another.
    sparseness, separation = np.zeros(len(sizes)), np.full(len(sizes), np.inf)
    inside, between = (low == high) & (low >= 0), (low < high) & (low >= 0)
    np.maximum.at(sparseness, low[inside], lengths[inside])
    for ends in (low, high):
        np.minimum.at(separation, ends[between], lengths[between])
    # A cluster without an edge to another one is far away. hdbscan has this value, too.
    far = lengths.max(initial=0.0)
    if len(sizes) == 1:
        far = lengths[(low < 0) & (high >= 0)].min(initial=far)
    separation[np.isinf(separation)] = 2 * far
    with np.errstate(invalid="ignore"):
        shares = (separation - sparseness) / np.maximum(separation, sparseness)
    return float(np.sum(sizes * shares / n))
