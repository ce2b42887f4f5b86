//! A fake CUDA driver and a fake NVRTC, for tests of the host's calls.

use std::path::Path;
use std::process::Command;

/// Compiles the two libraries to a folder. Prints a message and returns `false` if there is no C
/// compiler.
pub(crate) fn make_libraries(folder: &Path) -> bool {
    let sources = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../kostra-cuda/tests/fake"));
    ["driver.c", "nvrtc.c"].into_iter().zip(["libcuda.so", "libnvrtc.so"]).all(
        |(source, library)| {
            let mut compiler = Command::new("cc");
            compiler.args(["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o"]);
            match compiler.arg(folder.join(library)).arg(sources.join(source)).output() {
                Err(_) => {
                    println!("skipped: no C compiler to make a driver");
                    false
                }
                Ok(output) => {
                    assert!(
                        output.status.success(),
                        "{source}: {}",
                        String::from_utf8_lossy(&output.stderr)
                    );
                    true
                }
            }
        },
    )
}

/// Makes a process load the libraries of a folder, and keep compiled kernels there.
pub(crate) fn use_libraries<'a>(process: &'a mut Command, folder: &Path) -> &'a mut Command {
    process
        .env("LD_LIBRARY_PATH", folder)
        .env("KOSTRA_NVRTC", folder.join("libnvrtc.so"))
        .env("KOSTRA_CUDA_JIT", "1")
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .env("KOSTRA_FAKE_LOG", folder.join("log"))
        .env_remove("CUDA_VISIBLE_DEVICES")
}
