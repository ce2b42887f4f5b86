//! The compiled part of the Python package `kostra`. The public interface, with its documentation
//! and defaults, is in `python/kostra`. The compiled part takes arrays, Arrow tables, DLPack
//! capsules and file names, calls the engine, and returns arrays.

mod alternatives;
mod arborescence;
mod arrays;
mod arrow;
mod chunk;
mod condensed;
mod connected;
mod device;
mod device_points;
mod dlpack;
mod dynamic;
mod dynamic_points;
mod errors;
mod files;
mod fitted;
mod forest;
mod graph;
mod hierarchy;
mod kept;
mod lists;
mod names;
mod partition;
mod persistence;
mod points;
mod rolling;
mod rows;
mod sets;
mod steiner;
mod table;
mod threads;
mod trace;
mod validity;
mod views;
mod watch;
mod watershed;
mod written;

use std::ffi::OsString;

use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Large allocations by Rust code, such as graphs from files, request huge pages. NumPy requests
/// them itself.
#[global_allocator]
static MEMORY: kostra_core::ReportingAllocator = kostra_cli::ALLOCATOR;

/// The compiled part of `kostra`.
#[pymodule]
mod _kostra {
    /// The radius of the Earth as a sphere, in meters.
    #[pymodule_export]
    const EARTH_RADIUS: f64 = kostra_core::EARTH_RADIUS;

    #[pymodule_export]
    use super::alternatives::{ForestsInOrder, GraphAlternatives, constrained_forest};
    #[pymodule_export]
    use super::arborescence::arborescence_of_graph;
    #[pymodule_export]
    use super::arrow::writer::stream_of_columns;
    #[pymodule_export]
    use super::condensed::Condensed;
    #[pymodule_export]
    use super::connected::tree_of_connected;
    #[pymodule_export]
    use super::device::{DeviceMemory, device_of, solve_on_device};
    #[pymodule_export]
    use super::device_points::{points_on_host, tree_from_device, tree_on_device};
    #[pymodule_export]
    use super::dlpack::Borrowed;
    #[pymodule_export]
    use super::dynamic::LoggedForest;
    #[pymodule_export]
    use super::dynamic_points::SharedPoints;
    #[pymodule_export]
    use super::files::{generate, is_similarity, read, read_matrix};
    #[pymodule_export]
    use super::fitted::Fitted;
    #[pymodule_export]
    use super::forest::Forest;
    #[pymodule_export]
    use super::graph::Graph;
    #[pymodule_export]
    use super::hierarchy::Hierarchy;
    #[pymodule_export]
    use super::kept::Kept;
    #[pymodule_export]
    use super::lists::pick;
    #[pymodule_export]
    use super::names::{StringColumn, number_names};
    #[pymodule_export]
    use super::partition::partition_graph;
    #[pymodule_export]
    use super::persistence::{persistence_of_cells, persistence_of_edges};
    #[pymodule_export]
    use super::points::{
        approximate_tree_of_points, asymmetric_entries, cores_of_points, degrees_among, grid_ends,
        grid_graph, may_be_coordinate, neighbors_of_points, order_of_axes, segments,
        tree_of_distances, tree_of_entries, tree_of_neighbors, tree_of_points, tree_of_rows,
    };
    #[pymodule_export]
    use super::rolling::RollingTrees;
    #[pymodule_export]
    use super::rows::{rows_of_entries, starts_of_rows};
    #[pymodule_export]
    use super::sets::{tree_of_bits, tree_of_features};
    #[pymodule_export]
    use super::steiner::steiner_tree_of_graph;
    #[pymodule_export]
    use super::table::columns_of_table;
    #[pymodule_export]
    use super::threads::default_threads;
    #[pymodule_export]
    use super::trace::trace;
    #[pymodule_export]
    use super::validity::{validity_of_distances, validity_of_points};
    #[pymodule_export]
    use super::watershed::{hierarchy_weights, watershed_of_cells, watershed_of_edges};
    #[pymodule_export]
    use super::written::{draw_forest, newick, write_bytes, write_forest, write_graph};
    #[pymodule_export]
    use super::{run_command, solvers};
    #[pymodule_export]
    const MISSING_VALUES: [&str; 9] = kostra_io::MISSING_VALUES;
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python requires this name")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}

/// All algorithms: for each, a dict with its name, title, source, platform and exactness.
#[pyfunction]
fn solvers(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    kostra::solvers()
        .map(|solver| {
            let (info, entry) = (solver.info(), PyDict::new(py));
            entry.set_item("name", info.id)?;
            entry.set_item("title", info.title)?;
            entry.set_item("source", info.source)?;
            entry.set_item("platform", info.platform.name())?;
            entry.set_item("exact", info.exact)?;
            Ok(entry)
        })
        .collect()
}

/// Runs the command line and returns its exit code. Installs signal handlers and a panic hook.
#[pyfunction]
fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| kostra_cli::run(arguments))
}
