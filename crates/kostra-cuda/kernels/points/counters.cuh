// The numbers that kernels count, as indices of one array.

#pragma once

#include "common.cuh"

constexpr u32 QUERIES = 0;    // points that search in this round
constexpr u32 TAKEN = 1;      // those that a warp has taken
constexpr u32 EDGES = 2;      // edges of the tree
constexpr u32 COMPONENTS = 3; // components after this round
constexpr u32 LONG_RUNS = 4;  // runs of equal distances for blocks of threads
constexpr u32 UNORDERED = 5;  // edges of runs that are too long for these, and perhaps of others
constexpr u32 COUNTERS = 8;
