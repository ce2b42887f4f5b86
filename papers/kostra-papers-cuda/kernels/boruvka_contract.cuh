// The argument of the kernels of both contracting solvers.

#pragma once

#include "common.cuh"

// src/boruvka_contract declares the same struct and fills it. Only kernels with keys know their
// type.
template <typename K>
struct Arguments {
    // The graph of the round.
    const u32 *first_edge, *neighbors;
    const K* keys;
    const u32* ids;
    // The contracted graph. First `new_first_edge` has the degrees of its vertices.
    u32 *new_first_edge, *new_neighbors;
    K* new_keys;
    u32* new_ids;
    // Arrays with a word for each vertex. First `new_vertex` has a flag for each root.
    u32 *vertex_minedge, *color, *new_vertex, *next_edge;
    u32* forest;
    u32 vertices, entries;
};
