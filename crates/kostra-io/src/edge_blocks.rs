//! The blocks of edges that readers of formats fill, and what receives them.

use std::io;

use kostra_core::{AnyGraph, GraphError, MAX_VERTICES, WeightType, memory};

use crate::columns::{Columns, Ends, Weights};
use crate::fault::{BlockFault, Fault};
use crate::held_memory::AskMemory;
use crate::message::Message;
use crate::options::WeightRules;
use crate::{Nan, ReadErrorKind, weights};

/// Consecutive edges of a graph.
#[derive(Clone, Debug)]
pub struct EdgeBlock {
    /// The id of the first edge.
    pub first: u64,
    /// The edges. The number of vertices is that of the graph if it is known before the edges are
    /// read, else the highest vertex of the block plus one. Blocks of a text have the narrowest
    /// weight type that holds their weights.
    pub edges: AnyGraph,
}

/// What an input states before its edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamFacts {
    /// The number of vertices.
    pub vertices: Option<u32>,
    /// The number of edges.
    pub edges: Option<u64>,
    /// The type of the weights.
    pub weight_type: Option<WeightType>,
    /// The bytes of memory that reading holds besides blocks, where they are more than usual.
    pub held_bytes: u64,
}

/// Receives the edges of a graph. An error stops the reading.
pub trait TakeBlocks: Send {
    /// Receives what the input states before its edges. Called once, before any edge is read.
    ///
    /// # Errors
    /// To stop.
    fn begin(&mut self, facts: StreamFacts) -> io::Result<()>;

    /// Receives the next edges.
    ///
    /// # Errors
    /// To stop.
    fn take(&mut self, block: EdgeBlock) -> io::Result<()>;

    /// What reading asks before it holds a long line or large pages; none if their memory is not
    /// limited. It may be called before [`begin`](Self::begin), which takes the place of earlier
    /// questions.
    fn memory(&self) -> Option<AskMemory> {
        None
    }
}

/// Which of the ids from 0 to the highest are vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ids {
    /// All.
    All,
    /// All but 0.
    From1,
    /// Those at which an edge ends.
    Occurring,
}

/// Collects the edges of a format's reader into blocks.
pub(crate) struct EdgeSink<'a> {
    /// The edges that have been read but not passed on. Their base is the number of edges before.
    pub(crate) columns: Columns,
    /// The ends of all edges that have been passed on, for a format that does not state the number
    /// of vertices.
    pub(crate) ends: Ends,
    pub(crate) similarity: Option<String>,
    pub(crate) notes: Vec<Message>,
    /// The memory of the decompressor beyond that which usual files need.
    pub(crate) window_bytes: u64,
    pub(crate) vertices: Option<u32>,
    pub(crate) ids: Ids,
    /// A bit for each vertex that has an edge to itself, if the vertices are not known before.
    pub(crate) loops: Vec<u64>,
    /// Whether the edges that have been passed on have weights.
    weighted: bool,
    skipped: Skipped,
    block_edges: usize,
    rules: WeightRules,
    target: &'a mut dyn TakeBlocks,
}

/// The edges whose weight is NaN.
#[derive(Default)]
struct Skipped {
    count: u64,
    first: u64,
}

impl<'a> EdgeSink<'a> {
    pub(crate) fn new(
        rules: WeightRules,
        block_edges: usize,
        target: &'a mut dyn TakeBlocks,
    ) -> Self {
        Self {
            columns: Columns::default(),
            ends: Ends::NONE,
            similarity: None,
            notes: Vec::new(),
            window_bytes: 0,
            vertices: None,
            ids: Ids::All,
            loops: Vec::new(),
            weighted: false,
            skipped: Skipped::default(),
            block_edges: block_edges.max(1),
            rules,
            target,
        }
    }

    /// The number of edges of a block.
    pub(crate) fn block_edges(&self) -> usize {
        self.block_edges
    }

    /// Tells the receiver what the input states.
    pub(crate) fn begin(&mut self, mut facts: StreamFacts) -> Result<(), Fault> {
        self.vertices = facts.vertices;
        facts.held_bytes += self.window_bytes;
        Ok(self.target.begin(facts).map_err(ReadErrorKind::Io)?)
    }

    /// Says how many ids there are and which are vertices, if only the end of the input shows it.
    pub(crate) fn conclude(&mut self, vertices: u64, ids: Ids) -> Result<(), Fault> {
        self.ids = ids;
        let fits = u32::try_from(vertices).ok().filter(|&fits| fits as usize <= MAX_VERTICES);
        let refusal = || ReadErrorKind::from(GraphError::TooManyVertices { vertices });
        self.vertices = Some(fits.ok_or_else(refusal)?);
        Ok(())
    }

    /// Whether the edges so far have weights, if there are any.
    pub(crate) fn weighted_so_far(&self) -> Option<bool> {
        match (self.columns.len(), self.columns.base) {
            (0, 0) => None,
            (0, _) => Some(self.weighted),
            _ => Some(self.columns.is_weighted()),
        }
    }

    /// Passes the collected edges on if they fill a block. For use while a text is parsed.
    pub(crate) fn pass_on_if_full(&mut self) -> Result<(), BlockFault> {
        if self.columns.len() < self.block_edges {
            return Ok(());
        }
        Ok(self.pass_on()?)
    }

    /// Passes the collected edges on.
    pub(crate) fn pass_on(&mut self) -> Result<(), ReadErrorKind> {
        let first = self.columns.base;
        let next = first + self.columns.len() as u64;
        let columns =
            std::mem::replace(&mut self.columns, Columns::after(next, Columns::default().kinds));
        self.columns.kinds = columns.kinds;
        if columns.len() == 0 {
            return Ok(());
        }
        let ends = Ends::of_edges(&columns.u, &columns.v);
        self.ends = self.ends.then(ends);
        self.weighted = columns.is_weighted();
        self.see_nan(&columns);
        self.see_loops(&columns)?;
        let vertices = self.vertices.map_or(ends.all.largest as usize + 1, |n| n as usize);
        let mut notes = Vec::new();
        let raw = weights::RawGraph::new(vertices, columns, self.weighted);
        let edges = raw.build(self.rules, &mut notes)?;
        // Notes on NaN count the edges of the block only.
        notes.retain(|note| !note.to_string().contains("NaN") && !self.notes.contains(note));
        self.notes.append(&mut notes);
        self.target.take(EdgeBlock { first, edges }).map_err(ReadErrorKind::Io)
    }

    fn see_nan(&mut self, columns: &Columns) {
        if self.rules.nan != Nan::Skip {
            return;
        }
        let Weights::F64(weights) = &columns.weights else { return };
        for (at, _) in weights.iter().enumerate().filter(|(_, weight)| weight.is_nan()) {
            if self.skipped.count == 0 {
                self.skipped.first = columns.base + at as u64;
            }
            self.skipped.count += 1;
        }
    }

    fn see_loops(&mut self, columns: &Columns) -> Result<(), ReadErrorKind> {
        if self.vertices.is_some() {
            return Ok(());
        }
        let ends = || columns.u.iter().zip(&columns.v);
        // No early exit, so that the loop is vectorized.
        if !ends().fold(false, |any, (u, v)| any | (u == v)) {
            return Ok(());
        }
        for (&u, _) in ends().filter(|(u, v)| u == v) {
            let (word, bit) = (u as usize / 64, u % 64);
            if word >= self.loops.len() {
                let more = word + 1 - self.loops.len();
                memory::reserve(&mut self.loops, more)?;
                self.loops.resize(word + 1, 0);
            }
            self.loops[word] |= 1 << bit;
        }
        Ok(())
    }

    /// Passes the last edges of a text on.
    pub(crate) fn finish(&mut self) -> Result<(), Fault> {
        self.pass_on()?;
        let Skipped { count, first } = self.skipped;
        if count > 0 {
            self.notes.push(format!(
                "{count} of the edges weigh NaN, the first is edge {first}; they are in no forest"
            ).into());
        }
        Ok(())
    }

    /// Passes edges on that do not go through the columns: those of a binary file.
    pub(crate) fn pass_on_edges(&mut self, edges: AnyGraph) -> Result<(), ReadErrorKind> {
        let first = self.columns.base;
        self.columns.base += edges.edges() as u64;
        self.target.take(EdgeBlock { first, edges }).map_err(ReadErrorKind::Io)
    }
}
