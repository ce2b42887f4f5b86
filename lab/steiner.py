"""Measures Steiner trees of Kostra and of other libraries on instances with published optima.

    python lab/steiner.py FOLDER [--peers] [--threads 2] [-o RECORD]

FOLDER has instances of the PACE challenge 2018 as trackT-NNN.stp.xz, and trackT.csv with the
published weights. The record has, for each instance, the published weight, the weights of
Mehlhorn's tree, of the tree before local search, after local search and after the rounds, the
lower bound, and the seconds; and the means of the ratios to the published weight. With --peers, it
also has NetworkX (Mehlhorn's method) on the instances of up to 1,000 vertices, in turn with Kostra.
Each answer is checked: it is a tree that joins the terminals and has the stated weight.
"""

import argparse
import json
import lzma
import pathlib
import sys
import time

import networkx
import numpy as np
from records import about

import kostra

#: NetworkX takes minutes on larger instances.
MOST_VERTICES = 1000


def instance(path):
    """The ends, the weights, the terminals and the number of vertices of a file."""
    edges, terminals, n = [], [], 0
    with lzma.open(path, "rt") as lines:
        for words in map(str.split, lines):
            if words[:1] == ["E"]:
                edges.append([int(words[1]) - 1, int(words[2]) - 1, int(words[3])])
            elif words[:1] == ["T"]:
                terminals.append(int(words[1]) - 1)
            elif words[:1] == ["Nodes"]:
                n = int(words[1])
    u, v, w = np.array(edges, np.int64).T
    return u, v, w, terminals, n


def published(folder):
    """The weight of an optimal tree, or the best known, of each instance."""
    weights = {}
    for table in sorted(folder.glob("track*.csv")):
        for line in table.read_text().splitlines()[1:]:
            name, *values = (field.strip() for field in line.split(","))
            weights[f"{table.stem}-{name[8:11]}"] = int(values[-1])
    return weights


def checked(edges, terminals, weight):
    """The weight of edges ``(u, v, w)``, after a check that they join the terminals as a tree."""
    tree = networkx.Graph()
    tree.add_nodes_from(terminals)
    tree.add_weighted_edges_from(edges)
    assert networkx.is_tree(tree) and tree.size("weight") == weight
    return int(weight)


def of_kostra(u, v, w, terminals, n, rounds, threads):
    graph = kostra.Graph(u, v, w, n)
    start = time.perf_counter()
    tree = kostra.steiner_tree(graph, terminals, rounds=rounds, threads=threads)
    seconds = time.perf_counter() - start
    ids = tree.edge_ids
    weight = checked(zip(u[ids], v[ids], w[ids]), terminals, tree.total_weight)
    return {
        "weight": weight,
        "first_weight": tree.first_weight,
        "start_weight": tree.start_weight,
        "lower_bound": tree.lower_bound,
        "seconds": seconds,
    }


def of_networkx(u, v, w, terminals, n):
    graph = networkx.Graph()
    graph.add_weighted_edges_from(zip(u.tolist(), v.tolist(), w.tolist()))
    start = time.perf_counter()
    tree = networkx.algorithms.approximation.steiner_tree(graph, terminals, method="mehlhorn")
    seconds = time.perf_counter() - start
    weight = checked(tree.edges(data="weight"), terminals, tree.size("weight"))
    return {"weight": weight, "seconds": seconds}


def measured(peer, *arguments):
    try:
        return peer(*arguments)
    except Exception as error:  # a peer that fails has no result
        return {"error": f"{type(error).__name__}: {error}"}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--busy", action="store_true", help="other programs run on the machine")
    parser.add_argument("-o", "--output", type=pathlib.Path)
    options = parser.parse_args()
    optima, found = published(options.folder), {}
    for path in sorted(options.folder.glob("*.stp.xz")):
        name = path.name.removesuffix(".stp.xz")
        u, v, w, terminals, n = instance(path)
        row = {"vertices": n, "edges": len(u), "terminals": len(terminals)}
        row["published"] = optima[name]
        problem = u, v, w, terminals, n
        row["local search"] = of_kostra(*problem, 0, options.threads)
        row["kostra"] = of_kostra(*problem, 64, options.threads)
        assert row["kostra"]["lower_bound"] <= optima[name] <= row["kostra"]["weight"]
        if options.peers and n <= MOST_VERTICES:
            row["networkx"] = measured(of_networkx, *problem)
        found[name] = row
        print(name, json.dumps(row), file=sys.stderr, flush=True)

    def mean(step, field):
        rows = [row for row in found.values() if field in row.get(step, ())]
        return sum(row[step][field] / row["published"] for row in rows) / max(len(rows), 1)

    record = {
        **about(["kostra", "networkx"]),
        "command": sys.argv,
        "busy": options.busy,
        "threads": options.threads,
        "instances": len(found),
        "mean_ratios": {
            "first tree": mean("kostra", "first_weight"),
            "before local search": mean("kostra", "start_weight"),
            "after local search": mean("local search", "weight"),
            "after rounds": mean("kostra", "weight"),
            "lower bound": mean("kostra", "lower_bound"),
            "networkx": mean("networkx", "weight"),
        },
        "slowest_seconds": max(row["kostra"]["seconds"] for row in found.values()),
        "found": found,
    }
    print(json.dumps({name: record[name] for name in ("mean_ratios", "slowest_seconds")}, indent=1))
    if options.output:
        options.output.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
