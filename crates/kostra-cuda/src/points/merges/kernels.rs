//! The kernels for merges.

use crate::launch::kernels;
use crate::shared::{arguments, constant, ptr};
use crate::source::Source;

const MERGES: Source = Source::file("points_merges.cu");

/// The indices of the flags.
pub(super) const UNFINISHED: usize = constant(MERGES.text(), "UNFINISHED") as usize;
pub(super) const OUTSIDE: usize = constant(MERGES.text(), "OUTSIDE") as usize;

arguments! {
    pub(super) struct Arguments in MERGES.text();
    ptr: u v ids next_u next_v next_ids lightest above roots places flags absorbed_by;
    ptr: chains begins sums sizes lower_clusters higher_clusters;
    u32: edges first count remaining points;
}

kernels! {
    pub(super) struct MergeKernels(device) of Arguments in MERGES;
    begin_level find_lightest hook hook_points shortcut enter_next_level contract
    find_chains begin_chains list_sizes finish_level;
}
