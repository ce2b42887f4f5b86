"""Compares `kostra solve --memory` with reading the file once, in turn, on files of edges.

    python lab/external.py KOSTRA [--graphs SPEC=MEMORY,...] [--threads 1,2] [--runs N]
        [--folder FOLDER] [-o RECORD]

KOSTRA is the command. For each graph, the program generates a `.kst` file in FOLDER, which should
be on the disk to measure. A file that is there already is used, and files stay. MEMORY is a size
such as `1200MiB`, or `quarter` for a quarter of the file. Each round measures, in turn:

* ``cat``: `cat FILE >/dev/null`, with the file out of the cache of the system, and in it;
* ``direct``: `dd iflag=direct`, which reads past the cache, with the file out of it;
* ``external``: `kostra solve FILE --memory MEMORY`, likewise, for each number of threads;
* ``fast``: `kostra solve FILE --algorithm fast`, with the file in the cache.

The times are those from the start of each process to its end. Medians count. The total weights must
agree. The program prints a table in Markdown. It fails if total weights disagree. Linux only.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import tempfile
import time

from records import about, add

GRAPHS = (
    "rmat:scale=22,edgefactor=100=quarter",
    "gnm:n=4000000,m=400000000=quarter",
    "road:n=20000000=1600MiB",
)
MIB = 1 << 20


def drop_from_cache(path):
    """Drops the pages of a file from the cache of the system."""
    file = os.open(path, os.O_RDONLY)
    os.fsync(file)  # unwritten pages stay in the cache
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(file)


def run(command):
    """The seconds, processor seconds and peak memory of a command, and its output."""
    with tempfile.TemporaryFile() as output:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=output)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise SystemExit(f"{command} failed")
        output.seek(0)
        text = output.read() if command[0] != "cat" else b""
    figures = {
        "seconds": seconds,
        "processor_seconds": usage.ru_utime + usage.ru_stime,
        "peak_bytes": usage.ru_maxrss << 10,
    }
    return figures, text


def contestants(options, file, memory):
    """Names, whether the file is in the cache, and commands."""
    solve = [options.kostra, "solve", file, "--json"]
    yield "cat, cold", False, ["cat", file]
    direct = ["dd", f"if={file}", "of=/dev/null", "iflag=direct", "bs=1M", "status=none"]
    yield "direct, cold", False, direct
    for threads in options.threads.split(","):
        external = [*solve, "--memory", str(memory), "--threads", threads]
        yield f"external, {threads} threads, cold", False, external
    yield "cat, warm", True, ["cat", file]
    for threads in options.threads.split(","):
        external = [*solve, "--memory", str(memory), "--threads", threads]
        yield f"external, {threads} threads, warm", True, external
    for threads in options.threads.split(","):
        fast = [*solve, "--algorithm", "fast", "--threads", threads]
        yield f"fast, {threads} threads, warm", True, fast


def measure(options, spec, memory):
    file = os.path.join(options.folder, re.sub(r"[:,=]", "-", spec) + ".kst")
    if not os.path.exists(file):
        subprocess.run([options.kostra, "generate", f"gen:{spec}", "-o", file], check=True)
    size = os.path.getsize(file)
    memory = size // 4 // MIB * MIB if memory == "quarter" else memory
    samples, reports = {}, {}
    for _ in range(options.runs):
        for name, in_cache, command in contestants(options, file, memory):
            if in_cache:
                run(["cat", file])
            else:
                drop_from_cache(file)
            figures, text = run(command)
            samples.setdefault(name, []).append(figures)
            if text:
                reports[name] = json.loads(text)
    some = next(iter(reports.values()))
    return {
        "vertices": some["vertices"],
        "edges": some["edges"],
        "bytes": size,
        "memory": memory,
        "weights": sorted({str(report["total_weight"]) for report in reports.values()}),
        "notes": {name: report.get("notes") for name, report in reports.items()},
        "measured": {
            name: {
                "median": statistics.median(sample["seconds"] for sample in runs),
                "processor_median": statistics.median(s["processor_seconds"] for s in runs),
                "peak_bytes": max(sample["peak_bytes"] for sample in runs),
                "runs": runs,
            }
            for name, runs in samples.items()
        },
    }


def table(entry):
    reading = entry["measured"]["cat, cold"]["median"]
    lines = [
        "| what | time | beside `cat`, cold | processor time | peak memory |",
        "|---|--:|--:|--:|--:|",
    ]
    for name, figures in entry["measured"].items():
        peak = "" if name.startswith(("cat", "direct")) else f"{figures['peak_bytes'] / MIB:,.0f} MiB"
        lines.append(
            f"| {name} | {figures['median']:.2f} s | {figures['median'] / reading:.2f} "
            f"| {figures['processor_median']:.2f} s | {peak} |"
        )
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kostra", help="the command")
    parser.add_argument("--graphs", nargs="+", default=GRAPHS, help="default: %(default)s")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--folder", default=".", help="where the files are written")
    parser.add_argument("-o", "--output", type=pathlib.Path)
    options = parser.parse_args()
    options.kostra = os.path.abspath(options.kostra)
    failed = False
    for graph in options.graphs:
        spec, memory = graph.rsplit("=", 1)
        entry = measure(options, spec, memory) | {"runs": options.runs, "about": about([])}
        print(f"\n{spec}: {entry['edges']:,} edges, {entry['bytes']:,} bytes, {memory}")
        print(table(entry), flush=True)
        failed |= len(entry["weights"]) != 1
        if options.output:
            add(options.output, spec, entry)
    raise SystemExit(failed)


if __name__ == "__main__":
    main()
