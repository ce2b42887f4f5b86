//! The graph of the roads: vertices, edges and what is kept with them.

use kostra_core::{AnyGraph, Coordinates, GraphError, MAX_EDGES, Vertex, memory};

use super::block::{NodeId, Roads};
use crate::fault::Fault;
use crate::interface::Parsed;
use crate::message::{Message, Remedy, message};
use crate::number::show;
use crate::weights::distance;
use crate::{KeptColumns, ReadErrorKind, ReadOptions};

/// A number that is not a vertex.
const NONE: Vertex = Vertex::MAX;

/// The nodes of all roads in ascending order, and their places; NaN for nodes that are not there.
pub(super) struct Places<'a> {
    pub(super) ids: &'a [NodeId],
    pub(super) places: &'a [[f64; 2]],
}

/// The graph that grows road by road.
struct Network {
    /// The vertex of each node, or [`NONE`].
    numbers: Vec<Vertex>,
    points: Vec<[f64; 2]>,
    /// The nodes of the vertices, if they are wanted.
    names: Option<Vec<String>>,
    u: Vec<Vertex>,
    v: Vec<Vertex>,
    kept: KeptColumns,
    /// The number of edges that lack an end.
    left_out: u64,
}

pub(super) fn build(
    roads: &Roads,
    nodes: &Places<'_>,
    options: &ReadOptions,
) -> Result<Parsed, Fault> {
    let mut network = Network {
        numbers: memory::filled(nodes.ids.len(), NONE)?,
        points: Vec::new(),
        names: options.names.then(Vec::new),
        u: Vec::new(),
        v: Vec::new(),
        kept: KeptColumns::new(roads.kept.names().to_vec()),
        left_out: 0,
    };
    let mut start = 0;
    for (road, &end) in roads.ends.iter().enumerate() {
        network.add(roads, road, start..end, nodes)?;
        start = end;
    }
    let mut notes = network.notes(roads, options);
    let mut warnings: Vec<_> = absent_values(roads, options).into_iter().collect();
    warnings.extend(network.empty_box(options));
    warnings.extend(network.absent_tags());
    notes.extend_from_slice(&warnings);
    let Network { points, names, u, v, kept, .. } = network;
    if u.len() > MAX_EDGES {
        return Err(ReadErrorKind::from(GraphError::TooManyEdges { edges: u.len() as u64 }).into());
    }
    let n = points.len();
    let coordinates = Coordinates::Geographic(points);
    let weights: Vec<f64> =
        memory::collected(u.iter().zip(&v).map(|(&u, &v)| distance(&coordinates, u, v)))?;
    let graph = AnyGraph::from_edges(n, u, v, weights).map_err(ReadErrorKind::from)?;
    let is_kept = !kept.names().is_empty();
    let kept = Some(kept).filter(|_| is_kept);
    let coordinates = Some(coordinates);
    Ok(Parsed { coordinates, names, kept, warnings, ..Parsed::new(graph, notes) })
}

/// The warning of values of `highway` that no road has; they may be misspelt.
fn absent_values(roads: &Roads, options: &ReadOptions) -> Option<Message> {
    let wanted = options.roads.highway.iter().enumerate();
    let absent = wanted.filter(|(place, _)| !roads.values.contains(place));
    let absent: Vec<_> = absent.map(|(_, value)| format!("'{}'", show(value.as_bytes()))).collect();
    (!absent.is_empty()).then(|| {
        let list = absent.join(", ");
        message![
            Remedy::option("highway"),
            format!(": no road of the extract has the value {list}"),
        ]
    })
}

impl Network {
    /// The warning of a box without roads; its numbers may be in another order.
    fn empty_box(&self, options: &ReadOptions) -> Option<Message> {
        let is_empty = options.roads.bbox.is_some() && self.u.is_empty() && self.left_out > 0;
        is_empty.then(|| {
            message![
                Remedy::option("bbox"),
                ": no road of the extract is in the box; its order is west,south,east,north",
            ]
        })
    }

    /// The warnings of kept tags that no road has; they may be misspelt.
    fn absent_tags(&self) -> impl Iterator<Item = Message> {
        let rows = || (0..self.kept.rows()).map(|row| self.kept.row(row));
        let names = self.kept.names().iter().enumerate();
        let absent = names.filter(move |&(column, _)| {
            self.kept.rows() > 0 && rows().all(|mut row| row.nth(column) == Some(""))
        });
        absent.map(|(_, name)| format!("no road has the tag '{name}'").into())
    }

    /// Adds the edges of a road, whose nodes are a range of the nodes of all roads.
    fn add(
        &mut self,
        roads: &Roads,
        road: usize,
        range: std::ops::Range<usize>,
        nodes: &Places<'_>,
    ) -> Result<(), Fault> {
        let mut previous = None;
        let mut fields = KeptColumns::default();
        for (at, node) in roads.nodes.get(range).unwrap_or_default().iter().enumerate() {
            let index = nodes.ids.binary_search(node).unwrap_or_default(); // `ids` are just these
            let is_here = !nodes.places[index][0].is_nan();
            if is_here && self.numbers[index] == NONE {
                self.numbers[index] = self.points.len() as Vertex;
                memory::push(&mut self.points, nodes.places[index])?;
                if let Some(names) = &mut self.names {
                    memory::push(names, node.to_string())?;
                }
            }
            let vertex = is_here.then(|| self.numbers[index]);
            match (previous, vertex) {
                (Some(previous), Some(vertex)) => {
                    memory::push(&mut self.u, previous)?;
                    memory::push(&mut self.v, vertex)?;
                    roads.kept.row(road).for_each(|field| fields.push(field));
                    self.kept.append(&mut fields)?;
                }
                _ if at > 0 => self.left_out += 1,
                _ => {}
            }
            previous = vertex;
        }
        Ok(())
    }

    fn notes(&self, roads: &Roads, options: &ReadOptions) -> Vec<Message> {
        let mut notes = Vec::new();
        if roads.ends.is_empty() && options.roads.highway.is_empty() {
            notes.push("the extract has no roads".into());
        }
        let place =
            if options.roads.bbox.is_some() { "the box or the extract" } else { "the extract" };
        match self.left_out {
            0 => {}
            1 => notes
                .push(format!("1 edge is left out, because {place} lacks one of its ends").into()),
            count => notes.push(
                format!("{count} edges are left out, because {place} lacks one of their ends")
                    .into(),
            ),
        }
        notes
    }
}
