//! Loading of kernels to a device.
//!
//! If nvcc is found when Kostra is built, the build script compiles every file of `kernels/`, and
//! the results are part of the program. They contain machine code for several architectures and
//! a virtual one, which drivers translate for later devices. Only the driver is needed to run them.
//! Otherwise NVRTC compiles a file when it is first used, and the result is cached on disk.
//! `KOSTRA_CUDA_JIT=1` makes Kostra use NVRTC in any case.

use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaModule};
use cudarc::nvrtc::Ptx;

use crate::error::DeviceError;
use crate::error::Doing;
use crate::nvrtc;
use crate::source::{Files, InProgram, KernelArchive, KernelFiles};

/// Says in a few words where this machine's kernels come from.
///
/// # Errors
/// When the kernels were not compiled with Kostra, and NVRTC is not found. The error says what to
/// install.
pub fn origin() -> Result<String, DeviceError> {
    if !are_compiled() {
        let (major, minor) = nvrtc::version()?;
        return Ok(format!("compiled here by NVRTC {major}.{minor}"));
    }
    Ok(format!("compiled ahead, for {}", Files::archive().architectures))
}

/// Whether the kernels were compiled with Kostra. If not, their first use compiles them, which
/// takes some seconds, once per machine.
pub fn are_compiled() -> bool {
    !Files::archive().compiled.is_empty() && !jit_is_forced()
}

/// Loads a file of kernels, and compiles it first if necessary.
pub(crate) fn load(
    context: &Arc<CudaContext>,
    capability: (u32, u32),
    source: InProgram,
) -> Result<Arc<CudaModule>, DeviceError> {
    let KernelArchive { compiled, .. } = source.archive;
    let embedded = compiled.iter().find(|(name, _)| *name == source.name && !jit_is_forced());
    if let Some((_, fatbin)) = embedded {
        // A driver that is older than the compiler may refuse the binary. Then NVRTC compiles the
        // file for this driver.
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
