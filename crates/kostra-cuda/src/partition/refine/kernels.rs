//! The kernels of refinement.

use cudarc::driver::{CudaFunction, LaunchConfig};

use crate::buffers::Keys;
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::Blocks;
use crate::shared::constant;
use crate::sort_rows;
use crate::source::Source;

/// Connections of vertices to parts.
pub(super) const CONNECTIONS: Source = Source::file("partition_refine.cu");
/// Unconstrained moves, and balancing.
pub(super) const JET: Source = Source::file("partition_refine_jet.cu");
/// Moves in transactions.
pub(super) const STM: Source = Source::file("partition_refine_stm.cu");

/// The size of the blocks of all kernels.
pub(super) const BLOCKS: Blocks = {
    let threads = constant(CONNECTIONS.text(), "THREADS");
    assert!(
        threads == constant(JET.text(), "THREADS") && threads == constant(STM.text(), "THREADS")
    );
    Blocks { threads: threads as u32 }
};

/// The grid of the moves in transactions. The number of a thread is its priority, which has 31
/// bits, so a thread may have several vertices.
pub(super) fn moving_grid(vertices: u32) -> LaunchConfig {
    /// More threads than any device holds at once.
    const MOST_BLOCKS: u32 = 1 << 16;
    let mut grid = BLOCKS.for_items(vertices);
    grid.grid_dim.0 = grid.grid_dim.0.min(MOST_BLOCKS);
    grid
}

macro_rules! kernels {
    ($($source:ident: $($name:ident)+;)+) => {
        /// The kernels of refinement.
        pub(crate) struct Kernels {
            $($(pub(super) $name: CudaFunction,)+)+
            pub(super) sort: sort_rows::Kernels,
        }

        impl Kernels {
            /// Loads the kernels, and compiles them if necessary.
            pub(crate) fn load(device: &Device) -> Result<Self, DeviceError> {
                Ok(Self {
                    $($($name: device.function($source, stringify!($name))?,)+)+
                    sort: sort_rows::Kernels::load(device, SORT_KEYS)?,
                })
            }
        }
    };
}

/// Edge weights are sorted as they are.
const SORT_KEYS: Keys = Keys { kind: 0, flip: 0, wide: false };

kernels! {
    CONNECTIONS: find_rows weigh_parts connect gather_parts sum_segments choose_parts;
    JET: find_candidates afterburner move_candidates rate scan_classes rebalance;
    STM: make_states find_gains count_conflicts move_in_transactions take_moves;
}
