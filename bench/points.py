"""Compares Euclidean spanning trees of Kostra and of other libraries, in turn, on random points.

    cargo build --release -p kostra-points --example timing
    OMP_NUM_THREADS=N python bench/points.py target/release/examples/timing --threads N
        [--sets 1000000x3,100000x10] [--kinds uniform] [--peers quitefastmst] [--labels 50]
        [--runs N] [-o RECORD]

Each round runs the example in a process of its own, and then each peer in this process. The time of
the example is the one that it prints: from the coordinates to the sorted edges. The times of peers
are those of one call with a NumPy array. The first round does not count. The result is the median.
A peer that takes longer than --patience in the first round takes no further turns, and that round
is its result. Total lengths must agree. With --labels, all find the labels of HDBSCAN instead of
the tree, and the record has the numbers of clusters and of noise. With -o, the program adds or
replaces the entries of its sets and its number of threads in the record. The peers must be
installed.
"""

import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

from records import about, add

SETS = ("2500000x2", "1000000x3", "250000x5", "100000x10")
KINDS = ("uniform", "clustered")
#: The number of nearest points, itself included, within the core distance, for labels.
SAMPLES = 5
UNITS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0}


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


PEERS = {
    "quitefastmst": quitefastmst,
    "mlpack": mlpack,
    "hdbscan": hdbscan,
    "fast_hdbscan": fast_hdbscan,
    "scikit-learn": scikit_learn,
}

#: fast_hdbscan computes distances with 32 bits.
PRECISION = {"fast_hdbscan": 1e-6}


#: The classes of HDBSCAN. hdbscan and fast_hdbscan do not count a point among its own
#: ``min_samples`` neighbors.
def labels_hdbscan(points, least, samples, threads):
    from hdbscan import HDBSCAN

    options = {"approx_min_span_tree": False, "core_dist_n_jobs": threads}
    return HDBSCAN(min_cluster_size=least, min_samples=samples - 1, **options).fit(points).labels_


def labels_fast_hdbscan(points, least, samples, threads):
    from fast_hdbscan import HDBSCAN

    return HDBSCAN(min_cluster_size=least, min_samples=samples - 1).fit(points).labels_


def labels_scikit_learn(points, least, samples, threads):
    from sklearn.cluster import HDBSCAN

    options = {"n_jobs": threads, "copy": True}
    return HDBSCAN(min_cluster_size=least, min_samples=samples, **options).fit(points).labels_


LABELS = {
    "hdbscan": labels_hdbscan,
    "fast_hdbscan": labels_fast_hdbscan,
    "scikit-learn": labels_scikit_learn,
}


def kostra(options, points, file=""):
    """The seconds of one run of the example, and the total length or the counts of labels."""
    (n, dimensions, kind), labels = points, options.labels
    samples = SAMPLES if labels else 1
    words = [n, dimensions, samples, options.threads, kind, 1, file, labels or ""]
    command = [options.example, *map(str, words)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    if labels:
        pattern = r"labels in ([\d.]+)([^\d\s]+), (\d+) clusters, (\d+) noise"
        number, unit, clusters, noise = re.search(pattern, output).groups()
        return float(number) * UNITS[unit], {"clusters": int(clusters), "noise": int(noise)}
    number, unit, total = re.search(r"([\d.]+)(\D+) wall.*total ([\d.]+)", output).groups()
    return float(number) * UNITS[unit], float(total)


def peer(name, rows, options):
    """The seconds of one call of a peer, and the total length or the counts of labels."""
    start = time.perf_counter()
    if options.labels:
        labels = LABELS[name](rows, options.labels, SAMPLES, options.threads)
        seconds = time.perf_counter() - start
        return seconds, {"clusters": int(labels.max()) + 1, "noise": int((labels < 0).sum())}
    total = PEERS[name](rows, options.threads)
    return time.perf_counter() - start, total


def measure(options, size, kind):
    n, dimensions = size.split("x")
    points = (n, dimensions, kind)
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "points.bin")
        warm_up, result = kostra(options, points, file)
        rows = np.fromfile(file).reshape(-1, int(dimensions))
    seconds, results, disagreements = {"kostra": [warm_up]}, {"kostra": result}, []
    for turn in range(options.runs + 1):
        if turn > 0:
            seconds["kostra"].append(kostra(options, points)[0])
        for name in options.peers:
            samples = seconds.setdefault(name, [])
            if samples and samples[0] > options.patience:
                continue
            took, results[name] = peer(name, rows, options)
            samples.append(took)
            precision = PRECISION.get(name, 1e-9)
            if not options.labels and abs(results[name] - result) > precision * result:
                disagreements.append(f"{name}: {results[name]}")
    return {
        "vertices": int(n),
        "dimensions": int(dimensions),
        "kind": kind,
        "threads": options.threads,
        **({"labels": results} if options.labels else {"total_length": result}),
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
    parser.add_argument("example", help="the program of the example `timing`")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--sets", default=",".join(SETS), help="default: %(default)s")
    parser.add_argument("--peers", default="quitefastmst", help=f"among {','.join(PEERS)}")
    parser.add_argument("--kinds", default=",".join(KINDS), help="default: %(default)s")
    parser.add_argument(
        "--labels", type=int, metavar="SIZE", help="measure HDBSCAN, min_cluster_size=SIZE"
    )
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
            words = [os.path.basename(word) for word in sys.argv]
            entry |= {"command": words, "runs": options.runs, "about": about(["numpy", *options.peers])}
            failed |= bool(entry["disagreements"])
            threads = "1 thread" if options.threads == 1 else f"{options.threads} threads"
            name = f"{size} {kind}{', labels' if options.labels else ''}, {threads}"
            for contestant, times in entry["trees"].items():
                print(f"{name:36} {contestant:14} {times['median']:9.3f} s", flush=True)
            for disagreement in entry["disagreements"]:
                print(disagreement)
            if options.output:
                if options.peers != ["quitefastmst"]:
                    name += f", {'+'.join(options.peers)}"
                add(options.output, name, entry)
    raise SystemExit(failed)


if __name__ == "__main__":
    main()
