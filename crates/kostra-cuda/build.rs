//! Archives and compiles the kernels in `kernels/`, and tells other crates where the headers are.

use std::env;
use std::path::PathBuf;

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    println!("cargo::metadata=headers={}", root.join("kernels").display());
    kostra_cuda_build::kernels(None);
}
