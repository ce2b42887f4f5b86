// cuda-fast on rows with 64-bit weights.

#include "fast/kernel.cuh"

SOLVE(rows_64, Wide, rows)
