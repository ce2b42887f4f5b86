//! Matching of vertices with a common neighbor, where few pairs of neighbors are left.
//!
//! Source: LaSalle et al. 2015. Each unmatched vertex follows the neighbor of its part at its
//! heaviest edge. Followers of the same vertex are matched in pairs. So the leaves of a star, and
//! vertices with equal rows, are matched with each other. Unmatched vertices without neighbors in
//! their part form one more list for each part.
//!
//! The numbers of followers are taken by atomic additions, so the pairs depend on timing. A star of
//! n leaves takes the time of n additions to one word.

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::CudaSlice;
use kostra_core::Vertex;

use super::BLOCKS;
use super::matching::{Matcher, SOURCE};
use crate::error::DeviceError;
use crate::launch::launch;
use crate::scan::Scan;

/// What an error of the driver says that the device was doing.
const DOING: &str = "matching by common neighbors";

/// The unmatched vertices, listed by the vertex that they follow.
struct Followers {
    /// The start of each list. First the length of each list.
    starts: CudaSlice<u32>,
    /// The number of each unmatched vertex in its list, or `NONE`.
    numbers: CudaSlice<u32>,
    listed: CudaSlice<Vertex>,
}

impl Matcher<'_> {
    /// Matches unmatched vertices whose heaviest edges lead to the same vertex, and those without
    /// neighbors.
    pub(super) fn match_followers(&mut self, scan: &mut Scan) -> Result<(), DeviceError> {
        let (device, n) = (self.device, self.graph.vertices as usize);
        let lists = n + self.aim.parts as usize;
        let mut followers = Followers {
            starts: device.filled(lists, 0)?,
            numbers: device.uninit(n)?,
            listed: device.uninit(n)?,
        };
        self.find_favorites()?;
        self.count_followers(&mut followers)?;
        scan.exclusive_prefix_sum(device, &mut followers.starts, lists)?;
        self.list_followers(&mut followers)?;
        self.match_listed(&followers)
    }

    fn find_favorites(&mut self) -> Result<(), DeviceError> {
        // SAFETY: the rows are valid, and the other arrays have an element for each vertex.
        unsafe {
            launch!(
                self.device,
                &self.kernels.find_favorites,
                BLOCKS.for_items(self.graph.vertices),
                (SOURCE, "find_favorites"),
                [
                    ptr offsets = &self.graph.offsets,
                    ptr neighbors = &self.graph.neighbors,
                    ptr edge_weights = &self.graph.edge_weights,
                    ptr vertex_weights = &self.graph.vertex_weights,
                    ptr parts = self.parts,
                    u32 vertices = &self.graph.vertices,
                    ptr matches = &self.matches,
                    ptr favorites = &mut self.chosen,
                ],
                DOING
            )
        }
    }

    fn count_followers(&mut self, followers: &mut Followers) -> Result<(), DeviceError> {
        // SAFETY: favorites are vertices or `NONE`; there is a count for each vertex and each part.
        unsafe {
            launch!(
                self.device,
                &self.kernels.count_followers,
                BLOCKS.for_items(self.graph.vertices),
                (SOURCE, "count_followers"),
                [
                    ptr matches = &self.matches,
                    ptr parts = self.parts,
                    u32 vertices = &self.graph.vertices,
                    ptr favorites = &mut self.chosen,
                    ptr counts = &mut followers.starts,
                    ptr numbers = &mut followers.numbers,
                ],
                DOING
            )
        }
    }

    fn list_followers(&self, followers: &mut Followers) -> Result<(), DeviceError> {
        // SAFETY: the lists are disjoint, and have one place for each unmatched vertex.
        unsafe {
            launch!(
                self.device,
                &self.kernels.list_followers,
                BLOCKS.for_items(self.graph.vertices),
                (SOURCE, "list_followers"),
                [
                    ptr favorites = &self.chosen,
                    ptr numbers = &followers.numbers,
                    u32 vertices = &self.graph.vertices,
                    ptr starts = &followers.starts,
                    ptr followers = &mut followers.listed,
                ],
                DOING
            )
        }
    }

    fn match_listed(&mut self, followers: &Followers) -> Result<(), DeviceError> {
        // SAFETY: each number is a place in its list, and each list has vertices.
        unsafe {
            launch!(
                self.device,
                &self.kernels.match_followers,
                BLOCKS.for_items(self.graph.vertices),
                (SOURCE, "match_followers"),
                [
                    ptr favorites = &self.chosen,
                    ptr numbers = &followers.numbers,
                    u32 vertices = &self.graph.vertices,
                    ptr starts = &followers.starts,
                    ptr followers = &followers.listed,
                    ptr vertex_weights = &self.graph.vertex_weights,
                    u32 most = &self.aim.greatest_weight,
                    ptr matches = &mut self.matches,
                    ptr counters = &mut self.counters,
                ],
                DOING
            )
        }
    }
}
