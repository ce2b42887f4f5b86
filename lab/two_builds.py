"""Times two builds of the command in turn, all CPU solvers on graphs of a few million edges.

    python3 lab/two_builds.py OLD NEW [--runs 7] [--ranks 4] [-o RECORD]

OLD and NEW are paths of `kostra` programs. Each pair of runs swaps the order of the two. A time
is building plus solving, as the command reports it. The record contains every sample in seconds;
`kostra-bench compare RECORD` says which cells changed beyond noise.
With --ranks, the solvers for clusters are timed instead, with that number of ranks of this machine.
"""

import argparse
import datetime
import json
import os
import statistics
import subprocess
import sys
import tempfile

GRAPHS = {
    "uniform": "gnm:n=1M,m=4M",
    "rmat": "rmat:scale=17,edgefactor=16",
    "grid": "grid:side=1024",
    "road": "road:n=1M",
    "dense": "gnm:n=3000,m=2M",
    "small": "gnm:n=1500,m=3000",
}
LARGE = ["uniform", "rmat", "grid", "road", "dense"]
SEQUENTIAL = ["kruskal", "filter-kruskal", "boruvka", "prim-binary", "prim-pairing"]
THREADED = ["fast", "boruvka-contract", "boruvka-edge", "prim-collide"]
# Two solvers cost more than linear time, so each has the one graph that it is made for.
SPECIAL = [("prim-dense", "dense"), ("reverse-delete", "small")]
DISTRIBUTED = ["mpi-fast", "mpi-boruvka-allreduce", "mpi-boruvka-contract", "mpi-merge", "mpi-ghs"]


def solve(program, graph, algorithm, threads, launcher):
    """The seconds of one run, and the answer."""
    arguments = [graph, "--algorithm", algorithm, "--threads", str(threads), "--json"]
    command = launcher + [program, "solve"] + arguments
    record = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    # The solvers for clusters build nothing that they report.
    seconds = record["seconds"].get("build", 0) + record["seconds"]["solve"]
    return seconds, (record["total_weight"], record["forest_edges"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--runs", type=int, default=7, help="measured runs of each program")
    parser.add_argument("--ranks", type=int, help="ranks for the solvers for clusters")
    parser.add_argument("--output", "-o", help="the file for the record")
    arguments = parser.parse_args()
    programs = {"old": arguments.old, "new": arguments.new}

    several = len(os.sched_getaffinity(0))
    cases = [(a, g, 1) for a in SEQUENTIAL for g in LARGE]
    cases += [(a, g, t) for a in THREADED for g in LARGE for t in (1, several)]
    cases += [(a, g, 1) for a, g in SPECIAL]
    launcher = []
    if arguments.ranks:
        launcher = ["mpirun", "-n", str(arguments.ranks)]
        cases = [(a, g, 1) for a in DISTRIBUTED for g in LARGE]
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for name, spec in GRAPHS.items():
            command = [arguments.old, "generate", spec, "-o", f"{folder}/{name}.kst"]
            subprocess.run(command, check=True, capture_output=True)
        for algorithm, graph, threads in cases:
            samples, answers = {"old": [], "new": []}, set()
            for run in range(arguments.runs + 1):
                for build in ("old", "new") if run % 2 else ("new", "old"):
                    path = f"{folder}/{graph}.kst"
                    seconds, answer = solve(programs[build], path, algorithm, threads, launcher)
                    answers.add(answer)
                    if run > 0:  # the first pair warms the caches
                        samples[build].append(seconds)
            assert len(answers) == 1, (algorithm, graph, answers)
            old, new = (statistics.median(samples[build]) for build in ("old", "new"))
            case = {"solver": algorithm, "graph": graph, "threads": threads, "ratio": new / old}
            results.append(case | samples)
            times = f"{old * 1e3:9.2f} ms {new * 1e3:9.2f} ms {new / old:6.3f}"
            print(f"{algorithm:22}{graph:9}{threads:3} {times}", flush=True)
    if arguments.output:
        record = {
            "date": datetime.date.today().isoformat(),
            "machine": {"processor": processor(), "processors": several},
            "load_average": os.getloadavg(),
            "command": sys.argv,
            "graphs": GRAPHS,
            "results": results,
        }
        with open(arguments.output, "w") as file:
            json.dump(record, file, indent=1)
            file.write("\n")


def processor():
    with open("/proc/cpuinfo") as table:
        return next(line.split(":")[1].strip() for line in table if line.startswith("model name"))


if __name__ == "__main__":
    main()
