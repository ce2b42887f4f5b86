// The tree over the points, and how a warp walks through it.
//
// Points are sorted along a Hilbert curve. A leaf is 32 consecutive points, and a node of each
// higher level is 32 consecutive nodes of the level below. So the tree has no pointers. The highest
// level has at most 32 nodes. In memory, the levels follow each other, lowest first, each filled up
// to a multiple of 32 by nodes with empty boxes.

#pragma once

#include "points/geometry.cuh"

// The levels of a tree: lane `l` of a warp knows where level `l` begins.
struct Levels {
    u32 begin;
    u32 highest;

    __device__ explicit Levels(u32 points) {
        u32 lane = threadIdx.x % WIDTH, nodes = (points + WIDTH - 1) / WIDTH, at = 0;
        begin = 0;
        highest = 0;
        for (;;) {
            if (lane == highest) begin = at;
            if (nodes <= WIDTH) break;
            u32 groups = (nodes + WIDTH - 1) / WIDTH;
            at += groups * WIDTH;
            nodes = groups;
            highest++;
        }
    }
};

// Visits the nodes that a visitor wants. All lanes of a warp walk together.
//
// visitor.gap(node): how far the node of this lane is from what the warp searches for, or infinity;
// visitor.reach(): the largest gap that any lane still wants; visitor.wants(node): whether any lane
// wants the node; visitor.leaf(leaf): looks at the points of a leaf that a lane wants.
//
// Leaves below one node are visited in the order of their gaps, since near ones lower the reach.
template <typename Visitor>
__device__ __forceinline__ void walk(Visitor& visitor, const Levels& levels) {
    u32 lane = threadIdx.x % WIDTH;
    u32 level = levels.highest, parent = 0;
    // Of lane `l`: the children on level `l` that are yet to be visited.
    u32 waiting = 0;
    u32 begin = __shfl_sync(ALL, levels.begin, level);
    float gap = visitor.gap(begin + lane);
    u32 todo = __ballot_sync(ALL, gap <= visitor.reach());
    for (;;) {
        if (level == 0) {
            for (;;) {
                u32 bits = __float_as_uint(gap) & ~(WIDTH - 1) | lane;
                u32 nearest = __reduce_min_sync(ALL, gap <= visitor.reach() ? bits : ALL);
                if (nearest == ALL) break;
                u32 child = nearest % WIDTH;
                if (lane == child) gap = __int_as_float(0x7FFFFFFF);
                u32 leaf = parent * WIDTH + child;
                if (visitor.wants(leaf)) visitor.leaf(leaf);
            }
            todo = 0;
        }
        if (todo == 0) {
            if (level == levels.highest) return;
            level++;
            parent /= WIDTH;
            begin = __shfl_sync(ALL, levels.begin, level);
            todo = __shfl_sync(ALL, waiting, level);
            continue;
        }
        u32 node = parent * WIDTH + __ffs(todo) - 1;
        todo &= todo - 1;
        if (!visitor.wants(begin + node)) continue;
        if (lane == level) waiting = todo;
        level--;
        parent = node;
        begin = __shfl_sync(ALL, levels.begin, level);
        gap = visitor.gap(begin + node * WIDTH + lane);
        todo = __ballot_sync(ALL, gap <= visitor.reach());
    }
}
