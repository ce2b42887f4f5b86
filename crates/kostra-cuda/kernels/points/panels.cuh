// The shape of the rounded rows, which `points_rounded.cu` makes and `points_pairs.cu` compares.

#pragma once

#include "common.cuh"

// Points of a panel. A limit holds for a whole panel.
constexpr u32 PANEL = 1024;
// Coordinates of one matrix product. The depth of a row is a multiple of it.
constexpr u32 STEP = 16;

// The largest length and the largest rounding error of the rows of a panel.
struct Panel {
    float norm, error;
};
