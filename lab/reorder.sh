#!/usr/bin/env bash
# Measures what new numbers of the vertices gain for the solver fast:
#   lab/reorder.sh RECORD [VERTICES] [ARGUMENT OF kostra-bench run]...
# Build first: cargo build --release -p kostra-cli -p kostra-bench
#
# A generated road network gets random vertex numbers (shuffled), and from these the numbers of each
# order of `kostra convert --reorder`. There are two series:
#   NAME.kst     the edges are in the same order in all graphs; only the vertices differ
#   NAME.graph   the edges are sorted by vertex, as in most files
set -euo pipefail
record=$(realpath "$1") vertices=${2:-4000000}
shift $(($# < 2 ? $# : 2))
programs=$(realpath "${CARGO_TARGET_DIR:-target}/release")
# The record names the commit, although the runner works in another folder.
GIT_DIR=$(git rev-parse --absolute-git-dir) GIT_WORK_TREE=$(git rev-parse --show-toplevel)
export GIT_DIR GIT_WORK_TREE
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

"$programs/kostra" generate "road:n=$vertices" -o plain.kst
# A partition with one vertex in each part is a permutation.
shuf -i "0-$((vertices - 1))" --random-source=<(yes) >order.txt
"$programs/kostra" convert plain.kst shuffled.kst --reorder partition --partition order.txt
for order in bfs hilbert partition; do
    "$programs/kostra" convert shuffled.kst "$order.kst" --reorder "$order"
done
names=(plain shuffled bfs hilbert partition)
for name in "${names[@]}"; do "$programs/kostra" convert "$name.kst" "$name.graph"; done
graphs=$(printf '%s,' "${names[@]/%/.kst}" "${names[@]/%/.graph}")
"$programs/kostra-bench" run --graphs "${graphs%,}" --solvers fast --peers '' -o "$record" "$@"
