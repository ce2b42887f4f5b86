// The tree over points of up to 4 dimensions, and the searches in it.

#include "common.cuh"

constexpr u32 D = 4;

#include "points/cores.cuh"
#include "points/search.cuh"
#include "points/tree.cuh"
