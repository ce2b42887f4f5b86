//! The memory of a graph or a part of a graph, reserved before the generator starts and of exactly
//! the final size.

use std::ops::Range;

use kostra_core::{AnyGraph, Vertex};
use kostra_parallel::with_team;

use crate::allocation::{array, check_size};
use crate::share::Share;
use crate::source::Ends;
use crate::weights::Weights;
use crate::{Generated, Made, SpecError};

/// The bytes of both ends of an edge.
pub(crate) const ENDS: usize = 2 * size_of::<Vertex>();

/// An edge list of known final length. For a part of a graph, it keeps only the edges of that part.
pub(crate) struct Builder {
    vertices: usize,
    /// The ids of the kept edges.
    kept: Range<u64>,
    /// The id of the next edge.
    next: u64,
    u: Vec<Vertex>,
    v: Vec<Vertex>,
}

impl Builder {
    /// Reserves the memory of a graph with weights of the kind `weights`.
    pub(crate) fn new(
        vertices: u128,
        edges: u128,
        weights: Weights,
        share: Share<'_>,
    ) -> Result<Self, SpecError> {
        check_size(
            vertices,
            edges,
            share.amount_of(edges.saturating_mul((ENDS + weights.bytes()) as u128)),
        )?;
        // The check has bounded both.
        let (vertices, kept) = (vertices as usize, share.ids(edges as u64));
        let length = (kept.end - kept.start) as usize;
        Ok(Self { vertices, kept, next: 0, u: array(length)?, v: array(length)? })
    }

    /// Adds an edge.
    #[inline]
    pub(crate) fn edge(&mut self, u: Vertex, v: Vertex) {
        if self.kept.contains(&self.next) {
            self.u.push(u);
            self.v.push(v);
        }
        self.next += 1;
    }

    /// The arrays without weights, and the id of the first edge, for generators with weights of
    /// their own.
    pub(crate) fn into_ends(self) -> (Vec<Vertex>, Vec<Vertex>, u64) {
        (self.u, self.v, self.kept.start)
    }

    /// The graph with its weights.
    pub(crate) fn finish(self, weights: Weights, seed: u64) -> Result<Made, SpecError> {
        let (graph, first) = self.finish_graph(weights, seed)?;
        Ok(Made::Held(Box::new(Generated { graph, coordinates: None, first })))
    }

    /// The graph with its weights, and the id of its first edge.
    pub(crate) fn finish_graph(
        self,
        weights: Weights,
        seed: u64,
    ) -> Result<(AnyGraph, u64), SpecError> {
        let first = self.kept.start;
        let ends = (first, Ends { u: self.u, v: self.v });
        let graph = with_team(1, |team| weights.graph(team, seed, self.vertices, ends))?;
        Ok((graph, first))
    }
}
