//! `hetero`: the processor's threads and a CUDA device on one graph.
//!
//! `docs/algorithms/cuda-multi.md` explains the algorithm.
//!
//! * Idea: the threads reduce edges from the first one on to forests with `fast`. At the same time
//!   the device reduces edges from the last one on with `cuda-fast`. A small turn measures the rate
//!   of both sides. Then half of the other edges are divided by these rates, and the last half by
//!   the rates of that turn. The device finds the forest of all forests.
//! * Correctness: an edge that is not in the forest of a share is the greatest of a cycle (cycle
//!   property).
//! * By default, the side that is predicted to be faster has all edges: on every graph that was
//!   measured, a division was slower. With the option `percent=101`, edges are divided if there are
//!   enough per vertex, and the gain is predicted once more from the rates of the first turn.
//! * Source: this project. Sousa 2014 names a processor and a GPU on one graph as future work
//!   (6.2).
//! * Memory: that of `fast` for the largest share, and on the device that of `cuda-fast`.
//! * Input: an edge list in host memory with many edges per vertex. Exact.

use std::ops::Range;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use kostra_core::memory;
use kostra_core::{
    Algorithm, EdgeId, EdgeSet, Edges, Key, OutOfMemory, Platform, Problem, Representation, Run,
    SolveError, SolverInfo, SolverOption, Vertex,
};
use kostra_cuda::multi::{ListedEdges, Reduction};
use kostra_parallel::{into_item, lock};

/// The solver for threads and a device.
pub(crate) struct Hetero;

const THREADS_SHARE: SolverOption = SolverOption {
    name: "percent",
    about: "percentage of the edges that threads reduce; 101: by measured rates; 102: all or none",
    default: ALL_OR_NONE,
    lowest: 0,
    highest: ALL_OR_NONE,
};
/// Shares are measured, if threads may help.
const MEASURED: u64 = 101;
/// The side that is predicted to be faster has all edges.
const ALL_OR_NONE: u64 = 102;

/// The least number of edges per vertex with which threads may help. A device that takes part of
/// the edges finds the forest of up to two vertices' worth of edges more.
const LEAST_DEGREE: usize = 32;
/// The least number of edges with which threads may help: a device solves fewer within some
/// milliseconds, copies included.
const LEAST_EDGES: usize = 1 << 22;
/// What `fast` takes on each of the threads, in nanoseconds, for graphs of at least
/// [`LEAST_DEGREE`] edges per vertex (measured on 16 and 32 processors).
const THREAD_NS_PER_EDGE: f64 = 5.0;
const THREAD_NS_PER_VERTEX: f64 = 1000.0;
/// What `cuda-fast` takes with the copy over a bus of 16 lanes of PCI Express 5 (measured).
const DEVICE_NS_PER_EDGE: f64 = 0.3;
/// The first turn has this part of the edges for each side.
const FIRST_TURN: usize = 32;
/// The share of the time that must be saved to divide the edges. A prediction may be wrong by less.
const LEAST_GAIN: f64 = 0.1;
/// One of this number of threads copies to the device, and at most [`MOST_COPIERS`]. The others
/// reduce edges.
const THREADS_PER_COPIER: usize = 4;
/// More threads do not copy faster on any bus.
const MOST_COPIERS: usize = 8;

impl Algorithm for Hetero {
    const INFO: SolverInfo = SolverInfo {
        id: "hetero",
        title: "The processor's threads and a GPU on one graph",
        source: "this project; Sousa 2014, 6.2",
        platform: Platform::Cuda,
        representation: Representation::EdgeList,
        exact: true,
        time: "O((n + m) log n) work, divided by measured rates",
        scratch: "of fast and, on the device, of cuda-fast for their shares",
        options: &[THREADS_SHARE],
    };

    fn admit(&self, vertices: u32, edges: usize) -> Result<(), SolveError> {
        kostra_cuda::fast::admit(vertices, edges)
    }

    fn solve<K: Key>(
        &self,
        problem: Problem<'_, K>,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError> {
        let edges = problem.edges();
        let percent = run.option(&THREADS_SHARE);
        let may_pay = may_pay(edges, run.threads());
        if percent == ALL_OR_NONE && may_pay && threads_are_faster(edges, run.threads()) {
            run.counter("edges on threads", edges.len() as f64);
            run.counter("edges on the device", 0.0);
            return kostra_cpu::forest_of_edges(edges, run);
        }
        let on_device = percent == ALL_OR_NONE || percent == 0;
        if edges.is_empty() || on_device || percent == MEASURED && !may_pay {
            run.counter("edges on threads", 0.0);
            run.counter("edges on the device", edges.len() as f64);
            return kostra_cuda::fast::from_host(edges, run);
        }
        let mut halves = Halves::new(edges, run)?;
        if percent == MEASURED {
            halves.divide_by_rates(run)?;
        } else {
            let on_threads = (edges.len() as u64 * percent / 100) as usize;
            halves.turn(on_threads, edges.len() - on_threads, run)?;
        }
        halves.finish(run)
    }

    fn list(&self, forest: EdgeSet, run: &Run<'_>) -> Result<Vec<EdgeId>, OutOfMemory> {
        kostra_parallel::edge_ids(forest, run.threads())
    }
}

/// Whether threads may save time on a graph of this size.
fn may_pay<K: Key>(edges: Edges<'_, K>, threads: usize) -> bool {
    let (n, m) = (edges.vertices() as usize, edges.len());
    threads > 1 && m >= LEAST_EDGES && m / LEAST_DEGREE >= n
}

/// Whether the threads alone are predicted to be faster than the device alone. Then the edges are
/// not shared, either: threads read the keys of most edges only, and a copy to the device reads and
/// writes 36 bytes of host memory per edge, so a device that takes part slows the threads down.
fn threads_are_faster<K: Key>(edges: Edges<'_, K>, threads: usize) -> bool {
    let (n, m) = (f64::from(edges.vertices()), edges.len() as f64);
    let by_threads = (THREAD_NS_PER_EDGE * m + THREAD_NS_PER_VERTEX * n) / threads.max(1) as f64;
    by_threads < DEVICE_NS_PER_EDGE * m
}

/// The edges of both sides: threads have those below `low`, the device has those from `high` on.
struct Halves<'a, K: Key> {
    edges: Edges<'a, K>,
    low: usize,
    high: usize,
    /// The ids of the forests that the threads found, ascending.
    kept: Vec<EdgeId>,
    device: Mutex<Reduction<K>>,
}

impl<'a, K: Key> Halves<'a, K> {
    fn new(edges: Edges<'a, K>, run: &mut Run<'_>) -> Result<Self, SolveError> {
        let device = Mutex::new(Reduction::new(run.device(), edges, run)?);
        Ok(Self { edges, low: 0, high: edges.len(), kept: Vec::new(), device })
    }

    /// Divides all edges by rates that are measured in turns.
    fn divide_by_rates(&mut self, run: &mut Run<'_>) -> Result<(), SolveError> {
        let (n, first) = (self.edges.vertices() as usize, self.edges.len() / FIRST_TURN);
        let [threads, device] = self.turn(first, first, run)?;
        let share = threads_share(threads.as_secs_f64(), device.as_secs_f64());
        let gain = predicted_gain(share, self.high - self.low, n);
        run.counter("predicted gain in percent", 100.0 * gain);
        if gain < LEAST_GAIN {
            self.turn(0, self.high - self.low, run)?;
            return Ok(());
        }
        let half = (self.high - self.low) / 2;
        let on_threads = (half as f64 * share) as usize;
        let [threads, device] = self.turn(on_threads, half - on_threads, run)?;
        let share = threads_share(
            seconds_per_edge(threads, on_threads),
            seconds_per_edge(device, half - on_threads),
        );
        let rest = self.high - self.low;
        let on_threads = (rest as f64 * share) as usize;
        self.turn(on_threads, rest - on_threads, run).map(drop)
    }

    /// Reduces the next `low` edges on threads and the last `high` edges on the device, at the same
    /// time. Returns the times of both.
    fn turn(
        &mut self,
        low: usize,
        high: usize,
        run: &mut Run<'_>,
    ) -> Result<[Duration; 2], SolveError> {
        run.progress(self.low + (self.edges.len() - self.high), self.edges.len() + 1)?;
        let (lower, upper) = (self.low..self.low + low, self.high - high..self.high);
        let copiers = (run.threads() / THREADS_PER_COPIER).clamp(1, MOST_COPIERS);
        let workers = run.threads().saturating_sub(copiers).max(1);
        let (edges, device) = (self.edges, &self.device);
        let on_device = || {
            let start = Instant::now();
            let mut device = lock(device);
            let reduced =
                if upper.is_empty() { Ok(()) } else { device.add(edges, upper.clone(), copiers) };
            reduced.map(|()| start.elapsed())
        };
        let kept = &mut self.kept;
        let (by_threads, by_device) = thread::scope(|scope| {
            // If the system refuses the thread, the device has its turn afterwards.
            let helper = thread::Builder::new().spawn_scoped(scope, on_device).ok();
            let start = Instant::now();
            let by_threads = run.solver_phase("share of the threads", |run| {
                run.with_threads(workers, |run| reduce(edges, lower.clone(), kept, run))
            });
            let by_threads = by_threads.map(|()| start.elapsed());
            let by_device = match helper.map(thread::ScopedJoinHandle::join) {
                Some(Ok(result)) => result,
                Some(Err(panic)) => std::panic::resume_unwind(panic),
                None => on_device(),
            };
            (by_threads, by_device)
        });
        self.low += low;
        self.high -= high;
        Ok([by_threads?, by_device?])
    }

    /// The forest of the forests of both sides, found on the device.
    fn finish(self, run: &mut Run<'_>) -> Result<EdgeSet, SolveError> {
        let Self { edges, low, high, kept, device } = self;
        run.counter("edges on threads", low as f64);
        run.counter("edges on the device", (edges.len() - high) as f64);
        run.counter("edges of the threads' forests", kept.len() as f64);
        let device = into_item(device);
        run.counter("edges of the device's forest", device.len() as f64);
        run.progress(edges.len(), edges.len() + 1)?;
        let threads = run.threads();
        let (u, v, weights) = run.phase("gather", |_| {
            Ok::<_, OutOfMemory>((
                at::<Vertex>(edges.u(), &kept, threads)?,
                at::<Vertex>(edges.v(), &kept, threads)?,
                at::<K>(edges.weights(), &kept, threads)?,
            ))
        })?;
        let lower = ListedEdges { u: &u, v: &v, weights: &weights, ids: &kept };
        let set = device.finish_with(lower, edges.len(), run)?;
        run.progress(1, 1)?;
        Ok(set)
    }
}

/// Adds the ids of the forest of a share of the edges to `kept`.
fn reduce<K: Key>(
    edges: Edges<'_, K>,
    share: Range<usize>,
    kept: &mut Vec<EdgeId>,
    run: &mut Run<'_>,
) -> Result<(), SolveError> {
    if share.is_empty() {
        return Ok(());
    }
    let start = share.start as EdgeId;
    let ids = kostra_cpu::forest_of_edges(edges.range(share), run)?;
    let ids = kostra_parallel::edge_ids(ids, run.threads())?;
    memory::reserve(kept, ids.len())?;
    kept.extend(ids.into_iter().map(|id| start + id));
    Ok(())
}

/// The time of a side for an edge. It is below the resolution of [`Duration`].
fn seconds_per_edge(time: Duration, edges: usize) -> f64 {
    time.as_secs_f64() / edges.max(1) as f64
}

/// The share of the edges that threads get, so that both sides end at the same time. Both times are
/// for the same number of edges.
fn threads_share(threads: f64, device: f64) -> f64 {
    let both = threads + device;
    if both > 0.0 { device / both } else { 0.5 }
}

/// The part of the device's time for `rest` edges that is saved if threads take `share` of them. A
/// division makes the device solve up to two more forests of up to `vertices` edges.
fn predicted_gain(share: f64, rest: usize, vertices: usize) -> f64 {
    if rest == 0 {
        return 0.0;
    }
    share - 2.0 * vertices as f64 / rest as f64
}

/// The items at these positions, copied by up to `threads` threads.
fn at<T: Copy + Default + Send + Sync>(
    items: &[T],
    positions: &[EdgeId],
    threads: usize,
) -> Result<Vec<T>, OutOfMemory> {
    let mut found = memory::filled(positions.len(), T::default())?;
    let piece = positions.len().div_ceil(threads).max(1 << 14);
    let mut pieces: Vec<_> = found.chunks_mut(piece).zip(positions.chunks(piece)).collect();
    kostra_parallel::for_each_mut(&mut pieces, |(found, positions)| {
        for (found, &position) in found.iter_mut().zip(*positions) {
            *found = items[position as usize];
        }
    });
    Ok(found)
}

#[cfg(test)]
mod tests {
    use kostra_core::{EdgeList, Order};

    use super::*;

    #[test]
    fn sides_share_edges_by_their_rates() {
        assert!((threads_share(0.03, 0.01) - 0.25).abs() < 1e-9);
        assert!((threads_share(0.01, 0.01) - 0.5).abs() < 1e-9);
        assert!((threads_share(0.0, 0.0) - 0.5).abs() < 1e-9);
        // Less than a nanosecond for an edge.
        let [threads, device] =
            [30, 10].map(|ms| seconds_per_edge(Duration::from_millis(ms), 100_000_000));
        assert!((threads_share(threads, device) - 0.25).abs() < 1e-9);
    }

    #[test]
    fn forests_that_are_solved_again_count_against_a_division() {
        assert!(predicted_gain(0.3, 1000, 1) > LEAST_GAIN);
        assert!(predicted_gain(0.3, 1000, 150) < LEAST_GAIN);
        assert!(predicted_gain(0.05, 1000, 1) < LEAST_GAIN);
        assert!(predicted_gain(0.5, 0, 1) < LEAST_GAIN);
    }

    #[test]
    fn small_and_sparse_graphs_and_single_threads_are_left_to_the_device() {
        let of = |vertices, m: usize| {
            EdgeList::new(vertices, vec![0; m], vec![0; m], vec![0_u32; m]).unwrap()
        };
        let large = of(LEAST_EDGES / LEAST_DEGREE, LEAST_EDGES);
        assert!(may_pay(large.edges(Order::Minimum), 2));
        assert!(!may_pay(large.edges(Order::Minimum), 1));
        let sparse = of(LEAST_EDGES / LEAST_DEGREE + 1, LEAST_EDGES);
        assert!(!may_pay(sparse.edges(Order::Minimum), 16));
        assert!(!may_pay(of(10, 1000).edges(Order::Minimum), 16));
    }

    #[test]
    fn a_dense_graph_is_left_to_many_threads_and_never_to_few() {
        let m = LEAST_EDGES;
        let of =
            |vertices| EdgeList::new(vertices, vec![0; m], vec![0; m], vec![0_u32; m]).unwrap();
        let (dense, sparse) = (of(2000), of(m / LEAST_DEGREE));
        assert!(threads_are_faster(dense.edges(Order::Minimum), 32));
        assert!(!threads_are_faster(dense.edges(Order::Minimum), 8));
        assert!(!threads_are_faster(sparse.edges(Order::Minimum), 32));
    }

    #[test]
    fn items_are_gathered_in_order_by_any_number_of_threads() {
        let items: Vec<u32> = (0..100_000).map(|i| i * 7).collect();
        let positions: Vec<u32> = (0..50_000).map(|i| 2 * i).collect();
        for threads in [1, 3] {
            let found = at(&items, &positions, threads).unwrap();
            assert!(found.iter().zip(&positions).all(|(&found, &at)| found == at * 7));
        }
        assert!(at::<u32>(&items, &[], 4).unwrap().is_empty());
    }
}
