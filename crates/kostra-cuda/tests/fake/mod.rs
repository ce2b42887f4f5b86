//! A fake CUDA driver and a fake NVRTC, for tests of the host's calls.

use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

/// The sources, and the names of the libraries.
const LIBRARIES: [(&str, &str); 2] = [("driver.c", "libcuda.so"), ("nvrtc.c", "libnvrtc.so")];

/// The libraries, compiled once for all tests of a process; none if there is no C compiler.
static COMPILED: LazyLock<Option<Vec<Vec<u8>>>> =
    LazyLock::new(|| LIBRARIES.iter().map(|(source, _)| compile(source)).collect());

fn compile(source: &str) -> Option<Vec<u8>> {
    let sources = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../kostra-cuda/tests/fake"));
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("library");
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o"]);
    let output = compiler.arg(&library).arg(sources.join(source)).output().ok()?;
    assert!(output.status.success(), "{source}: {}", String::from_utf8_lossy(&output.stderr));
    Some(std::fs::read(library).unwrap())
}

/// Writes the two libraries to a folder. Prints a message and returns `false` if there is no C
/// compiler.
pub(crate) fn make_libraries(folder: &Path) -> bool {
    let Some(compiled) = &*COMPILED else {
        println!("skipped: no C compiler to make a driver");
        return false;
    };
    for ((_, library), bytes) in LIBRARIES.iter().zip(compiled) {
        std::fs::write(folder.join(library), bytes).unwrap();
    }
    true
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
