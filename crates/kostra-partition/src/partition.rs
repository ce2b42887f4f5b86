//! A partition, and the one by ranges.

use kostra_core::{Vertex, memory};

use crate::PartitionError;

/// The part of each vertex, a number in `0..count`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    parts: Vec<u32>,
    count: u32,
}

impl Partition {
    /// A partition into `count` parts from the part of each vertex. Parts may be empty.
    ///
    /// # Errors
    /// When `count` is 0, or a part number is not below `count`.
    pub fn new(parts: Vec<u32>, count: u32) -> Result<Self, PartitionError> {
        if count == 0 {
            return Err(PartitionError::NoParts);
        }
        match parts.iter().position(|&part| part >= count) {
            None => Ok(Self { parts, count }),
            Some(vertex) => Err(PartitionError::PartOutOfRange {
                vertex: vertex as Vertex,
                part: parts[vertex],
                parts: count,
            }),
        }
    }

    /// Divides the vertices in the order of their numbers into `count` ranges of nearly equal
    /// length. O(n).
    ///
    /// # Errors
    /// When `count` is 0 or greater than the number of vertices, or the system refuses the memory.
    pub fn by_ranges(vertices: u32, count: u32) -> Result<Self, PartitionError> {
        check_count(vertices, count)?;
        let part = |vertex| (u64::from(vertex) * u64::from(count) / u64::from(vertices)) as u32;
        let parts = memory::collected((0..vertices).map(part))?;
        Ok(Self { parts, count })
    }

    /// A partition whose parts are known to be in range.
    pub(crate) fn of_checked(parts: Vec<u32>, count: u32) -> Self {
        debug_assert!(parts.iter().all(|&part| part < count));
        Self { parts, count }
    }

    /// The part of a vertex.
    ///
    /// # Panics
    /// When the partition has no such vertex.
    #[inline]
    pub fn part(&self, vertex: Vertex) -> u32 {
        self.parts[vertex as usize]
    }

    /// The part of each vertex.
    pub fn parts(&self) -> &[u32] {
        &self.parts
    }

    /// The number of parts.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The number of vertices.
    pub fn vertices(&self) -> u32 {
        self.parts.len() as u32
    }

    /// The parts as an array.
    pub fn into_parts(self) -> Vec<u32> {
        self.parts
    }
}

fn check_count(vertices: u32, parts: u32) -> Result<(), PartitionError> {
    if parts == 0 {
        return Err(PartitionError::NoParts);
    }
    if parts > vertices {
        return Err(PartitionError::MorePartsThanVertices { parts, vertices });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_differ_by_at_most_one_vertex_and_none_is_empty() {
        for (vertices, count) in [(1, 1), (7, 3), (8, 8), (100, 7)] {
            let partition = Partition::by_ranges(vertices, count).unwrap();
            let mut sizes = vec![0; count as usize];
            partition.parts().iter().for_each(|&part| sizes[part as usize] += 1);
            assert!(partition.parts().is_sorted());
            assert!(
                sizes.iter().all(|&size| size == vertices / count || size == vertices / count + 1)
            );
        }
        let refused = PartitionError::MorePartsThanVertices { parts: 3, vertices: 2 };
        assert_eq!(Partition::by_ranges(2, 3), Err(refused));
        assert_eq!(Partition::by_ranges(2, 0), Err(PartitionError::NoParts));
    }

    #[test]
    fn a_part_number_beyond_the_count_is_refused() {
        let refused = PartitionError::PartOutOfRange { vertex: 1, part: 2, parts: 2 };
        assert_eq!(Partition::new(vec![0, 2], 2), Err(refused));
    }
}
