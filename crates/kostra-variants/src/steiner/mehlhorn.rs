//! The 2-approximation of Mehlhorn: one pass of shortest paths from all terminals, and one forest.
//!
//! Each vertex belongs to the region of its nearest terminal. An edge between two regions is a path
//! between their terminals, of the distances of its ends plus its own cost. A minimum spanning tree
//! of these paths costs as much as one of the distances between all pairs of terminals, and so at
//! most `2 (1 - 1/l)` times an optimal Steiner tree with `l` leaves. Its paths follow the shortest
//! paths of the regions, which are trees, so their union has no cycle.
//!
//! Vertices are settled by distance, then by number. A path ends with the lowest edge id among
//! those of its length. So the tree does not depend on the number of threads.
//!
//! Source: Mehlhorn, "A faster approximation algorithm for the Steiner problem in graphs",
//! Information Processing Letters 27 (1988). O(m + n log n) with the heap of the source; here
//! O((n + m) log n).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use kostra_core::{BitSet, EdgeId, EdgeList, Order, Run, SolveError, Vertex};

use super::rows::{CostRows, Link};

/// No terminal: the vertex is in no region.
pub(super) const NO_BASE: u32 = u32::MAX;

/// The regions of terminals.
pub(super) struct Regions {
    /// The distance of each vertex to its terminal.
    pub(super) distance: Vec<u64>,
    /// The position of its terminal in the list, or [`NO_BASE`].
    pub(super) base: Vec<u32>,
    /// The last edge of its path; its end `to` is the vertex before. Undefined for terminals.
    pub(super) via: Vec<Link>,
}

impl Regions {
    /// The regions of these terminals.
    ///
    /// # Errors
    /// When the run is cancelled.
    pub(super) fn grow(
        rows: &CostRows,
        terminals: &[Vertex],
        run: &mut Run<'_>,
    ) -> Result<Self, SolveError> {
        let n = rows.vertices();
        let mut regions = Self {
            distance: vec![u64::MAX; n],
            base: vec![NO_BASE; n],
            via: vec![Link { to: 0, edge: EdgeId::MAX, cost: 0 }; n],
        };
        let mut heap = BinaryHeap::new();
        for (position, &terminal) in terminals.iter().enumerate() {
            regions.distance[terminal as usize] = 0;
            regions.base[terminal as usize] = position as u32;
            // No path of length 0 comes before this, so a terminal keeps its own region.
            regions.via[terminal as usize].edge = 0;
            heap.push(Reverse((0, terminal)));
        }
        let mut settled = BitSet::new(n);
        while let Some(Reverse((distance, vertex))) = heap.pop() {
            if !settled.insert(vertex) {
                continue;
            }
            if settled.len().is_multiple_of(REPORTED) {
                run.report.progress(settled.len(), n)?;
            }
            for link in rows.of(vertex) {
                let (to, reached) = (link.to as usize, distance + link.cost);
                let present = regions.distance[to];
                if (reached, link.edge) < (present, regions.via[to].edge)
                    && !settled.contains(link.to)
                {
                    if reached < present {
                        heap.push(Reverse((reached, link.to)));
                    }
                    regions.distance[to] = reached;
                    regions.base[to] = regions.base[vertex as usize];
                    regions.via[to] = Link { to: vertex, ..*link };
                }
            }
        }
        Ok(regions)
    }

    /// The edges between different regions, each once in ascending id: the two vertices and the
    /// link from the first to the second.
    fn boundary<'a>(&'a self, rows: &'a CostRows) -> impl Iterator<Item = (Vertex, Link)> + 'a {
        (0..rows.vertices() as Vertex).flat_map(move |vertex| {
            let base = self.base[vertex as usize];
            let other = move |link: &&Link| {
                let other = self.base[link.to as usize];
                vertex < link.to && base != other && base != NO_BASE && other != NO_BASE
            };
            rows.of(vertex).iter().filter(other).map(move |&link| (vertex, link))
        })
    }
}

/// Reports are so many vertices apart.
const REPORTED: usize = 1 << 20;

/// The edges of Mehlhorn's tree, or of a forest if no tree joins all terminals. `terminals` ascend.
///
/// # Errors
/// When the run is cancelled, or the system refuses memory.
pub(super) fn mehlhorn(
    rows: &CostRows,
    terminals: &[Vertex],
    run: &mut Run<'_>,
) -> Result<Vec<EdgeId>, SolveError> {
    let regions = Regions::grow(rows, terminals, run)?;
    let mut boundary: Vec<_> = regions.boundary(rows).collect();
    boundary.sort_unstable_by_key(|&(_, link)| link.edge);
    let base = |vertex: Vertex| regions.base[vertex as usize];
    let length = |&(vertex, link): &(Vertex, Link)| {
        regions.distance[vertex as usize] + link.cost + regions.distance[link.to as usize]
    };
    let paths = EdgeList::of_checked(
        terminals.len() as u32,
        boundary.iter().map(|&(vertex, _)| base(vertex)).collect::<Vec<_>>(),
        boundary.iter().map(|&(_, link)| base(link.to)).collect::<Vec<_>>(),
        boundary.iter().map(length).collect::<Vec<_>>(),
    );
    let chosen = kostra_cpu::forest_of_edges(paths.edges(Order::Minimum), run)?;
    let mut tree = Vec::new();
    let mut is_joined = BitSet::new(rows.vertices());
    for path in chosen.try_into_ids()? {
        let (vertex, link) = boundary[path as usize];
        tree.push(link.edge);
        for mut end in [vertex, link.to] {
            while terminals[base(end) as usize] != end && is_joined.insert(end) {
                tree.push(regions.via[end as usize].edge);
                end = regions.via[end as usize].to;
            }
        }
    }
    tree.sort_unstable();
    Ok(tree)
}
