"""Compares updates of changing graphs with other programs, in turn.

    python lab/updates.py PROGRAM [--batches PROGRAM] [--am-tree PROGRAM] [--stt PROGRAM]
        [--graphs SPEC,...] [--runs N] [-o RECORD]

PROGRAM is the example `updates` of kostra-dynamic, and `--batches` its example `batches`, which
compares batches of each size with a fresh solve. `--am-tree` is the program of
`peers/am_tree.cpp`, which inserts the same stream of edges; the public code expects that each edge
is better than all before. `--stt` is `bench_mst` of berendsohn/stt-rs, which draws its own random
graph with as many vertices and edges. All use one thread, except for whole solves of Kostra. The
totals of the AM-tree must agree with Kostra's.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import tempfile

from records import about, add

GRAPHS = "gnm:n=500000;m=1000000,road:n=1000000,gnm:n=1000000;m=4000000"


def output(command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


def round_of(options, spec, folder):
    """One run of each program: its figures by its name."""
    file = os.path.join(folder, "graph")
    results = {"kostra": json.loads(output([options.program, spec, file]))}
    if options.batches:
        results["batches"] = json.loads(output([options.batches, spec]))
    if options.am_tree:
        reply = output([options.am_tree, file], input="run\n").splitlines()[-1]
        results["am-tree"] = json.loads(reply)
        totals = [results["kostra"]["stream_total"], results["am-tree"]["total"]]
        if totals[0] != totals[1]:
            raise SystemExit(f"{spec}: totals {totals} differ")
    parameters = re.fullmatch(r"gnm:n=(\d+),m=(\d+)", spec)
    if options.stt and parameters:
        vertices, edges = map(int, parameters.groups())
        command = [options.stt, "-s", "1", "-n", str(vertices), "-e", str(edges // vertices)]
        for line in output([*command, "--json", "link-cut", "stable-greedy-splay"]).splitlines():
            reply = json.loads(line)
            results[f"stt-rs {reply['name']}"] = {"seconds": reply["time_ns"] / 1e9}
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--batches")
    parser.add_argument("--am-tree")
    parser.add_argument("--stt")
    parser.add_argument("--graphs", default=GRAPHS)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("-o", "--output", type=pathlib.Path)
    options = parser.parse_args()
    for spec in options.graphs.split(","):
        spec = spec.replace(";", ",")
        with tempfile.TemporaryDirectory() as folder:
            rounds = [round_of(options, spec, folder) for _ in range(options.runs)]
        samples = {
            name: {key: [one[name][key] for one in rounds] for key in figures}
            for name, figures in rounds[0].items()
        }
        print(spec, json.dumps(samples))
        if options.output:
            add(options.output, spec, {**about([]), "samples": samples})


if __name__ == "__main__":
    main()
