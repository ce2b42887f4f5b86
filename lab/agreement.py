"""Compares the clusters of Kostra and of other libraries with the reference labelings of
https://github.com/gagolews/clustering-data-v1, and with each other.

    python lab/agreement.py FOLDER [--least 10] [--samples 5] [-o RECORD]

FOLDER is a checkout of the repository: NAME.data.gz beside NAME.labels0.gz and so on. All programs
have the same ``min_cluster_size`` and ``min_samples``. fast_hdbscan needs pynndescent, and then
approximates trees of more than 30 dimensions. Noise of a program counts as one more cluster. Points
that a reference calls noise do not count. The record has, for each program, the mean of the
adjusted Rand index over all reference labelings, the number of sets on which it has the same
clusters and noise as Kostra with each treatment of ties, and the indices of each set.
"""

import argparse
import os
import pathlib
import sys

import numpy as np
from sklearn.metrics import adjusted_rand_score

from records import about, add


def kostra(points, least, samples, ties="together"):
    from kostra.cluster import HDBSCAN

    return HDBSCAN(least, min_samples=samples, ties=ties).fit(points).labels_


def one_by_one(points, least, samples):
    return kostra(points, least, samples, "scikit-learn")


def scikit_learn(points, least, samples):
    from sklearn.cluster import HDBSCAN

    return HDBSCAN(least, min_samples=samples, copy=True).fit(points).labels_


def hdbscan(points, least, samples):
    from hdbscan import HDBSCAN

    # hdbscan and fast_hdbscan do not count the point itself.
    return HDBSCAN(least, samples - 1, approx_min_span_tree=False).fit(points).labels_


def fast_hdbscan(points, least, samples):
    from fast_hdbscan import HDBSCAN

    return HDBSCAN(min_cluster_size=least, min_samples=samples - 1).fit(points).labels_


PROGRAMS = {
    "kostra": kostra,
    "kostra, one by one": one_by_one,
    "scikit-learn": scikit_learn,
    "hdbscan": hdbscan,
    "fast_hdbscan": fast_hdbscan,
}


def are_equal(a, b):
    """Whether labels are equal up to the numbers of clusters. Noise is not a cluster."""
    pairs = np.unique(np.column_stack([a, b]), axis=0)
    same_noise = ((pairs[:, 0] == -1) == (pairs[:, 1] == -1)).all()
    return bool(same_noise and len(pairs) == len(np.unique(a)) == len(np.unique(b)))


def compare(path, least, samples):
    """What the programs find in one set."""
    points = np.loadtxt(path, ndmin=2)
    labels = {name: find(points, least, samples) for name, find in PROGRAMS.items()}
    stem, indices = path.name.removesuffix(".data.gz"), {}
    for reference in sorted(path.parent.glob(f"{stem}.labels*.gz")):
        right = np.loadtxt(reference, dtype=int)
        known = right > 0
        indices[reference.name.split(".")[1]] = {
            name: round(float(adjusted_rand_score(right[known], found[known])), 4)
            for name, found in labels.items()
        }
    equal = {
        ours: [name for name in labels if are_equal(labels[ours], labels[name])]
        for ours in ("kostra", "kostra, one by one")
    }
    return {"points": len(points), "references": indices, "equal": equal}


def summary(sets):
    """The mean index and the numbers of equal sets of each program."""
    rows = [row for found in sets.values() for row in found["references"].values()]
    return {
        name: {
            "mean_index": round(float(np.mean([row[name] for row in rows])), 4),
            "equal": {
                ours: sum(name in found["equal"][ours] for found in sets.values())
                for ours in ("kostra", "kostra, one by one")
            },
        }
        for name in PROGRAMS
    }


def main():
    parser = argparse.ArgumentParser(description="Compares clusters with reference labelings.")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--least", type=int, default=10, help="min_cluster_size")
    parser.add_argument("--samples", type=int, default=5, help="min_samples, itself included")
    parser.add_argument("-o", "--output", type=pathlib.Path)
    options = parser.parse_args()
    sets = {}
    for path in sorted(options.folder.glob("*/*.data.gz")):
        name = f"{path.parent.name}/{path.name.removesuffix('.data.gz')}"
        sets[name] = compare(path, options.least, options.samples)
        print(name, sets[name]["points"], flush=True)
    entry = {"programs": summary(sets), "sets": sets}
    entry["labelings"] = sum(len(found["references"]) for found in sets.values())
    for name, found in entry["programs"].items():
        equal = ", ".join(f"{count} as {ours}" for ours, count in found["equal"].items())
        print(f"{name:20} {found['mean_index']:.4f}; of {len(sets)} sets, {equal}")
    if options.output:
        words = [os.path.basename(word) for word in sys.argv]
        packages = ["kostra", "numpy", "scikit-learn", "hdbscan", "fast_hdbscan"]
        entry |= {"command": words, "about": about(packages)}
        add(options.output, f"min_cluster_size={options.least}", entry)


if __name__ == "__main__":
    main()
