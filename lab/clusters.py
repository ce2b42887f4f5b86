"""Measures predictions, memberships and trees of bits of HDBSCAN, in one process, in turn.

    OMP_NUM_THREADS=N python lab/clusters.py --threads N [--only predict,memberships,bits]
        [--runs N] [--patience SECONDS] [-o RECORD]

The package and the peers must be installed. Each round runs every contestant once, as in
`lab/python.py`, and the first round does not count.

* ``predict``: labels of 100,000 new points, with a model of a million points in a plane, by
  ``predict`` and ``approximate_predict``, and by a model whose points are not yet prepared.
* ``memberships``: of 100,000 points in each of 300 clusters, beside hdbscan.
* ``bits``: the tree of 2000 rows of 1024 bits by Jaccard distances, beside the square matrix of
  these distances by a product of matrices, and that with the tree of the matrix.
"""

import argparse
import os
import pathlib
import sys

import numpy as np

import kostra
from kostra import cluster
from points import points_of
from python import contest, summary
from records import about, add

NEW = 100_000


def predict(threads):
    points = points_of(1_000_000 + NEW, 2, "clustered")
    old, new = points[NEW:], points[:NEW]
    options = {"min_samples": 5, "threads": threads}
    model = cluster.HDBSCAN(50, prediction_data=True, **options).fit(old)

    def unprepared():
        model._predictor = model._predictor.choosing(model._predictor.choice)
        return model.predict(new)

    return {
        "predict": lambda: model.predict(new),
        "approximate_predict": lambda: cluster.approximate_predict(model, new),
        "predict, unprepared": unprepared,
    }


def memberships(threads):
    import hdbscan

    random = np.random.default_rng(1)
    centers = np.stack(np.meshgrid(range(20), range(15)), axis=-1).reshape(-1, 2)
    points = np.repeat(centers, NEW // 300 + 1, axis=0)[:NEW] + random.normal(0, 0.1, (NEW, 2))
    ours = cluster.HDBSCAN(100, min_samples=11, prediction_data=True, threads=threads).fit(points)
    options = {"approx_min_span_tree": False, "core_dist_n_jobs": threads}
    theirs = hdbscan.HDBSCAN(100, 10, prediction_data=True, **options).fit(points)
    counts = [int(model.labels_.max()) + 1 for model in (ours, theirs)]
    if counts != [300, 300]:
        raise SystemExit(f"there are {counts} clusters, not 300")
    return {
        "kostra": lambda: cluster.all_points_membership_vectors(ours),
        "hdbscan": lambda: hdbscan.all_points_membership_vectors(theirs),
    }


def bits(threads):
    bits = np.random.default_rng(1).random((2000, 1024)) < 0.1

    def matrix():
        rows = bits.astype(np.float32)
        common, sizes = rows @ rows.T, rows.sum(axis=1)
        distances = 1 - common / (sizes[:, None] + sizes - common)
        np.fill_diagonal(distances, 0)
        return distances

    def tree_of_matrix():
        return kostra.euclidean_mst(matrix(), metric="precomputed", threads=threads)

    return {
        "kostra": lambda: kostra.euclidean_mst(bits, metric="jaccard", threads=threads),
        "matrix": matrix,
        "matrix, tree": tree_of_matrix,
    }


JOBS = {"predict": predict, "memberships": memberships, "bits": bits}


def main():
    parser = argparse.ArgumentParser(description="Measures what a fitted HDBSCAN computes.")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", default=",".join(JOBS), help="default: %(default)s")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument(
        "--patience", type=float, default=60, help="limit in seconds (default: %(default)s)"
    )
    parser.add_argument("-o", "--output", type=pathlib.Path)
    options = parser.parse_args()
    if os.environ.get("OMP_NUM_THREADS") != str(options.threads):
        parser.error(f"peers read the environment: set OMP_NUM_THREADS={options.threads}")
    for name in options.only.split(","):
        seconds, _ = contest(JOBS[name](options.threads), options.runs, options.patience)
        entry = {"threads": options.threads, "runs": options.runs, "seconds": summary(seconds)}
        for contestant, times in entry["seconds"].items():
            print(f"{name:12} {contestant:20} {times['median']:9.4f} s", flush=True)
        if options.output:
            words = [os.path.basename(word) for word in sys.argv]
            packages = ["kostra", "numpy", "scipy", "scikit-learn", "hdbscan"]
            entry |= {"command": words, "about": about(packages)}
            add(options.output, name, entry)


if __name__ == "__main__":
    main()
