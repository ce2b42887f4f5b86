//! The forest that `kostra watch` follows, and how each line changes it.

use std::io::{self, BufRead, BufReader};
use std::str::FromStr;

use anyhow::{Context, bail};
use kostra::dynamic::{DynamicForest, UpdateLine, UpdateLog};
use kostra_core::{Vertex, Weight};
use serde_json::json;

use super::reply::{Done, Path, Reply, number};
use crate::output;
use crate::report::count;
use crate::vertex_names::VertexNames;

/// The graph, its forest and its log.
pub(super) struct Watched<W: Weight> {
    forest: DynamicForest<W>,
    names: VertexNames,
    log: Option<UpdateLog>,
    is_json: bool,
    waiting: NewEdges<W>,
    /// The answers that are not yet printed.
    answers: String,
}

/// New edges of lines without another update between them. They are inserted together, in turn.
struct NewEdges<W> {
    lines: Vec<u64>,
    u: Vec<Vertex>,
    v: Vec<Vertex>,
    weights: Vec<W>,
}

impl<W> Default for NewEdges<W> {
    fn default() -> Self {
        Self { lines: Vec::new(), u: Vec::new(), v: Vec::new(), weights: Vec::new() }
    }
}

/// Where a line is.
fn at(line: u64) -> String {
    format!("standard input, line {line}")
}

impl<W: Weight + FromStr> Watched<W> {
    pub(super) fn new(
        forest: DynamicForest<W>,
        names: Option<Vec<String>>,
        log: Option<UpdateLog>,
        is_json: bool,
    ) -> Self {
        let (waiting, answers) = (NewEdges::default(), String::new());
        Self { forest, names: VertexNames::new(names), log, is_json, waiting, answers }
    }

    /// Answers all lines of standard input.
    pub(super) fn follow(mut self) -> anyhow::Result<()> {
        let mut reader = BufReader::new(io::stdin().lock());
        let mut bytes = Vec::new();
        for number in 1.. {
            bytes.clear();
            if reader.read_until(b'\n', &mut bytes).context("standard input")? == 0 {
                break;
            }
            let taken = self.take(number, &bytes);
            // Answers are published together for as long as lines are there.
            if taken.is_err() || reader.buffer().is_empty() {
                self.publish()?;
            }
            taken?;
        }
        self.publish()?;
        output::print(&self.summary())
    }

    /// Applies a line, except for a new edge, which waits for the next line.
    fn take(&mut self, number: u64, line: &[u8]) -> anyhow::Result<()> {
        let at = || at(number);
        let line = std::str::from_utf8(line).context("this is not UTF-8").with_context(at)?;
        let update = UpdateLine::parse(line.trim_end_matches(['\n', '\r'])).with_context(at)?;
        match update {
            UpdateLine::Remark => return Ok(()),
            UpdateLine::Insert { ends: [u, v], weight } => {
                let (u, v) = (self.vertex(u).with_context(at)?, self.vertex(v).with_context(at)?);
                let weight = UpdateLine::weight(weight).with_context(at)?;
                self.waiting.lines.push(number);
                self.waiting.u.push(u);
                self.waiting.v.push(v);
                self.waiting.weights.push(weight);
                return Ok(());
            }
            _ => {}
        }
        self.insert()?;
        let reply = self.answer(update).with_context(at)?;
        reply.write(number, self.is_json, &mut self.answers);
        Ok(())
    }

    /// Inserts the edges that wait.
    fn insert(&mut self) -> anyhow::Result<()> {
        let NewEdges { lines, u, v, weights } = std::mem::take(&mut self.waiting);
        let first = self.forest.next_id();
        // One edge alone may be solved for, without trees.
        if lines.len() > 1
            && let Ok(outside) = self.forest.insert_in_turn(&u, &v, &weights)
        {
            self.log.iter_mut().for_each(|log| log.insert(&u, &v, &weights));
            for ((line, id), outside) in lines.into_iter().zip(first..).zip(outside) {
                let is_outside = outside == Some(id);
                let entered = if is_outside { Vec::new() } else { vec![id] };
                let left = outside.into_iter().filter(|_| !is_outside).collect();
                let reply = Reply::Changed { done: Done::Inserted(id), entered, left };
                reply.write(line, self.is_json, &mut self.answers);
            }
            return Ok(());
        }
        // If edges are refused together, the first one that is refused alone is at fault.
        for (place, &line) in lines.iter().enumerate() {
            let (u, v, weights) = (&u[place..=place], &v[place..=place], &weights[place..=place]);
            let id = self.forest.insert(u, v, weights).with_context(|| at(line))?.start;
            self.log.iter_mut().for_each(|log| log.insert(u, v, weights));
            self.changed(Done::Inserted(id)).write(line, self.is_json, &mut self.answers);
        }
        Ok(())
    }

    /// Applies a line that inserts no edge.
    fn answer(&mut self, update: UpdateLine<'_>) -> anyhow::Result<Reply> {
        Ok(match update {
            UpdateLine::Remark | UpdateLine::Insert { .. } => unreachable!("it was taken"),
            UpdateLine::Delete(id) => {
                self.forest.delete(&[id])?;
                self.log.iter_mut().for_each(|log| log.delete(&[id]));
                self.changed(Done::Deleted(id))
            }
            UpdateLine::Reweight(id, weight) => {
                let weights: [W; 1] = [UpdateLine::weight(weight)?];
                self.forest.reweight(&[id], &weights)?;
                self.log.iter_mut().for_each(|log| log.reweight(&[id], &weights));
                self.changed(Done::Reweighted(id))
            }
            UpdateLine::Expire(before) => {
                let expired = self.forest.expire(before)?;
                self.log.iter_mut().for_each(|log| log.expire(before));
                self.changed(Done::Expired(expired))
            }
            UpdateLine::Bottleneck([s, t]) => {
                let found = self.path(self.vertex(s)?, self.vertex(t)?)?;
                Reply::Path { ends: [s.to_owned(), t.to_owned()], found }
            }
            UpdateLine::AddVertex(name) => {
                self.add_vertex(name)?;
                self.changed(Done::Added(name.to_owned()))
            }
        })
    }

    fn changed(&self, done: Done) -> Reply {
        let (entered, left) = (self.forest.entered().to_vec(), self.forest.left().to_vec());
        Reply::Changed { done, entered, left }
    }

    fn path(&mut self, s: Vertex, t: Vertex) -> anyhow::Result<Path> {
        if s == t {
            return Ok(Path::Same);
        }
        let Some(id) = self.forest.bottleneck(s, t)? else { return Ok(Path::None) };
        Ok(Path::Through(id, self.forest.edge(id)?.2.to_string()))
    }

    /// Adds a vertex with this new name or, in a graph without names, the next number.
    fn add_vertex(&mut self, name: &str) -> anyhow::Result<()> {
        let next = self.forest.vertices();
        if !self.names.are_present() && name.parse() != Ok(next) {
            bail!("vertices have no names, and {name:?} is not the next number, {next}");
        }
        self.names.add(name, next)?;
        self.forest.add_vertices(1)?;
        let names = self.names.are_present().then(|| [name.to_owned()]);
        self.log.iter_mut().for_each(|log| log.add_vertices(1, names.as_ref().map(|n| &n[..])));
        Ok(())
    }

    /// The vertex with this name or, in a graph without names, this number.
    fn vertex(&self, text: &str) -> anyhow::Result<Vertex> {
        self.names.vertex(text, self.forest.vertices())
    }

    /// Inserts the edges that wait, and prints answers whose updates are in the log.
    fn publish(&mut self) -> anyhow::Result<()> {
        let inserted = self.insert();
        self.log.as_mut().map_or(Ok(()), UpdateLog::commit)?;
        if !self.answers.is_empty() {
            output::print(&self.answers)?;
            self.answers.clear();
        }
        inserted
    }

    fn summary(&self) -> String {
        let forest = &self.forest;
        let (vertices, edges, components) =
            (forest.vertices(), forest.edges(), forest.components());
        let total = forest.total();
        if self.is_json {
            let total = number(&total.to_string());
            let summary = json!({
                "vertices": vertices, "edges": edges, "components": components,
                "total_weight": total,
            });
            return format!("{summary}\n");
        }
        let vertices = count(vertices.into(), "vertex", "vertices");
        let edges = count(edges as u64, "edge", "edges");
        let components = count(components.into(), "component", "components");
        format!("{vertices}, {edges}, {components}, total weight {total}\n")
    }
}
