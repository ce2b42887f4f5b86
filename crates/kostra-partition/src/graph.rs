//! The graph that is partitioned: rows with integer weights of edges and vertices.

use kostra_core::{AnyGraph, Vertex, memory, prefetch};

use crate::PartitionError;

/// An undirected graph with weights of edges and vertices, as compressed sparse rows.
///
/// Each edge is in the rows of both ends. The rows are sorted, and contain no self-loops and no
/// parallel edges. No weight is negative. Memory: `16 n + 24 m` bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeightedGraph {
    offsets: Vec<usize>,
    neighbors: Vec<Vertex>,
    edge_weights: Vec<i64>,
    vertex_weights: Vec<i64>,
    total_weight: i64,
    greatest_weight: i64,
}

/// Borrowed rows, from which a [`WeightedGraph`] is built.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rows<'a> {
    /// The start of each row, and the number of entries at the end: `n + 1` values.
    pub offsets: &'a [usize],
    /// The other end of each entry.
    pub neighbors: &'a [Vertex],
    /// The weight of each entry; 1 if there are none.
    pub edge_weights: Option<&'a [i64]>,
    /// The weight of each vertex; 1 if there are none.
    pub vertex_weights: Option<&'a [i64]>,
}

/// The greatest sum of weights: gains, which are differences of sums, and doubled sums must not
/// overflow.
const MOST_WEIGHT: i64 = i64::MAX / 4;

impl WeightedGraph {
    /// A graph from rows. Drops self-loops, and merges parallel edges into one edge that has the
    /// sum of their weights. O(n + m).
    ///
    /// # Errors
    /// When the arrays do not fit together, a weight is negative, the sum of the weights is too
    /// large, an edge is not in the rows of both ends, or the system refuses the memory.
    pub fn from_rows(rows: Rows<'_>) -> Result<Self, PartitionError> {
        check(rows)?;
        let weight = |entry: usize| rows.edge_weights.map_or(1, |weights| weights[entry]);
        let vertices = rows.offsets.len() - 1;
        let entries = (0..vertices).flat_map(|v| {
            (rows.offsets[v]..rows.offsets[v + 1])
                .map(move |entry| (v as Vertex, rows.neighbors[entry], weight(entry)))
                .filter(|(u, v, _)| u != v)
        });
        let transposed = Entries::scattered(vertices, entries)?;
        let sorted = Entries::scattered(vertices, transposed.iter())?;
        if let Some(vertex) = transposed.first_difference(&sorted) {
            return Err(PartitionError::Asymmetric { vertex });
        }
        Self::of_parts(sorted, rows.vertex_weights)
    }

    /// A graph from edges: edge `i` joins `u[i]` and `v[i]`, and has weight `weights[i]`, or 1 if
    /// there are no weights. Every vertex has weight 1. Drops self-loops and merges parallel edges.
    /// O(n + m).
    ///
    /// # Errors
    /// As [`from_rows`](Self::from_rows).
    pub fn from_edges(
        vertices: u32,
        u: &[Vertex],
        v: &[Vertex],
        weights: Option<&[i64]>,
    ) -> Result<Self, PartitionError> {
        check_length("the array of second ends", v.len(), u.len())?;
        let weights_len = weights.map_or(u.len(), <[i64]>::len);
        check_length("the array of edge weights", weights_len, u.len())?;
        let outside = |end: &&Vertex| **end >= vertices;
        if let Some(&vertex) = u.iter().chain(v).find(outside) {
            return Err(PartitionError::NeighborOutOfRange { vertex, vertices });
        }
        let weight = |edge: usize| weights.map_or(1, |weights| weights[edge]);
        check_edge_weights((0..u.len()).map(|edge| (u[edge], v[edge], weight(edge))))?;
        let entries = (0..u.len())
            .filter(|&edge| u[edge] != v[edge])
            .flat_map(|edge| [(u[edge], v[edge]), (v[edge], u[edge])].map(|ends| (ends, edge)))
            .map(|((u, v), edge)| (u, v, weight(edge)));
        let unsorted = Entries::scattered(vertices as usize, entries)?;
        Self::of_parts(Entries::scattered(vertices as usize, unsorted.iter())?, None)
    }

    /// The graph with weight 1 for each edge and each vertex. Parallel edges add up. O(n + m).
    ///
    /// # Errors
    /// When the system refuses the memory.
    pub fn of_unit_weights(graph: &AnyGraph) -> Result<Self, PartitionError> {
        Self::from_edges(graph.vertices(), graph.u(), graph.v(), None)
    }

    /// Gives each vertex the weight of the same position.
    ///
    /// # Errors
    /// When the number of weights is not the number of vertices, a weight is negative, or the sum
    /// of the weights is too large.
    pub fn with_vertex_weights(self, weights: Vec<i64>) -> Result<Self, PartitionError> {
        check_length("the array of vertex weights", weights.len(), self.vertices() as usize)?;
        check_vertex_weights(&weights)?;
        Ok(Self::of_checked(self.offsets, self.neighbors, self.edge_weights, weights))
    }

    fn of_parts(entries: Entries, weights: Option<&[i64]>) -> Result<Self, PartitionError> {
        let Entries { offsets, neighbors, weights: edge_weights } = entries.merged();
        let vertex_weights = match weights {
            Some(weights) => memory::copied(weights)?,
            None => memory::filled(offsets.len() - 1, 1)?,
        };
        Ok(Self::of_checked(offsets, neighbors, edge_weights, vertex_weights))
    }

    /// A graph from arrays that fulfil the promises of the type.
    pub(crate) fn of_checked(
        offsets: Vec<usize>,
        neighbors: Vec<Vertex>,
        edge_weights: Vec<i64>,
        vertex_weights: Vec<i64>,
    ) -> Self {
        let total_weight = vertex_weights.iter().sum();
        let greatest_weight = vertex_weights.iter().copied().max().unwrap_or_default();
        Self { offsets, neighbors, edge_weights, vertex_weights, total_weight, greatest_weight }
    }

    /// The number of vertices.
    pub fn vertices(&self) -> u32 {
        (self.offsets.len() - 1) as u32
    }

    /// The number of edges.
    pub fn edges(&self) -> usize {
        self.neighbors.len() / 2
    }

    /// The number of neighbors of a vertex.
    #[inline]
    pub fn degree(&self, vertex: Vertex) -> usize {
        self.offsets[vertex as usize + 1] - self.offsets[vertex as usize]
    }

    /// The neighbors of a vertex, ascending for graphs from input, with the weights of the edges.
    #[inline]
    pub fn row(&self, vertex: Vertex) -> impl ExactSizeIterator<Item = (Vertex, i64)> + '_ {
        let row = self.offsets[vertex as usize]..self.offsets[vertex as usize + 1];
        let (neighbors, weights) = (&self.neighbors[row.clone()], &self.edge_weights[row]);
        neighbors.iter().copied().zip(weights.iter().copied())
    }

    /// Fetches the first entries of a row into the cache.
    #[inline]
    pub(crate) fn prefetch_row(&self, vertex: Vertex) {
        let start = self.offsets[vertex as usize];
        prefetch(&self.neighbors, start);
        prefetch(&self.edge_weights, start);
        prefetch(&self.edge_weights, start + 8); // the second cache line
    }

    /// The start of each row, and the number of entries at the end: `n + 1` values.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// The other end of each entry.
    pub fn neighbors(&self) -> &[Vertex] {
        &self.neighbors
    }

    /// The weight of each entry.
    pub fn edge_weights(&self) -> &[i64] {
        &self.edge_weights
    }

    /// The weight of each vertex.
    pub fn vertex_weights(&self) -> &[i64] {
        &self.vertex_weights
    }

    /// The weight of a vertex.
    #[inline]
    pub fn weight(&self, vertex: Vertex) -> i64 {
        self.vertex_weights[vertex as usize]
    }

    /// The weight of all vertices.
    pub fn total_weight(&self) -> i64 {
        self.total_weight
    }

    /// The greatest weight of a vertex; 0 if there are no vertices.
    pub fn greatest_weight(&self) -> i64 {
        self.greatest_weight
    }
}

/// Rows while a graph is built.
struct Entries {
    offsets: Vec<usize>,
    neighbors: Vec<Vertex>,
    weights: Vec<i64>,
}

impl Entries {
    /// The transposed rows of entries `(row, neighbor, weight)`. Neighbors are in the order in
    /// which `entries` lists the rows: ascending if `entries` is sorted by row.
    fn scattered(
        vertices: usize,
        entries: impl Iterator<Item = (Vertex, Vertex, i64)> + Clone,
    ) -> Result<Self, PartitionError> {
        let mut offsets: Vec<usize> = memory::zeros(vertices + 1)?;
        entries.clone().for_each(|(_, v, _)| offsets[v as usize] += 1);
        let mut total = 0;
        for offset in &mut offsets {
            total += std::mem::replace(offset, total);
        }
        let mut neighbors: Vec<Vertex> = memory::zeros(total)?;
        let mut weights: Vec<i64> = memory::zeros(total)?;
        for (u, v, weight) in entries {
            let place = offsets[v as usize];
            offsets[v as usize] += 1;
            (neighbors[place], weights[place]) = (u, weight);
        }
        // Each offset has become the end of its row, which is the start of the next row.
        offsets.rotate_right(1);
        offsets[0] = 0;
        Ok(Self { offsets, neighbors, weights })
    }

    fn row(&self, v: usize) -> impl Iterator<Item = (Vertex, i64)> + Clone + '_ {
        let row = self.offsets[v]..self.offsets[v + 1];
        self.neighbors[row.clone()].iter().copied().zip(self.weights[row].iter().copied())
    }

    fn iter(&self) -> impl Iterator<Item = (Vertex, Vertex, i64)> + Clone + '_ {
        (0..self.offsets.len() - 1)
            .flat_map(|v| self.row(v).map(move |(u, weight)| (v as Vertex, u, weight)))
    }

    /// The first vertex whose sorted rows differ when parallel edges are merged.
    fn first_difference(&self, other: &Self) -> Option<Vertex> {
        let differs =
            |&v: &usize| !Merged(self.row(v).peekable()).eq(Merged(other.row(v).peekable()));
        (0..self.offsets.len() - 1).find(differs).map(|v| v as Vertex)
    }

    /// Merges entries of a sorted row that have the same neighbor, in place.
    fn merged(mut self) -> Self {
        let (mut start, mut kept) = (0, 0);
        for v in 0..self.offsets.len() - 1 {
            let (end, first) = (self.offsets[v + 1], kept);
            for entry in start..end {
                if kept > first && self.neighbors[kept - 1] == self.neighbors[entry] {
                    self.weights[kept - 1] += self.weights[entry];
                } else {
                    self.neighbors[kept] = self.neighbors[entry];
                    self.weights[kept] = self.weights[entry];
                    kept += 1;
                }
            }
            start = end;
            self.offsets[v + 1] = kept;
        }
        self.neighbors.truncate(kept);
        self.weights.truncate(kept);
        self
    }
}

/// The entries of a sorted row, with one entry for each neighbor.
struct Merged<I: Iterator>(std::iter::Peekable<I>);

impl<I: Iterator<Item = (Vertex, i64)>> Iterator for Merged<I> {
    type Item = (Vertex, i64);

    fn next(&mut self) -> Option<Self::Item> {
        let (neighbor, mut sum) = self.0.next()?;
        while let Some((_, weight)) = self.0.next_if(|&(next, _)| next == neighbor) {
            sum += weight;
        }
        Some((neighbor, sum))
    }
}

fn check_length(array: &'static str, found: usize, expected: usize) -> Result<(), PartitionError> {
    if found == expected {
        return Ok(());
    }
    Err(PartitionError::WrongLength { array, found, expected })
}

/// Checks everything but the symmetry of rows.
fn check(rows: Rows<'_>) -> Result<(), PartitionError> {
    let Some(vertices) = rows.offsets.len().checked_sub(1) else {
        return check_length("the array of offsets", 0, 1);
    };
    if vertices > kostra_core::MAX_VERTICES {
        return Err(PartitionError::TooManyVertices { vertices });
    }
    let descends = |vertex: &usize| match vertex.checked_sub(1) {
        None => rows.offsets[0] != 0,
        Some(before) => rows.offsets[before] > rows.offsets[*vertex],
    };
    if let Some(vertex) = (0..=vertices).find(descends) {
        return Err(PartitionError::Offsets { vertex });
    }
    let entries = rows.offsets[vertices];
    check_length("the array of neighbors", rows.neighbors.len(), entries)?;
    let weights = rows.edge_weights.map_or(entries, <[i64]>::len);
    check_length("the array of edge weights", weights, entries)?;
    let weights = rows.vertex_weights.map_or(vertices, <[i64]>::len);
    check_length("the array of vertex weights", weights, vertices)?;
    let outside = |neighbor: &&Vertex| **neighbor as usize >= vertices;
    if let Some(&vertex) = rows.neighbors.iter().find(outside) {
        return Err(PartitionError::NeighborOutOfRange { vertex, vertices: vertices as u32 });
    }
    if let Some(weights) = rows.edge_weights {
        check_edge_weights((0..vertices).flat_map(|v| {
            (rows.offsets[v]..rows.offsets[v + 1])
                .map(move |entry| (v as Vertex, rows.neighbors[entry], weights[entry]))
        }))?;
    }
    rows.vertex_weights.map_or(Ok(()), check_vertex_weights)
}

fn check_edge_weights(
    mut edges: impl Iterator<Item = (Vertex, Vertex, i64)>,
) -> Result<(), PartitionError> {
    edges.try_fold(0_i64, |sum, (u, v, weight)| {
        if weight < 0 {
            return Err(PartitionError::NegativeEdgeWeight { u, v, weight });
        }
        add(sum, weight, "edges")
    })?;
    Ok(())
}

fn check_vertex_weights(weights: &[i64]) -> Result<(), PartitionError> {
    let mut sum = 0;
    for (vertex, &weight) in weights.iter().enumerate() {
        if weight < 0 {
            let vertex = vertex as Vertex;
            return Err(PartitionError::NegativeVertexWeight { vertex, weight });
        }
        sum = add(sum, weight, "vertices")?;
    }
    Ok(())
}

fn add(sum: i64, weight: i64, kind: &'static str) -> Result<i64, PartitionError> {
    let sum = sum.checked_add(weight).filter(|&sum| sum <= MOST_WEIGHT);
    sum.ok_or(PartitionError::WeightsTooLarge { kind, most: MOST_WEIGHT })
}
