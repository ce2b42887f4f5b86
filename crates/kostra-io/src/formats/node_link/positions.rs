//! Whether the ends of edges are the ids of nodes or their positions.
//!
//! D3 before version 4 and NetworkX before version 2 write positions, counted from 0, and others
//! ids. Where nodes have no ids, their names are the ids. If the ends can be both and mean
//! different nodes, [`ReadOptions::links`] decides, and without it the reader asks.

use kostra_core::Vertex;

use super::members::{ENDS, is_integer};
use crate::attributed_graph::AttributedGraph;
use crate::message::{Message, Remedy, message};
use crate::{Links, ReadErrorKind, ReadOptions};

/// What is known of the ids of nodes, and of the ends of edges.
#[derive(Default)]
pub(super) struct Positions {
    /// The vertex of each node.
    order: Vec<Vertex>,
    /// Whether nodes have ids, once there is a node.
    has_ids: Option<bool>,
    /// Whether nodes without ids have the same name.
    has_namesakes: bool,
    /// Whether the id of a node is not its position.
    has_other_ids: bool,
    /// The ends of the edges, as long as they may be positions.
    ends: Vec<[u32; 2]>,
    are_not_positions: bool,
    /// Whether an end is a text.
    pub(super) has_text_ends: bool,
}

impl Positions {
    /// The number of nodes.
    pub(super) fn nodes(&self) -> usize {
        self.order.len()
    }

    /// The vertex of a node.
    pub(super) fn node(&self, position: u32) -> Option<Vertex> {
        self.order.get(position as usize).copied()
    }

    /// Declares the next node by its id, or else by its name.
    ///
    /// # Errors
    /// When the id occurs before, or nodes before it have ids.
    pub(super) fn declare(
        &mut self,
        id: Option<&str>,
        name: Option<String>,
        graph: &mut AttributedGraph,
    ) -> Result<(), ReadErrorKind> {
        if *self.has_ids.get_or_insert(id.is_some()) != id.is_some() {
            let sentence = if id.is_none() {
                "this node has no member 'id'; add it"
            } else {
                "this node has an id, but nodes before it have none; give each node an id"
            };
            return Err(ReadErrorKind::malformed(sentence));
        }
        let position = self.order.len().to_string();
        let name = match (id, name) {
            (Some(id), _) => id.to_owned(),
            (None, Some(name)) if graph.declared_vertex(&name).is_none() => name,
            (None, None) => position.clone(),
            (None, Some(name)) => {
                self.has_namesakes = true;
                format!("{name} ({position})")
            }
        };
        self.has_other_ids |= name != position;
        kostra_core::memory::push(&mut self.order, graph.declare(&name)?)?;
        Ok(())
    }

    /// Records the ends of an edge with these names.
    pub(super) fn see_edge(&mut self, names: [&str; 2], ends: [Option<&str>; 2]) {
        self.has_text_ends |= ends.iter().flatten().any(|end| !is_integer(end));
        let places = ends.map(|end| end.and_then(|end| end.parse().ok()));
        match places {
            [Some(u), Some(v)] if !self.are_not_positions && names == ENDS[0] => {
                self.ends.push([u, v]);
            }
            _ => {
                self.are_not_positions = true;
                self.ends = Vec::new();
            }
        }
    }

    /// Gives the edges of the graph their ends, if these are positions. Returns a note.
    ///
    /// # Errors
    /// When it is a question, or the options are wrong.
    pub(super) fn resolve(
        self,
        graph: &mut AttributedGraph,
        options: &ReadOptions,
    ) -> Result<Option<Message>, ReadErrorKind> {
        let count = self.order.len();
        let is_position = |&end: &u32| (end as usize) < count;
        let fits = !self.ends.is_empty() && self.ends.iter().flatten().all(is_position);
        let are_positions = match options.links {
            Some(Links::Position) if !fits => {
                let sentence = message![
                    Remedy::text("links", "position"),
                    format!(": an edge ends at no position from 0 to the {count} nodes; omit it"),
                ];
                return Err(ReadErrorKind::question(sentence));
            }
            _ if !self.has_other_ids => return Ok(None),
            Some(links) => links == Links::Position,
            None if !fits => false,
            None if graph.no_end_is_declared() => true,
            None => {
                return Err(ReadErrorKind::question(message![
                    "do the edges name their nodes by id, or by position, counted from 0? pass ",
                    Remedy::text("links", "id"),
                    " or ",
                    Remedy::text("links", "position"),
                ]));
            }
        };
        if !are_positions {
            if self.has_namesakes {
                let sentence = "two nodes have the same name, and no id; give each node an id";
                return Err(ReadErrorKind::malformed(sentence));
            }
            return Ok(None);
        }
        graph.place(self.order, self.ends, !self.has_namesakes);
        Ok(Some("the edges name their nodes by position, counted from 0".into()))
    }
}
