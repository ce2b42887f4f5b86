//! Divide and conquer over time.
//!
//! In a span of time, edges are static if they are there in all of it, and dynamic if in a part of
//! it. Each span begins with two steps, after which it has at most as many static edges as dynamic
//! ones. Then it is halved.
//!
//! * Reduction: a static edge that is not in the forest of the static edges is never in the forest,
//!   because further edges only close more cycles (cycle property).
//! * Contraction: a static edge that would be in the forest even if all dynamic edges were there
//!   and better is in the forest all the time (cut property). Its ends become one vertex.
//!
//! A single moment has no dynamic edge, so contraction decides on all of its edges.
//!
//! Source: Eppstein 1994, "Offline algorithms for dynamic minimum spanning tree problems", J.
//! Algorithms 17, for edges that change their weights. Here edges also come and go.
//!
//! O((n + q) log q) for n static edges and q dynamic ones, apart from disjoint sets.

use std::ops::Range;

use kostra_core::{EdgeId, Key, OutOfMemory, UnionFind, Vertex, Weight, memory};

use crate::edge_table::EdgeTable;
use crate::trees::Rank;

/// The absence of a number, and of a moment.
const NONE: u32 = u32::MAX;

/// An edge with one weight.
#[derive(Clone, Copy)]
pub(super) struct Static<W: Weight> {
    pub(super) ends: [Vertex; 2],
    pub(super) rank: Rank<W>,
    pub(super) weight: W,
}

/// An edge with one weight, and the moments at which it is there.
#[derive(Clone)]
pub(super) struct Dynamic<W: Weight> {
    pub(super) edge: Static<W>,
    pub(super) span: Range<u32>,
}

/// At a moment, whether a weight is added to the total or subtracted, and the weight.
pub(super) type WeightEvent<W> = (u32, bool, W);

/// When edges are in the forest, as far as it is known.
pub(super) struct History<'a, W: Weight> {
    table: &'a EdgeTable<W>,
    /// For each moment, the edge that enters and the one that leaves.
    changes: Vec<[Option<EdgeId>; 2]>,
    events: Vec<WeightEvent<W>>,
    /// For each entry of the table, the moment at which the edge leaves the forest, as far as it is
    /// known. `NONE` if it was not in the forest yet.
    until: Vec<u32>,
}

impl<'a, W: Weight> History<'a, W> {
    pub(super) fn new(table: &'a EdgeTable<W>, moments: u32) -> Result<Self, OutOfMemory> {
        let changes = memory::filled(moments as usize, [None; 2])?;
        let until = memory::filled(table.entries(), NONE)?;
        Ok(Self { table, changes, events: Vec::new(), until })
    }

    /// Finds the forests of a span, whose edges are ascending by rank. Later spans come later.
    pub(super) fn halve(
        &mut self,
        vertices: u32,
        span: Range<u32>,
        mut fixed: Vec<Static<W>>,
        mut dynamic: Vec<Dynamic<W>>,
    ) -> Result<(), OutOfMemory> {
        let mut trees = UnionFind::try_new(vertices)?;
        fixed.retain(|edge| trees.union(edge.ends[0], edge.ends[1]));
        let mut trees = UnionFind::try_new(vertices)?;
        for Dynamic { edge, .. } in &dynamic {
            trees.union(edge.ends[0], edge.ends[1]);
        }
        let mut always = UnionFind::try_new(vertices)?;
        let mut undecided = Vec::new();
        for edge in fixed {
            if trees.union(edge.ends[0], edge.ends[1]) {
                always.union(edge.ends[0], edge.ends[1]);
                self.add(edge, &span)?;
            } else {
                memory::push(&mut undecided, edge)?;
            }
        }
        if dynamic.is_empty() {
            return Ok(());
        }
        let mut names = Names { lowest: always.into_lowest(), numbers: Vec::new(), next: 0 };
        names.numbers = memory::filled(vertices as usize, NONE)?;
        undecided.iter_mut().for_each(|edge| names.rename(&mut edge.ends));
        dynamic.retain_mut(|version| {
            names.rename(&mut version.edge.ends);
            version.edge.ends[0] != version.edge.ends[1]
        });
        let vertices = names.next;
        drop(names);
        let middle = span.start + (span.end - span.start) / 2;
        for half in [span.start..middle, middle..span.end] {
            let (fixed, dynamic) = part(&undecided, &dynamic, &half)?;
            self.halve(vertices, half, fixed, dynamic)?;
        }
        Ok(())
    }

    /// Records that an edge is in the forest for a span.
    fn add(&mut self, edge: Static<W>, span: &Range<u32>) -> Result<(), OutOfMemory> {
        let id = W::Key::rank_id(edge.rank);
        let until = &mut self.until[self.table.position(id)];
        if *until != span.start {
            if *until != NONE {
                self.changes[*until as usize][1] = Some(id);
            }
            self.changes[span.start as usize][0] = Some(id);
        }
        *until = span.end;
        memory::push(&mut self.events, (span.start, true, edge.weight))?;
        memory::push(&mut self.events, (span.end, false, edge.weight))
    }

    /// For each moment the edge that enters and the one that leaves, the changes of the total in
    /// any order, and whether each entry of the table is in the last forest.
    #[expect(clippy::type_complexity, reason = "three results of one pass")]
    pub(super) fn finish(mut self) -> (Vec<[Option<EdgeId>; 2]>, Vec<WeightEvent<W>>, Vec<bool>) {
        let end = self.changes.len() as u32;
        for (position, &until) in self.until.iter().enumerate() {
            if until < end {
                self.changes[until as usize][1] = Some(self.table.id_at(position));
            }
        }
        let forest = self.until.iter().map(|&until| until == end).collect();
        (self.changes, self.events, forest)
    }
}

/// The vertices of a span after contraction.
struct Names {
    /// The lowest vertex of those that became one.
    lowest: Vec<Vertex>,
    /// Its new number, `NONE` if no edge needed it yet.
    numbers: Vec<u32>,
    next: u32,
}

impl Names {
    fn rename(&mut self, ends: &mut [Vertex; 2]) {
        for end in ends {
            let number = &mut self.numbers[self.lowest[*end as usize] as usize];
            if *number == NONE {
                *number = self.next;
                self.next += 1;
            }
            *end = *number;
        }
    }
}

/// The static and the dynamic edges of a half, ascending by rank.
#[expect(clippy::type_complexity, reason = "two kinds of edges")]
fn part<W: Weight>(
    fixed: &[Static<W>],
    dynamic: &[Dynamic<W>],
    half: &Range<u32>,
) -> Result<(Vec<Static<W>>, Vec<Dynamic<W>>), OutOfMemory> {
    let (mut all, mut rest) = (Vec::new(), Vec::new());
    let mut fixed = fixed.iter().peekable();
    for version in dynamic {
        let Range { start, end } = version.span;
        if start <= half.start && half.end <= end {
            while let Some(edge) = fixed.next_if(|edge| edge.rank < version.edge.rank) {
                memory::push(&mut all, *edge)?;
            }
            memory::push(&mut all, version.edge)?;
        } else if start < half.end && half.start < end {
            memory::push(&mut rest, version.clone())?;
        }
    }
    for edge in fixed {
        memory::push(&mut all, *edge)?;
    }
    Ok((all, rest))
}
