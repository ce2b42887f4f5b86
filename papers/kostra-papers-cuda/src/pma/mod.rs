//! PMA, the Parallel MSF Algorithm, on a device.
//!
//! Each iteration grows trees by Prim's algorithm in many threads at once (Partial Prim). A tree
//! stops at `gamma` vertices, when no edge leaves it, or when it touches another tree. Trees that
//! touched become one component. Each component becomes a vertex of a smaller graph (unification).
//! The algorithm ends when no edge is left.
//!
//! P = n / gamma threads, the source's processors, have a partition of the vertices each. A
//! processor starts trees at the unvisited vertices of its partition, one after the other. A tree
//! claims vertices in the array `successor` by compare-and-swap.
//!
//! The solvers differ in the search for the lightest outgoing edge of a vertex. `cuda-pma-min`
//! searches the row of the vertex. `cuda-pma-sort` sorts each row by weight before each iteration,
//! and keeps a cursor in each row of a tree. `cuda-pma-hybrid` searches in the first iteration, and
//! sorts in the later ones, which have longer rows.
//!
//! Why the forest is right:
//!
//! * Only its own thread adds to a tree. So each chosen edge is the lightest one that leaves a
//!   fixed set of vertices, and is in the forest (cut property). It does not matter which tree has
//!   the vertex at the other end. A tree that touched stops, because its next edge may be heavier
//!   than one that leaves the other tree.
//! * A tree that is touched continues to grow. Its later edges are right for the same reason.
//! * The touches close no cycle, except that two trees may choose the same edge. Trees do not grow
//!   after their own touch, so the edge of a touch is the lightest one that leaves the final tree.
//!   In a cycle of touches, each edge also leaves the next tree. So it is not lighter than the edge
//!   of the next tree, and all edges of the cycle are equal. Ranks are a strict total order, so
//!   they are one edge, which connects two trees. `link_trees` removes these cycles of two.
//! * A tree of one vertex with edges grows or touches. So the vertices with edges are at least
//!   halved in each iteration.
//!
//! * Source: Nobari 2012, Algorithms 1 to 5, and section 5. gamma may be set; its default depends
//!   on the average degree (6.2). Removing parallel edges is optional, as in 6.3.
//! * Time: O(log n) iterations. In an iteration, a search reads each row up to gamma times
//!   (`cuda-pma-min`), or once (`cuda-pma-sort`), and each tree reads its list up to gamma times.
//!   Sorts take O(m log n). One thread handles a tree and a row, whatever the length of the row.
//!   With `cooperative-search=on`, a block of 256 threads does in iterations with an average degree
//!   of 512 or more. The trees that a processor grows follow the same rules.
//! * Device memory: the given graph, a copy for the unified graph, and 4 bytes for the vertex and
//!   4 for the place of each entry.
//! * Wants rows. Exact.
//! * Reports the vertices and edges at the start of each iteration, and the time of each step by
//!   the device's clock. Counters of an iteration are the trees, the touches, the touches by both
//!   trees of a pair, and the reduction rate of section 6.4: the part of the vertices that were
//!   unified. "reduction % without touches" is the rate if trees stopped where they do, but did not
//!   follow the tree that they touched. This is the rule of Bader & Cong, with atomic operations as
//!   in section 6.4. With a high gamma there are few processors, as the source had for that rule.
//!   The rounds of `cuda-boruvka-contract` give the rate of Borůvka's algorithm.
//!
//! Deviations from the source, with the reasons:
//!
//! * Algorithm 2 writes the touch to `successor[s]`, the word that Algorithms 3 and 4 compare to
//!   see whether a vertex is in the tree. When tree t touches tree s, the root of t gets the root
//!   of s while s is growing. Then s takes the root of t for a vertex of its own, skips its edges
//!   to it, and may choose an edge that is not in the forest. Here a touch is written to `touched`,
//!   and goes to `successor` when all trees have stopped. So `successor` changes once per vertex,
//!   and no fence is needed: the kernel file has the reasoning for the memory model.
//! * Algorithm 4 stores `Last` only if an edge is the lightest so far. Then a row would be read
//!   more than once, and section 5.2.2 says that it is not. Here the cursor always advances.
//! * Algorithms 3 and 4 check for each edge whether it leaves the tree, and then its weight. Here
//!   the weight comes first, because it is at hand and the other check is a random access. The
//!   result is the same.
//! * A vertex without outgoing edges leaves the list Q. The source would search its row again for
//!   each new vertex of the tree.
//! * Ties are broken by the edge id. The source appends a number to each weight.
//! * The sort is a merge sort within rows, not two radix sorts of all edges. It compares weights of
//!   any type together with edge ids, and needs no passes for them.
//! * Self-loops are left out by a prefix sum, not sorted to the end of the list. The edges of a
//!   vertex move together, so placing them takes one atomic addition per vertex.
//! * Vertices of degree 0 are dropped in unification, but not before the first iteration. There
//!   they are trees that stop at once.

mod gamma;
mod graph;
mod iterations;
mod kernels;
#[cfg(test)]
mod tests;
mod unify;

use kostra_core::SolverOption;
#[cfg(test)]
use kostra_core::{Algorithm, SolverInfo};

use self::gamma::GAMMA;
use self::iterations::{COOPERATIVE_SEARCH, REMOVE_PARALLEL_EDGES, solve};

/// PMA with searches of all edges of a vertex.
pub(crate) struct PmaMin;

/// PMA with sorted rows.
pub(crate) struct PmaSort;

/// PMA with searches of all edges in the first iteration, and sorted rows afterwards.
pub(crate) struct PmaHybrid;

/// How a tree finds the lightest edge that leaves one of its vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Search {
    /// MinPMA, Algorithm 3.
    Min,
    /// SortPMA, Algorithm 4.
    Sort,
}

/// The difference between the solvers.
trait Searches {
    /// The search of an iteration, counted from 0.
    fn search_in(iteration: u32) -> Search;
}

impl Searches for PmaMin {
    fn search_in(_iteration: u32) -> Search {
        Search::Min
    }
}

impl Searches for PmaSort {
    fn search_in(_iteration: u32) -> Search {
        Search::Sort
    }
}

impl Searches for PmaHybrid {
    fn search_in(iteration: u32) -> Search {
        if iteration == 0 { Search::Min } else { Search::Sort }
    }
}

const SCRATCH: &str = "48 bytes per edge (56 with 64-bit weights), 32 per vertex";
const OPTIONS: &[SolverOption] = &[GAMMA, REMOVE_PARALLEL_EDGES, COOPERATIVE_SEARCH];

solver_on_rows! {
    PmaMin, solve::<PmaMin>,
    id: "cuda-pma-min",
    title: "PMA with minima of rows, on a GPU",
    source: "Nobari 2012, Algorithms 1 to 3 and 5",
    time: "O((gamma + log n) m log n) work",
    scratch: SCRATCH,
    options: OPTIONS,
}
solver_on_rows! {
    PmaSort, solve::<PmaSort>,
    id: "cuda-pma-sort",
    title: "PMA with sorted rows, on a GPU",
    source: "Nobari 2012, Algorithms 1, 2, 4 and 5",
    time: "O((gamma n + m log n) log n) work",
    scratch: SCRATCH,
    options: OPTIONS,
}
solver_on_rows! {
    PmaHybrid, solve::<PmaHybrid>,
    id: "cuda-pma-hybrid",
    title: "PMA with minima of rows, then sorted rows, on a GPU",
    source: "Nobari 2012, Algorithms 1 to 5",
    time: "O((gamma n + m log n) log n + gamma m) work",
    scratch: SCRATCH,
    options: OPTIONS,
}

/// The descriptions of the solvers.
#[cfg(test)]
const INFOS: [&SolverInfo; 3] = [&PmaMin::INFO, &PmaSort::INFO, &PmaHybrid::INFO];
