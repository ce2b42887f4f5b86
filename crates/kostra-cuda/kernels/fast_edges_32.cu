// cuda-fast on an edge list with 32-bit weights.

#include "fast/kernel.cuh"

SOLVE(edges_32, Narrow, edges)
