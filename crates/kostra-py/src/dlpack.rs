//! DLPack, with which libraries exchange arrays on devices. A capsule contains a pointer to a
//! struct with the address of an array and a deleter.
//!
//! The layouts are those of DLPack's header, for versions before 1.0 and for 1.x
//! (<https://dmlc.github.io/dlpack/latest/>). The consumer renames the capsule, so that it is
//! consumed only once, and calls the deleter when done.

#![allow(unsafe_code, reason = "capsules contain C structs")]

use std::ffi::{CStr, c_void};
use std::ptr::NonNull;
use std::sync::Arc;

use kostra_core::ElementType;
use kostra_cuda::DeviceMemory;
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

const CUDA: i32 = 2;
/// The supported major version. All versions 1.x have the layout of version 1.0.
const MAJOR: u32 = 1;

#[repr(C)]
#[derive(Clone, Copy)]
struct DataType {
    code: u8,
    bits: u8,
    lanes: u16,
}

#[repr(C)]
struct Tensor {
    data: *mut c_void,
    device_type: i32,
    device_id: i32,
    ndim: i32,
    dtype: DataType,
    shape: *mut i64,
    strides: *mut i64,
    byte_offset: u64,
}

/// `DLManagedTensor`, in capsules named "dltensor".
#[repr(C)]
struct Managed {
    tensor: Tensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Self)>,
}

/// `DLManagedTensorVersioned`, in capsules named `"dltensor_versioned"`.
#[repr(C)]
struct Versioned {
    major: u32,
    minor: u32,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Self)>,
    flags: u64,
    tensor: Tensor,
}

/// The content of a capsule, in one of the two layouts.
trait Content: Sized {
    const NAME: &'static CStr;
    const USED: &'static CStr;

    fn new(tensor: Tensor, context: *mut c_void, deleter: unsafe extern "C" fn(*mut Self)) -> Self;
    fn context(&self) -> *mut c_void;
    fn deleter(&self) -> Option<unsafe extern "C" fn(*mut Self)>;
}

impl Content for Managed {
    const NAME: &'static CStr = c"dltensor";
    const USED: &'static CStr = c"used_dltensor";

    fn new(tensor: Tensor, context: *mut c_void, deleter: unsafe extern "C" fn(*mut Self)) -> Self {
        Self { tensor, context, deleter: Some(deleter) }
    }
    fn context(&self) -> *mut c_void {
        self.context
    }
    fn deleter(&self) -> Option<unsafe extern "C" fn(*mut Self)> {
        self.deleter
    }
}

impl Content for Versioned {
    const NAME: &'static CStr = c"dltensor_versioned";
    const USED: &'static CStr = c"used_dltensor_versioned";

    fn new(tensor: Tensor, context: *mut c_void, deleter: unsafe extern "C" fn(*mut Self)) -> Self {
        Self { major: MAJOR, minor: 0, context, deleter: Some(deleter), flags: 0, tensor }
    }
    fn context(&self) -> *mut c_void {
        self.context
    }
    fn deleter(&self) -> Option<unsafe extern "C" fn(*mut Self)> {
        self.deleter
    }
}

/// An array of another library. Dropping this value calls the array's deleter.
#[pyclass(frozen, module = "kostra._kostra")]
pub(crate) struct Borrowed(Held);

enum Held {
    Managed(NonNull<Managed>),
    Versioned(NonNull<Versioned>),
}

// SAFETY: the struct is only read. The producer transferred the right to call the deleter, from any
// thread.
unsafe impl Send for Held {}
// SAFETY: as above.
unsafe impl Sync for Held {}

impl Drop for Held {
    fn drop(&mut self) {
        // SAFETY: the struct is valid until the deleter is called. This is the only call.
        unsafe {
            match *self {
                Self::Managed(content) => call_deleter(content),
                Self::Versioned(content) => call_deleter(content),
            }
        }
    }
}

/// # Safety
/// The struct is valid, and no code uses it after this call.
unsafe fn call_deleter<C: Content>(content: NonNull<C>) {
    // SAFETY: the caller guarantees a valid struct.
    if let Some(deleter) = unsafe { content.as_ref() }.deleter() {
        // SAFETY: the caller guarantees that this is the last use of the struct.
        unsafe { deleter(content.as_ptr()) };
    }
}

/// Takes the content out of a capsule of the layout `C` and renames the capsule. Returns `None` for
/// any other object.
fn consume<C: Content>(capsule: &Bound<'_, PyAny>) -> Option<NonNull<C>> {
    let object = capsule.as_ptr();
    // SAFETY: the first call accepts any object. The name of a capsule gives the type of its
    // content. Renaming transfers the ownership of the content.
    unsafe {
        if ffi::PyCapsule_IsValid(object, C::NAME.as_ptr()) == 0 {
            return None;
        }
        let content =
            NonNull::new(ffi::PyCapsule_GetPointer(object, C::NAME.as_ptr()).cast::<C>())?;
        (ffi::PyCapsule_SetName(object, C::USED.as_ptr()) == 0).then_some(content)
    }
}

#[pymethods]
impl Borrowed {
    /// Consumes the capsule that `__dlpack__` returned.
    #[staticmethod]
    fn consume(capsule: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Some(content) = consume::<Managed>(capsule) {
            return Ok(Self(Held::Managed(content)));
        }
        let Some(content) = consume::<Versioned>(capsule) else {
            return Err(PyTypeError::new_err(
                "__dlpack__ must return a DLPack capsule that was not used before",
            ));
        };
        let held = Held::Versioned(content);
        // SAFETY: the struct is valid, and all versions store the version numbers first.
        let major = unsafe { (*content.as_ptr()).major };
        if major != MAJOR {
            return Err(PyBufferError::new_err(format!(
                "the array has DLPack version {major}, but only version {MAJOR} is supported"
            )));
        }
        Ok(Self(held))
    }

    /// The DLPack type and the number of the device.
    #[getter]
    fn device(&self) -> (i32, i32) {
        let tensor = self.tensor();
        (tensor.device_type, tensor.device_id)
    }

    /// The code, bits and lanes of the element type.
    #[getter]
    fn dtype(&self) -> (u8, u8, u16) {
        let DataType { code, bits, lanes } = self.tensor().dtype;
        (code, bits, lanes)
    }

    /// The element type in NumPy's short form; None if NumPy has none.
    #[getter]
    fn elements(&self) -> Option<&'static str> {
        let DataType { code, bits, lanes } = self.tensor().dtype;
        ElementType::from_dlpack(code, bits).filter(|_| lanes == 1).map(ElementType::numpy)
    }

    /// The length of each dimension.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.numbers(self.tensor().shape))
    }

    /// The stride of each dimension in elements; None if the array is contiguous.
    #[getter]
    fn strides<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let strides = self.tensor().strides;
        if strides.is_null() { Ok(None) } else { PyTuple::new(py, self.numbers(strides)).map(Some) }
    }

    /// The address of the first element.
    #[getter]
    fn address(&self) -> u64 {
        let tensor = self.tensor();
        (tensor.data as usize as u64).wrapping_add(tensor.byte_offset)
    }
}

impl Borrowed {
    fn tensor(&self) -> &Tensor {
        match &self.0 {
            // SAFETY: the struct is valid until the deleter is called.
            Held::Managed(content) => unsafe { &content.as_ref().tensor },
            // SAFETY: as above.
            Held::Versioned(content) => unsafe { &content.as_ref().tensor },
        }
    }

    fn numbers(&self, first: *const i64) -> Vec<i64> {
        let len = usize::try_from(self.tensor().ndim).unwrap_or(0);
        if first.is_null() || len == 0 {
            return Vec::new();
        }
        // SAFETY: the producer guarantees one number per dimension.
        unsafe { std::slice::from_raw_parts(first, len) }.to_vec()
    }
}

/// An exported array: its memory and the arrays to which the struct points.
struct Exported {
    _memory: Arc<DeviceMemory>,
    shape: [i64; 1],
    strides: [i64; 1],
}

/// The numbers in a device's memory that a capsule exports.
pub(crate) struct Numbers {
    /// The address of the first number.
    pub(crate) address: u64,
    /// The number of numbers.
    pub(crate) len: usize,
    /// The type of a number.
    pub(crate) elements: ElementType,
}

/// Makes a capsule with `numbers`, which are in `memory`.
pub(crate) fn export<'py>(
    py: Python<'py>,
    memory: &Arc<DeviceMemory>,
    numbers: Numbers,
    versioned: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let Numbers { address, len, elements } = numbers;
    let (code, bits) = elements.dlpack();
    let exported = Exported { _memory: memory.clone(), shape: [len as i64], strides: [1] };
    let exported = Box::into_raw(Box::new(exported));
    // SAFETY: `exported` is the box from the previous line.
    let (shape, strides) = unsafe { (&raw mut (*exported).shape, &raw mut (*exported).strides) };
    let tensor = Tensor {
        data: address as usize as *mut c_void,
        device_type: CUDA,
        device_id: memory.device().ordinal() as i32,
        ndim: 1,
        dtype: DataType { code, bits, lanes: 1 },
        shape: shape.cast(),
        strides: strides.cast(),
        byte_offset: 0,
    };
    if versioned {
        capsule::<Versioned>(py, tensor, exported.cast())
    } else {
        capsule::<Managed>(py, tensor, exported.cast())
    }
}

fn capsule<C: Content>(
    py: Python<'_>,
    tensor: Tensor,
    exported: *mut c_void,
) -> PyResult<Bound<'_, PyAny>> {
    let content = Box::into_raw(Box::new(C::new(tensor, exported, free::<C>)));
    // SAFETY: the name is static, and the destructor has the type of the content.
    unsafe {
        let capsule = ffi::PyCapsule_New(content.cast(), C::NAME.as_ptr(), Some(discard::<C>));
        if capsule.is_null() {
            free(content);
        }
        Bound::from_owned_ptr_or_err(py, capsule)
    }
}

/// The deleter of exported arrays. It may be called without the interpreter.
unsafe extern "C" fn free<C: Content>(content: *mut C) {
    if content.is_null() {
        return;
    }
    // SAFETY: the boxes come from `export` and `capsule`, and DLPack allows only one call of the
    // deleter.
    unsafe {
        let content = Box::from_raw(content);
        drop(Box::from_raw(content.context().cast::<Exported>()));
    }
}

/// The destructor of exported capsules. A capsule that was not consumed still owns its content.
unsafe extern "C" fn discard<C: Content>(capsule: *mut ffi::PyObject) {
    // SAFETY: Python calls this with an exported capsule. A consumed capsule has another name.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, C::NAME.as_ptr()) != 0 {
            free::<C>(ffi::PyCapsule_GetPointer(capsule, C::NAME.as_ptr()).cast());
        }
    }
}
