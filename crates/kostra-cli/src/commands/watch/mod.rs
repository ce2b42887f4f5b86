//! `kostra watch`: the forest of a graph that changes, update by update.

mod reply;

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader};
use std::ops::Range;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, bail};
use clap::{Parser, ValueHint};
use kostra::dynamic::{
    AnyDynamicForest, DynamicForest, OpenedLog, UpdateLine, UpdateLog, with_dynamic_forest,
};
use kostra_core::{EdgeId, Order, Vertex, Weight, WeightType};
use serde_json::json;

use crate::arguments::{InputArguments, NanChoice};
use crate::command::{Answer, Command};
use crate::input::{GENERATED, InputRequest};
use crate::output;
use crate::report::count;
use crate::vertex_names::VertexNames;
use reply::{Done, Path, Reply, number};

/// Follow the forest of a graph while edges are inserted, deleted and reweighted.
#[derive(Parser)]
#[command(
    name = "watch",
    after_help = "\
Examples:
  kostra watch roads.gr.gz < updates.txt
  kostra watch --vertices 1000 --log net.log < updates.txt   record the updates
  kostra watch --log net.log < more.txt                      continue later
  kostra watch --log net.log --compact < /dev/null           make the log small

Standard input has one update per line:
  + U V WEIGHT   insert an edge
  - ID           delete an edge
  = ID WEIGHT    change the weight of an edge
  < ID           delete all edges with lower ids, the oldest ones
  ? U V          the bottleneck of two vertices: the worst edge on the path between them
  v NAME         add a vertex with a new name; without names, the next number
  # text         a remark; empty lines are remarks, too
Vertices are numbers from 0, or names if the graph has names. Fields are separated by tabs or, in
lines without tabs, by blanks. Edges of the graph have the ids from 0, and each new edge the next
one. The answer to an update is one line with the edges that entered (+) and left (-) the forest.

Without a graph, a new log has no vertices, and those that come have names. --compact replaces the
log by its present edges, in one step. Ids stay, and are not used again.

With --log, an answer is printed when the update is on the disk. The first line that is no update
ends the command; the updates before it stay."
)]
pub(super) struct Arguments {
    /// The graph to start with: a file, or a generated graph: gen:NAME:key=value,...
    #[arg(value_hint = ValueHint::FilePath)]
    graph: Option<OsString>,

    /// Start with this number of vertices and no edges; the weights are decimal numbers
    #[arg(long, value_name = "N", conflicts_with = "graph")]
    vertices: Option<u32>,

    /// The file that records all updates. If it exists, continue from its state
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    log: Option<PathBuf>,

    /// Rewrite the log to its present edges before the first update
    #[arg(long, requires = "log")]
    compact: bool,

    /// Keep a maximum spanning forest
    #[arg(long)]
    maximum: bool,

    /// Print each answer as one JSON object
    #[arg(long)]
    json: bool,
}

impl Command for Arguments {
    fn run(self, _: &clap::Command) -> anyhow::Result<Answer> {
        let json = self.json;
        let mut watched = self.start()?;
        let mut reader = BufReader::new(io::stdin().lock());
        let (mut bytes, mut number, mut answers) = (Vec::new(), 0_u64, String::new());
        loop {
            bytes.clear();
            number += 1;
            if reader.read_until(b'\n', &mut bytes).context("standard input")? == 0 {
                break;
            }
            let answer = std::str::from_utf8(&bytes)
                .context("this is not UTF-8")
                .and_then(|line| watched.answer(line.trim_end_matches(['\n', '\r'])));
            match answer.with_context(|| format!("standard input, line {number}")) {
                Ok(Some(answer)) => answer.write(number, json, &mut answers),
                Ok(None) => {}
                Err(error) => {
                    watched.publish(&mut answers)?;
                    return Err(error);
                }
            }
            // Answers are published together for as long as lines are there.
            if reader.buffer().is_empty() {
                watched.publish(&mut answers)?;
            }
        }
        watched.publish(&mut answers)?;
        output::print(&watched.summary(json))?;
        Ok(Answer::Yes)
    }
}

impl Arguments {
    /// The forest before the first update.
    fn start(self) -> anyhow::Result<Watched> {
        let order = if self.maximum { Order::Maximum } else { Order::Minimum };
        // An empty file becomes a log, so that a crash while a log is created hinders nobody.
        let has_content = |log: &&PathBuf| {
            log.metadata().is_ok_and(|metadata| !metadata.is_file() || metadata.len() > 0)
        };
        let existing = self.log.as_ref().filter(has_content);
        if let Some(path) = existing {
            let has_graph = self.graph.is_some() || self.vertices.is_some() || self.maximum;
            if has_graph && path.is_file() {
                bail!(
                    "{}: this log exists and has a graph; leave out the graph, --vertices and \
                     --maximum to continue, or name a new log",
                    path.display()
                );
            }
            let OpenedLog { forest, names, mut log, dropped } = UpdateLog::open(path)?;
            if dropped > 0 {
                output::warn(&[format!(
                    "{}: the last update was interrupted; {dropped} bytes of it were dropped",
                    path.display()
                )]);
            }
            if self.compact {
                log.compact(&forest, names.as_deref())?;
            }
            return Ok(Watched::new(forest, names, Some(log)));
        }
        if self.compact {
            bail!("there is no log to compact; leave out --compact to create it");
        }
        let (forest, names) = match (self.graph, self.vertices) {
            (Some(graph), _) => {
                let arguments = InputArguments { input: graph, ..InputArguments::default() };
                if arguments.input == "-" {
                    bail!(
                        "standard input has the updates; write the graph to a file, or start with \
                         {GENERATED}NAME or --vertices"
                    );
                }
                let request = InputRequest::resolve(arguments, NanChoice::Error);
                let mut input = request.load()?;
                input.warn_of_order(order);
                request.refuse_changes(&input)?;
                let names = input.parsed.names.take();
                (AnyDynamicForest::of_graph(&input.parsed.graph, order)?, names)
            }
            (None, Some(vertices)) => {
                (AnyDynamicForest::new(vertices as usize, WeightType::F64, order)?, None)
            }
            (None, None) if self.log.is_some() => {
                (AnyDynamicForest::new(0, WeightType::F64, order)?, Some(Vec::new()))
            }
            (None, None) => bail!(
                "name the graph to start with, or pass --vertices N for a graph without edges, or \
                 --log with a new log or that of an earlier call"
            ),
        };
        let create = |path: PathBuf| UpdateLog::create(&path, &forest, names.as_deref());
        let log = self.log.map(create).transpose()?;
        Ok(Watched::new(forest, names, log))
    }
}

/// The graph, its forest and its log.
struct Watched {
    forest: AnyDynamicForest,
    names: VertexNames,
    log: Option<UpdateLog>,
}

impl Watched {
    fn new(forest: AnyDynamicForest, names: Option<Vec<String>>, log: Option<UpdateLog>) -> Self {
        Self { forest, names: VertexNames::new(names), log }
    }

    /// Applies a line; nothing for a remark.
    fn answer(&mut self, line: &str) -> anyhow::Result<Option<Reply>> {
        let reply = match UpdateLine::parse(line)? {
            UpdateLine::Insert { ends: [u, v], weight } => {
                let (u, v) = (self.vertex(u)?, self.vertex(v)?);
                let inserted = with_dynamic_forest!(&mut self.forest, forest => {
                    insert(forest, &mut self.log, [u, v], weight)
                });
                self.changed(Done::Inserted(inserted?.start))
            }
            UpdateLine::Delete(id) => {
                let ids = [id];
                with_dynamic_forest!(&mut self.forest, forest => forest.delete(&ids))?;
                self.log.iter_mut().for_each(|log| log.delete(&ids));
                self.changed(Done::Deleted(id))
            }
            UpdateLine::Reweight(id, weight) => {
                with_dynamic_forest!(&mut self.forest, forest => {
                    reweight(forest, &mut self.log, id, weight)
                })?;
                self.changed(Done::Reweighted(id))
            }
            UpdateLine::Expire(before) => {
                let expired =
                    with_dynamic_forest!(&mut self.forest, forest => forest.expire(before))?;
                self.log.iter_mut().for_each(|log| log.expire(before));
                self.changed(Done::Expired(expired))
            }
            UpdateLine::Bottleneck([s, t]) => {
                let (from, to) = (self.vertex(s)?, self.vertex(t)?);
                let found =
                    with_dynamic_forest!(&mut self.forest, forest => path(forest, from, to));
                Reply::Path { ends: [s.to_owned(), t.to_owned()], found: found? }
            }
            UpdateLine::AddVertex(name) => {
                self.add_vertex(name)?;
                self.changed(Done::Added(name.to_owned()))
            }
            UpdateLine::Remark => return Ok(None),
        };
        Ok(Some(reply))
    }

    fn changed(&self, done: Done) -> Reply {
        let (entered, left) = with_dynamic_forest!(&self.forest, forest => {
            (forest.entered().to_vec(), forest.left().to_vec())
        });
        Reply::Changed { done, entered, left }
    }

    /// Adds a vertex with this new name or, in a graph without names, the next number.
    fn add_vertex(&mut self, name: &str) -> anyhow::Result<()> {
        let next = with_dynamic_forest!(&self.forest, forest => forest.vertices());
        if !self.names.are_present() && name.parse() != Ok(next) {
            bail!("vertices have no names, and {name:?} is not the next number, {next}");
        }
        self.names.add(name, next)?;
        with_dynamic_forest!(&mut self.forest, forest => forest.add_vertices(1))?;
        let names = self.names.are_present().then(|| [name.to_owned()]);
        self.log.iter_mut().for_each(|log| log.add_vertices(1, names.as_ref().map(|n| &n[..])));
        Ok(())
    }

    /// The vertex with this name or, in a graph without names, this number.
    fn vertex(&self, text: &str) -> anyhow::Result<Vertex> {
        let vertices = with_dynamic_forest!(&self.forest, forest => forest.vertices());
        self.names.vertex(text, vertices)
    }

    /// Prints answers whose updates are in the log.
    fn publish(&mut self, answers: &mut String) -> anyhow::Result<()> {
        self.log.as_mut().map_or(Ok(()), UpdateLog::commit)?;
        if !answers.is_empty() {
            output::print(answers)?;
            answers.clear();
        }
        Ok(())
    }

    fn summary(&self, json: bool) -> String {
        let (vertices, edges, components, total) = with_dynamic_forest!(&self.forest, forest => {
            (forest.vertices(), forest.edges(), forest.components(), forest.total())
        });
        if json {
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

fn insert<W: Weight + FromStr>(
    forest: &mut DynamicForest<W>,
    log: &mut Option<UpdateLog>,
    [u, v]: [Vertex; 2],
    text: &str,
) -> anyhow::Result<Range<EdgeId>> {
    let weights: [W; 1] = [UpdateLine::weight(text)?];
    let ids = forest.insert(&[u], &[v], &weights)?;
    log.iter_mut().for_each(|log| log.insert(&[u], &[v], &weights));
    Ok(ids)
}

fn reweight<W: Weight + FromStr>(
    forest: &mut DynamicForest<W>,
    log: &mut Option<UpdateLog>,
    id: EdgeId,
    text: &str,
) -> anyhow::Result<()> {
    let weights: [W; 1] = [UpdateLine::weight(text)?];
    forest.reweight(&[id], &weights)?;
    log.iter_mut().for_each(|log| log.reweight(&[id], &weights));
    Ok(())
}

fn path<W: Weight>(forest: &mut DynamicForest<W>, s: Vertex, t: Vertex) -> anyhow::Result<Path> {
    if s == t {
        return Ok(Path::Same);
    }
    let Some(id) = forest.bottleneck(s, t)? else { return Ok(Path::None) };
    Ok(Path::Through(id, forest.edge(id)?.2.to_string()))
}
