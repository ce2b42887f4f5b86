//! Arrays on a CUDA device: graphs of other libraries, given by address, and forests that stay on
//! the device.

#![allow(unsafe_code, reason = "arrays of other libraries are given by address")]

use std::sync::Arc;

use kostra_core::{ElementType, GraphError, Order, Run, SolveError, Weight, WeightType, counted};
use kostra_cuda::{
    self, Device, DeviceEdges, DeviceEnds, DeviceError, DeviceGraphError, DeviceWeights,
};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::dlpack;
use crate::errors::{device_error, solve_error};
use crate::threads::threads_or_default;
use crate::watch::interruptible;

/// Untyped memory on a device. Python gives it an element type.
#[pyclass(frozen, module = "kostra._kostra")]
pub(crate) struct DeviceMemory(Arc<kostra_cuda::DeviceMemory>);

impl DeviceMemory {
    pub(crate) fn of(memory: Arc<kostra_cuda::DeviceMemory>) -> Self {
        Self(memory)
    }

    pub(crate) fn shared(&self) -> Arc<kostra_cuda::DeviceMemory> {
        self.0.clone()
    }
}

#[pymethods]
impl DeviceMemory {
    /// Copies `bytes` to the device `ordinal`.
    #[staticmethod]
    fn copy_of(
        py: Python<'_>,
        bytes: PyReadonlyArray1<'_, u8>,
        ordinal: usize,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let bytes = bytes.as_slice()?;
        // On a separate thread, because using a device sets the thread's current device. If the
        // system refuses a thread, on this one.
        let copied = py.detach(|| {
            std::thread::scope(|scope| {
                let copy = || {
                    let device = Device::open(ordinal)?;
                    kostra_cuda::DeviceMemory::copy_of(&device, bytes, threads_or_default(threads))
                        .map_err(SolveError::from)
                };
                let thread = std::thread::Builder::new().spawn_scoped(scope, copy);
                thread.map_or_else(|_| Ok(copy()), std::thread::ScopedJoinHandle::join)
            })
        });
        match copied {
            Ok(copied) => {
                copied.map(|memory| Self(Arc::new(memory))).map_err(|error| solve_error(py, error))
            }
            Err(_) => Err(device_error(py, "the CUDA driver failed unexpectedly")),
        }
    }

    /// The number of the device.
    #[getter]
    fn ordinal(&self) -> usize {
        self.0.device().ordinal()
    }

    /// The number of bytes.
    #[getter]
    fn len(&self) -> usize {
        self.0.len()
    }

    /// The address of the first byte.
    fn address(&self, py: Python<'_>) -> PyResult<u64> {
        py.detach(|| self.0.share()).map_err(|error| device_error(py, &error.to_string()))
    }

    /// A copy of the bytes in host memory.
    fn bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let bytes =
            py.detach(|| self.0.to_vec()).map_err(|error| device_error(py, &error.to_string()))?;
        Ok(bytes.into_pyarray(py))
    }

    /// A DLPack capsule with `len` elements.
    fn dlpack<'py>(
        &self,
        py: Python<'py>,
        len: usize,
        elements: Elements,
        versioned: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let numbers = dlpack::Numbers { address: self.address(py)?, len, elements: elements.0 };
        dlpack::export(py, &self.0, numbers, versioned)
    }
}

/// The number of the device that owns `address`.
#[pyfunction]
pub(crate) fn device_of(py: Python<'_>, address: u64) -> PyResult<usize> {
    py.detach(|| Device::of_address(address)).map_err(|error| device_error(py, &error.to_string()))
}

/// The type of an array's elements; a string in Python: NumPy's short form without the byte order,
/// such as "i8".
#[derive(Clone, Copy, Debug)]
pub(crate) struct Elements(pub(crate) ElementType);

impl<'py> FromPyObject<'_, 'py> for Elements {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let form: String = object.extract()?;
        ElementType::from_numpy(&form).map(Self).ok_or_else(|| {
            PyTypeError::new_err(format!("{form} is no integer or float of up to 64 bits"))
        })
    }
}

/// An array on a device: its address, and the type of its elements. A pair in Python.
#[derive(Clone, Copy, Debug, FromPyObject)]
pub(crate) struct ForeignArray(pub(crate) u64, pub(crate) Elements);

/// A graph whose columns are on a device, and how it is solved: a dictionary in Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct DeviceProblem {
    /// The number of the device.
    ordinal: usize,
    /// The number of edges.
    len: u32,
    u: ForeignArray,
    v: ForeignArray,
    /// The weights; without them, all weights are equal.
    w: Option<ForeignArray>,
    /// The number of vertices; without it, the highest vertex plus one.
    n: Option<u32>,
    maximum: bool,
    skip_nan: bool,
    /// The streams whose queued work the solve waits for.
    streams: Vec<u64>,
    #[expect(
        dead_code,
        reason = "keeps the columns alive, even if an interrupt returns while the device works"
    )]
    owners: Py<PyAny>,
}

/// The result of a solve: ids, ends and weights of the forest's edges, and the number of vertices.
type Solved = (DeviceMemory, [DeviceMemory; 2], Option<DeviceMemory>, u32);

/// Solves a graph whose columns are on a device. First waits for the work on its streams.
#[pyfunction]
pub(crate) fn solve_on_device(py: Python<'_>, problem: DeviceProblem) -> PyResult<Solved> {
    let device = ready(py, problem.ordinal, &problem.streams)?;
    // The closure returns the problem with its owners, so that they are dropped on a thread with
    // the interpreter attached.
    let (solved, _problem) = interruptible(py, move || (solve(&device, &problem), problem))?;
    solved.map_err(|fault| match fault {
        Fault::Solve(error) => solve_error(py, error),
        Fault::Value(message) => PyValueError::new_err(message),
        Fault::Type(message) => PyTypeError::new_err(message),
    })
}

/// Opens a device, and waits for the work on streams. The owners of arrays guarantee their streams.
pub(crate) fn ready(py: Python<'_>, ordinal: usize, streams: &[u64]) -> PyResult<Arc<Device>> {
    let device = interruptible(py, move || Device::open(ordinal))?;
    let device = device.map_err(|error| device_error(py, &error.to_string()))?;
    for &stream in streams {
        // SAFETY: the owner of an array guarantees that its stream is valid.
        let waited = py.detach(|| unsafe { device.wait_for_stream(stream) });
        waited.map_err(|error| device_error(py, &error.to_string()))?;
    }
    Ok(device)
}

/// The reasons for which a solve fails.
enum Fault {
    Solve(SolveError),
    Value(String),
    Type(String),
}

impl From<SolveError> for Fault {
    fn from(error: SolveError) -> Self {
        Self::Solve(error)
    }
}

impl From<DeviceError> for Fault {
    fn from(error: DeviceError) -> Self {
        Self::Solve(error.into())
    }
}

fn solve(device: &Arc<Device>, problem: &DeviceProblem) -> Result<Solved, Fault> {
    let len = problem.len;
    let Some(ForeignArray(address, Elements(numbers))) = problem.w else {
        return solve_typed(device, problem, DeviceWeights::<u32>::equal(device, len)?);
    };
    macro_rules! typed {
        ($($type:ident => $weight:ty),*) => {
            match numbers.weight_type() {
                $(WeightType::$type => {
                    // SAFETY: the owner of the column guarantees its address.
                    let weights = unsafe {
                        DeviceWeights::<$weight>::from_address(device, numbers, address, len)
                    };
                    solve_typed(device, problem, weights?)
                })*
            }
        };
    }
    typed!(I32 => i32, U32 => u32, I64 => i64, U64 => u64, F32 => f32, F64 => f64)
}

fn solve_typed<W: Weight>(
    device: &Arc<Device>,
    problem: &DeviceProblem,
    weights: DeviceWeights<W>,
) -> Result<Solved, Fault> {
    let ends = |name, array| ends(device, name, array, problem.len);
    let (u, v) = (ends("u", problem.u)?, ends("v", problem.v)?);
    let n = match problem.n {
        Some(n) => n,
        None => {
            let vertices = u.bound().max(v.bound());
            u32::try_from(vertices).map_err(|_| {
                Fault::Value(format!(
                    "n is too large: {}",
                    GraphError::TooManyVertices { vertices }
                ))
            })?
        }
    };
    let given = kostra_cuda::DeviceColumns { ends: [u, v], weights };
    let order = if problem.maximum { Order::Maximum } else { Order::Minimum };
    let graph = DeviceEdges::from_columns(device, n, given, order, problem.skip_nan)
        .map_err(|error| explain(device, problem, n, error))?;
    let ids = kostra_cuda::fast::ids_on_edges(device, &graph, &mut Run::new())?;
    drop(graph);
    let pick = |ForeignArray(address, Elements(values))| {
        // SAFETY: the owner of the column guarantees its address; the ids are of edges of this
        // graph.
        let picked = unsafe { kostra_cuda::pick(&ids, address, values) };
        Ok::<_, DeviceError>(DeviceMemory(Arc::new(picked?)))
    };
    let ends = [pick(problem.u)?, pick(problem.v)?];
    let weights = problem.w.map(pick).transpose()?;
    // After this call, the device no longer reads the columns.
    device.finish()?;
    Ok((DeviceMemory(Arc::new(ids)), ends, weights, n))
}

fn ends(device: &Device, name: &str, array: ForeignArray, len: u32) -> Result<DeviceEnds, Fault> {
    let ForeignArray(address, Elements(integers)) = array;
    if !integers.is_integer() {
        let numpy = integers.numpy();
        return Err(Fault::Type(format!("{name} must be an array of integers, not of {numpy}")));
    }
    // SAFETY: the owner of the column guarantees its address.
    unsafe { DeviceEnds::from_address(device, integers, address, len) }.map_err(|error| match error
    {
        DeviceGraphError::NotAVertex { index } => match integer_at(device, array, index) {
            Ok(value) if value < 0 => Fault::Value(format!(
                "{name}[{index}] is {value}, but vertices are numbered from 0"
            )),
            Ok(value) => {
                Fault::Value(format!("{name}[{index}] is {value}, but vertex ids have 32 bits"))
            }
            Err(error) => error.into(),
        },
        DeviceGraphError::Device(error) => error.into(),
        error => Fault::Value(error.to_string()),
    })
}

/// The error with the argument and the position.
fn explain(device: &Device, problem: &DeviceProblem, n: u32, error: DeviceGraphError) -> Fault {
    let outside = |index| -> Result<String, DeviceError> {
        let u = integer_at(device, problem.u, index)?;
        let (name, value) = if u >= i128::from(n) {
            ("u", u)
        } else {
            ("v", integer_at(device, problem.v, index)?)
        };
        let n = counted(n, "vertex", "vertices");
        Ok(format!("{name}[{index}] is {value}, but the graph has n = {n}, numbered from 0"))
    };
    let first = match error {
        DeviceGraphError::Vertex { index, .. } => index,
        DeviceGraphError::NoVertices => 0,
        DeviceGraphError::NanWeight { index, .. } => {
            return Fault::Value(format!(
                "w[{index}] is NaN; fix it, or pass nan='skip' to skip such edges"
            ));
        }
        DeviceGraphError::Device(error) => return error.into(),
        error => return Fault::Value(error.to_string()),
    };
    outside(first).map_or_else(Fault::from, Fault::Value)
}

/// Reads the integer at `index` of a column.
fn integer_at(device: &Device, array: ForeignArray, index: u64) -> Result<i128, DeviceError> {
    let ForeignArray(address, Elements(integers)) = array;
    let size = integers.size();
    // SAFETY: the owner of the column guarantees its address, and `index` is an edge id.
    let bytes = unsafe { kostra_cuda::value_at(device, address + index * size as u64, size) }?;
    let negative = integers.is_signed_integer() && bytes.last().is_some_and(|byte| byte >> 7 == 1);
    let mut wide = [if negative { 0xff } else { 0 }; 16];
    wide[..bytes.len()].copy_from_slice(&bytes);
    Ok(i128::from_le_bytes(wide))
}
