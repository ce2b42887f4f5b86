"""Measures what solvers for clusters send with and without a partition of the vertices.

    python lab/placement.py KOSTRA [--graph SPEC] [--ranks N] [--algorithms IDS] [-o RECORD]

KOSTRA is the command, built with the feature mpi; mpirun must be on the path. The program generates
the graph SPEC, gives its vertices random numbers, and sorts its edges by these numbers. It divides
the vertices into as many parts as there are ranks, and solves with each algorithm:

* ``shuffled``: the graph as it is;
* ``partition``: with ``--partition``, so that each rank owns the vertices of its part;
* ``stored by parts``: the graph after ``convert --reorder partition``, with the edges sorted by the
  new numbers, so that the file holds the edges of each part together.

The messages and bytes are those of the solver's phases, as Kostra counts them. They do not depend
on the load of the machine, except for ``mpi-ghs``, whose batches do. The program prints a table in
Markdown. It fails if the forests have different weights.
"""

import argparse
import datetime
import json
import pathlib
import platform
import random
import subprocess
import tempfile

SEED = 1
# mpi-fast merges ranks of one machine into one solve. This value keeps them apart.
APART = ["--set", "single_node=1099511627776"]


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def sorted_by_vertex(kostra, source, target, folder):
    """Writes the graph with its edges sorted by vertex. METIS stores them so."""
    rows = folder / "rows.graph"
    run(kostra, "convert", source, rows)
    run(kostra, "convert", rows, target)


def renumbered(kostra, source, parts, folder):
    """The graph with its vertices in the order of their parts, and its edges sorted."""
    numbered, target = folder / "numbered.kst", folder / f"by-{parts.stem}.kst"
    run(kostra, "convert", source, numbered, "--reorder", "partition", "--partition", parts)
    sorted_by_vertex(kostra, numbered, target, folder)
    return target


def graphs(kostra, options, folder):
    """The shuffled graph, its parts, and the graph stored by parts."""
    plain, order, parts = folder / "plain.kst", folder / "order.txt", folder / "parts.txt"
    run(kostra, "generate", options.graph, "-o", plain)
    vertices = json.loads(run(kostra, "info", plain, "--json"))["vertices"]
    numbers = list(range(vertices))
    random.Random(SEED).shuffle(numbers)
    order.write_text("".join(f"{number}\n" for number in numbers))
    shuffled = renumbered(kostra, plain, order, folder)
    command = [kostra, "partition", shuffled, "-k", str(options.ranks), "-o", parts, "--json"]
    partition = json.loads(run(*command))
    return shuffled, parts, renumbered(kostra, shuffled, parts, folder), partition


def solve(kostra, algorithm, graph, options, more):
    """The report of a solve on ranks."""
    apart = APART if algorithm == "mpi-fast" else []
    launcher = ["mpirun", "-n", str(options.ranks), kostra, "solve", graph]
    return json.loads(
        run(*launcher, "--algorithm", algorithm, "--threads", "1", "--trace", "--json", *apart, *more)
    )


def measure(kostra, options, folder):
    shuffled, parts, stored, partition = graphs(kostra, options, folder)
    variants = {
        "shuffled": (shuffled, []),
        "partition": (shuffled, ["--partition", parts]),
        "stored by parts": (stored, []),
    }
    measured = []
    for algorithm in options.algorithms.split(","):
        for variant, (graph, more) in variants.items():
            report = solve(kostra, algorithm, graph, options, more)
            measured.append(
                {
                    "algorithm": algorithm,
                    "variant": variant,
                    "messages": sum(phase["messages"] for phase in report["phases"]),
                    "bytes": sum(phase["bytes"] for phase in report["phases"]),
                    "phases": report["phases"],
                    "total_weight": report["total_weight"],
                }
            )
    if len({entry["total_weight"] for entry in measured}) != 1:
        raise SystemExit("the forests have different weights")
    figures = ("vertices", "edges", "parts", "edge_cut", "balance", "communication_volume")
    return {name: partition[name] for name in figures}, measured


def table(measured):
    lines = ["| algorithm | graph | messages | bytes | of shuffled |", "|---|---|--:|--:|--:|"]
    for entry in measured:
        if entry["variant"] == "shuffled":
            shuffled = entry["bytes"]
        lines.append(
            f"| `{entry['algorithm']}` | {entry['variant']} | {entry['messages']:,} "
            f"| {entry['bytes']:,} | {100 * entry['bytes'] / max(shuffled, 1):.1f} % |"
        )
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kostra", type=pathlib.Path)
    parser.add_argument("--graph", default="road:n=400000")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--algorithms", default="mpi-fast,mpi-boruvka-contract,mpi-ghs")
    parser.add_argument("-o", "--output", type=pathlib.Path)
    options = parser.parse_args()
    kostra = options.kostra.resolve()
    with tempfile.TemporaryDirectory() as folder:
        partition, measured = measure(kostra, options, pathlib.Path(folder))
    print(table(measured))
    if options.output:
        record = {
            "date": datetime.date.today().isoformat(),
            "command": f"lab/placement.py KOSTRA --graph {options.graph} --ranks {options.ranks}",
            "commit": run("git", "rev-parse", "HEAD").strip(),
            "version": run(kostra, "--version").strip(),
            "machine": {"system": platform.platform(), "mpi": run("mpirun", "--version").split("\n")[0]},
            "seed": SEED,
            "partition": partition,
            "measured": measured,
        }
        options.output.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
