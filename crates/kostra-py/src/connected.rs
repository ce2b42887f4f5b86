//! Spanning forests of chosen pairs of points.

use kostra_core::memory;
use kostra_points::connected_tree;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::errors::out_of_memory;
use crate::forest::Forest;
use crate::points::{Basis, solve};

/// The spanning forest of pairs of points, which have one row and one column each.
#[pyfunction]
pub(crate) fn tree_of_connected(
    py: Python<'_>,
    basis: Basis<'_>,
    rows: PyReadonlyArray1<'_, u32>,
    columns: PyReadonlyArray1<'_, u32>,
) -> PyResult<Forest> {
    let (distance, weights) = (basis.distance()?, basis.weights()?);
    let pairs = rows.as_slice()?.iter().zip(columns.as_slice()?);
    let pairs = pairs.map(|(&row, &column)| [row, column]);
    let pairs = memory::collected(pairs).map_err(out_of_memory)?;
    let Basis { coordinates, dimensions, threads, .. } = basis;
    let tree = solve(py, coordinates, dimensions, threads, move |points, run| {
        connected_tree(&points.weighted(&weights)?, distance, &pairs, run)
    })?;
    Ok(Forest::of_points(tree))
}
