//! Archives and compiles the kernels in `kernels/`, which include headers of `kostra-cuda`.

use std::env;
use std::path::PathBuf;

fn main() {
    let headers = env::var_os("DEP_KOSTRA_CUDA_HEADERS").map(PathBuf::from);
    kostra_cuda_build::kernels(headers.as_deref());
}
