//! The rounds: the steps of Algorithm 6 on all members, and the exchange between them.

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kostra_core::{CsrView, EdgeSet, Edges, Key, Problem, Run, SolveError, Vertex};
use kostra_cuda::Device;
use kostra_cuda::buffers::Keys;

use super::device::DeviceMember;
use super::division::Speeds;
use super::kernels::Kernels;
use super::member::{Destinations, Listed, Member, Members, NewRows, OwnRows, on_all};
use super::threads::ThreadsMember;
use super::{DEVICE_SHARES, THREADS_PERCENT};

/// The number of entries in the sample by which speeds are measured first.
const SAMPLE: u32 = 1 << 20;

pub(super) fn solve<K: Key>(
    problem: Problem<'_, K>,
    run: &mut Run<'_>,
) -> Result<EdgeSet, SolveError> {
    let devices: Vec<Arc<Device>> = run
        .request
        .devices()
        .iter()
        .map(|&ordinal| Device::open(ordinal))
        .collect::<Result<_, _>>()?;
    let (rows, edges) = (problem.csr(run)?, problem.edges());
    if rows.rows().neighbors().is_empty() {
        return Ok(EdgeSet::new(rows.edges()));
    }
    let members = members(&devices, (rows, edges), run)?;
    let speeds = match run.request.chosen_option(&THREADS_PERCENT) {
        Some(percent) => Speeds::fixed(members.len(), percent),
        None => Speeds::unknown(members.len()),
    };
    solve_with(members, speeds, (rows, edges), run)
}

/// The forest by members of threads only, of which the last one gets `percent` of the entries, or
/// all get what they are measured to be worth.
#[cfg(test)]
pub(super) fn forest_by_threads<K: Key>(
    problem: Problem<'_, K>,
    (count, percent): (usize, Option<u64>),
    run: &mut Run<'_>,
) -> Result<EdgeSet, SolveError> {
    let (rows, edges) = (problem.csr(run)?, problem.edges());
    let mut members: Members<'_, K> = Vec::new();
    for _ in 0..count {
        members.push(Box::new(ThreadsMember::new(run.request.threads(), edges.len())?));
    }
    let speeds = percent.map_or(Speeds::unknown(count), |percent| Speeds::fixed(count, percent));
    solve_with(members, speeds, (rows, edges), run)
}

fn solve_with<K: Key>(
    mut members: Members<'_, K>,
    mut speeds: Speeds,
    (rows, edges): (CsrView<'_, K>, Edges<'_, K>),
    run: &mut Run<'_>,
) -> Result<EdgeSet, SolveError> {
    let first_edge: Vec<u32> = rows.rows().offsets().iter().map(|&offset| offset as u32).collect();
    let starts = run.upload(|_| {
        let own_rows = |block| own_rows((rows, edges), &first_edge, block);
        if !speeds.are_fixed() {
            measure(&mut members, &mut speeds, &first_edge, &own_rows)?;
        }
        let starts = speeds.divide(&first_edge);
        on_all(&mut members, |index, member| {
            member.take_rows(own_rows(starts[index]..starts[index + 1]))
        })?;
        Ok::<_, SolveError>(starts)
    })?;
    let mut rounds = Rounds { members, speeds, all: rows.vertices() as usize };
    let mut graph = Division { first_edge, starts };
    while graph.entries() > 0 {
        graph = rounds.round(&graph, run)?;
    }
    run.download(|_| rounds.forest(rows.edges()))
}

/// All devices, each `DEVICE_SHARES` times, and the threads, without rows.
fn members<'a, K: Key>(
    devices: &'a [Arc<Device>],
    (rows, edges): (CsrView<'_, K>, Edges<'_, K>),
    run: &mut Run<'_>,
) -> Result<Members<'a, K>, SolveError> {
    let keys = Keys { kind: 0, flip: 0, wide: K::BITS == 64 };
    let size = (rows.vertices(), edges.len());
    let shares = run.request.option(&DEVICE_SHARES) as usize;
    let mut members: Members<'a, K> = Vec::new();
    for device in devices {
        let kernels = run.compile(|_| Kernels::load(device, keys))?;
        // Each share has its part of the rows, and the arrays of all vertices.
        device.admit(0, shares * (12 * size.0 as usize + size.1 / 8))?;
        for _ in 0..shares {
            let member = run.upload(|_| DeviceMember::new(device, kernels.clone(), size));
            members.push(Box::new(member?));
        }
    }
    members.push(Box::new(ThreadsMember::new(run.request.threads(), size.1)?));
    Ok(members)
}

/// The rows of a block, with keys.
fn own_rows<K: Key>(
    (rows, edges): (CsrView<'_, K>, Edges<'_, K>),
    first_edge: &[u32],
    block: Range<Vertex>,
) -> OwnRows<K> {
    let starts = &first_edge[block.start as usize..=block.end as usize];
    let (first, end) = (starts[0], starts[starts.len() - 1]);
    let entries = first as usize..end as usize;
    let rows = rows.rows();
    OwnRows {
        begin: block.start,
        first_edge: starts.iter().map(|start| start - first).collect(),
        neighbors: rows.neighbors()[entries.clone()].to_vec(),
        keys: rows.weights()[entries.clone()].iter().map(|&bits| edges.key_of(bits)).collect(),
        ids: rows.ids()[entries].to_vec(),
    }
}

/// Lets each member search the same sample of the rows, twice: the first time warms up.
fn measure<K: Key>(
    members: &mut Members<'_, K>,
    speeds: &mut Speeds,
    first_edge: &[u32],
    own_rows: &(impl Fn(Range<Vertex>) -> OwnRows<K> + Sync),
) -> Result<(), SolveError> {
    let vertices = first_edge.len() - 1;
    let end = first_edge.partition_point(|&edge| edge <= SAMPLE).clamp(1, vertices);
    let entries = vec![first_edge[end]; members.len()];
    on_all(members, |_, member| {
        member.take_rows(own_rows(0..end as Vertex))?;
        member.find_minimum_edges().map(drop)
    })?;
    let (_, times) = on_all(members, |_, member| member.find_minimum_edges())?;
    speeds.measure(&entries, &times);
    Ok(())
}

/// A graph that is divided over the members.
struct Division {
    /// The first entry of each row, and the number of entries.
    first_edge: Vec<u32>,
    /// The first vertex of each member, and the number of vertices.
    starts: Vec<Vertex>,
}

impl Division {
    fn vertices(&self) -> usize {
        self.first_edge.len() - 1
    }

    fn entries(&self) -> u32 {
        self.first_edge.last().copied().unwrap_or_default()
    }

    /// The number of entries of each member.
    fn entries_of_members(&self) -> Vec<u32> {
        let start = |vertex: Vertex| self.first_edge[vertex as usize];
        self.starts.windows(2).map(|block| start(block[1]) - start(block[0])).collect()
    }
}

struct Rounds<'a, K: Key> {
    /// The last one is the threads.
    members: Members<'a, K>,
    speeds: Speeds,
    /// The number of vertices of the given graph.
    all: usize,
}

/// Takes a step, and reports its time. The members launch kernels in it, so it is no phase of the
/// run, in which nothing else is timed.
fn step<R>(
    run: &mut Run<'_>,
    name: &'static str,
    take: impl FnOnce(&mut Run<'_>) -> Result<R, SolveError>,
) -> Result<R, SolveError> {
    let start = Instant::now();
    let result = take(run);
    run.report.phase_took(name, start.elapsed());
    result
}

impl<K: Key> Rounds<'_, K> {
    /// Algorithm 6 from line 2 on.
    fn round(&mut self, graph: &Division, run: &mut Run<'_>) -> Result<Division, SolveError> {
        let vertices = graph.vertices();
        run.report.round(vertices, graph.entries() as usize / 2)?;
        run.report.progress(self.all - vertices, self.all)?;
        run.report.counter("share of the threads in %", self.speeds.threads_percent());
        let mut times = vec![Duration::ZERO; self.members.len()];
        let mut add = |more: Vec<Duration>| {
            times.iter_mut().zip(more).for_each(|(time, more)| *time += more);
        };
        let members = &mut self.members;
        // Lines 2 and 3.
        let successor = step(run, "find minimum edge per vertex", |_| {
            let (parts, took) = on_all(members, |_, member| member.find_minimum_edges())?;
            add(took);
            Ok::<_, SolveError>(parts.concat())
        })?;
        // Lines 4 to 6.
        let mut color = step(run, "remove mirrored edges", |_| {
            on_all(members, |_, member| member.remove_mirrored_edges(&successor))
                .map(|(parts, _)| parts.concat())
        })?;
        drop(successor);
        // Lines 7 to 10.
        let sweeps = step(run, "propagate colors", |run| {
            for sweep in 1_u32.. {
                let (parts, _) = on_all(members, |_, member| member.propagate_colors(&color))?;
                let (parts, changed): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
                if !changed.contains(&true) {
                    return Ok(sweep);
                }
                color = parts.concat();
                run.report.progress(self.all - vertices, self.all)?;
            }
            Ok::<_, SolveError>(0)
        })?;
        run.report.counter("color sweeps", f64::from(sweeps));
        // Lines 11 and 12.
        let (new_vertex, new_vertices) = step(run, "create new vertex ids", |_| {
            on_all(members, |_, member| member.create_new_vertex_ids(&color))
                .map(|(parts, _)| numbered(parts))
        })?;
        // Lines 13 to 16.
        let degrees = step(run, "count new edges", |_| {
            let (degrees, took) = on_all(members, |_, member| {
                member.count_new_edges(&color, (&new_vertex, new_vertices as usize))
            })?;
            add(took);
            Ok::<_, SolveError>(degrees)
        })?;
        let first_edge = run.phase("assign edge segments", |_| row_starts(&degrees));
        self.speeds.measure(&graph.entries_of_members(), &times);
        let starts = self.speeds.divide(&first_edge);
        let next = Division { first_edge, starts };
        // Lines 17 to 19.
        step(run, "insert new edges", |_| {
            let sizes: Vec<_> = degrees.iter().map(|own| sizes(own, &next.starts)).collect();
            let (lists, _) = on_all(members, |own, member| {
                let destinations = Destinations { starts: &next.starts, sizes: &sizes[own], own };
                member.list_new_edges(&color, &new_vertex, &destinations)
            })?;
            on_all(members, |index, member| insert(index, member, &next, &lists))
        })?;
        Ok(next)
    }

    /// The edges that the members have chosen, of a graph with `edges` edges.
    fn forest(self, edges: usize) -> Result<EdgeSet, SolveError> {
        let mut words = vec![0_u64; edges.div_ceil(64)];
        for member in self.members {
            member.bind()?;
            let chosen = member.forest()?;
            words.iter_mut().zip(chosen.words()).for_each(|(word, &more)| *word |= more);
        }
        Ok(EdgeSet::from_words(words))
    }
}

/// Gives a member the edges of its new rows, from all lists.
fn insert<K: Key>(
    index: usize,
    member: &mut dyn Member<K>,
    next: &Division,
    lists: &[Vec<Listed<K>>],
) -> Result<(), SolveError> {
    let (begin, end) = (next.starts[index], next.starts[index + 1]);
    let starts = &next.first_edge[begin as usize..=end as usize];
    let first_edge: Vec<u32> = starts.iter().map(|start| start - starts[0]).collect();
    let mut listed = Listed::default();
    lists.iter().for_each(|of_member| listed.append(&of_member[index]));
    member.insert_new_edges(NewRows { begin, first_edge: &first_edge, listed })
}

/// The numbers of all roots, from the number of roots before each own vertex and of all of each
/// member.
fn numbered(parts: Vec<(Vec<u32>, u32)>) -> (Vec<u32>, u32) {
    let (mut numbers, mut before) = (Vec::new(), 0);
    for (own, roots) in parts {
        numbers.extend(own.iter().map(|number| number + before));
        before += roots;
    }
    (numbers, before)
}

/// The start of each new row, and the end of the last one, from the degrees that each member has
/// counted.
fn row_starts(degrees: &[Vec<u32>]) -> Vec<u32> {
    let rows = degrees.first().map_or(0, Vec::len);
    let mut starts = Vec::with_capacity(rows + 1);
    let mut before = 0;
    for row in 0..rows {
        starts.push(before);
        before += degrees.iter().map(|own| own[row]).sum::<u32>();
    }
    starts.push(before);
    starts
}

/// The number of edges that a member has for each member.
fn sizes(degrees: &[u32], starts: &[Vertex]) -> Vec<u32> {
    let block = |block: &[Vertex]| degrees[block[0] as usize..block[1] as usize].iter().sum();
    starts.windows(2).map(block).collect()
}
