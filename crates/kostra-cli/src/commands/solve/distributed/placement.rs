//! `--partition` on ranks: each rank owns the vertices of its parts.

use std::time::{Duration, Instant};

use kostra::partition::read_parts;
use kostra_core::{MAX_VERTICES, counted};
use kostra_io as io;
use kostra_mpi::{Communicator, Reduction, Refusal, VertexPlacement};
use kostra_partition::Partition;

use super::agree::agree;
use super::load::Input;
use crate::report::count;

/// Reads the part of each vertex on rank 0, which sends the parts to all ranks. Every rank needs 12
/// bytes per vertex. The time is part of the time to load the graph. Collective.
///
/// # Errors
/// When the file is at fault, or has no room for the vertices of the graph.
pub(super) fn read(
    file: &io::Input,
    input: &mut Input,
    world: &Communicator,
) -> Result<VertexPlacement, Refusal> {
    let start = Instant::now();
    let vertices = input.slice.vertices();
    let partition = if world.rank() == 0 { read_file(file, vertices).map(Some) } else { Ok(None) };
    let (parts, number) = agree(world, partition)?.map_or((Vec::new(), 0), |partition| {
        let number = partition.count();
        (partition.into_parts(), number)
    });
    let number = world.broadcast_one(0, number);
    let parts = world.broadcast_vec(0, parts);
    let placement = VertexPlacement::new(&parts, number, world.size());
    if world.rank() == 0 {
        let parts = count(number.into(), "part", "parts");
        input.notes.push(format!("the partition is {file}, with {parts}"));
    }
    let elapsed = world.reduce_one(Reduction::Max, start.elapsed().as_nanos() as u64);
    input.load += Duration::from_nanos(elapsed);
    Ok(placement)
}

fn read_file(file: &io::Input, vertices: u64) -> anyhow::Result<Partition> {
    anyhow::ensure!(
        vertices <= MAX_VERTICES as u64,
        "{file}: a partition has at most {MAX_VERTICES} vertices, but the graph has {}",
        counted(vertices as usize, "vertex", "vertices"),
    );
    Ok(read_parts(file, vertices as u32, None)?)
}
