//! How kernels reach the device.
//!
//! Where nvcc is found when Kostra is built, the build script compiles every file of `kernels/` for
//! the architectures of the day and for a virtual one that drivers translate to later ones, and the
//! result is embedded here: the driver alone is needed to run it. Elsewhere NVRTC compiles a file
//! when it is first used, and the result is kept on disk. `KOSTRA_CUDA_JIT=1` takes NVRTC in any
//! case.

use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaModule};
use cudarc::nvrtc::Ptx;

use crate::error::Doing;
use crate::{DeviceError, nvrtc};

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// A file of kernels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    /// Its name in `kernels/`, without `.cu`.
    pub(crate) name: &'static str,
    /// Its content; `common.cuh` comes before it.
    pub(crate) text: &'static str,
}

/// What stands before every file of kernels.
const COMMON: &str = include_str!("../kernels/common.cuh");

impl Source {
    /// The whole text, as it is compiled.
    pub(crate) fn full_text(self) -> String {
        format!("{COMMON}\n#line 1 \"{}.cu\"\n{}", self.name, self.text)
    }
}

/// Where kernels come from on this machine, in a few words.
///
/// # Errors
/// When they were not compiled ahead, and there is no NVRTC either; the error says what to install.
pub fn origin() -> Result<String, DeviceError> {
    if EMBEDDED.is_empty() || jit_is_forced() {
        let (major, minor) = nvrtc::version()?;
        return Ok(format!("compiled here by NVRTC {major}.{minor}"));
    }
    Ok(format!("compiled ahead, for {ARCHITECTURES}"))
}

/// Whether they need not be compiled here, which takes some twenty seconds, once on a machine.
pub fn are_compiled() -> bool {
    !EMBEDDED.is_empty() && !jit_is_forced()
}

/// Compiles a file of kernels, or finds it compiled, and loads it.
pub(crate) fn load(
    context: &Arc<CudaContext>,
    capability: (u32, u32),
    source: Source,
) -> Result<Arc<CudaModule>, DeviceError> {
    let embedded = EMBEDDED.iter().find(|(name, _)| *name == source.name && !jit_is_forced());
    if let Some((_, fatbin)) = embedded {
        // A driver older than the compiler may refuse it; what is compiled here, it should not.
        if let Ok(module) = context.load_module(Ptx::from_binary(fatbin.to_vec())) {
            return Ok(module);
        }
    }
    nvrtc::compiled(source, capability, |cubin| {
        context.load_module(Ptx::from_binary(cubin.to_vec())).doing("loading kernels")
    })
}

fn jit_is_forced() -> bool {
    std::env::var_os("KOSTRA_CUDA_JIT").is_some_and(|value| value != "0" && !value.is_empty())
}
