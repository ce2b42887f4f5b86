//! Trees that stop at the boundary of their part: the identification of connected components.
//!
//! A tree grows by Prim's algorithm while the lightest edge that leaves it leads to an unvisited
//! vertex of its part. If that edge leads to another part, or to a tree that has stopped, the trees
//! collide: the edge is chosen, the tree stops, and the next tree starts at an unvisited vertex of
//! the part. Each chosen edge is the lightest that leaves a fixed set of vertices, so it is in the
//! canonical forest (cut property).

use kostra_core::{Key, OutOfMemory, Vertex, memory};

use super::grow::{Field, Instance};
use kostra_cpu::heap::{BinaryHeap, Heap};
use kostra_cpu::no_edge;

/// No tree: the tree of an unvisited vertex.
const NONE: u32 = u32::MAX;

/// The trees of one part.
pub(super) struct StoppingTrees<K: Key> {
    /// The position of the part's first vertex. Positions from there on are local ids.
    first: u32,
    /// The lowest local id that was not tried as a start yet.
    start: u32,
    /// The tree of each vertex, named by the local id of its start.
    trees: Vec<u32>,
    /// The tree that grows.
    tree: Option<u32>,
    /// The unvisited vertices beside the tree, each with the lightest edge from the tree.
    fringe: BinaryHeap<K>,
    /// The lightest edge from the tree to a stopped tree or to another part.
    exit: K::Rank,
}

impl<K: Key> Instance<K> for StoppingTrees<K> {
    fn new(field: &Field<'_, K>, part: usize) -> Result<Self, OutOfMemory> {
        let (first, vertices) = field.parts.range(part);
        Ok(Self {
            first,
            start: 0,
            trees: memory::filled(vertices as usize, NONE)?,
            tree: None,
            fringe: BinaryHeap::new(vertices)?,
            exit: no_edge::<K>(),
        })
    }

    fn grow(&mut self, field: &Field<'_, K>, steps: &mut usize) -> Result<bool, OutOfMemory> {
        while *steps > 0 {
            *steps -= 1;
            let Some(tree) = self.tree else {
                if self.start as usize == self.trees.len() {
                    return Ok(true);
                }
                let start = self.start;
                self.start += 1;
                if self.trees[start as usize] == NONE {
                    self.tree = Some(start);
                    *steps = steps.saturating_sub(self.visit(field, start, start)?);
                }
                continue;
            };
            match self.fringe.first() {
                Some((rank, vertex)) if rank < self.exit => {
                    self.fringe.delete_min();
                    field.chosen.insert(K::rank_id(rank));
                    *steps = steps.saturating_sub(self.visit(field, tree, vertex)?);
                }
                _ => self.stop(field),
            }
        }
        Ok(false)
    }
}

impl<K: Key> StoppingTrees<K> {
    /// Adds a vertex to the tree, and scans its edges. Returns their number.
    fn visit(
        &mut self,
        field: &Field<'_, K>,
        tree: u32,
        vertex: Vertex,
    ) -> Result<usize, OutOfMemory> {
        self.trees[vertex as usize] = tree;
        let arcs = field.graph.arcs(field.parts.vertices[(self.first + vertex) as usize]);
        let scanned = arcs.len();
        for arc in arcs {
            let rank = arc.key.rank(arc.id);
            let to = field.parts.positions[arc.to as usize].wrapping_sub(self.first);
            match self.trees.get(to as usize) {
                Some(&other) if other == tree => {}
                Some(&NONE) => match self.fringe.rank_of(to) {
                    None => self.fringe.insert(to, rank)?,
                    Some(known) if rank < known => self.fringe.decrease(to, rank),
                    Some(_) => {}
                },
                // A stopped tree, or, if the local id is out of range, another part.
                _ => self.exit = self.exit.min(rank),
            }
        }
        Ok(scanned)
    }

    /// Ends the tree: chooses the edge of its collision, unless no edge leaves the tree.
    fn stop(&mut self, field: &Field<'_, K>) {
        let exit = std::mem::replace(&mut self.exit, no_edge::<K>());
        if exit != no_edge::<K>() {
            field.chosen.insert(K::rank_id(exit));
        }
        self.fringe.clear();
        self.tree = None;
    }
}
