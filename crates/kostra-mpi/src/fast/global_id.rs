//! What vertices and components are called between ranks, in as few bytes as the graph's size
//! allows, and who owns them.

use bytemuck::Pod;

/// A global name: 32 bits where all names of the graph fit, 64 where they do not. A component is
/// called by the vertex that is its root.
pub(super) trait Name: Pod + Ord {
    /// How many words of 32 bits it takes in a message.
    const WORDS: usize = size_of::<Self>() / 4;

    /// The name, which must fit.
    fn of(name: u64) -> Self;
    /// The number behind it.
    fn get(self) -> u64;
}

impl Name for u32 {
    #[inline]
    fn of(name: u64) -> Self {
        name as Self
    }
    #[inline]
    fn get(self) -> u64 {
        self.into()
    }
}

impl Name for u64 {
    #[inline]
    fn of(name: u64) -> Self {
        name
    }
    #[inline]
    fn get(self) -> u64 {
        self
    }
}

/// Which rank owns which vertices: blocks of equal size, in the order of the ranks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blocks {
    size: u64,
    vertices: u64,
    ranks: usize,
}

impl Blocks {
    /// Blocks of at most 2^32 vertices; `None` where there would be more.
    pub(super) fn new(vertices: u64, ranks: usize) -> Option<Self> {
        let size = vertices.div_ceil(ranks as u64).max(1);
        (size <= 1 << 32).then_some(Self { size, vertices, ranks })
    }

    pub(super) fn ranks(&self) -> usize {
        self.ranks
    }

    pub(super) fn vertices(&self) -> u64 {
        self.vertices
    }

    /// The first vertex of a rank.
    pub(super) fn first(&self, rank: usize) -> u64 {
        (rank as u64 * self.size).min(self.vertices)
    }

    /// How many vertices a rank owns.
    pub(super) fn len(&self, rank: usize) -> usize {
        (self.first(rank + 1) - self.first(rank)) as usize
    }

    /// The owner of a vertex, and the vertex's place in the block.
    #[inline]
    pub(super) fn place(&self, name: u64) -> (usize, u32) {
        ((name / self.size) as usize, (name % self.size) as u32)
    }

    /// Goes through ascending names: calls with the owner and the place of each. No division.
    #[inline]
    pub(super) fn walk(&self, names: impl Iterator<Item = u64>, mut visit: impl FnMut(usize, u32)) {
        let (mut owner, mut first, mut end) = (0, 0, self.size);
        for name in names {
            while name >= end {
                owner += 1;
                (first, end) = (end, end + self.size);
            }
            visit(owner, (name - first) as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_vertex_has_its_place() {
        for (vertices, ranks) in [(10, 3), (2, 5), (0, 4), (7, 7), (64, 1)] {
            let blocks = Blocks::new(vertices, ranks).unwrap();
            let total: usize = (0..ranks).map(|rank| blocks.len(rank)).sum();
            assert_eq!(total as u64, vertices);
            let mut name = 0;
            blocks.walk(0..vertices, |owner, offset| {
                assert_eq!(blocks.place(name), (owner, offset));
                assert!(
                    blocks.first(owner) + u64::from(offset) == name
                        && (offset as usize) < blocks.len(owner)
                );
                name += 1;
            });
        }
        assert!(Blocks::new(1 << 40, 255).is_none() && Blocks::new(1 << 40, 256).is_some());
    }
}
