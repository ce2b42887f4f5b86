//! `kostra watch`: the forest of a graph that changes, update by update.

mod reply;
mod watched;

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::bail;
use clap::{Parser, ValueHint};
use kostra::dynamic::{AnyDynamicForest, OpenedLog, UpdateLog, with_dynamic_forest};
use kostra_core::{Order, WeightType};

use self::watched::Watched;
use crate::arguments::{InputArguments, NanChoice};
use crate::command::{Answer, Command};
use crate::input::{GENERATED, InputRequest};
use crate::output;

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
        let Start { forest, names, log } = self.start()?;
        with_dynamic_forest!(forest, forest => Watched::new(forest, names, log, json).follow())?;
        Ok(Answer::Yes)
    }
}

impl Arguments {
    /// The forest before the first update.
    fn start(self) -> anyhow::Result<Start> {
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
            return Ok(Start { forest, names, log: Some(log) });
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
        Ok(Start { forest, names, log })
    }
}

/// The forest before the first update, the names of its vertices, and its log.
struct Start {
    forest: AnyDynamicForest,
    names: Option<Vec<String>>,
    log: Option<UpdateLog>,
}
