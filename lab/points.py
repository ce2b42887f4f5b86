"""Compares Euclidean spanning trees of Kostra and of other libraries on random points, in one
process, in turn.

    OMP_NUM_THREADS=N python lab/points.py --threads N
        [--sets 1000000x3,100000x10] [--kinds uniform] [--peers quitefastmst]
        [--labels 50 | --neighbors 10] [--runs N] [-o RECORD]

The package and the peers must be installed. A time is that of one call, from an array of float64 to
the arrays of the result. Each round runs Kostra and then each peer. The first round does not count.
The result is the median. A library that takes longer than --patience in the first round takes no
further turns, and that round is its result. Total lengths must agree. With --labels, all find the
labels of HDBSCAN instead of the tree, and the record has the numbers of clusters and of noise. With
--neighbors, all find the nearest neighbors, and the sum of their distances must agree. With -o, the
program adds or replaces the entries of its sets and its number of threads in the record.
"""

import argparse
import os
import pathlib
import statistics
import sys
import time

import numpy as np

from records import about, add

SETS = ("2500000x2", "1000000x3", "250000x5", "100000x10")
KINDS = ("uniform", "clustered")
#: The number of nearest points, itself included, within the core distance, for labels.
SAMPLES = 5


def points_of(n, dimensions, kind):
    """Points in a unit cube, or around 100 centers: with a standard deviation of 0.01, or with
    the spectrum of texts' embeddings, an offset of all points, and half the deviation of centers.
    """
    random = np.random.default_rng(1)
    if kind == "uniform":
        return random.random((n, dimensions))
    if kind == "embeddings":
        deviations = 1 / np.sqrt(np.arange(1, dimensions + 1))
        centers = random.normal(size=(100, dimensions))[random.integers(100, size=n)]
        points = (centers + 0.5 * random.normal(size=(n, dimensions))) * deviations
        return points + (np.arange(dimensions) == 0)
    centers = random.random((100, dimensions))
    return centers[random.integers(100, size=n)] + random.normal(0, 0.01, (n, dimensions))


def kostra(points, threads):
    import kostra

    tree = kostra.euclidean_mst(points, threads=threads)
    assert len(tree.u) == len(tree.v)
    return tree.distances.sum()


def quitefastmst(points, threads):
    import quitefastmst

    return quitefastmst.mst_euclid(points)[0].sum()


def mlpack(points, threads):
    import mlpack

    return mlpack.emst(points)["output"][:, 2].sum()


def hdbscan(points, threads):
    from hdbscan._hdbscan_boruvka import KDTreeBoruvkaAlgorithm
    from sklearn.neighbors import KDTree

    # Of one other point, because no distance is below that of the nearest point.
    algorithm = KDTreeBoruvkaAlgorithm(KDTree(points), 1, n_jobs=threads)
    return algorithm.spanning_tree()[:, 2].sum()


def fast_hdbscan(points, threads):
    from fast_hdbscan.hdbscan import compute_minimum_spanning_tree

    return compute_minimum_spanning_tree(points, min_samples=1)[0][:, 2].sum()


def scikit_learn(points, threads):
    from sklearn.cluster._hdbscan._linkage import mst_from_data_matrix
    from sklearn.metrics import DistanceMetric

    euclidean = DistanceMetric.get_metric("euclidean")
    return mst_from_data_matrix(points, np.zeros(len(points)), euclidean, 1.0)["distance"].sum()


TREES = {
    "kostra": kostra,
    "quitefastmst": quitefastmst,
    "mlpack": mlpack,
    "hdbscan": hdbscan,
    "fast_hdbscan": fast_hdbscan,
    "scikit-learn": scikit_learn,
}

#: They compute distances with 32 bits. FAISS subtracts products from norms.
PRECISION = {"fast_hdbscan": 1e-6, "faiss-cpu": 1e-3}


#: The classes of HDBSCAN. hdbscan and fast_hdbscan do not count a point among its own
#: ``min_samples`` neighbors.
def labels_kostra(points, least, samples, threads):
    from kostra.cluster import HDBSCAN

    options = {"min_samples": samples, "threads": threads}
    return HDBSCAN(min_cluster_size=least, **options).fit(points).labels_


def labels_hdbscan(points, least, samples, threads):
    from hdbscan import HDBSCAN

    options = {"approx_min_span_tree": False, "core_dist_n_jobs": threads}
    return HDBSCAN(min_cluster_size=least, min_samples=samples - 1, **options).fit(points).labels_


def labels_fast_hdbscan(points, least, samples, threads):
    from fast_hdbscan import HDBSCAN

    return HDBSCAN(min_cluster_size=least, min_samples=samples - 1).fit(points).labels_


def labels_scikit_learn(points, least, samples, threads):
    from sklearn.cluster import HDBSCAN

    # In many dimensions, its search trees take longer than all pairs.
    algorithm = "auto" if points.shape[1] <= 16 else "brute"
    options = {"n_jobs": threads, "copy": True, "algorithm": algorithm}
    return HDBSCAN(min_cluster_size=least, min_samples=samples, **options).fit(points).labels_


LABELS = {
    "kostra": labels_kostra,
    "hdbscan": labels_hdbscan,
    "fast_hdbscan": labels_fast_hdbscan,
    "scikit-learn": labels_scikit_learn,
}


def neighbors_kostra(points, count, threads):
    import kostra

    return kostra.nearest_neighbors(points, count, threads=threads)[1].sum()


def neighbors_faiss(points, count, threads):
    import faiss

    faiss.omp_set_num_threads(threads)
    points = points.astype(np.float32)
    index = faiss.IndexFlatL2(points.shape[1])
    index.add(points)
    squares = index.search(points, count + 1)[0][:, 1:]  # the first one is the point itself
    return np.sqrt(np.maximum(squares, 0), dtype=np.float64).sum()


def neighbors_scikit_learn(points, count, threads):
    from sklearn.neighbors import NearestNeighbors

    search = NearestNeighbors(n_neighbors=count, algorithm="brute", n_jobs=threads)
    return search.fit(points).kneighbors()[0].sum()


NEIGHBORS = {
    "kostra": neighbors_kostra,
    "faiss-cpu": neighbors_faiss,
    "scikit-learn": neighbors_scikit_learn,
}


def call(name, points, options):
    """The seconds of one call, and the total length or the counts of labels."""
    start = time.perf_counter()
    if options.neighbors:
        total = NEIGHBORS[name](points, options.neighbors, options.threads)
        return time.perf_counter() - start, float(total)
    if options.labels:
        labels = LABELS[name](points, options.labels, SAMPLES, options.threads)
        seconds = time.perf_counter() - start
        return seconds, {"clusters": int(labels.max()) + 1, "noise": int((labels < 0).sum())}
    total = TREES[name](points, options.threads)
    return time.perf_counter() - start, float(total)


def measure(options, size, kind):
    n, dimensions = map(int, size.split("x"))
    points = points_of(n, dimensions, kind)
    seconds, results, disagreements = {}, {}, []
    for _ in range(options.runs + 1):
        for name in ["kostra", *options.peers]:
            samples = seconds.setdefault(name, [])
            if samples and samples[0] > options.patience:
                continue
            took, results[name] = call(name, points, options)
            samples.append(took)
            expected, precision = results["kostra"], PRECISION.get(name, 1e-9)
            if not options.labels and abs(results[name] - expected) > precision * expected:
                disagreements.append(f"{name}: {results[name]}, not {expected}")
    return {
        "vertices": n,
        "dimensions": dimensions,
        "kind": kind,
        "threads": options.threads,
        **({"labels": results} if options.labels else {"total_length": results["kostra"]}),
        "disagreements": disagreements,
        "trees": {
            name: {
                "median": statistics.median(samples[1:] or samples),
                "seconds": samples[1:],
                "warm_up": samples[0],
            }
            for name, samples in seconds.items()
        },
    }


def main():
    parser = argparse.ArgumentParser(description="Measures spanning trees of points.")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--sets", default=",".join(SETS), help="default: %(default)s")
    parser.add_argument("--peers", default="quitefastmst", help=f"among {','.join([*TREES][1:])}")
    parser.add_argument("--kinds", default=",".join(KINDS), help="default: %(default)s")
    parser.add_argument(
        "--labels", type=int, metavar="SIZE", help="measure HDBSCAN, min_cluster_size=SIZE"
    )
    parser.add_argument("--neighbors", type=int, metavar="K", help="find K nearest neighbors")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument(
        "--patience", type=float, default=60, help="limit in seconds (default: %(default)s)"
    )
    parser.add_argument("-o", "--output", type=pathlib.Path)
    options = parser.parse_args()
    options.peers = [peer for peer in options.peers.split(",") if peer]
    if options.peers and os.environ.get("OMP_NUM_THREADS") != str(options.threads):
        parser.error(f"peers read the environment: set OMP_NUM_THREADS={options.threads}")
    failed = False
    for size in options.sets.split(","):
        for kind in options.kinds.split(","):
            entry = measure(options, size, kind)
            packages = ["kostra", "numpy", *options.peers]
            words = [os.path.basename(word) for word in sys.argv]
            entry |= {"command": words, "runs": options.runs, "about": about(packages)}
            failed |= bool(entry["disagreements"])
            threads = "1 thread" if options.threads == 1 else f"{options.threads} threads"
            what = ", labels" * bool(options.labels) + ", neighbors" * bool(options.neighbors)
            name = f"{size} {kind}{what}, {threads}"
            for contestant, times in entry["trees"].items():
                print(f"{name:36} {contestant:14} {times['median']:9.3f} s", flush=True)
            for disagreement in entry["disagreements"]:
                print(disagreement)
            if options.output:
                if options.peers not in ([], ["quitefastmst"]):
                    name += f", {'+'.join(options.peers)}"
                add(options.output, name, entry)
    raise SystemExit(failed)


if __name__ == "__main__":
    main()
