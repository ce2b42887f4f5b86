// The tree over points of up to 2 dimensions, and the searches in it.

#include "common.cuh"

constexpr u32 D = 2;

#include "points/cores.cuh"
#include "points/search.cuh"
#include "points/tree.cuh"
