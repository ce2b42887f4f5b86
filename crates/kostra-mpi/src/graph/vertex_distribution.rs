//! Which vertices each rank owns.

/// The vertices of each rank: consecutive blocks in the order of the ranks. All blocks have the
/// same size, except that the last ranks may own fewer vertices or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VertexDistribution {
    vertices: u64,
    ranks: usize,
    block_size: u64,
}

impl VertexDistribution {
    /// Distributes vertices `0..vertices` to `ranks` ranks.
    pub fn new(vertices: u64, ranks: usize) -> Self {
        Self { vertices, ranks, block_size: vertices.div_ceil(ranks as u64).max(1) }
    }

    /// Whether 32 bits can number the vertices of each block.
    pub fn has_32_bit_offsets(&self) -> bool {
        self.block_size <= 1 << 32
    }

    /// The number of ranks.
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    /// The number of vertices of all ranks.
    pub fn vertices(&self) -> u64 {
        self.vertices
    }

    /// The first vertex of `rank`; for the rank past the last, the number of vertices.
    pub fn first(&self, rank: usize) -> u64 {
        self.vertices.min(self.block_size.saturating_mul(rank as u64))
    }

    /// The number of vertices of `rank`.
    pub fn len(&self, rank: usize) -> usize {
        (self.first(rank + 1) - self.first(rank)) as usize
    }

    /// The rank that owns `vertex`.
    #[inline]
    pub fn owner(&self, vertex: u64) -> usize {
        (vertex / self.block_size) as usize
    }

    /// The rank that owns `vertex`, and the position of `vertex` in the block of that rank.
    #[inline]
    pub fn locate(&self, vertex: u64) -> (usize, u32) {
        ((vertex / self.block_size) as usize, (vertex % self.block_size) as u32)
    }

    /// Calls `visit` with the owner and the position in the owner's block of each of `vertices`,
    /// which must ascend. Needs no division.
    #[inline]
    pub fn locate_ascending(
        &self,
        vertices: impl Iterator<Item = u64>,
        mut visit: impl FnMut(usize, u32),
    ) {
        let (mut owner, mut first, mut end) = (0, 0, self.block_size);
        for vertex in vertices {
            while vertex >= end {
                owner += 1;
                (first, end) = (end, end + self.block_size);
            }
            visit(owner, (vertex - first) as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_vertex_is_in_the_block_of_its_owner() {
        for (vertices, ranks) in [(0, 3), (1, 4), (5, 4), (7, 7), (100, 7), (u64::MAX, 3)] {
            let blocks = VertexDistribution::new(vertices, ranks);
            assert_eq!((blocks.first(0), blocks.first(ranks)), (0, vertices));
            for rank in (0..ranks).filter(|&rank| blocks.len(rank) > 0) {
                let (first, end) = (blocks.first(rank), blocks.first(rank + 1));
                assert_eq!((blocks.owner(first), blocks.owner(end - 1)), (rank, rank));
            }
        }
    }

    #[test]
    fn ascending_vertices_are_located_one_by_one() {
        for (vertices, ranks) in [(10, 3), (2, 5), (0, 4), (7, 7), (64, 1)] {
            let blocks = VertexDistribution::new(vertices, ranks);
            let total: usize = (0..ranks).map(|rank| blocks.len(rank)).sum();
            assert_eq!(total as u64, vertices);
            let mut vertex = 0;
            blocks.locate_ascending(0..vertices, |owner, offset| {
                assert_eq!(blocks.locate(vertex), (owner, offset));
                assert!(
                    blocks.first(owner) + u64::from(offset) == vertex
                        && (offset as usize) < blocks.len(owner)
                );
                vertex += 1;
            });
        }
    }

    #[test]
    fn blocks_of_more_than_2_to_the_32_vertices_are_recognized() {
        assert!(!VertexDistribution::new(1 << 40, 255).has_32_bit_offsets());
        assert!(VertexDistribution::new(1 << 40, 256).has_32_bit_offsets());
    }
}
