//! Graphs that make a solver leave its fast path, or that fill its tables completely, with weights
//! of every type.

use kostra_core::{AnyGraph, EdgeList, Vertex, Weight};
use kostra_testkit::multigraphs::Random;

/// A graph without weights, and one number per edge from which the weights are derived.
pub(crate) struct Raw {
    vertices: Vertex,
    ends: Vec<(Vertex, Vertex)>,
    weight: fn(usize) -> u64,
}

pub(crate) type Make = Box<dyn Fn() -> Raw>;

/// Graphs of all shapes with such weights.
fn shapes(words: &str, weight: fn(usize) -> u64) -> Vec<(String, Make)> {
    let mut graphs: Vec<(String, Make)> = Vec::new();
    let mut add = |name: String, make: Make| graphs.push((name, make));
    add(
        format!("path, {words} weights"),
        Box::new(move || Raw { vertices: 30_000, ends: path(30_000), weight }),
    );
    add(
        format!("star, {words} weights"),
        Box::new(move || Raw {
            vertices: 30_000,
            ends: (1..30_000).map(|v| (0, v)).collect(),
            weight,
        }),
    );
    add(
        format!("a hub with half of the entries, {words} weights"),
        Box::new(move || Raw { vertices: 20_000, ends: hub(20_000, 120_000), weight }),
    );
    add(
        format!("no giant: components of five, {words} weights"),
        Box::new(move || Raw { vertices: 25_000, ends: crumbs(25_000, 5), weight }),
    );
    add(
        format!("two thirds of the vertices isolated, {words} weights"),
        Box::new(move || Raw { vertices: 60_000, ends: random(20_000, 60_000, 5), weight }),
    );
    add(
        format!("dense, {words} weights"),
        Box::new(move || Raw { vertices: 300, ends: random(300, 40_000, 6), weight }),
    );
    add(
        format!("two vertices and many edges, {words} weights"),
        Box::new(move || Raw { vertices: 2, ends: random(2, 5_000, 7), weight }),
    );
    add(format!("self-loops only, {words} weights"), {
        Box::new(move || Raw { vertices: 500, ends: (0..500).map(|v| (v, v)).collect(), weight })
    });
    graphs
}

/// Graphs that make a solver leave its fast path, or that fill its tables completely.
pub(crate) fn hard_graphs() -> Vec<(String, Make)> {
    const SAME: fn(usize) -> u64 = |_| 7;
    const FEW: fn(usize) -> u64 = |edge| scatter(edge) % 3;
    const ANY: fn(usize) -> u64 = scatter;
    const ASCENDING: fn(usize) -> u64 = |edge| edge as u64;
    const DESCENDING: fn(usize) -> u64 = |edge| u64::from(u32::MAX) - edge as u64;
    let mut graphs: Vec<(String, Make)> = Vec::new();
    for (words, weight) in [
        ("equal", SAME),
        ("few", FEW),
        ("random", ANY),
        ("ascending", ASCENDING),
        ("descending", DESCENDING),
    ] {
        graphs.extend(shapes(words, weight));
    }
    let mut add = |name: String, make: Make| graphs.push((name, make));
    // Sizes around the limits at which a table no longer fits into the shared memory of a block or
    // a grid.
    for limit in [32_u32, 256, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536] {
        for vertices in [limit - 1, limit, limit + 1] {
            add(
                format!("{vertices} vertices"),
                Box::new(move || Raw {
                    vertices,
                    ends: random(vertices, 4 * vertices as usize, vertices.into()),
                    weight: ANY,
                }),
            );
        }
    }
    for vertices in [0, 1000] {
        let name = format!("{vertices} vertices and no edges");
        add(name, Box::new(move || Raw { vertices, ends: vec![], weight: SAME }));
    }
    add("a grid".to_owned(), Box::new(|| Raw { vertices: 40_000, ends: grid(200), weight: ANY }));
    graphs
}

fn path(n: Vertex) -> Vec<(Vertex, Vertex)> {
    (1..n).map(|v| (v - 1, v)).collect()
}

fn hub(n: Vertex, m: usize) -> Vec<(Vertex, Vertex)> {
    let mut ends = random(n, m, 3);
    ends.iter_mut().step_by(2).for_each(|(u, _)| *u = n / 2);
    ends
}

fn crumbs(n: Vertex, size: Vertex) -> Vec<(Vertex, Vertex)> {
    let ends = random(n, 2 * n as usize, 4);
    ends.into_iter().map(|(u, v)| (u, u - u % size + v % size)).collect()
}

fn random(n: Vertex, m: usize, seed: u64) -> Vec<(Vertex, Vertex)> {
    let mut random = Random(seed);
    (0..m).map(|_| (random.below(n), random.below(n))).collect()
}

fn grid(side: Vertex) -> Vec<(Vertex, Vertex)> {
    let rows =
        (0..side).flat_map(move |y| (1..side).map(move |x| (y * side + x - 1, y * side + x)));
    let columns =
        (1..side).flat_map(move |y| (0..side).map(move |x| ((y - 1) * side + x, y * side + x)));
    rows.chain(columns).collect()
}

/// Maps each number to a pseudorandom number.
fn scatter(number: usize) -> u64 {
    Random(number as u64).next()
}

/// The graph with weights of every type. Floats have any sign and magnitude, including infinities
/// and zeros of both signs.
pub(crate) fn with_all_weight_types(make: &Make) -> impl Iterator<Item = AnyGraph> {
    let Raw { vertices, ends, weight } = make();
    (0..6).map(move |kind| match kind {
        0 => graph_of(vertices, &ends, |edge| weight(edge) as i32),
        1 => graph_of(vertices, &ends, |edge| weight(edge) as u32),
        2 => graph_of(vertices, &ends, |edge| weight(edge) as i64),
        3 => graph_of(vertices, &ends, weight),
        4 => graph_of(vertices, &ends, |edge| match weight(edge) {
            0 => 0.0,
            1 => -0.0,
            number if number < 1 << 32 => number as f32 - 1e6,
            number => Some(f32::from_bits(number as u32))
                .filter(|weight| !weight.is_nan())
                .unwrap_or(-0.0),
        }),
        _ => graph_of(vertices, &ends, |edge| match weight(edge) {
            0 => 0.0,
            1 => -0.0,
            number if number < 1 << 32 => number as f64 - 1e6,
            number => {
                Some(f64::from_bits(number)).filter(|weight| !weight.is_nan()).unwrap_or(-0.0)
            }
        }),
    })
}

pub(crate) fn graph_of<W: Weight>(
    vertices: Vertex,
    ends: &[(Vertex, Vertex)],
    weight: impl Fn(usize) -> W,
) -> AnyGraph
where
    AnyGraph: From<EdgeList<W>>,
{
    let (u, v): (Vec<_>, Vec<_>) = ends.iter().copied().unzip();
    let weights: Vec<W> = (0..u.len()).map(weight).collect();
    AnyGraph::from_edges(vertices as usize, u, v, weights)
        .expect("the ends are vertices and no weight is NaN")
}
