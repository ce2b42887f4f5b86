//! Minimum spanning forests of weighted graphs.
//!
//! Every exact solver returns the same forest, on any machine and any number of threads: edges of
//! equal weight are ordered by edge id. A forest is a list of edge ids, which are positions in the
//! input. [`verify`] proves that a forest is correct, independently of the solvers.
//!
//! ```
//! use kostra::{Graph, minimum_spanning_forest, verify};
//!
//! // Parallel edges, self-loops and negative weights are allowed.
//! let graph = Graph::from_edges([(0, 1, 0.5), (1, 2, -1.0), (2, 0, 0.5), (0, 0, 0.0)])?;
//! let forest = minimum_spanning_forest(&graph);
//! for (id, u, v, weight) in forest.edges() {
//!     println!("edge {id} joins {u} and {v} and has weight {weight}");
//! }
//! assert_eq!(forest.ids(), [0, 1]);
//! assert_eq!(forest.total().to_string(), "-0.5");
//! assert_eq!(forest.component_count(), 1);
//! verify(&graph, &forest)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Solve`] chooses the solver, the number of threads, or a maximum spanning forest. With the
//! feature `io`, `kostra::read("roads.gr")` reads a graph from a file, and `Reader` has options.
//!
//! # Features
//!
//! No feature is on by default.
//!
//! | feature | adds |
//! |---|---|
//! | `io` | `read`, `Reader`, and the modules `io` and `forest_file`: graphs and forests in files, plain or compressed by gzip |
//! | `xz`, `zstd`, `bzip2` | files compressed by these; they need a C compiler to build |
//! | `parquet` | Parquet files |
//! | `gen` | the module `generate`: generated graphs |
//! | `partition` | the modules `partition`, parts of equal weight, and `renumbering` |
//! | `picture` | the module `picture`: pictures of forests |
//! | `cuda` | solvers for CUDA devices and the module `cuda`; they need no CUDA to build |
//! | `dynamic` | the module `dynamic`: forests of graphs that change |
//! | `variants` | the module `variants`: problems around the forest of a graph |
//! | `serde` | `Serialize` for `Forest`, `Solved`, `Number`, and clusters of points |
//! | `full` | all of these |
//! | `papers` | solvers that reproduce papers, for comparison |
//! | `points` | the module `points`: trees and clusters of points |
//! | `petgraph` | graphs of petgraph |
//!
//! # Where things are
//!
//! | module | content |
//! |---|---|
//! | this one | graphs, forests, solvers, [`verify`] |
//! | `io` | formats, and writing files |
//! | `forest_file` | files of forests |
//! | `newick` | trees and dendrograms in Newick |
//! | `picture` | pictures of forests |
//! | `generate` | generated graphs |
//! | `partition` | partitions of a graph into parts of equal weight |
//! | `points` | trees and clusters of points |
//! | `cuda` | CUDA devices |
//! | `dynamic` | forests of graphs that change |
//! | `variants` | problems around the forest of a graph |
//! | `renumbering` | new numbers for vertices |
//! | [`external`] | forests of graphs whose edges do not fit into memory |
//! | [`low_level`] | graphs of the engine, and solvers as their authors write them |
//!
//! # Examples
//!
//! The folder `examples` of this crate contains short programs to start from:
//!
//! - `arrays`: a graph from arrays, and its forest
//! - `road_file`: a road network from a file, and a file with its forest
//! - `clusters`: single-linkage clusters up to a distance, or of a given number
//! - `verify`: the first violation of a wrong forest
//! - `all_solvers`: all solvers on one graph, with an observer

pub mod external;
mod forest;
#[cfg(feature = "io")]
pub mod forest_file;
mod graph;
#[cfg(all(doctest, feature = "io", feature = "partition", feature = "serde"))]
mod guide {
    #[doc = include_str!("../../../docs/guide/rust-program.md")]
    mod rust_program {}
    #[doc = include_str!("../../../docs/guide/partition.md")]
    mod partition {}
}
#[cfg(feature = "io")]
pub mod newick;
#[cfg(all(feature = "io", feature = "partition"))]
mod part_file;
#[cfg(feature = "picture")]
pub mod picture;
#[cfg(feature = "io")]
mod reader;
mod registry;
#[cfg(feature = "partition")]
pub mod renumbering;
#[cfg(feature = "serde")]
mod serialize;
mod solve;
#[cfg(feature = "parquet")]
pub mod table;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod weight;

pub use forest::{Forest, verify, verify_ids};
pub use graph::{BuildError, Graph, IntoEdge, VertexNumber};
pub use kostra_core::tree::{Bottleneck, Merge, MergeTree, NO_PARENT};
pub use kostra_core::{
    Certificate, Coordinates, EdgeId, GraphError, Labels, MOST_THREADS, Observer, OptionError,
    OptionValue, OptionValues, Order, OutOfMemory, PartsError, Platform, RequestError, Round, Run,
    SolveError, SolverInfo, Total, VerifyError, Vertex, VertexParts, Violation, WeightType,
    Workspace, check_threads, default_threads,
};
#[cfg(feature = "io")]
pub use reader::{GraphFile, Reader, read};
pub use registry::{UnknownSolver, auto, auto_on_processor, id_of, solver, solvers};
pub use solve::{
    AUTO, DeviceChoice, Fallback, Solve, Solved, maximum_spanning_forest, minimum_spanning_forest,
};
pub use weight::{EdgeWeight, Number};

/// Graphs of the engine, and solvers.
pub mod low_level {
    pub use kostra_core::{
        AnyGraph, Column, EdgeList, Edges, Forest, Key, Representation, Solution, Solver,
        SolverOption, Weight, with_graph,
    };
}

/// Graphs in files: formats, options of readers, and writing.
#[cfg(feature = "io")]
pub mod io {
    pub use kostra_io::{
        ArrayContent, BoundingBox, ColumnChoice, ColumnOptions, Compression, Delimiter, FORMATS,
        Format, FormatInfo, Header, Input, KeptColumns, Links, Loaded, Meaning, Message,
        MissingWeights, Nan, Outgoing, Output, Parsed, ReadError, ReadErrorKind, ReadOptions,
        Remedy, RemedyValue, RoadOptions, Vertices, WriteError, read, read_bytes, write_atomically,
        write_bytes, write_graph,
    };
}

/// Generated graphs.
#[cfg(feature = "gen")]
pub mod generate {
    pub use kostra_gen::{
        Generated, GeneratorInfo, ParameterInfo, SpecError, generate, generators,
    };
}

/// Partitions of a graph into parts of equal weight.
#[cfg(feature = "partition")]
pub mod partition {
    #[cfg(feature = "io")]
    pub use crate::part_file::read_parts;
    pub use kostra_partition::part_file::write as write_parts;
    pub use kostra_partition::{
        Options, Partition, PartitionError, Preset, Rows, Statistics, WeightedGraph, partition,
    };
}

/// Trees of points, their neighbors and their clusters.
#[cfg(feature = "points")]
pub mod points {
    pub use kostra_points::cluster::{
        Cluster, ClusterError, Clustering, CondensedTree, Hierarchy, Method, Selection, Ties,
    };
    pub use kostra_points::{
        AxisOrder, Coordinate, CorrelationDistance, Distance, DynamicPoints, Metric, Neighbors,
        PointTree, Points, PointsError, Values, WindowTrees, Windows, core_distances,
        nearest_neighbors, neighbors_tree, rolling_trees, spanning_tree,
    };
}

/// Forests of graphs whose edges are inserted, deleted and reweighted.
#[cfg(feature = "dynamic")]
pub mod dynamic {
    pub use kostra_dynamic::{
        AnyDynamicForest, DynamicForest, ForestStep, LineError, LogError, MAX_VERTICES, OpenedLog,
        Update, UpdateBatch, UpdateError, UpdateLine, UpdateLog, with_dynamic_forest,
    };
}

#[cfg(feature = "variants")]
pub mod variants;

/// CUDA devices: graphs that stay on a device, and partitions.
#[cfg(feature = "cuda")]
pub mod cuda {
    pub use kostra_cuda::external;
    pub use kostra_cuda::fast::{on_edges, on_rows};
    pub use kostra_cuda::partition::{
        DevicePartitionOptions, Matching, Refinement, RowSort, partition,
    };
    pub use kostra_cuda::{
        CsrAddresses, Device, DeviceCsr, DeviceEdges, DeviceError, DeviceGraphError, DeviceMemory,
        EdgeAddresses, NoDevice,
    };
}
