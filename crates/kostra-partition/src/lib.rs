//! Multilevel k-way graph partitioning.
//!
//! A partition divides the vertices of a graph into `k` parts of nearly equal weight, so that the
//! edges between different parts have a low weight: the *edge cut*. [`partition()`] finds one, and
//! [`Statistics`] counts its quality. The result is the same for any number of threads.
//!
//! ```
//! use kostra_core::Run;
//! use kostra_partition::{Options, Statistics, WeightedGraph, partition};
//!
//! // Two triangles, joined by one edge.
//! let (u, v) = ([0, 1, 2, 3, 4, 5, 2], [1, 2, 0, 4, 5, 3, 3]);
//! let graph = WeightedGraph::from_edges(6, &u, &v, None)?;
//! let parts = partition(&graph, &Options { parts: 2, ..Options::default() }, &mut Run::new())?;
//! assert_eq!(Statistics::count(&graph, &parts)?.edge_cut, 1);
//! # Ok::<(), kostra_partition::PartitionError>(())
//! ```
//!
//! Source: Manoochehri 2017, sections 4.1 and 4.2, which follows mt-metis (LaSalle & Karypis 2013).
//! The modules state where they differ, and why. [`partition_multicore`] takes all steps of the
//! source.
//!
//! | module | contents |
//! |---|---|
//! | `graph` | [`WeightedGraph`]: rows with integer weights |
//! | `importance` | a graph's own weights as weights of the cut |
//! | `multilevel` | [`partition()`]: the scheme |
//! | `multicore` | [`partition_multicore`]: the scheme of the source |
//! | `coarsen` | clusters, matching, contraction |
//! | `initial` | recursive bisection of the coarsest graph |
//! | `refine` | moves of vertices, balance |
//! | `enforce` | [`enforce_limit`]: balance for partitions from elsewhere |
//! | `two_way` | two sides, and their refinement by single moves |
//! | `partition` | [`Partition`], and the one by ranges |
//! | `statistics` | [`Statistics`]: the quality of a partition |
//! | `vertex_order` | breadth-first order, and vertices sorted by part |
//! | [`part_file`] | files with one part number per line |

mod coarsen;
mod enforce;
mod error;
mod graph;
mod importance;
mod initial;
mod multicore;
mod multilevel;
mod options;
pub mod part_file;
mod partition;
mod rating;
mod refine;
mod statistics;
mod team;
mod two_way;
mod vertex_order;

pub use enforce::enforce_limit;
pub use error::PartitionError;
pub use graph::{Rows, WeightedGraph};
pub use multicore::partition_multicore;
pub use multilevel::{partition, partition_coarsest};
pub use options::{MatchBy, MulticoreOptions, Options, Preset, Sectioning, limit};
pub use part_file::PartFileError;
pub use partition::Partition;
pub use statistics::Statistics;
pub use vertex_order::{breadth_first_order, sorted_by_part};
