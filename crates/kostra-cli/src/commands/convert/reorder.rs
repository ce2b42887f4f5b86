//! `--reorder`: new numbers for the vertices, with a record of the old ones.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, ValueEnum, ValueHint};
use kostra::partition::read_parts;
use kostra::renumbering::Renumbering;
use kostra_core::{AnyGraph, Run, VertexParts};
use kostra_io::{Format, Input, Output};
use kostra_partition::{self as partition, Options, WeightedGraph};

use crate::input::{InputGraph, InputRequest, file};
use crate::output;
use crate::progress::Stage;
use crate::trace::Watcher;

/// The default of `--parts`: each part of a graph with a million vertices fits into a cache.
const DEFAULT_PARTS: u32 = 64;

/// The options of `convert` about the numbers of vertices, as the user typed them.
#[derive(Args)]
pub(super) struct ReorderArguments {
    /// Renumber the vertices: in breadth-first order, along a Hilbert curve through their
    /// coordinates, or by the parts of a partition
    #[arg(long, value_enum, value_name = "ORDER")]
    reorder: Option<Order>,

    /// A file with the part of each vertex, one number per line, for `--reorder partition`
    /// [default: Kostra partitions the graph]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "reorder")]
    partition: Option<OsString>,

    /// The number of parts, for `--reorder partition` [default: 64]
    #[arg(
        long,
        value_name = "K",
        requires = "reorder",
        value_parser = clap::value_parser!(u32).range(1..),
    )]
    parts: Option<u32>,

    /// Write the old number of each vertex to this file, one per line, in the new order
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "reorder")]
    map: Option<PathBuf>,
}

impl ReorderArguments {
    /// Whether the user asks for new numbers.
    pub(super) fn is_used(&self) -> bool {
        self.reorder.is_some()
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Order {
    Bfs,
    Hilbert,
    Partition,
}

/// What the options mean.
pub(super) struct Reorder {
    order: Order,
    partition: Option<Input>,
    parts: Option<u32>,
    map: Option<Output>,
}

impl Reorder {
    /// # Errors
    /// When options contradict each other, or the old numbers would be lost.
    pub(super) fn resolve(
        arguments: ReorderArguments,
        to: &Output,
        format: Format,
    ) -> anyhow::Result<Option<Self>> {
        let Some(order) = arguments.reorder else { return Ok(None) };
        if order != Order::Partition && (arguments.partition.is_some() || arguments.parts.is_some())
        {
            anyhow::bail!("`--partition` and `--parts` need `--reorder partition`");
        }
        let partition = arguments.partition.map(|name| file(&name));
        let map = arguments.map.map(|path| output::parse_path(&path));
        match &map {
            Some(map) => map.check()?,
            None if format != Format::KST => anyhow::bail!(
                "{to}: the format {} has no names of vertices, so their old numbers would be lost; \
                 pass `--map FILE` to keep the numbers in a file, or write .kst",
                format.title()
            ),
            None => {}
        }
        Ok(Some(Self { order, partition, parts: arguments.parts, map }))
    }

    /// The file of the parts, and that of the old numbers.
    pub(super) fn files(&self) -> (Option<&Input>, Option<&Output>) {
        (self.partition.as_ref(), self.map.as_ref())
    }

    /// Renumbers the vertices of a graph, and writes the map.
    ///
    /// # Errors
    /// When the graph has no coordinates for the curve, the partition file is at fault, the map
    /// cannot be written, or the user cancels.
    pub(super) fn apply(
        &self,
        request: &InputRequest,
        input: &mut InputGraph,
    ) -> anyhow::Result<()> {
        let renumbering = self.renumbering(request, input)?;
        input.parsed.graph = renumbering.graph(&input.parsed.graph)?;
        if let Some(coordinates) = &input.parsed.coordinates {
            input.parsed.coordinates = Some(renumbering.coordinates(coordinates)?);
        }
        let had_names = input.parsed.names.is_some();
        input.parsed.names = match input.parsed.names.take() {
            Some(names) => Some(renumbering.names(names)),
            None if self.map.is_some() => None,
            None => Some(renumbering.old_numbers().iter().map(ToString::to_string).collect()),
        };
        let record = match &self.map {
            Some(map) => {
                write_map(map, &renumbering)?;
                format!("line i of {map} is the old number of vertex i - 1")
            }
            None if had_names => "each vertex keeps its name".to_owned(),
            None => "the old number of each vertex is its name".to_owned(),
        };
        let order = self.order.to_possible_value();
        let order = order.as_ref().map_or("", |value| value.get_name());
        input.notes.push(format!("the vertices have new numbers ({order}); {record}"));
        Ok(())
    }

    fn renumbering(
        &self,
        request: &InputRequest,
        input: &InputGraph,
    ) -> anyhow::Result<Renumbering> {
        let stage = Stage::start("renumbering");
        let mut watcher = Watcher::new(&stage, false);
        let run = &mut Run::new().observed_by(&mut watcher);
        Ok(match self.order {
            Order::Bfs => Renumbering::breadth_first(&input.parsed.graph, run)?,
            Order::Hilbert => {
                let coordinates = input.parsed.coordinates.as_ref().with_context(|| {
                    format!(
                        "{}: the vertices have no coordinates, which `--reorder hilbert` needs; \
                         use `--reorder bfs`",
                        request.source
                    )
                })?;
                Renumbering::hilbert(coordinates)?
            }
            Order::Partition => {
                let parts = self.partition(&input.parsed.graph, request.options.threads, run)?;
                let parts = VertexParts::new(parts.parts(), parts.count())?;
                Renumbering::by_parts(&input.parsed.graph, parts, run)?
            }
        })
    }

    /// The user's partition, or one that Kostra finds.
    fn partition(
        &self,
        graph: &AnyGraph,
        threads: usize,
        run: &mut Run<'_>,
    ) -> anyhow::Result<partition::Partition> {
        if let Some(file) = &self.partition {
            return Ok(read_parts(file, graph.vertices(), self.parts)?);
        }
        // An empty graph has no partition, but the user's number of parts is checked.
        let most = graph.vertices();
        let parts = self.parts.unwrap_or(DEFAULT_PARTS.min(most).max(1));
        if most == 0 {
            return Ok(partition::Partition::new(Vec::new(), parts)?);
        }
        let options = Options { parts, threads, ..Options::default() };
        Ok(partition::partition(&WeightedGraph::of_unit_weights(graph)?, &options, run)?)
    }
}

fn write_map(map: &Output, renumbering: &Renumbering) -> anyhow::Result<()> {
    Ok(output::write_lines(map, |to| {
        renumbering.old_numbers().iter().try_for_each(|number| writeln!(to, "{number}"))
    })?)
}
