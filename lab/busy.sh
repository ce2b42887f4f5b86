#!/usr/bin/env bash
# Measures fast beside other programs that use all processors:
#   lab/busy.sh LOAD RECORD [GRAPH] [ARGUMENT OF kostra-bench run]...
# Build first: cargo build --release -p kostra-bench
#
# LOAD is one of
#   idle     nothing
#   spin     a loop in the shell for each processor
#   memory   a program for each processor that writes 256 MiB again and again
# The programs run in a session of their own, because Linux shares the processors among sessions
# first: so they compete as programs of another terminal or another user do. `spin-here` and
# `memory-here` run in the session of this script.
#
# One thread and all threads take turns, nine times.
set -euo pipefail
load=$1 record=$2 graph=${3:-gen:grid:side=2048}
shift $(($# < 3 ? $# : 3))
processors=$(nproc)
case $load in
idle) program=true ;;
spin*) program='while :; do :; done' ;;
memory*) program='exec dd if=/dev/zero of=/dev/null bs=256M status=none' ;;
*) echo "'$load' is no load; see the head of $0" >&2 && exit 2 ;;
esac
session=setsid
[[ $load != *-here ]] || session=
loads=()
trap 'kill "${loads[@]}" 2>/dev/null || true' EXIT
if [[ $session ]]; then
    # One session for all loads. Its leader ends them when it is told to end.
    setsid bash -c "trap 'kill 0' TERM; for ((i = 0; i < $processors; i++)); do ($program) & done; wait" &
    loads+=($!)
else
    for ((i = 0; i < processors; i++)); do
        bash -c "$program" &
        loads+=($!)
    done
fi
sleep 1 # until the loads run

turns=$(printf ",1,$processors%.0s" {1..9})
"${CARGO_TARGET_DIR:-target}/release/kostra-bench" run --graphs "$graph" --solvers fast \
    --peers '' --threads "${turns#,}" --runs 1 --largest-table 4 -o "$record" "$@"
python3 - "$record" <<'SUMMARY'
import json, statistics, sys
times = {}
for graph in json.load(open(sys.argv[1]))["measured"]["solve"]["graphs"]:
    for contestant in graph["contestants"]:
        seconds = times.setdefault((contestant["name"], graph["threads"]), [])
        seconds += contestant["timing"]["seconds"]
for (name, threads), seconds in sorted(times.items()):
    least, middle, most = (1e3 * f(seconds) for f in (min, statistics.median, max))
    print(f"{name} on {threads}: median {middle:.0f} ms, {least:.0f} to {most:.0f}, of {len(seconds)}")
SUMMARY
