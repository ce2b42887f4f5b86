//! Graphs whose edges are added one by one, and whose vertices count from 1 up to a number that the
//! input states.

use kostra_core::{AnyGraph, GraphError, MAX_VERTICES, Vertex, counted};

use crate::columns::{Columns, TextNumber};
use crate::fault::Fault;
use crate::interface::Parsed;
use crate::message::Message;
use crate::rows::Row;
use crate::weights::RawGraph;
use crate::{ReadErrorKind, ReadOptions};

/// Edges that are added one by one.
#[derive(Debug, Default)]
pub(crate) struct AddedEdges {
    columns: Columns,
    /// The edges that have not been joined to the others.
    fresh: Columns,
    weighted: bool,
    /// The weight of edges without one among those with weights, if the format defines it.
    pub(crate) default: Option<TextNumber>,
    /// The number of edges with this weight.
    pub(crate) defaulted: usize,
}

impl AddedEdges {
    /// The number of edges.
    pub(crate) fn len(&self) -> usize {
        self.columns.len() + self.fresh.len()
    }

    /// Whether there are edges, and none has a weight.
    pub(crate) fn lack_weights(&self) -> bool {
        self.len() > 0 && !self.weighted
    }

    /// Says that all edges have weights, before [`push`](Self::push).
    pub(crate) fn expect_weights(&mut self) {
        self.weighted = true;
    }

    /// The weight of the next edge. Refuses an edge with a weight after those without, or the other
    /// way around, unless the format defines what edges without a weight weigh.
    pub(crate) fn check_weight(
        &mut self,
        weight: Option<TextNumber>,
    ) -> Result<Option<TextNumber>, ReadErrorKind> {
        if self.len() == 0 {
            self.weighted = weight.is_some();
        }
        let complaint = match (self.weighted, weight, self.default) {
            (true, None, Some(default)) => {
                self.defaulted += 1;
                return Ok(Some(default));
            }
            (false, Some(_), Some(default)) => {
                self.weighted = true;
                self.defaulted = self.len();
                self.columns.fill_weights(default)?;
                return Ok(weight);
            }
            (true, None, None) => "this edge has no weight, but edges before it have one",
            (false, Some(_), None) => "this edge has a weight, but edges before it have none",
            _ => return Ok(weight),
        };
        Err(ReadErrorKind::malformed(format!("{complaint}; give every edge a weight")))
    }

    /// Adds an edge, whose vertices must be those of the graph.
    ///
    /// # Errors
    /// When some edges have weights and others have none, when no type holds all weights, or when
    /// there are too many edges.
    pub(crate) fn add(
        &mut self,
        ends: [Vertex; 2],
        weight: Option<TextNumber>,
    ) -> Result<(), ReadErrorKind> {
        let weight = self.check_weight(weight)?;
        self.push(ends, weight);
        self.join()
    }

    /// Adds an edge with the weight that [`check_weight`](Self::check_weight) returns, or with a
    /// weight among [others](Self::expect_weights). [`join`](Self::join) follows.
    pub(crate) fn push(&mut self, [u, v]: [Vertex; 2], weight: Option<TextNumber>) {
        self.fresh.push_ends(u, v);
        if let Some(weight) = weight {
            self.fresh.push_weight(weight);
        }
    }

    /// Joins the edges that have been pushed to the others.
    pub(crate) fn join(&mut self) -> Result<(), ReadErrorKind> {
        let joined = self.columns.join(&mut self.fresh, usize::MAX, |edge| edge);
        joined.map_err(|fault| fault.kind)
    }

    /// The ends of the edges.
    pub(crate) fn ends(&self) -> impl Iterator<Item = [Vertex; 2]> + '_ {
        self.columns.u.iter().zip(&self.columns.v).map(|(&u, &v)| [u, v])
    }

    /// Replaces the ends of the edges. The number of edges stays the same.
    pub(crate) fn set_ends(&mut self, ends: Vec<[Vertex; 2]>) {
        (self.columns.u, self.columns.v) = ends.into_iter().map(|[u, v]| (u, v)).unzip();
    }

    /// Reserves memory for `count` edges with weights.
    pub(crate) fn reserve(&mut self, count: usize) -> Result<(), ReadErrorKind> {
        self.columns.reserve_exact(count, true)
    }

    /// The graph of these edges.
    pub(crate) fn build(
        self,
        vertices: usize,
        options: &ReadOptions,
        notes: &mut Vec<Message>,
    ) -> Result<AnyGraph, ReadErrorKind> {
        RawGraph::new(vertices, self.columns, self.weighted).build(options, notes)
    }
}

/// A graph whose vertices count from 1.
#[derive(Debug)]
pub(crate) struct NumberedGraph {
    vertices: u32,
    pub(crate) edges: AddedEdges,
}

impl NumberedGraph {
    /// A graph without edges.
    ///
    /// # Errors
    /// When there are more vertices than ids.
    pub(crate) fn new(vertices: u64) -> Result<Self, ReadErrorKind> {
        match u32::try_from(vertices) {
            Ok(n) if n as usize <= MAX_VERTICES => {
                Ok(Self { vertices: n, edges: AddedEdges::default() })
            }
            _ => Err(GraphError::TooManyVertices { vertices }.into()),
        }
    }

    /// The number of vertices.
    pub(crate) fn vertices(&self) -> usize {
        self.vertices as usize
    }

    /// The next word of a row as a vertex.
    pub(crate) fn vertex(&self, row: &mut Row<'_>) -> Result<Vertex, Fault> {
        let vertex = row.natural("vertex")?;
        let sentence = match vertex {
            0 => "there is no vertex 0: vertices count from 1".into(),
            _ if vertex <= self.vertices.into() => return Ok((vertex - 1) as Vertex),
            _ => format!(
                "vertex {vertex} is beyond the {} that the file announces; correct one of them",
                counted(self.vertices, "vertex", "vertices")
            ),
        };
        Err(row.at_word(sentence))
    }

    /// The next two words of a row as the ends of an edge.
    pub(crate) fn ends(&self, row: &mut Row<'_>) -> Result<[Vertex; 2], Fault> {
        Ok([self.vertex(row)?, self.vertex(row)?])
    }

    /// The graph. Adds the usual notes to `notes`.
    pub(crate) fn finish(
        self,
        options: &ReadOptions,
        mut notes: Vec<Message>,
    ) -> Result<Parsed, ReadErrorKind> {
        let graph = self.edges.build(self.vertices as usize, options, &mut notes)?;
        Ok(Parsed::new(graph, notes))
    }
}

/// Refuses a number of edges other than that which the file announces. `what` are edges or arcs.
pub(crate) fn check_count(found: usize, announced: u64, what: &str) -> Result<(), Fault> {
    if found as u64 == announced {
        return Ok(());
    }
    Err(Fault::whole(format!(
        "the file announces {announced} {what}, but has {found}; copy the file again, or correct \
         the number"
    )))
}
