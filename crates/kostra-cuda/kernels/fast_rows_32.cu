// cuda-fast on rows with 32-bit weights.

#include "fast/kernel.cuh"

SOLVE(rows_32, Narrow, rows)
