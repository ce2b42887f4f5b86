//! Partitions of graphs.

use kostra_core::Run;
use kostra_partition::{Options, PartitionError, Preset, Statistics, WeightedGraph, partition};
use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::out_of_memory;
use crate::graph::Graph;
use crate::threads::threads_or_default;
use crate::watch::{CancelFlag, interruptible};

/// The keyword arguments of `kostra.partition` in Python, and the weights as arrays.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct PartitionKeywords<'py> {
    k: u32,
    imbalance: f64,
    preset: String,
    seed: u64,
    threads: Option<usize>,
    /// The weights of the edges; without them, every edge counts as 1.
    edge_weights: Option<PyReadonlyArray1<'py, i64>>,
    /// The weights of the vertices; without them, every vertex counts as 1.
    vertex_weights: Option<PyReadonlyArray1<'py, i64>>,
}

/// The part of each vertex, and the figures of the partition by name. See the Python function.
#[pyfunction(name = "partition")]
pub(crate) fn partition_graph<'py>(
    py: Python<'py>,
    graph: &Graph,
    arguments: PartitionKeywords<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let preset = Preset::ALL.into_iter().find(|preset| preset.name() == arguments.preset);
    let options = Options {
        parts: arguments.k,
        imbalance: arguments.imbalance,
        preset: preset.unwrap_or_default(), // Python has checked the name
        seed: arguments.seed,
        threads: threads_or_default(arguments.threads),
    };
    let copied = |weights: Option<PyReadonlyArray1<'_, i64>>| {
        weights.map(|weights| weights.as_slice().map(<[i64]>::to_vec)).transpose()
    };
    let (edges, vertices) = (copied(arguments.edge_weights)?, copied(arguments.vertex_weights)?);
    let (graph, stop) = (graph.0.clone(), CancelFlag::default());
    let mut watched = stop.clone();
    let work = move || {
        let mut weighted =
            WeightedGraph::from_edges(graph.vertices(), graph.u(), graph.v(), edges.as_deref())?;
        if let Some(weights) = vertices {
            weighted = weighted.with_vertex_weights(weights)?;
        }
        let found = partition(&weighted, &options, &mut Run::new().observed_by(&mut watched))?;
        Statistics::count(&weighted, &found).map(|statistics| (found, statistics))
    };
    let found = interruptible(py, work).inspect_err(|_| stop.cancel())?;
    let (found, statistics) = found.map_err(|error| match error {
        PartitionError::OutOfMemory(refusal) => out_of_memory(refusal),
        error => PyValueError::new_err(error.to_string()),
    })?;
    let result = PyDict::new(py);
    result.set_item("k", found.count())?;
    result.set_item("parts", found.into_parts().into_pyarray(py))?;
    result.set_item("edge_cut", statistics.edge_cut)?;
    result.set_item("balance", statistics.balance)?;
    result.set_item("boundary_vertices", statistics.boundary_vertices)?;
    result.set_item("communication_volume", statistics.communication_volume)?;
    Ok(result)
}
