// cuda-fast on an edge list with 64-bit weights.

#include "fast/kernel.cuh"

SOLVE(edges_64, Wide, edges)
