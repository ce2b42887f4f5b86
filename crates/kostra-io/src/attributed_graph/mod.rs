//! Graphs whose vertices have ids of any text, and whose edges have named attributes.
//!
//! GraphML and node-link JSON describe such graphs. Vertices are numbered in order of first
//! appearance, and edges in order of appearance. The weight is the attribute that the user names,
//! or else the attribute `weight`. If there is none, but other attributes are numbers, perhaps with
//! a unit, the graph is refused with a question. Other attributes are a warning. Ids that are the
//! numbers of their vertices are no names, unless the format stores them as text.
//!
//! Besides the graph, reading takes the table of ids and one byte per vertex.

use std::collections::HashMap;

use kostra_core::{Vertex, memory};

use crate::columns::TextNumber;
use crate::fault::Fault;
use crate::interface::Parsed;
use crate::kept::KeptAttributes;
use crate::message::Message;
use crate::number::show;
use crate::numbered_graph::AddedEdges;
use crate::numbering::Numbering;
use crate::{Place, ReadErrorKind, ReadOptions};

mod weight;

pub(crate) use weight::{WEIGHT, WeightAttribute};

/// A graph that grows by vertices and edges in any order.
#[derive(Debug)]
pub(crate) struct AttributedGraph {
    ids: Numbering,
    /// Whether an id is text in a format that also has integers.
    pub(crate) text_ids: bool,
    /// Whether each vertex has been declared, and not only used by an edge.
    declared: Vec<bool>,
    /// Where edges use vertices that were not declared before.
    used_early: HashMap<Vertex, Place>,
    pub(crate) edges: AddedEdges,
    /// The vertices in the order of their numbers, if it is another one, and whether they have
    /// names.
    order: Option<(Vec<Vertex>, bool)>,
    /// The attributes of edges that are kept. [`add_edge`](Self::add_edge) adds those that have
    /// been set.
    pub(crate) kept: KeptAttributes,
}

impl AttributedGraph {
    /// A graph without vertices.
    ///
    /// # Errors
    /// When the options keep columns by position.
    pub(crate) fn new(options: &ReadOptions) -> Result<Self, ReadErrorKind> {
        Ok(Self {
            ids: Numbering::default(),
            text_ids: false,
            declared: Vec::new(),
            used_early: HashMap::new(),
            edges: AddedEdges::default(),
            order: None,
            kept: KeptAttributes::new(options)?,
        })
    }

    /// Declares a vertex, and returns its number.
    ///
    /// # Errors
    /// When it has been declared before, or there are too many.
    pub(crate) fn declare(&mut self, id: &str) -> Result<Vertex, ReadErrorKind> {
        let vertex = self.number(id)?;
        let Some(declared) = self.declared.get_mut(vertex as usize) else { return Ok(vertex) };
        if std::mem::replace(declared, true) {
            let sentence =
                format!("two nodes have the id '{}'; give each node its own", show(id.as_bytes()));
            return Err(ReadErrorKind::malformed(sentence));
        }
        self.used_early.remove(&vertex);
        Ok(vertex)
    }

    /// The number of a vertex that has been declared.
    pub(crate) fn declared_vertex(&self, id: &str) -> Option<Vertex> {
        self.ids.find(id).filter(|&vertex| self.is_declared(vertex))
    }

    fn is_declared(&self, vertex: Vertex) -> bool {
        self.declared.get(vertex as usize) == Some(&true)
    }

    /// Takes all vertices as declared.
    pub(crate) fn accept_undeclared(&mut self) {
        self.used_early.clear();
    }

    /// Whether no edge ends at a vertex that has been declared.
    pub(crate) fn no_end_is_declared(&self) -> bool {
        !self.edges.ends().flatten().any(|vertex| self.is_declared(vertex))
    }

    /// Numbers the vertices in this order, and gives the edges these ends. The vertices are called
    /// by their ids if `named`.
    pub(crate) fn place(&mut self, order: Vec<Vertex>, ends: Vec<[Vertex; 2]>, named: bool) {
        self.used_early.clear();
        self.edges.set_ends(ends);
        self.order = Some((order, named));
    }

    /// Declares a vertex unless it has been declared before.
    ///
    /// # Errors
    /// When there are too many.
    pub(crate) fn mention(&mut self, id: &str) -> Result<(), ReadErrorKind> {
        let vertex = self.number(id)?;
        if let Some(declared) = self.declared.get_mut(vertex as usize) {
            *declared = true;
        }
        Ok(())
    }

    fn number(&mut self, id: &str) -> Result<Vertex, ReadErrorKind> {
        let vertex = self.ids.number(id)?;
        if vertex as usize == self.declared.len() {
            memory::push(&mut self.declared, false)?;
        }
        Ok(vertex)
    }

    /// Adds the edge at a place.
    ///
    /// # Errors
    /// When some edges have weights and others have none, when no type holds all weights, or when
    /// there are too many edges.
    pub(crate) fn add_edge(
        &mut self,
        [u, v]: [&str; 2],
        weight: Option<TextNumber>,
        place: Place,
    ) -> Result<(), ReadErrorKind> {
        let weight = self.edges.check_weight(weight)?;
        let [u, v] = [self.number(u)?, self.number(v)?];
        for vertex in [u, v] {
            if self.declared.get(vertex as usize) == Some(&false) {
                self.used_early.entry(vertex).or_insert(place);
            }
        }
        self.add_edge_between([u, v], weight)
    }

    /// Adds the edge between two vertices that have been declared.
    ///
    /// # Errors
    /// As [`add_edge`](Self::add_edge).
    pub(crate) fn add_edge_between(
        &mut self,
        ends: [Vertex; 2],
        weight: Option<TextNumber>,
    ) -> Result<(), ReadErrorKind> {
        self.edges.add(ends, weight)?;
        self.kept.push_edge()
    }

    /// The graph, when all of it has been read.
    ///
    /// # Errors
    /// When an edge uses a vertex that is not declared, or the weight is in question.
    pub(crate) fn finish(
        self,
        weight: WeightAttribute<'_>,
        mut notes: Vec<Message>,
    ) -> Result<Parsed, Fault> {
        let Self { ids, text_ids, used_early, edges, order, kept, .. } = self;
        if let Some((&vertex, &place)) = used_early.iter().min_by_key(|&(&vertex, _)| vertex) {
            let id = ids.name(vertex).unwrap_or_default();
            let sentence = format!(
                "this edge ends at '{}', but no node has this id; add the node",
                show(id.as_bytes())
            );
            return Err(Fault { place: Some(place), kind: ReadErrorKind::malformed(sentence) });
        }
        weight.check_spelling()?;
        let (options, similarity) = (weight.options, weight.similarity());
        notes.extend(weight.note_on_unit());
        let mut warnings = Vec::new();
        if edges.lack_weights() {
            warnings.extend(weight.check_absence()?);
        }
        let kept = kept.finish()?;
        let vertices = order.as_ref().map_or(ids.len(), |(order, _)| order.len());
        let graph = edges.build(vertices, options, &mut notes)?;
        notes.extend(warnings.iter().cloned());
        let are_names = match &order {
            Some((_, named)) => *named,
            None => text_ids || !ids.are_numbers(),
        };
        let mut names = if are_names { Some(ids.into_names()?) } else { None };
        if let (Some((order, _)), Some(all)) = (order, &mut names) {
            let name = |vertex: &Vertex| all.get_mut(*vertex as usize).map(std::mem::take);
            let ordered = order.iter().map(name).map(Option::unwrap_or_default);
            *all = memory::collected(ordered)?;
        }
        let text_names = text_ids;
        let rest = Parsed::new(graph, notes);
        Ok(Parsed { names, text_names, kept, similarity, warnings, ..rest })
    }
}

#[cfg(test)]
mod tests;
