//! The peak memory of a `kostra solve` process, and its budget.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::machine::quoted;
use crate::process::wait_for_usage;

/// The peak memory of one process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PeakResult {
    /// The input of `kostra solve` as given on the command line.
    pub(crate) source: String,
    /// The measured command.
    pub(crate) command: String,
    /// The number of vertices of the graph.
    pub(crate) vertices: u64,
    /// The number of edges of the graph.
    pub(crate) edges: u64,
    /// The peak memory of the whole process in bytes.
    pub(crate) peak_bytes: u64,
    /// The budget in bytes: 12 per edge for the input, and 12 per edge and 24 per vertex for the
    /// solve.
    pub(crate) budget_bytes: u64,
}

/// The fields of `kostra solve --json` that determine the budget.
#[derive(Deserialize)]
struct Size {
    vertices: u64,
    edges: u64,
}

/// Solves an input in a child process and returns the peak memory of that process. It includes the
/// graph, the reader or generator, the solver and the program.
///
/// # Errors
/// If the child process fails.
pub(crate) fn measure(
    kostra: &Path,
    source: &str,
    algorithm: Option<&str>,
    threads: usize,
) -> Result<PeakResult> {
    let mut arguments = vec!["solve".to_owned(), source.to_owned(), "--json".to_owned()];
    arguments.extend(["--threads".to_owned(), threads.to_string()]);
    arguments.extend(algorithm.iter().flat_map(|id| ["--algorithm".to_owned(), (*id).to_owned()]));
    let mut child = Command::new(kostra)
        .args(&arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| {
            format!("cannot start {}; build it, or name it with --kostra", kostra.display())
        })?;
    let mut output = String::new();
    child.stdout.take().context("the child has no standard output")?.read_to_string(&mut output)?;
    let words: Vec<_> = arguments.iter().map(|argument| quoted(argument)).collect();
    let command = format!("kostra {}", words.join(" "));
    let peak_bytes = wait_for_usage(&child).with_context(|| command.clone())?.peak_bytes;
    let size: Size = serde_json::from_str(&output)
        .with_context(|| format!("{command} printed no size, but: {}", output.trim()))?;
    ensure!(peak_bytes > 0, "the system did not report the memory of {command}");
    Ok(PeakResult {
        source: source.to_owned(),
        command,
        vertices: size.vertices,
        edges: size.edges,
        peak_bytes,
        budget_bytes: budget(size.vertices, size.edges),
    })
}

/// The budget in bytes: 12 per edge for the input, and 12 per edge and 24 per vertex for the solve.
fn budget(vertices: u64, edges: u64) -> u64 {
    edges.saturating_mul(12 + 12).saturating_add(vertices.saturating_mul(24))
}

/// The `kostra` executable in the folder of this program.
pub(crate) fn kostra_beside_this() -> PathBuf {
    let name = format!("kostra{}", std::env::consts::EXE_SUFFIX);
    std::env::current_exe()
        .ok()
        .map_or_else(|| PathBuf::from(&name), |path| path.with_file_name(&name))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_peak_memory_of_the_child_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("kostra");
        // A fake `kostra` that holds about 60 MB in a variable.
        let text = "#!/bin/sh\nx=$(head -c 60000000 /dev/zero | tr '\\0' x)\n\
                    echo '{\"vertices\": 10, \"edges\": 100, \"x\": '${#x}'}'\n";
        std::fs::write(&script, text).unwrap();
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
        let result = measure(&script, "gen:path:n=10", Some("kruskal"), 1).unwrap();
        assert_eq!(
            result.command,
            "kostra solve gen:path:n=10 --json --threads 1 --algorithm kruskal"
        );
        assert_eq!((result.vertices, result.edges, result.budget_bytes), (10, 100, 2640));
        assert!((50_000_000..1_000_000_000).contains(&result.peak_bytes), "{}", result.peak_bytes);
    }
}
