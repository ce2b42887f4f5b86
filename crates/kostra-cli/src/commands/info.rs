//! `kostra info`: describes a graph.

use std::time::{Duration, Instant};

use clap::Parser;
use kostra::external::least_memory;
use kostra_core::{
    AnyGraph, Key, Order, OutOfMemory, Total, UnionFind, Vertex, Weight, key_of, memory, with_graph,
};
use kostra_io::Format;
use serde::Serialize;

use crate::arguments::{InputArguments, NanChoice};
use crate::command::{Answer, Command};
use crate::input::{self, GraphSummary, InputGraph, InputRequest, Threads};
use crate::memory_limit::{memory_of_solve, mib};
use crate::output;
use crate::progress::Stage;
use crate::report::{self, JsonNumber, Sheet, bar, count, thousands, weight};

/// Describe a graph: size, components, degrees, weights.
#[derive(Parser)]
#[command(
    name = "info",
    after_help = "\
Examples:
  kostra info roads.gr.gz
  kostra info gen:road:n=100000 --json"
)]
pub(super) struct Arguments {
    #[command(flatten)]
    input: InputArguments,

    /// Print the report as one JSON object
    #[arg(long)]
    json: bool,
}

impl Command for Arguments {
    fn run(self, _: &clap::Command) -> anyhow::Result<Answer> {
        // A note reports edges with NaN. The graph has self-loops of weight 0 in their place.
        let request = InputRequest::resolve(self.input, NanChoice::Skip);
        // The header is printed at once, because the rest takes a pass over all edges.
        let header = request.header().filter(|_| !self.json);
        if let Some(header) = &header {
            output::print(&size_sheet(&request, header))?;
        }
        let input = request.load()?;
        if header.is_none() && !self.json {
            output::print(&size_sheet(&request, &input.header()))?;
        }
        let analysis = Analysis::measure(&input.parsed.graph)?;
        request.refuse_changes(&input)?;
        let text = if self.json {
            report::json(&record(&request, &input, &analysis))?
        } else {
            sheet(&input, &analysis)
        };
        output::print(&text)?;
        Ok(Answer::Yes)
    }
}

/// What a pass over all edges finds.
struct Analysis {
    shape: Shape,
    /// None for a graph without edges.
    weights: Option<WeightRange>,
    time: Duration,
}

impl Analysis {
    fn measure(graph: &AnyGraph) -> Result<Self, OutOfMemory> {
        let start = Instant::now();
        let _stage = Stage::start("analyzing the edges");
        let shape = Shape::measure(graph)?;
        let weights =
            with_graph!(graph, graph => WeightRange::measure(graph.edge_list().weights()))?;
        Ok(Self { shape, weights, time: start.elapsed() })
    }
}

/// Properties of a graph without its weights.
#[derive(Serialize)]
struct Shape {
    self_loops: usize,
    /// The number of edges whose endpoints an earlier edge joins too.
    parallel_edges: usize,
    components: u32,
    largest_component: u32,
    isolated_vertices: usize,
    degrees: Degrees,
}

/// The degrees of the vertices. Every parallel edge counts, and a self-loop counts twice.
#[derive(Serialize)]
struct Degrees {
    min: u32,
    mean: f64,
    max: u32,
    histogram: Vec<Bucket>,
}

/// The number of vertices with a degree from `from` to `to`.
#[derive(Serialize)]
struct Bucket {
    from: u32,
    to: u32,
    vertices: usize,
}

impl Shape {
    /// O(n + m log m) time. At most 8 bytes per edge and 8 per vertex, or 12 per vertex if that is
    /// more.
    fn measure(graph: &AnyGraph) -> Result<Self, OutOfMemory> {
        let n = graph.vertices();
        let ends = || graph.u().iter().copied().zip(graph.v().iter().copied());
        let mut degrees: Vec<u32> = memory::zeros(n as usize)?;
        let mut sets = UnionFind::try_new(n)?;
        let mut pairs = memory::with_capacity(graph.edges())?;
        for (u, v) in ends() {
            for end in [u, v] {
                degrees[end as usize] = degrees[end as usize].saturating_add(1);
            }
            sets.union(u, v);
            if u != v {
                pairs.push(u64::from(u.min(v)) << 32 | u64::from(u.max(v)));
            }
        }
        let self_loops = graph.edges() - pairs.len();
        pairs.sort_unstable();
        let parallel_edges = pairs.windows(2).filter(|pair| pair[0] == pair[1]).count();
        drop(pairs);
        let components = sets.sets();
        Ok(Self {
            self_loops,
            parallel_edges,
            components,
            largest_component: largest_set(sets.flatten())?,
            isolated_vertices: degrees.iter().filter(|&&degree| degree == 0).count(),
            degrees: Degrees::count(&degrees, graph.edges()),
        })
    }
}

fn largest_set(representatives: &[Vertex]) -> Result<u32, OutOfMemory> {
    let mut sizes: Vec<u32> = memory::zeros(representatives.len())?;
    for &representative in representatives {
        sizes[representative as usize] += 1;
    }
    Ok(sizes.into_iter().max().unwrap_or(0))
}

impl Degrees {
    fn count(degrees: &[u32], edges: usize) -> Self {
        let mean = if degrees.is_empty() { 0.0 } else { 2.0 * edges as f64 / degrees.len() as f64 };
        let mut buckets: Vec<Bucket> = Vec::new();
        for &degree in degrees {
            let index = bucket_index(degree);
            while buckets.len() <= index {
                let (from, to) = bucket_bounds(buckets.len());
                buckets.push(Bucket { from, to, vertices: 0 });
            }
            buckets[index].vertices += 1;
        }
        buckets.retain(|bucket| bucket.vertices > 0);
        Self {
            min: degrees.iter().copied().min().unwrap_or(0),
            mean,
            max: degrees.iter().copied().max().unwrap_or(0),
            histogram: buckets,
        }
    }
}

/// Each degree up to this one has its own bucket. Above it, a bucket ends at each power of two: 5
/// to 8, 9 to 16, and so on.
const COUNTED_EACH: u32 = 4;

fn bucket_index(degree: u32) -> usize {
    if degree <= COUNTED_EACH { degree as usize } else { ((degree - 1).ilog2() + 3) as usize }
}

fn bucket_bounds(bucket: usize) -> (u32, u32) {
    match u32::try_from(bucket) {
        Ok(bucket) if bucket > COUNTED_EACH => {
            let low = 1_u64 << (bucket - 3);
            ((low + 1) as u32, u32::try_from(2 * low).unwrap_or(u32::MAX))
        }
        Ok(bucket) => (bucket, bucket),
        Err(_) => (u32::MAX, u32::MAX),
    }
}

/// The range of the weights.
struct WeightRange {
    min: Total,
    max: Total,
    /// The number of different weights. If it is below the number of edges, there are ties.
    distinct: usize,
}

impl WeightRange {
    /// O(m log m) time; one key per edge of memory.
    fn measure<W: Weight>(weights: &[W]) -> Result<Option<Self>, OutOfMemory> {
        let key = |&weight: &W| key_of(weight, Order::Minimum);
        let bounds =
            weights.iter().copied().min_by_key(key).zip(weights.iter().copied().max_by_key(key));
        let Some((least, greatest)) = bounds else { return Ok(None) };
        let mut keys: Vec<W::Key> = memory::collected(weights.iter().map(key))?;
        keys.sort_unstable();
        keys.dedup();
        let single = |weight: W| W::total(std::iter::once(weight));
        debug_assert!(keys.first().map(|key| key.to_u64()) <= keys.last().map(|key| key.to_u64()));
        Ok(Some(Self { min: single(least), max: single(greatest), distinct: keys.len() }))
    }
}

/// What `solve` takes for the graph.
#[derive(Serialize)]
struct Memory {
    solve_bytes: u64,
    /// The least limit in `--memory`. Null if the format is not read in blocks, or the vertices
    /// have names.
    least_limit_bytes: Option<u64>,
    /// The number of threads of that solve: one, unless the user typed another.
    threads: usize,
}

impl Memory {
    fn of(header: &GraphSummary, threads: Threads) -> Self {
        let GraphSummary { vertices, edges, weight_type, .. } = *header;
        let is_streamed = header.format.is_some_and(Format::is_streamed);
        let has_text = header.names && header.format != Some(Format::KST);
        let threads = threads.asked.unwrap_or(1);
        let least = || least_memory(vertices, weight_type, threads);
        Self {
            solve_bytes: memory_of_solve(vertices, edges, weight_type),
            least_limit_bytes: (is_streamed && !has_text).then(least),
            threads,
        }
    }
}

fn size_sheet(request: &InputRequest, header: &GraphSummary) -> String {
    let mut sheet = Sheet::default();
    sheet.gap();
    sheet.line("vertices", thousands(header.vertices));
    sheet.line("edges", thousands(header.edges as u128));
    sheet.line("weights", header.weight_type);
    let extras = match (header.coordinates, header.names) {
        (false, false) => "",
        (true, false) => "; with coordinates",
        (false, true) => "; with names",
        (true, true) => "; with coordinates and names",
    };
    sheet.line("read as", format!("{}{extras}", header.storage));
    if let Some(evidence) = &header.evidence {
        sheet.line("recognized by", evidence);
    }
    let memory = Memory::of(header, request.threads);
    let solve = format!("`solve` takes up to {} MiB", mib(memory.solve_bytes));
    let memory = match memory.least_limit_bytes {
        Some(least) => {
            let threads = count(memory.threads as u64, "thread", "threads");
            format!("{solve}; `solve --memory` from {} MiB on {threads}", mib(least))
        }
        None => solve,
    };
    sheet.line("memory", memory);
    format!("{}\n{sheet}", request.source)
}

fn sheet(input: &InputGraph, analysis: &Analysis) -> String {
    let Analysis { shape, weights, time } = analysis;
    let mut sheet = Sheet::default();
    sheet.gap();
    sheet.line("self-loops", thousands(shape.self_loops as u128));
    sheet.line("parallel edges", thousands(shape.parallel_edges as u128));
    let largest = count(shape.largest_component.into(), "vertex", "vertices");
    let components = thousands(shape.components);
    sheet.line("components", format!("{components}, the largest has {largest}"));
    if let Some(weights) = weights {
        let ties = match input.parsed.graph.edges() - weights.distinct {
            0 => "all different".to_owned(),
            ties => {
                format!(
                    "{} different, {}",
                    thousands(weights.distinct as u128),
                    count(ties as u64, "tie", "ties")
                )
            }
        };
        sheet
            .line("weights", format!("{} to {}, {ties}", weight(weights.min), weight(weights.max)));
    }
    let degrees = &shape.degrees;
    sheet.line(
        "degrees",
        format!("{} to {}, {:.3} on average", degrees.min, degrees.max, degrees.mean),
    );
    if degrees.histogram.len() > 1 {
        sheet.gap();
        let most = degrees.histogram.iter().map(|bucket| bucket.vertices).max().unwrap_or(1);
        for bucket in &degrees.histogram {
            let range = match (bucket.from, bucket.to) {
                (from, to) if from == to => format!("degree {from}"),
                (from, to) => format!("{from} to {to}"),
            };
            let share = 100.0 * bucket.vertices as f64 / f64::from(input.parsed.graph.vertices());
            let bar = bar(bucket.vertices as f64 / most as f64);
            let vertices = thousands(bucket.vertices as u128);
            sheet.line(range, format!("{vertices:>13} {share:>5.1}%  {bar}").trim_end());
        }
    }
    sheet.notes(&input.notes);
    sheet.gap();
    sheet.times(&[("load", input.load), ("analysis", *time)]);
    sheet.to_string()
}

/// The report as JSON.
#[derive(Serialize)]
struct Record<'a> {
    input: String,
    format: &'static str,
    /// What shows the format. Null if a signature does, and for a generated graph.
    evidence: Option<&'a str>,
    vertices: u32,
    edges: usize,
    weight_type: &'static str,
    /// Null if there are no edges.
    min_weight: Option<JsonNumber>,
    max_weight: Option<JsonNumber>,
    distinct_weights: usize,
    #[serde(flatten)]
    shape: &'a Shape,
    coordinates: bool,
    names: bool,
    memory: Memory,
    seconds: Seconds,
    notes: &'a [String],
}

#[derive(Serialize)]
struct Seconds {
    load: f64,
    analysis: f64,
}

fn record<'a>(request: &InputRequest, input: &'a InputGraph, analysis: &'a Analysis) -> Record<'a> {
    let Analysis { shape, weights, time } = analysis;
    Record {
        input: request.source.to_string(),
        format: input::format_id(input.format),
        evidence: input.evidence.as_deref(),
        vertices: input.parsed.graph.vertices(),
        edges: input.parsed.graph.edges(),
        weight_type: input.parsed.graph.weight_type().name(),
        min_weight: weights.as_ref().map(|weights| JsonNumber(weights.min)),
        max_weight: weights.as_ref().map(|weights| JsonNumber(weights.max)),
        distinct_weights: weights.as_ref().map_or(0, |weights| weights.distinct),
        shape,
        coordinates: input.parsed.coordinates.is_some(),
        names: input.parsed.names.is_some(),
        memory: Memory::of(&input.header(), request.threads),
        seconds: Seconds { load: input.load.as_secs_f64(), analysis: time.as_secs_f64() },
        notes: &input.notes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_counts_loops_parallel_edges_and_components() {
        let (u, v) = (vec![0, 1, 2, 2, 0], vec![1, 0, 2, 0, 1]);
        let graph = AnyGraph::from_edges(5, u, v, vec![1, 1, 1, 1, 2]).unwrap();
        let shape = Shape::measure(&graph).unwrap();
        assert_eq!((shape.self_loops, shape.parallel_edges), (1, 2));
        assert_eq!((shape.components, shape.largest_component, shape.isolated_vertices), (3, 3, 2));
        assert_eq!((shape.degrees.min, shape.degrees.max, shape.degrees.mean), (0, 4, 2.0));
    }

    #[test]
    fn every_degree_is_in_its_bucket() {
        for degree in (0..2000).chain([u32::MAX - 1, u32::MAX]) {
            let (from, to) = bucket_bounds(bucket_index(degree));
            assert!(from <= degree && degree <= to, "{degree} in {from} to {to}");
        }
        assert_eq!([4, 5, 8, 9, 16, 17].map(bucket_index), [4, 5, 5, 6, 6, 7]);
    }

    #[test]
    fn the_range_of_weights_follows_their_order() {
        let weights = WeightRange::measure(&[0.0, -0.0, f64::INFINITY, -3.5]).unwrap().unwrap();
        assert_eq!((weights.min, weights.max), (Total::Float(-3.5), Total::Float(f64::INFINITY)));
        assert_eq!(weights.distinct, 3);
        assert!(WeightRange::measure::<i32>(&[]).unwrap().is_none());
    }
}
