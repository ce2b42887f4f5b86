//! Segmentation of graphs by the criterion of Felzenszwalb and Huttenlocher.

use kostra_core::{EdgeList, Key, Order, OutOfMemory, Run, UnionFind, Vertex, Weight, memory};

use super::ClusterError;

/// Edges that are visited between two questions whether the run is cancelled.
const BATCH: usize = 1 << 16;

/// The segments of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segments {
    /// The segment of each vertex. Segments are numbered from 0 in the order of their lowest
    /// vertices.
    pub labels: Vec<u32>,
    /// The number of segments.
    pub segments: u32,
}

/// Divides the vertices of a graph into segments, such as the pixels of an image into regions.
///
/// The edges are visited in their order: by weight, then by id. An edge merges two segments if its
/// weight is at most the largest weight inside each of them, plus `scale` divided by the number of
/// their vertices. So a larger `scale` gives larger segments. Then the edges are visited again, and
/// an edge merges two segments if one of them has fewer than `min_size` vertices. In a graph with
/// several components, segments of a smaller component stay smaller. An edge of infinite weight
/// merges nothing.
///
/// The edges outside of the minimum spanning forest matter, because two segments that an edge does
/// not merge may be merged through other segments.
///
/// ```
/// use kostra_core::{EdgeList, Run};
/// use kostra_points::cluster::segment;
///
/// // A row of pixels with the values 10, 11, 10, 90, 91, 50.
/// let row = EdgeList::new(6, vec![0, 1, 2, 3, 4], vec![1, 2, 3, 4, 5], vec![1, 1, 80, 1, 41])?;
/// assert_eq!(segment(&row, 5.0, 1, &mut Run::new())?.labels, [0, 0, 0, 1, 1, 2]);
/// assert_eq!(segment(&row, 5.0, 2, &mut Run::new())?.labels, [0, 0, 0, 1, 1, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Takes O(m log m) time and 8 bytes per edge for weights of 32 bits, or 16 for 64 bits.
///
/// Source: Felzenszwalb and Huttenlocher, "Efficient graph-based image segmentation", 2004.
///
/// # Errors
/// When `scale` is negative or NaN, the observer of the run cancels it, or the system does not
/// grant the memory.
pub fn segment<W: Weight>(
    graph: &EdgeList<W>,
    scale: f64,
    min_size: u32,
    run: &mut Run<'_>,
) -> Result<Segments, ClusterError> {
    let edges = graph.edges(Order::Minimum);
    if scale.is_nan() || scale < 0.0 {
        return Err(ClusterError::Scale(scale));
    }
    let mut ranks = memory::collected(edges.ids().map(|id| edges.rank(id)))?;
    ranks.sort_unstable();
    let mut regions = Regions::new(edges.vertices(), scale)?;
    let passes = if min_size > 1 { 2 } else { 1 };
    for pass in 0..passes {
        for (batch, ranks) in ranks.chunks(BATCH).enumerate() {
            let visited = pass * graph.len() + batch * BATCH;
            run.report
                .progress(visited, passes * graph.len())
                .map_err(|_| ClusterError::Cancelled)?;
            for id in ranks.iter().map(|&rank| W::Key::rank_id(rank)) {
                let (u, v) = edges.ends(id);
                let (a, b) = (regions.sets.find(u), regions.sets.find(v));
                let weight = graph.weights()[id as usize].to_f64();
                let merges = match pass {
                    0 => weight <= regions.limit(a).min(regions.limit(b)),
                    _ => regions.sizes[a as usize].min(regions.sizes[b as usize]) < min_size,
                };
                if a != b && weight < f64::INFINITY && merges {
                    regions.merge(a, b, weight);
                }
            }
        }
    }
    Ok(regions.into_segments())
}

struct Regions {
    sets: UnionFind,
    scale: f64,
    /// By representative: the number of vertices, and the largest weight of a merge.
    sizes: Vec<u32>,
    largest: Vec<f64>,
}

impl Regions {
    fn new(vertices: u32, scale: f64) -> Result<Self, OutOfMemory> {
        Ok(Self {
            sets: UnionFind::try_new(vertices)?,
            scale,
            sizes: memory::filled(vertices as usize, 1)?,
            largest: memory::filled(vertices as usize, f64::NEG_INFINITY)?,
        })
    }

    /// The largest weight that may merge the region of a representative with another one.
    fn limit(&self, region: Vertex) -> f64 {
        // A single vertex has no weight inside. Its limit is `scale`, as if this weight were zero.
        let largest = self.largest[region as usize];
        let largest = if largest == f64::NEG_INFINITY { 0.0 } else { largest };
        largest + self.scale / f64::from(self.sizes[region as usize])
    }

    fn merge(&mut self, a: Vertex, b: Vertex, weight: f64) {
        self.sets.union(a, b);
        // The lower vertex represents both.
        let (low, high) = (a.min(b) as usize, a.max(b) as usize);
        self.sizes[low] += self.sizes[high];
        self.largest[low] = weight;
    }

    fn into_segments(self) -> Segments {
        let mut labels = self.sets.into_lowest();
        let mut segments = 0;
        for vertex in 0..labels.len() {
            let lowest = labels[vertex] as usize;
            labels[vertex] = if lowest == vertex { segments } else { labels[lowest] };
            segments += u32::from(lowest == vertex);
        }
        Segments { labels, segments }
    }
}

#[cfg(test)]
mod tests {
    use kostra_core::Observer;
    use kostra_core::random::RandomStream;

    use super::*;

    fn random_graph(seed: u64) -> EdgeList<f64> {
        let random = RandomStream::new(seed);
        let end = |part: u64| {
            (0..200).map(|edge| random.split(part).below(edge, 60) as u32).collect::<Vec<_>>()
        };
        let weights =
            (0..200).map(|edge| random.split(2).below(edge, 20) as f64).collect::<Vec<_>>();
        EdgeList::new(60, end(0), end(1), weights).unwrap()
    }

    /// The definition, with a label per vertex that is rewritten at every merge.
    fn by_definition(graph: &EdgeList<f64>, scale: f64, min_size: usize) -> Vec<usize> {
        let mut labels: Vec<usize> = (0..60).collect();
        let mut largest = [0.0; 60];
        let mut ids: Vec<usize> = (0..graph.len()).collect();
        ids.sort_by(|&a, &b| graph.weights()[a].total_cmp(&graph.weights()[b]).then(a.cmp(&b)));
        for pass in 0..2 {
            for &id in &ids {
                let [a, b] = [graph.u(), graph.v()].map(|ends| labels[ends[id] as usize]);
                let sizes = [a, b].map(|label| labels.iter().filter(|&&l| l == label).count());
                let weight = graph.weights()[id];
                let limit = |at: usize| largest[[a, b][at]] + scale / sizes[at] as f64;
                let merges = match pass {
                    0 => weight <= limit(0) && weight <= limit(1),
                    _ => sizes[0] < min_size || sizes[1] < min_size,
                };
                if a != b && merges {
                    let low = a.min(b);
                    labels.iter_mut().filter(|l| **l == a || **l == b).for_each(|l| *l = low);
                    largest[low] = weight;
                }
            }
        }
        labels
    }

    #[test]
    fn segments_are_those_of_the_definition() {
        for seed in 0..30 {
            let graph = random_graph(seed);
            for scale in [0.0, 1.0, 5.0, 25.0, f64::INFINITY] {
                for min_size in [0, 1, 4, 70] {
                    let found = segment(&graph, scale, min_size, &mut Run::new()).unwrap();
                    let expected = by_definition(&graph, scale, min_size as usize);
                    let mut lowest = expected.clone();
                    lowest.sort_unstable();
                    lowest.dedup();
                    let expected: Vec<u32> = expected
                        .iter()
                        .map(|label| lowest.binary_search(label).unwrap() as u32)
                        .collect();
                    assert_eq!(found.labels, expected, "seed {seed}, scale {scale}");
                    assert_eq!(found.segments as usize, lowest.len());
                }
            }
        }
    }

    #[test]
    fn a_cancelled_run_has_no_segments() {
        struct Impatient;
        impl Observer for Impatient {
            fn cancelled(&self) -> bool {
                true
            }
        }
        let mut observer = Impatient;
        let mut run = Run::new().observed_by(&mut observer);
        let found = segment(&random_graph(0), 1.0, 1, &mut run);
        assert_eq!(found, Err(ClusterError::Cancelled));
    }

    #[test]
    fn a_scale_without_a_meaning_is_refused() {
        for scale in [-1.0, f64::NAN] {
            let graph = random_graph(0);
            let error = segment(&graph, scale, 1, &mut Run::new()).unwrap_err();
            assert!(error.to_string().contains("scale must be a number of at least 0"));
        }
    }
}
