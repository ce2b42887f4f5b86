//! Global ids of vertices and components in messages, in 32 or 64 bits.

use bytemuck::Pod;

/// A global id: 32 bits if the graph has at most 2^32 vertices, else 64 bits. The id of a component
/// is the id of the vertex that is its root.
pub(super) trait GlobalId: Pod + Ord + Send + Sync {
    /// The number of 32-bit words of an id in a message.
    const WORDS: usize = size_of::<Self>() / 4;

    /// Converts an id that fits.
    fn from_u64(id: u64) -> Self;
    fn to_u64(self) -> u64;
}

impl GlobalId for u32 {
    #[inline]
    fn from_u64(id: u64) -> Self {
        id as Self
    }
    #[inline]
    fn to_u64(self) -> u64 {
        self.into()
    }
}

impl GlobalId for u64 {
    #[inline]
    fn from_u64(id: u64) -> Self {
        id
    }
    #[inline]
    fn to_u64(self) -> u64 {
        self
    }
}
