// The numbers that kernels count, as indices of one array.

#pragma once

#include "common.cuh"

constexpr u32 QUERIES = 0;    // points that search in this round
constexpr u32 TAKEN = 1;      // those that a warp has taken
constexpr u32 EDGES = 2;      // edges of the tree
constexpr u32 COMPONENTS = 3; // components after this round
constexpr u32 UNORDERED = 4;  // 1 if a run of equal distances is too long to be put in order
constexpr u32 LONG_RUNS = 5;  // runs of equal distances for blocks of threads
constexpr u32 COUNTERS = 8;
