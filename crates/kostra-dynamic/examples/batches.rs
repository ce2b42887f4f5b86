//! Times of batches of each size next to a fresh solve: `batches SPEC [KIND [SIZE]]`, where SPEC is
//! a generated graph such as `gnm:n=100000,m=200000`. Prints JSON: for each kind of stream and each
//! size, the microseconds per batch, and of one solve of the present edges from arrays that are
//! ready.
//!
//! Every stream starts from the graph. Its batches are equal in size, and edges and weights are
//! random. The time per batch is a mean, so it includes what prepares for later batches.

use std::time::Instant;

use kostra_core::random::RandomStream;
use kostra_core::{AnyGraph, EdgeList, Order, Run};
use kostra_dynamic::{DynamicForest, UpdateBatch};

/// How many seconds batches of one size take.
const LONG: f64 = 2.0;
/// Solves among the batches of one size.
const SOLVES: usize = 3;
const LARGEST: usize = 1_000_000;

/// The kinds of streams.
///
/// * `insert`, `delete`, `reweight`: batches of one kind, of up to half of the edges.
/// * `slide`: edges are inserted, and as many of the oldest ones expire, in one batch.
/// * `mix`: edges are deleted, reweighted and inserted, each a batch of a third of the size.
/// * `update`: the same in one batch.
const KINDS: [&str; 6] = ["insert", "delete", "reweight", "slide", "mix", "update"];

/// A forest in a stream of batches.
struct Stream {
    forest: DynamicForest<u32>,
    random: RandomStream,
    drawn: u64,
    /// The present edges.
    ids: Vec<u32>,
    /// The first edges of the graph, in random order, as far as they are present.
    shuffled: Vec<u32>,
}

impl Stream {
    fn of(list: &EdgeList<u32>) -> Self {
        let n = list.vertices() as usize;
        let mut forest = DynamicForest::new(n, Order::Minimum).expect("there is memory");
        forest.insert(list.u(), list.v(), list.weights()).expect("a valid graph");
        let mut shuffled = forest.present_ids();
        RandomStream::new(1).shuffle(&mut shuffled);
        Self { forest, random: RandomStream::new(2), drawn: 0, ids: Vec::new(), shuffled }
    }

    fn draw(&mut self, size: usize, bound: u32) -> Vec<u32> {
        self.drawn += 1;
        let random = self.random.split(self.drawn);
        (0..size as u64).map(|place| random.below(place, bound.into()) as u32).collect()
    }

    /// The seconds of a batch.
    fn batch(&mut self, kind: &str, size: usize) -> f64 {
        match kind {
            "insert" => self.insert(size),
            "delete" => self.delete(size),
            "reweight" => self.reweight(size),
            "slide" => {
                let expire = self.oldest() + size as u32;
                self.apply(size, UpdateBatch { expire, ..UpdateBatch::default() })
            }
            "update" => {
                let part = size.div_ceil(3);
                let delete = self.shuffled.split_off(self.shuffled.len() - part);
                let (ids, weights) = self.drawn_weights(part);
                let reweight = (&ids[..], &weights[..]);
                self.apply(
                    part,
                    UpdateBatch { delete: &delete, reweight, ..UpdateBatch::default() },
                )
            }
            _ => {
                let part = size.div_ceil(3);
                self.delete(part) + self.reweight(part) + self.insert(part)
            }
        }
    }

    fn oldest(&self) -> u32 {
        let next = self.ids.len() + self.shuffled.len();
        (next - self.forest.edges()) as u32
    }

    fn insert(&mut self, size: usize) -> f64 {
        self.apply(size, UpdateBatch::default())
    }

    /// The seconds of a batch that also inserts `size` edges.
    fn apply(&mut self, size: usize, batch: UpdateBatch<'_, u32>) -> f64 {
        let n = self.forest.vertices();
        let (u, v, weights) = (self.draw(size, n), self.draw(size, n), self.draw(size, u32::MAX));
        let batch = UpdateBatch { insert: (&u, &v, &weights), ..batch };
        let start = Instant::now();
        let ids = self.forest.apply(&batch).expect("valid updates");
        let seconds = start.elapsed().as_secs_f64();
        self.ids.extend(ids);
        seconds
    }

    fn delete(&mut self, size: usize) -> f64 {
        let ids = self.shuffled.split_off(self.shuffled.len() - size);
        let start = Instant::now();
        self.forest.delete(&ids).expect("the edges are present");
        start.elapsed().as_secs_f64()
    }

    fn reweight(&mut self, size: usize) -> f64 {
        let (ids, weights) = self.drawn_weights(size);
        let start = Instant::now();
        self.forest.reweight(&ids, &weights).expect("the edges are present");
        start.elapsed().as_secs_f64()
    }

    fn drawn_weights(&mut self, size: usize) -> (Vec<u32>, Vec<u32>) {
        let first = self.draw(1, (self.shuffled.len() - size) as u32 + 1)[0] as usize;
        (self.shuffled[first..first + size].to_vec(), self.draw(size, u32::MAX))
    }

    /// The seconds of a solve of the present edges. The forest must be its answer.
    fn solve(&self) -> f64 {
        let present = self.forest.present_ids();
        let edges = present.iter().map(|&id| self.forest.edge(id).expect("it is present"));
        let (mut u, mut v, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        for (s, t, weight) in edges {
            u.push(s);
            v.push(t);
            weights.push(weight);
        }
        let list = EdgeList::of_checked(self.forest.vertices(), u, v, weights);
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let start = Instant::now();
        let mut run = Run::new().on_threads(threads);
        let solved = kostra_cpu::forest_of_edges(list.edges(Order::Minimum), &mut run);
        let solved = solved.and_then(|solved| Ok(solved.try_into_ids()?)).expect("there is memory");
        let seconds = start.elapsed().as_secs_f64();
        let ids: Vec<u32> = solved.into_iter().map(|id| present[id as usize]).collect();
        assert!(self.forest.ids() == ids, "the forest is not that of a fresh solve");
        seconds
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let spec = arguments.next().unwrap_or_else(|| "gnm:n=100000,m=200000".to_owned());
    let kind = arguments.next();
    let size: Option<usize> = arguments.next().map(|size| size.parse().expect("a size"));
    let graph = kostra_gen::generate(&spec).expect("a generator and its parameters").graph;
    let AnyGraph::U32(graph) = graph else { panic!("{spec} has no weights of type u32") };
    let list = graph.edge_list();
    print!("{{\"edges\": {}", list.len());
    for kind in KINDS.into_iter().filter(|&name| kind.as_deref().is_none_or(|kind| kind == name)) {
        let sizes = std::iter::successors(Some(1), |size| Some(10 * size));
        let sizes = sizes.take_while(|&size| size <= LARGEST.min(list.len() / 2));
        for size in sizes.filter(|&one| size.is_none_or(|size| size == one)) {
            let (batch, solve) = times(list, kind, size);
            println!(",");
            print!("\"{kind}_{size}_us\": {batch:.3}, \"{kind}_{size}_solve_us\": {solve:.3}");
        }
    }
    println!("}}");
}

/// The microseconds per batch, and of the fastest solve between batches.
fn times(list: &EdgeList<u32>, kind: &str, size: usize) -> (f64, f64) {
    let mut stream = Stream::of(list);
    let most = list.len() / 2 / size;
    let (mut seconds, mut batches, mut solve, mut solves) = (0.0, 0, f64::INFINITY, 0);
    while batches < most && (seconds < LONG || solves < SOLVES) {
        let one = stream.batch(kind, size);
        if std::env::var_os("TRACE").is_some() && batches < 40 {
            eprintln!("{batches} {:.1} us", one * 1e6);
        }
        seconds += one;
        batches += 1;
        if solves < SOLVES && batches.is_power_of_two() {
            solve = solve.min(stream.solve());
            solves += 1;
        }
    }
    (seconds * 1e6 / batches as f64, solve * 1e6)
}
