//! Times the semi-external solve on a device beside the plain copy of the edges to the device.
//!
//! ```text
//! cargo build --release --package kostra-cuda --example external_on_device
//! external_on_device --memory-mib 4096 --runs 3 uniform:25:2000 rmat:25:62 ...
//! ```
//!
//! `uniform:S:M` has 2^S vertices and M million edges, `rmat:S:F` is `gen:rmat` of scale S with F
//! edges per vertex. All edges are in ordinary host memory. The answer is compared with that of
//! `cuda-fast` if all edges fit into device memory.

#![allow(unsafe_code, reason = "page-locked memory is allocated without content")]

use std::error::Error;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use cudarc::driver::{CudaContext, CudaSlice};
use kostra_core::random::RandomStream;
use kostra_core::{
    AnyGraph, EdgeList, ForestEdges, ForestSink, ForestSoFar, Graph, Order, Run, SinkStatistics,
    Vertex, WeightType,
};
use kostra_cuda::external::{Limits, Sink};
use kostra_cuda::{Device, DeviceEdges, fast};

type Fault = Box<dyn Error>;

struct Arguments {
    memory: u64,
    runs: usize,
    threads: usize,
    /// The number of edges of a block; 0 for all.
    block: usize,
    graphs: Vec<String>,
}

fn main() -> Result<(), Fault> {
    let arguments = arguments()?;
    let device = Device::open(0)?;
    println!("{}, {} threads", device.name(), arguments.threads);
    copy_page_locked(arguments.runs)?;
    for spec in &arguments.graphs {
        let start = Instant::now();
        let graph = generate(spec, arguments.threads)?;
        let edges = graph.edge_list();
        let (vertices, len) = (edges.vertices(), edges.len());
        println!("{spec}: {vertices} vertices, {len} edges, made in {:.1?}", start.elapsed());
        measure(&device, edges, &arguments)?;
    }
    Ok(())
}

fn arguments() -> Result<Arguments, Fault> {
    let threads = thread::available_parallelism().map_or(1, Into::into);
    let mut parsed = Arguments { memory: 4096, runs: 3, threads, block: 0, graphs: Vec::new() };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--memory-mib" => parsed.memory = value()?.parse()?,
            "--runs" => parsed.runs = value()?.parse()?,
            "--threads" => parsed.threads = value()?.parse()?,
            "--block" => parsed.block = value()?.parse()?,
            _ => parsed.graphs.push(argument),
        }
    }
    Ok(parsed)
}

fn generate(spec: &str, threads: usize) -> Result<Graph<u32>, Fault> {
    let parts: Vec<_> = spec.split(':').collect();
    let [kind, scale, edges] = parts[..] else { return Err("KIND:SCALE:EDGES".into()) };
    match kind {
        "uniform" => {
            Ok(uniform(scale.parse()?, edges.parse::<usize>()? * 1_000_000, threads).into())
        }
        "rmat" => {
            let made = kostra_gen::generate(&format!("rmat:scale={scale},edgefactor={edges}"))?;
            let AnyGraph::U32(graph) = made.graph else { return Err("weights are u32".into()) };
            Ok(graph)
        }
        _ => Err("uniform or rmat".into()),
    }
}

/// Random edges, equal for any number of threads.
fn uniform(scale: u32, edges: usize, threads: usize) -> EdgeList<u32> {
    // Zeros, whose memory the threads touch first.
    let [mut u, mut v, mut weights] = [(); 3].map(|()| vec![0_u32; edges]);
    let part = edges.div_ceil(threads).max(1);
    let random = RandomStream::new(1);
    thread::scope(|scope| {
        let columns = u.chunks_mut(part).zip(v.chunks_mut(part)).zip(weights.chunks_mut(part));
        for (start, ((u, v), weights)) in (0..).step_by(part).zip(columns) {
            scope.spawn(move || {
                for (id, ((u, v), weight)) in (start..).zip(u.iter_mut().zip(v).zip(weights)) {
                    let (ends, last) = (random.at(2 * id), random.at(2 * id + 1));
                    *u = (ends >> (64 - scale)) as Vertex;
                    *v = ends as Vertex & ((1 << scale) - 1);
                    *weight = last as u32;
                }
            });
        }
    });
    EdgeList::of_checked(1 << scale, u, v, weights)
}

/// Times copies from page-locked memory.
fn copy_page_locked(runs: usize) -> Result<(), Fault> {
    const BYTES: usize = 1 << 30;
    let context = CudaContext::new(0)?;
    let stream = context.new_stream()?;
    // SAFETY: the memory is filled before it is read, and any bytes are valid.
    let (mut from, mut to): (_, CudaSlice<u8>) =
        unsafe { (context.alloc_pinned::<u8>(BYTES)?, stream.alloc(BYTES)?) };
    from.as_mut_slice()?.fill(1);
    for _ in 0..runs {
        let start = Instant::now();
        for _ in 0..8 {
            stream.memcpy_htod(&from, &mut to)?;
        }
        stream.synchronize()?;
        println!("copy from page-locked memory: {:.1} GB/s", rate(8 * BYTES, start.elapsed()));
    }
    Ok(())
}

fn rate(bytes: usize, time: Duration) -> f64 {
    bytes as f64 / time.as_secs_f64() / 1e9
}

fn measure(device: &Arc<Device>, list: &EdgeList<u32>, arguments: &Arguments) -> Result<(), Fault> {
    let edges = list.edges(Order::Minimum);
    let bytes = 12 * edges.len();
    let limits = Limits::within(device, arguments.memory << 20, edges.vertices(), WeightType::U32)?;
    println!("  {} MiB: room for {} edges", arguments.memory, limits.capacity());
    let (mut copies, mut solves, mut forest) = (Vec::new(), Vec::new(), None);
    let block = if arguments.block == 0 { edges.len() } else { arguments.block };
    let blocks: Vec<_> = if block >= edges.len() { vec![] } else { blocks(list, block) };
    for _ in 0..arguments.runs {
        let start = Instant::now();
        let (vertices, encoding) = (edges.vertices(), edges.encoding());
        let sink = Sink::new(device, vertices, encoding, (limits, arguments.threads))?;
        let mut sink = Box::new(sink);
        let allocated = start.elapsed();
        if blocks.is_empty() {
            sink.add(0, edges)?;
        }
        for (index, edges) in blocks.iter().enumerate() {
            sink.add((index * block) as u64, edges.edges(Order::Minimum))?;
        }
        let added = start.elapsed();
        let ForestSoFar { forest: found, statistics, .. } = sink.finish()?;
        let time = start.elapsed();
        solves.push(time);
        let SinkStatistics { dropped, buffered, reductions } = statistics;
        println!(
            "  solve {:.1?} ({:.1} GB/s): allocation {allocated:.1?}, all added after {added:.1?}, \
             {reductions} reductions, dropped {dropped}, buffered {buffered}, forest {}",
            time,
            rate(bytes, time),
            found.ids.len()
        );
        forest = Some(found);
    }
    for _ in 0..arguments.runs {
        let start = Instant::now();
        let Ok(copy) = DeviceEdges::upload(device, edges, arguments.threads) else {
            println!("  the edges do not fit into device memory");
            return Ok(());
        };
        let time = start.elapsed();
        println!("  copy {time:.1?} ({:.1} GB/s)", rate(bytes, time));
        copies.push(time);
        if copies.len() == arguments.runs {
            compare(device, &copy, forest.take())?;
        }
    }
    copies.sort_unstable();
    solves.sort_unstable();
    let (copy, solve) = (copies[copies.len() / 2], solves[solves.len() / 2]);
    let ratio = solve.as_secs_f64() / copy.as_secs_f64();
    println!("  median solve {solve:.1?}, median copy {copy:.1?}, ratio {ratio:.3}");
    Ok(())
}

fn blocks(edges: &EdgeList<u32>, block: usize) -> Vec<EdgeList<u32>> {
    let part = |start: usize| edges.range(start..edges.len().min(start + block));
    (0..edges.len()).step_by(block).map(part).collect()
}

/// Compares the forest with that of `cuda-fast`.
fn compare(
    device: &Device,
    edges: &DeviceEdges<u32>,
    forest: Option<ForestEdges<u32>>,
) -> Result<(), Fault> {
    let start = Instant::now();
    let right = fast::on_edges(device, edges, &mut Run::new())?.into_ids();
    println!("  cuda-fast on edges in device memory {:.1?}", start.elapsed());
    let found = forest.map(|forest| forest.ids).unwrap_or_default();
    let equal = found.iter().copied().eq(right.iter().map(|&id| u64::from(id)));
    println!("  {}", if equal { "equal to cuda-fast" } else { "WRONG forest" });
    if equal { Ok(()) } else { Err("wrong".into()) }
}
