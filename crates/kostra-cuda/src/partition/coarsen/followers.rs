//! Matching of vertices with a common neighbor, where few pairs of neighbors are left.
//!
//! Source: LaSalle et al. 2015. Each unmatched vertex follows the neighbor of its part at its
//! heaviest edge. Followers of the same vertex are matched in pairs. So the leaves of a star, and
//! vertices with equal rows, are matched with each other. Unmatched vertices without neighbors in
//! their part form one more list for each part.
//!
//! The numbers of followers are taken by atomic additions, so the pairs depend on timing. A star of
//! n leaves takes the time of n additions to one word.

use cudarc::driver::CudaSlice;
use kostra_core::Vertex;

use super::matching::{Arguments, Matcher};
use crate::buffers::address;
use crate::error::DeviceError;
use crate::scan::Scan;

/// What an error of the driver says that the device was doing.
const DOING: &str = "matching by common neighbors";

impl Matcher<'_> {
    /// Matches unmatched vertices whose heaviest edges lead to the same vertex, and those without
    /// neighbors.
    pub(super) fn match_followers(&mut self, scan: &mut Scan) -> Result<(), DeviceError> {
        let (device, n) = (self.device, self.graph.vertices as usize);
        let lists = n + self.aim.parts as usize;
        // The start of each list, after its length; the number of each unmatched vertex in its
        // list, or `NONE`; and the lists.
        let mut starts: CudaSlice<u32> = device.filled(lists, 0)?;
        let (numbers, listed): (CudaSlice<u32>, CudaSlice<Vertex>) =
            (device.uninit(n)?, device.uninit(n)?);
        let arguments = &Arguments {
            starts: address(&starts),
            numbers: address(&numbers),
            followers: address(&listed),
            ..self.arguments()
        };
        self.launch(&self.kernels.find_favorites, arguments, DOING)?;
        self.launch(&self.kernels.count_followers, arguments, DOING)?;
        scan.exclusive_prefix_sum(device, &mut starts, lists)?;
        self.launch(&self.kernels.list_followers, arguments, DOING)?;
        self.launch(&self.kernels.match_followers, arguments, DOING)
    }
}
