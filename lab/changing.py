"""Measures what changes: trees of windows, points that come and go, and streams of edges, in one
process, in turn.

    python lab/changing.py --threads N [--only rolling,points,edges] [--scale D] [--runs N]
        [--patience SECONDS] [-o RECORD]

The package must be installed. Each round runs every contestant once, as in `lab/python.py`, and the
first round does not count.

* ``rolling``: `rolling_mst` of 2,000 windows of 250 days, of 100 and of 1,000 stocks, which have
  a common factor. Beside 100 stocks, SciPy computes the tree of each window from the correlations
  that NumPy computes again; its time is of 20 windows.
* ``points``: a million points in 2 and in 10 dimensions, uniform and clustered, `min_samples` 1 and
  5. Each round adds 1 % twice and removes it twice, and fits all points. The first addition comes
  behind a removal, so it also prepares for others. The trees must be equal.
* ``edges``: a window of 200,000 edges that slides over a stream of random edges between 100,000
  vertices: batches of 1, 100 and 10,000 edges are inserted, and as many of the oldest expire, next
  to one new solve. The totals must be equal.

`--scale` divides the numbers of windows, points and edges, for a trial.
"""

import argparse
import os
import pathlib
import sys

import numpy as np

import kostra
from points import points_of
from python import contest, summary
from records import about, add

WINDOWS, DAYS = 2000, 250
#: The windows whose trees SciPy computes in a turn.
PEER_WINDOWS = 20


def rolling(options):
    for stocks in (100, 1000):
        random = np.random.default_rng(1)
        days = WINDOWS // options.scale + DAYS - 1
        returns = random.normal(size=(days, stocks)) + random.normal(size=(days, 1))
        arguments = {"window": DAYS, "threads": options.threads}

        def ours(returns=returns, arguments=arguments):
            return kostra.rolling_mst(returns, **arguments)

        contestants = {"kostra": ours}
        if stocks == 100:
            contestants[f"numpy and scipy, {PEER_WINDOWS} windows"] = lambda: scipy_trees(returns)
        yield f"rolling, {stocks} stocks", contestants, check_rolling


def scipy_trees(returns):
    """The total lengths of the trees of the first windows."""
    from scipy.sparse.csgraph import minimum_spanning_tree

    totals = []
    for start in range(PEER_WINDOWS):
        correlations = np.corrcoef(returns[start : start + DAYS].T)
        distances = np.sqrt(np.maximum(0, 2 * (1 - correlations)))
        totals.append(minimum_spanning_tree(distances).sum())
    return totals


def check_rolling(answers):
    totals = answers["kostra"].totals
    for name, expected in answers.items():
        if name != "kostra" and not np.allclose(totals[:PEER_WINDOWS], expected, rtol=1e-9):
            raise SystemExit(f"{name} finds other totals")


def points(options):
    for dimensions in (2, 10):
        for kind in ("uniform", "clustered"):
            for min_samples in (1, 5):
                n = 1_000_000 // options.scale
                name = f"points, {n} x {dimensions} {kind}, min_samples {min_samples}"
                contestants = points_contest(n, (dimensions, kind, min_samples), options)
                yield name, contestants, check_points


def points_contest(n, of, options):
    dimensions, kind, min_samples = of
    arguments = {"min_samples": min_samples, "threads": options.threads}
    batch = n // 100
    rows = points_of(n + 2 * batch, dimensions, kind)
    present = kostra.DynamicPoints(rows[:n], **arguments)
    added = []

    def add(start):
        added.append(present.add(rows[start : start + batch]))
        return present.recomputed

    def remove():
        present.remove(added.pop())
        return present.recomputed

    return {
        "add, and prepare": lambda: add(n),
        "add": lambda: add(n + batch),
        "tree": present.tree,
        "fit": lambda: kostra.euclidean_mst(present.points, **arguments),
        "remove": remove,
        "remove again": remove,
    }


def check_points(answers):
    tree, fresh = answers["tree"], answers["fit"]
    if not (np.array_equal(tree.edges, fresh.edges)):
        raise SystemExit("the tree is not that of a fresh fit")
    recomputed = [name for name in ("add", "remove") if answers[name]]
    return {"recomputed": recomputed} if recomputed else {}


def edges(options):
    n, window = 100_000 // options.scale, 200_000 // options.scale
    for batch, moves in ((1, 10), (100, 100), (10_000, 1)):
        batch = -(-batch // options.scale)
        count = window + (options.runs + 1) * moves * batch
        random = np.random.default_rng(1)
        u, v = random.integers(n, size=(2, count))
        w = random.integers(1 << 31, size=count).astype(np.uint32)
        forest = kostra.DynamicForest(n, dtype="uint32")
        forest.insert(u[:window], v[:window], w[:window])

        ends = iter(range(window, count, batch))

        def move(forest=forest, ends=ends, columns=(u, v, w), batch=batch, moves=moves):
            for _ in range(moves):
                start = next(ends)
                forest.insert(*(column[start : start + batch] for column in columns))
                forest.expire(start + batch - window)
            return forest.total_weight

        def solve(forest=forest):
            u, v, w = forest.edges(forest.present_ids)
            return kostra.minimum_spanning_forest(u, v, w, n, threads=options.threads).total_weight

        contestants = {f"move by {moves} batches": move, "solve anew": solve}
        yield f"edges, batches of {batch}", contestants, check_edges


def check_edges(answers):
    if len(set(answers.values())) > 1:
        raise SystemExit(f"the totals differ: {answers}")


JOBS = {"rolling": rolling, "points": points, "edges": edges}


def main():
    parser = argparse.ArgumentParser(description="Measures what changes.")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", default=",".join(JOBS), help="default: %(default)s")
    parser.add_argument("--scale", type=int, default=1, help="default: %(default)s")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument(
        "--patience", type=float, default=120, help="limit in seconds (default: %(default)s)"
    )
    parser.add_argument("-o", "--output", type=pathlib.Path)
    options = parser.parse_args()
    for job in options.only.split(","):
        for name, contestants, check in JOBS[job](options):
            seconds, answers = contest(contestants, options.runs, options.patience)
            entry = {"threads": options.threads, "runs": options.runs, "seconds": summary(seconds)}
            entry |= check(answers) or {}
            for contestant, times in entry["seconds"].items():
                print(f"{name:46} {contestant:28} {times['median']:10.5f} s", flush=True)
            if options.output:
                words = [os.path.basename(word) for word in sys.argv]
                entry |= {"command": words, "about": about(["kostra", "numpy", "scipy"])}
                add(options.output, name, entry)


if __name__ == "__main__":
    main()
