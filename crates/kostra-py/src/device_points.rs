//! Trees of points in arrays on a CUDA device, given by address. The trees stay on the device.

#![allow(unsafe_code, reason = "arrays of other libraries are given by address")]

use kostra_core::{Run, SolveError};
use kostra_cuda::points::{
    DevicePointTree, DevicePointsError, PointAddresses, PointDistance, spanning_tree_at,
};
use kostra_points::Distance;
use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;

use crate::device::{DeviceMemory, Elements, ForeignArray, ready};
use crate::errors::{device_error, solve_error};
use crate::forest::Forest;
use crate::points::{named, points_error};
use crate::threads::threads_or_default;
use crate::watch::{CancelFlag, interruptible};

/// Points on a device, and the distance whose tree is built: a dictionary in Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct PointProblem {
    /// The number of the device.
    ordinal: usize,
    points: ForeignArray,
    len: u32,
    dimensions: usize,
    /// The number of coordinates from a point to the next one.
    stride: usize,
    metric: String,
    min_samples: usize,
    /// The streams whose queued work the call waits for.
    streams: Vec<u64>,
    #[expect(
        dead_code,
        reason = "keeps the array alive, even if an interrupt returns while the device works"
    )]
    owners: Py<PyAny>,
}

/// The ends and the distances of the edges.
type Tree = ([DeviceMemory; 2], DeviceMemory);

/// The spanning tree of points on a device. Python has checked the array's shape and type.
#[pyfunction]
pub(crate) fn tree_on_device(py: Python<'_>, problem: PointProblem) -> PyResult<Tree> {
    let device = ready(py, problem.ordinal, &problem.streams)?;
    let distance = Distance::mutual_reachability(named(&problem.metric)?, problem.min_samples);
    let ForeignArray(address, Elements(coordinates)) = problem.points;
    let points = PointAddresses {
        address,
        len: problem.len,
        dimensions: problem.dimensions,
        stride: problem.stride,
        coordinates,
    };
    let stop = CancelFlag::default();
    let mut watched = stop.clone();
    // The closure returns the problem with its owners, so that they are dropped on a thread with
    // the interpreter attached.
    let work = move || {
        let run = &mut Run::new().observed_by(&mut watched);
        // SAFETY: the owner of the array guarantees its address, and lives on.
        let tree =
            unsafe { spanning_tree_at(&device, &points, PointDistance::Metric(distance), run) };
        (tree, problem)
    };
    let (tree, _problem) = interruptible(py, work).inspect_err(|_| stop.cancel())?;
    let DevicePointTree { lower_ends, higher_ends, distances, .. } =
        tree.map_err(|error| exception(py, error))?;
    let [u, v, distances] = [lower_ends, higher_ends, distances].map(DeviceMemory::of);
    Ok(([u, v], distances))
}

/// The bytes of points on a device, from the first coordinate to the last, in host memory.
#[pyfunction]
pub(crate) fn points_on_host<'py>(
    py: Python<'py>,
    problem: PointProblem,
) -> PyResult<Bound<'py, PyArray1<u8>>> {
    let device = ready(py, problem.ordinal, &problem.streams)?;
    let ForeignArray(address, Elements(coordinates)) = problem.points;
    let values = problem.len.saturating_sub(1) as usize * problem.stride + problem.dimensions;
    // SAFETY: the owner of the array guarantees its address, and lives on.
    let bytes = py
        .detach(|| unsafe { kostra_cuda::value_at(&device, address, values * coordinates.size()) });
    let bytes = bytes.map_err(|error| device_error(py, &error.to_string()))?;
    Ok(bytes.into_pyarray(py))
}

/// The exception for an error of a device's function for points.
fn exception(py: Python<'_>, error: DevicePointsError) -> PyErr {
    match error {
        DevicePointsError::Points(error) => points_error(error),
        DevicePointsError::Run(SolveError::Cancelled) => {
            PyKeyboardInterrupt::new_err("interrupted")
        }
        DevicePointsError::Run(error) => solve_error(py, error),
        DevicePointsError::Device(error) => solve_error(py, error.into()),
        DevicePointsError::NoDevice(error) => device_error(py, &error.to_string()),
        error => PyValueError::new_err(
            error.to_string().replace("use the processor", "copy X to host memory"),
        ),
    }
}

/// The tree of `points` points in host memory, from the ends and the distances of its edges.
#[pyfunction]
pub(crate) fn tree_from_device(
    py: Python<'_>,
    points: u32,
    ends: [PyRef<'_, DeviceMemory>; 2],
    distances: PyRef<'_, DeviceMemory>,
) -> PyResult<Forest> {
    let [lower_ends, higher_ends] = ends.map(|ends| ends.shared());
    let tree =
        DevicePointTree { len: points, lower_ends, higher_ends, distances: distances.shared() };
    let tree = interruptible(py, move || tree.download(threads_or_default(None)))?;
    Ok(Forest::of_points(tree.map_err(|error| exception(py, error))?))
}
