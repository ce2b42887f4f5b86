"""Compares Euclidean spanning trees of Kostra and of other libraries, in turn, on random points.

    cargo build --release -p kostra-points --example timing
    OMP_NUM_THREADS=N python bench/points.py target/release/examples/timing --threads N
        [--sets 1000000x3,100000x10] [--peers quitefastmst] [--runs N] [-o RECORD]

Each round runs the example in a process of its own, and then each peer in this process. The time of
the example is the one that it prints: from the coordinates to the sorted edges. The times of peers
are those of one call with a NumPy array. The first round does not count. The result is the median.
A peer that takes longer than --patience in the first round takes no further turns, and that round
is its result. Total lengths must agree. With -o, the program adds or replaces the entries of its
sets and its number of threads in the record. The peers must be installed.
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
UNITS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0}


def quitefastmst(points):
    import quitefastmst

    return quitefastmst.mst_euclid(points)[0].sum()


def mlpack(points):
    import mlpack

    return mlpack.emst(points)["output"][:, 2].sum()


PEERS = {"quitefastmst": quitefastmst, "mlpack": mlpack}


def kostra(example, points, threads, file=None):
    """The seconds of one run of the example, and the total length."""
    command = [example, *points[:2], "1", str(threads), points[2], "1", *([file] if file else [])]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    number, unit, total = re.search(r"([\d.]+)(\D+) wall.*total ([\d.]+)", output).groups()
    return float(number) * UNITS[unit], float(total)


def measure(options, size, kind):
    n, dimensions = size.split("x")
    points = (n, dimensions, kind)
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "points.bin")
        warm_up, total = kostra(options.example, points, options.threads, file)
        rows = np.fromfile(file).reshape(-1, int(dimensions))
    seconds, disagreements = {"kostra": [warm_up]}, []
    for turn in range(options.runs + 1):
        if turn > 0:
            seconds["kostra"].append(kostra(options.example, points, options.threads)[0])
        for peer in options.peers:
            samples = seconds.setdefault(peer, [])
            if samples and samples[0] > options.patience:
                continue
            start = time.perf_counter()
            length = PEERS[peer](rows)
            samples.append(time.perf_counter() - start)
            if abs(length - total) > 1e-9 * total:
                disagreements.append(f"{peer}: {length}")
    return {
        "vertices": int(n),
        "dimensions": int(dimensions),
        "kind": kind,
        "threads": options.threads,
        "total_length": total,
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
        for kind in KINDS:
            entry = measure(options, size, kind)
            words = [os.path.basename(word) for word in sys.argv]
            entry |= {"command": words, "runs": options.runs, "about": about(["numpy", *options.peers])}
            failed |= bool(entry["disagreements"])
            threads = "1 thread" if options.threads == 1 else f"{options.threads} threads"
            name = f"{size} {kind}, {threads}"
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
