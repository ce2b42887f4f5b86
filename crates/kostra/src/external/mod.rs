//! Forests of graphs whose edges do not fit into memory.
//!
//! A [`ForestSink`] takes the edges in blocks and keeps the forest of the edges so far. [`Sink`] is
//! one on threads, for edges that come from the program; the module `cuda` has one on a device.
//!
//! With the feature `io`, `ExternalSolve` reads the edges of a file into a sink, in one pass and
//! within a limit of memory, and saves the forest so far in checkpoints.
#![cfg_attr(
    feature = "io",
    doc = r#"
```
use kostra::external::{Checkpoints, ExternalSolve, MemoryLimit};

# let folder = std::env::temp_dir().join(format!("kostra-external-{}", std::process::id()));
# std::fs::create_dir_all(&folder)?;
# let (file, forest) = (folder.join("roads.gr"), folder.join("forest.ids"));
std::fs::write(&file, "p sp 3 3\na 1 2 7\na 2 3 1\na 3 1 2\n")?;
let found = ExternalSolve::within(MemoryLimit::Host(256 << 20))
    .threads(2)
    .checkpoints(Checkpoints::at(folder.join("forest.checkpoint")))
    .run_file(&file)?;
assert_eq!(found.ids, [1, 2]);
std::fs::write(&forest, format!("{:?}", found.ids))?;
// The forest is safe, so an interruption would lose nothing.
if let Some(checkpoint) = found.checkpoint {
    checkpoint.remove()?;
}
# std::fs::remove_dir_all(&folder)?;
# Ok::<(), Box<dyn std::error::Error>>(())
```"#
)]

#[cfg(feature = "io")]
mod budget;
#[cfg(feature = "io")]
mod checkpoint;
#[cfg(feature = "io")]
mod error;
#[cfg(feature = "io")]
mod intake;
#[cfg(feature = "io")]
mod memory;
#[cfg(feature = "io")]
mod reader;
#[cfg(feature = "io")]
mod sink;
#[cfg(feature = "io")]
mod solve;
#[cfg(feature = "io")]
mod verify;

#[cfg(feature = "io")]
pub use budget::least_memory;
#[cfg(feature = "io")]
pub use checkpoint::{CheckpointFile, Checkpoints};
#[cfg(feature = "io")]
pub use error::{CheckpointFault, ExternalError};
pub use kostra_core::{ForestEdges, ForestSink, ForestSoFar, ForestState, SinkStatistics};
pub use kostra_cpu::external::{BudgetTooSmall, Limits, Sink};
#[cfg(feature = "io")]
pub use memory::{ExternalTimes, MemoryLimit};
#[cfg(feature = "io")]
pub use reader::Source;
#[cfg(feature = "io")]
pub use solve::{ExternalForest, ExternalSolve};
