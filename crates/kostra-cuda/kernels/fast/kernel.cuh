// The canonical minimum spanning forest in one cooperative launch: the blocks stay resident for the
// whole solve and synchronize at grid barriers between steps. docs/algorithms/cuda-fast.md explains
// the algorithm. The parts are included in the order in which a reader needs them. Each kernel has
// a file of its own, ../fast_*.cu, so that a machine without nvcc compiles only the one it needs.

#pragma once

#include "common.cuh"

#include "fast/constants.cuh"
#include "fast/arguments.cuh"
#include "fast/keys.cuh"
#include "fast/wanted.cuh"
#include "fast/solver.cuh"
#include "fast/grid.cuh"
#include "fast/tile_lists.cuh"
#include "fast/candidates.cuh"
#include "fast/samples.cuh"
#include "fast/rows.cuh"
#include "fast/row_lists.cuh"
#include "fast/edge_lists.cuh"
#include "fast/round.cuh"
#include "fast/few.cuh"
#include "fast/relabel.cuh"
#include "fast/finish.cuh"
#include "fast/phases.cuh"

// The kernel `name` for keys of a width, on an input: rows or edges.
#define SOLVE(name, width, input)                                                              \
    KERNEL __launch_bounds__(BLOCK_THREADS, BLOCKS_PER_MULTIPROCESSOR) name(const Args args) { \
        __shared__ u64 memory[SHARED_WORDS];                                                   \
        Solver<width> solver(args, memory);                                                    \
        solver.solve_##input();                                                                \
        solver.report();                                                                       \
    }
