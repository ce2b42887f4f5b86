//! Points that come and go, for Python.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kostra_points::DynamicPoints;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::forest::Forest;
use crate::points::{Basis, PointCoordinates, points_error, solve};

/// Points that come and go, and their spanning tree.
#[pyclass(frozen, name = "DynamicPoints", module = "kostra._kostra")]
pub(crate) struct SharedPoints(Arc<Mutex<DynamicPoints>>);

/// The points, also after a failure: no update leaves them half changed.
fn lock(points: &Mutex<DynamicPoints>) -> MutexGuard<'_, DynamicPoints> {
    points.lock().unwrap_or_else(PoisonError::into_inner)
}

#[pymethods]
impl SharedPoints {
    #[new]
    fn new(py: Python<'_>, basis: Basis<'_>) -> PyResult<Self> {
        let distance = basis.distance()?;
        let Basis { coordinates, dimensions, threads, .. } = basis;
        let points = solve(py, coordinates, dimensions, threads, move |points, run| {
            DynamicPoints::new(points, distance, run)
        })?;
        Ok(Self(Arc::new(Mutex::new(points))))
    }

    /// Adds points. Returns the first id and the end of the ids.
    fn add(
        &self,
        py: Python<'_>,
        coordinates: PointCoordinates<'_>,
        dimensions: usize,
        threads: Option<usize>,
    ) -> PyResult<(u32, u32)> {
        let shared = Arc::clone(&self.0);
        let ids = solve(py, coordinates, dimensions, threads, move |points, run| {
            lock(&shared).add(points, run)
        })?;
        Ok((ids.start, ids.end))
    }

    fn remove(
        &self,
        py: Python<'_>,
        ids: PyReadonlyArray1<'_, u32>,
        threads: Option<usize>,
    ) -> PyResult<()> {
        let (shared, ids) = (Arc::clone(&self.0), ids.as_slice()?.to_vec());
        solve(py, PointCoordinates::none(py), 1, threads, move |_, run| {
            lock(&shared).remove(&ids, run)
        })
    }

    fn tree(&self, py: Python<'_>) -> PyResult<Forest> {
        py.detach(|| lock(&self.0).tree()).map(Forest::of_points).map_err(points_error)
    }

    fn ids<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        py.detach(|| lock(&self.0).ids().to_vec()).into_pyarray(py)
    }

    fn rows<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        py.detach(|| lock(&self.0).rows().to_vec()).into_pyarray(py)
    }

    #[getter]
    fn n(&self) -> u32 {
        lock(&self.0).len()
    }

    #[getter]
    fn dimensions(&self) -> usize {
        lock(&self.0).dimensions()
    }

    #[getter]
    fn was_recomputed(&self) -> bool {
        lock(&self.0).was_recomputed()
    }
}
