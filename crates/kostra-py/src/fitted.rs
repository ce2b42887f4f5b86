//! Points with their clusters, which new points search.

use std::sync::Arc;

use kostra_points::cluster;
use kostra_points::{Points, PointsError, Run};
use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::condensed::{Choice, Condensed};
use crate::points::{Basis, PointCoordinates, cluster_error, solve};

/// Fitted points, whose clusters new points join.
#[pyclass(frozen, module = "kostra._kostra")]
pub(crate) struct Fitted(Arc<cluster::Fitted>);

#[pymethods]
impl Fitted {
    /// `with_cores` is for everything but `predict`.
    #[new]
    fn new(
        py: Python<'_>,
        basis: Basis<'_>,
        condensed: &Condensed,
        choice: Choice,
        with_cores: bool,
    ) -> PyResult<Self> {
        let (distance, weights) = (basis.distance()?, basis.weights()?);
        let tree = Arc::clone(&condensed.0);
        let clustering = py.detach(|| choice.select(&tree)).map_err(cluster_error)?;
        let Basis { coordinates, dimensions, threads, .. } = basis;
        let fitted = solve(py, coordinates, dimensions, threads, move |points, run| {
            let points = points.weighted(&weights)?;
            if with_cores {
                cluster::Fitted::with_cores(&points, distance, tree, &clustering, run)
            } else {
                cluster::Fitted::new(&points, distance, tree, &clustering, run)
            }
        })?;
        Ok(Self(Arc::new(fitted)))
    }

    /// The label and the probability of each new point.
    fn predict<'py>(
        &self,
        py: Python<'py>,
        coordinates: PointCoordinates<'py>,
        dimensions: usize,
        threads: Option<usize>,
    ) -> PyResult<Labels<'py>> {
        let predicted =
            self.with(py, coordinates, (dimensions, threads), cluster::Fitted::predict)?;
        Ok((predicted.labels.into_pyarray(py), predicted.probabilities.into_pyarray(py)))
    }

    /// The columns of the predictions by the rule of the package hdbscan, by name.
    fn approximate_predict<'py>(
        &self,
        py: Python<'py>,
        coordinates: PointCoordinates<'py>,
        dimensions: usize,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyDict>> {
        self.refuse_without_cores()?;
        let place = cluster::Fitted::approximate_predict;
        let found = self.with(py, coordinates, (dimensions, threads), place)?;
        let columns = PyDict::new(py);
        columns.set_item("labels", found.clusters.labels.into_pyarray(py))?;
        columns.set_item("probabilities", found.clusters.probabilities.into_pyarray(py))?;
        columns.set_item("neighbors", found.neighbors.into_pyarray(py))?;
        columns.set_item("distances", found.distances.into_pyarray(py))?;
        columns.set_item("nearest", found.nearest.into_pyarray(py))?;
        Ok(columns)
    }

    /// The memberships of all fitted points, row by row. With `most`, the labels and the values of
    /// the largest ones.
    fn memberships<'py>(
        &self,
        py: Python<'py>,
        most: Option<usize>,
        threads: Option<usize>,
    ) -> PyResult<Memberships<'py>> {
        let nothing = PointCoordinates::none(py);
        let work = move |fitted: &cluster::Fitted, _: &Points<'_>, run: &mut Run<'_>| match most {
            None => Ok((None, fitted.memberships(run)?)),
            Some(k) => {
                fitted.top_memberships(k, run).map(|top| (Some(top.labels), top.memberships))
            }
        };
        Ok(arrays(py, self.with(py, nothing, (1, threads), work)?))
    }

    /// The memberships of new points.
    fn memberships_of<'py>(
        &self,
        py: Python<'py>,
        coordinates: PointCoordinates<'py>,
        dimensions: usize,
        most: Option<usize>,
        threads: Option<usize>,
    ) -> PyResult<Memberships<'py>> {
        self.refuse_without_cores()?;
        let work = move |fitted: &cluster::Fitted, new: &Points<'_>, run: &mut Run<'_>| match most {
            None => Ok((None, fitted.memberships_of(new, run)?)),
            Some(k) => {
                let top = fitted.top_memberships_of(new, k, run)?;
                Ok((Some(top.labels), top.memberships))
            }
        };
        Ok(arrays(py, self.with(py, coordinates, (dimensions, threads), work)?))
    }
}

/// The labels of the largest memberships, if only these are wanted, and the memberships.
type Memberships<'py> = (Option<Bound<'py, PyArray1<i32>>>, Bound<'py, PyArray1<f64>>);

fn arrays(py: Python<'_>, (labels, memberships): (Option<Vec<i32>>, Vec<f64>)) -> Memberships<'_> {
    (labels.map(|labels| labels.into_pyarray(py)), memberships.into_pyarray(py))
}

type Labels<'py> = (Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<f64>>);

impl Fitted {
    fn refuse_without_cores(&self) -> PyResult<()> {
        let refusal = || PyValueError::new_err("the points were prepared without core distances");
        self.0.has_cores().then_some(()).ok_or_else(refusal)
    }

    /// Works on a copy of new points.
    fn with<R: Send + 'static>(
        &self,
        py: Python<'_>,
        coordinates: PointCoordinates<'_>,
        (dimensions, threads): (usize, Option<usize>),
        work: impl FnOnce(&cluster::Fitted, &Points<'_>, &mut Run<'_>) -> Result<R, PointsError>
        + Send
        + 'static,
    ) -> PyResult<R> {
        let fitted = Arc::clone(&self.0);
        solve(py, coordinates, dimensions, threads, move |points, run| work(&fitted, points, run))
    }
}
