//! Times of updates: `updates SPEC [FILE]`, where SPEC is a generated graph such as
//! `road:n=1000000`. Prints JSON.
//!
//! Single insertions are measured with the weights of the graph, and as a stream in which each edge
//! is better than all before, as in temporal graphs. With FILE, the stream is written there for
//! other programs in the form that `lab/kostra-bench/src/peers/program.rs` describes.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::time::{Duration, Instant};

use kostra_core::random::RandomStream;
use kostra_core::{AnyGraph, EdgeList, Order};
use kostra_dynamic::DynamicForest;

/// How long batches of one size are repeated.
const LONG: Duration = Duration::from_secs(2);
/// The number of queries.
const QUERIES: u64 = 1_000_000;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let spec = arguments.next().unwrap_or_else(|| "road:n=1000000".to_owned());
    let graph = kostra_gen::generate(&spec).expect("a generator and its parameters").graph;
    let AnyGraph::U32(graph) = graph else { panic!("{spec} has no weights of type u32") };
    let list = graph.edge_list();
    let newest_first: Vec<u32> = (1..=list.len() as u32).rev().collect();
    let stream =
        EdgeList::of_checked(list.vertices(), list.u().to_vec(), list.v().to_vec(), newest_first);
    if let Some(path) = arguments.next() {
        write(&stream, &path).expect("the file can be written");
    }
    let (solve, mut forest) = timed(|| {
        let mut forest = empty(list);
        forest.insert(list.u(), list.v(), list.weights()).expect("a valid graph");
        forest
    });
    println!("{{\"solve_seconds\": {solve:.6}");
    single_insertions("insert", list);
    single_insertions("stream", &stream);
    delete_until_fast(&mut forest);
    let mut batch = 1;
    while batch <= forest.ids().len() {
        batches(&mut forest, batch);
        batch *= 10;
    }
    check(&mut forest);
    println!("}}");
}

fn empty(list: &EdgeList<u32>) -> DynamicForest<u32> {
    DynamicForest::new(list.vertices() as usize, Order::Minimum).expect("there is memory")
}

fn timed<T>(step: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let result = step();
    (start.elapsed().as_secs_f64(), result)
}

/// All edges, one at a time, and queries on what they give.
fn single_insertions(name: &str, list: &EdgeList<u32>) {
    let mut forest = empty(list);
    let (seconds, ()) = timed(|| {
        for ((u, v), weight) in
            list.u().chunks(1).zip(list.v().chunks(1)).zip(list.weights().chunks(1))
        {
            forest.insert(u, v, weight).expect("a valid edge");
        }
    });
    let each = seconds * 1e6 / list.len().max(1) as f64;
    println!(", \"{name}_seconds\": {seconds:.6}, \"{name}_us\": {each:.3}");
    println!(", \"{name}_total\": {}", forest.total());
    let mut in_turn = empty(list);
    let answers = || in_turn.insert_in_turn(list.u(), list.v(), list.weights());
    let (seconds, answers) = timed(answers);
    println!(", \"{name}_in_turn_seconds\": {seconds:.6}");
    assert!(answers.is_ok() && in_turn.ids() == forest.ids(), "the forests differ");
    let (stream, n) = (RandomStream::new(2), u64::from(list.vertices()));
    let (seconds, found) = timed(|| {
        (0..QUERIES)
            .filter_map(|query| {
                let [s, t] = [0, 1].map(|end| stream.below(2 * query + end, n) as u32);
                forest.bottleneck(s, t).expect("vertices of the graph")
            })
            .fold(0_u64, |sum, id| sum.wrapping_add(u64::from(id)))
    });
    let each = seconds * 1e6 / QUERIES as f64;
    println!(", \"{name}_query_us\": {each:.3}, \"{name}_query_checksum\": {found}");
}

/// Deletes edges of the forest one by one. The first deletions solve again, until trees that can
/// change are worth the time to make them.
fn delete_until_fast(forest: &mut DynamicForest<u32>) {
    let (mut first, mut all, mut count) = (0.0, 0.0, 0);
    loop {
        let id = forest.ids()[0];
        let (seconds, ()) = timed(|| forest.delete(&[id]).expect("it is present"));
        if count == 0 {
            first = seconds;
            println!(", \"first_deletion_seconds\": {first:.6}");
        } else if seconds < first / 10.0 {
            println!(", \"slow_deletions\": {count}, \"slow_deletions_seconds\": {all:.6}");
            return;
        }
        all += seconds;
        count += 1;
    }
}

/// Deletes random edges of the forest in batches, and inserts each batch again.
fn batches(forest: &mut DynamicForest<u32>, batch: usize) {
    let mut ids = forest.ids();
    RandomStream::new(1).shuffle(&mut ids);
    let (mut deleting, mut inserting, mut edges) = (0.0, 0.0, 0);
    let start = Instant::now();
    for ids in ids.chunks(batch) {
        if start.elapsed() > LONG {
            break;
        }
        let ends = ids.iter().map(|&id| forest.edge(id).expect("it is present"));
        let (mut u, mut v, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        for (s, t, weight) in ends {
            u.push(s);
            v.push(t);
            weights.push(weight);
        }
        deleting += timed(|| forest.delete(ids).expect("the edges are present")).0;
        inserting += timed(|| forest.insert(&u, &v, &weights).expect("valid edges")).0;
        edges += ids.len();
    }
    let [deleting, inserting] = [deleting, inserting].map(|seconds| seconds * 1e6 / edges as f64);
    println!(", \"delete_{batch}_us\": {deleting:.3}, \"insert_{batch}_us\": {inserting:.3}");
}

/// Panics unless the forest is that of a fresh solve.
fn check(forest: &mut DynamicForest<u32>) {
    let (mut u, mut v, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    let present = forest.present_ids();
    for &id in &present {
        let (s, t, weight) = forest.edge(id).expect("it is present");
        u.push(s);
        v.push(t);
        weights.push(weight);
    }
    let mut fresh =
        DynamicForest::new(forest.vertices() as usize, Order::Minimum).expect("there is memory");
    fresh.insert(&u, &v, &weights).expect("valid edges");
    let ids: Vec<_> = fresh.ids().into_iter().map(|id| present[id as usize]).collect();
    assert!(forest.ids() == ids, "the forest is not that of a fresh solve");
}

fn write(list: &EdgeList<u32>, path: &str) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    file.write_all(b"KOSTRAPE")?;
    for count in [u64::from(list.vertices()), list.len() as u64] {
        file.write_all(&count.to_le_bytes())?;
    }
    for values in [list.u(), list.v(), list.weights()] {
        for value in values {
            file.write_all(&value.to_le_bytes())?;
        }
    }
    file.flush()
}
