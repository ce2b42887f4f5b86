"""Measures approximate spanning trees of embeddings beside other libraries and the exact tree.

    OMP_NUM_THREADS=N python lab/approximate.py --threads N
        [--sets 100000x384] [--peers fast_hdbscan,evoc] [--device] [-o RECORD]

The package and the peers must be installed. Each contestant has a process of its own, which first
takes a small set, so that compiling does not count, and then the points, once: an array of float32
to the arrays of the result. `fast_hdbscan` finds the tree of near neighbors by `pynndescent` in so
many dimensions. `evoc` finds labels by the cosine distance, and no tree. A contestant that takes
longer than --patience seconds is stopped, and the record says so. With --device, the exact tree is
found on a CUDA device, from an array there, otherwise on the processor. Errors are relative to its
length. Labels of two seeds and of the exact tree are compared by the adjusted Rand index.
"""

import argparse
import multiprocessing
import os
import pathlib
import queue
import sys
import tempfile
import time

import numpy as np

from points import SAMPLES, points_of
from records import about, add

#: The least number of points of a cluster.
SIZE = 50
#: The points whose neighbors show the recall of a search.
SAMPLE = 500


def timed(find):
    start = time.perf_counter()
    return find(), time.perf_counter() - start


def kostra(points, threads):
    import kostra

    options = {"min_samples": SAMPLES, "threads": threads, "approximate": True}
    tree, seconds = timed(lambda: kostra.euclidean_mst(points, **options))
    from kostra.cluster import HDBSCAN

    other = kostra.euclidean_mst(points, seed=1, **options)
    labels = [HDBSCAN(SIZE, min_samples=SAMPLES).fit(each).labels_ for each in (tree, other)]
    error = tree.error
    return {
        "seconds": seconds,
        "length": float(tree.distances.sum()),
        "error_bound": error.relative,
        "confidence": error.confidence,
        "recall": error.recall,
    }, {"labels": labels[0], "labels_of_seed_1": labels[1]}


def exact(points, threads, device=False):
    import kostra
    from kostra.cluster import HDBSCAN

    options = {"min_samples": SAMPLES}
    if device:
        flat = kostra.DeviceArray(points.reshape(-1))
        there = _Rows(flat, points.shape)
        find = lambda: kostra.euclidean_mst(there, **options)
    else:
        find = lambda: kostra.euclidean_mst(points, threads=threads, **options)
    tree, seconds = timed(find)
    labels = HDBSCAN(SIZE, min_samples=SAMPLES).fit(tree).labels_
    lengths = np.asarray(kostra.single_linkage(tree))[:, 2]
    result = {"seconds": seconds, "length": float(lengths.sum()), "on": "GPU" if device else "CPU"}
    return result, {"labels": labels}


class _Rows:
    """Points on a device as an array of a library without DLPack."""

    def __init__(self, flat, shape):
        self.flat = flat
        self.__cuda_array_interface__ = flat.__cuda_array_interface__ | {"shape": shape}


def exact_on_device(points, threads):
    return exact(points, threads, device=True)


def fast_hdbscan(points, threads):
    from fast_hdbscan.hdbscan import compute_minimum_spanning_tree

    # It does not count a point among its own neighbors.
    find = lambda: compute_minimum_spanning_tree(points, min_samples=SAMPLES - 1)
    (edges, *_), seconds = timed(find)
    weights = np.asarray(edges)[:, 2]
    finite = weights[np.isfinite(weights)]
    return {
        "seconds": seconds,
        "length": float(finite.sum()),
        "edges": len(finite),
    }, {}


def evoc(points, threads):
    from evoc import EVoC

    model = EVoC(base_min_cluster_size=SIZE, min_samples=SAMPLES)
    labels, seconds = timed(lambda: model.fit_predict(points))
    found = np.asarray(model.nn_inds_)
    rows = np.random.default_rng(1).choice(len(points), min(SAMPLE, len(points)), replace=False)
    unit = points / np.linalg.norm(points, axis=1, keepdims=True)
    count = min(SAMPLES, found.shape[1] - 1)
    hits = 0
    for row in rows:
        products = unit @ unit[row]
        products[row] = -np.inf
        nearest = np.argpartition(-products, count)[:count]
        hits += len(np.intersect1d(nearest, found[row]))
    return {"seconds": seconds, "recall": hits / (count * len(rows))}, {"labels": labels}


CONTESTANTS = {
    "exact": exact,
    "exact_on_device": exact_on_device,
    "kostra": kostra,
    "fast_hdbscan": fast_hdbscan,
    "evoc": evoc,
}


def contest(name, path, threads, answer):
    """In a process of its own: a small set, then the points of a file."""
    find = CONTESTANTS[name]
    points = np.load(path)
    find(np.ascontiguousarray(points[:5000]), threads)
    answer.put(find(points, threads))


def call(name, path, threads, patience):
    answer = multiprocessing.Queue()
    process = multiprocessing.Process(target=contest, args=(name, path, threads, answer))
    process.start()
    try:
        result = answer.get(timeout=patience)
    except queue.Empty:
        result = {"stopped_after_seconds": patience}, {}
    process.kill()
    process.join()
    return result


def measure(size, options):
    from sklearn.metrics import adjusted_rand_score

    n, dimensions = map(int, size.split("x"))
    results, labels = {}, {}
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        path = pathlib.Path(folder) / "points.npy"
        np.save(path, points_of(n, dimensions, "embeddings").astype(np.float32))
        names = ["exact_on_device" if options.device else "exact", "kostra", *options.peers]
        for name in names:
            result, answers = call(name, path, options.threads, options.patience)
            name = name.removesuffix("_on_device")
            results[name] = result
            labels[name] = answers.get("labels")
            if "labels_of_seed_1" in answers:
                labels["kostra, seed 1"] = answers["labels_of_seed_1"]
            print(size, name, result, flush=True)
    least = results["exact"].get("length")
    for name, result in results.items():
        if least and result.get("length") and result.get("edges", n - 1) == n - 1:
            result["error"] = result["length"] / least - 1
    base = labels.get("kostra")
    agreement = {
        name: adjusted_rand_score(base, other)
        for name, other in labels.items()
        if base is not None and other is not None and name != "kostra"
    }
    print(size, "agreement", agreement, flush=True)
    return {"points": n, "dimensions": dimensions, "results": results, "agreement": agreement}


def main():
    parser = argparse.ArgumentParser(description="Measures approximate spanning trees.")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--sets", default="100000x384", help="default: %(default)s")
    parser.add_argument("--peers", default="fast_hdbscan,evoc", help="default: %(default)s")
    parser.add_argument("--device", action="store_true", help="the exact tree on a CUDA device")
    parser.add_argument(
        "--patience", type=float, default=300, help="limit in seconds (default: %(default)s)"
    )
    parser.add_argument("-o", "--output", type=pathlib.Path)
    options = parser.parse_args()
    options.peers = [peer for peer in options.peers.split(",") if peer]
    if options.peers and os.environ.get("OMP_NUM_THREADS") != str(options.threads):
        parser.error(f"peers read the environment: set OMP_NUM_THREADS={options.threads}")
    os.environ["NUMBA_NUM_THREADS"] = str(options.threads)
    multiprocessing.set_start_method("spawn")
    for size in options.sets.split(","):
        entry = measure(size, options)
        packages = ["kostra", "numpy", "pynndescent", *options.peers]
        words = [os.path.basename(word) for word in sys.argv]
        entry |= {"command": words, "threads": options.threads, "about": about(packages)}
        if options.output:
            add(options.output, f"{size} embeddings, {options.threads} threads", entry)


if __name__ == "__main__":
    main()
