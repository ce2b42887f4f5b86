"""Partitions a graph by a Python package, for `kostra-bench partition`.

Arguments: the package with its preset, a graph in METIS format, the number of parts, the imbalance,
the seed, the number of threads, and the file for the part of each vertex. Prints one JSON object:
the version, and the CPU and wall seconds of the call that partitions. Reading is not in them.
"""

import importlib.metadata
import json
import sys
import time


def read(path):
    """The rows of a graph without weights: the start of each row, and the neighbors."""
    starts, neighbors = [0], []
    with open(path) as file:
        next(file)
        for line in file:
            neighbors.extend(int(word) - 1 for word in line.split())
            starts.append(len(neighbors))
    return starts, neighbors


def kaminpar(preset, path, k, imbalance, seed, threads):
    import kaminpar

    kaminpar.reseed(seed)
    partitioner = kaminpar.KaMinPar(num_threads=threads, ctx=kaminpar.context_by_name(preset))
    graph = kaminpar.load_graph(path, kaminpar.GraphFileFormat.METIS)
    return lambda: partitioner.compute_partition(graph, k=k, eps=imbalance)


def kahip(preset, path, k, imbalance, seed, threads):
    import kahip

    starts, neighbors = read(path)
    modes = {"fast": 0, "eco": 1, "fastsocial": 3, "ecosocial": 4}
    weights, lengths = [1] * (len(starts) - 1), [1] * len(neighbors)
    graph = (weights, starts, lengths, neighbors)
    return lambda: kahip.kaffpa(*graph, k, imbalance, True, seed, modes[preset])[1]


def pymetis(_, path, k, imbalance, seed, threads):
    import pymetis

    starts, neighbors = read(path)
    options = pymetis.Options(seed=seed, ufactor=round(1000 * imbalance))
    rows = {"xadj": starts, "adjncy": neighbors}
    return lambda: pymetis.part_graph(k, recursive=False, options=options, **rows)[1]


def main():
    name, path, k, imbalance, seed, threads, output = sys.argv[1:]
    package, _, preset = name.partition("-")
    prepare = {"kaminpar": kaminpar, "kahip": kahip, "pymetis": pymetis}[package]
    call = prepare(preset, path, int(k), float(imbalance), int(seed), int(threads))
    cpu, wall = time.process_time(), time.perf_counter()
    parts = call()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    with open(output, "w") as file:
        file.writelines(f"{part}\n" for part in parts)
    version = importlib.metadata.version(package)
    print(json.dumps({"version": f"{package} {version}", "cpu_seconds": cpu, "wall_seconds": wall}))


if __name__ == "__main__":
    main()
