//! The machine, the build and the sources of a measurement.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::thread;

use kostra_parallel::memory_info;
use serde::{Deserialize, Serialize};

/// The properties of a machine. Properties that the system does not report are `unknown` or 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Machine {
    /// The processor's name.
    pub(crate) processor: String,
    /// The number of logical processors that this process may use.
    pub(crate) cores: usize,
    /// The data and unified caches of the first processor, such as `L2 1024K`.
    pub(crate) caches: Vec<String>,
    /// The size of the memory in bytes.
    pub(crate) memory_bytes: u64,
    /// The system's setting for huge pages (`always`, `madvise`, `never`), which affects the time
    /// of random accesses.
    pub(crate) huge_pages: String,
    /// Whether the machine is virtual. Other virtual machines on the same host can disturb a
    /// measurement.
    pub(crate) virtual_machine: bool,
    /// The operating system.
    pub(crate) system: String,
    /// Its kernel.
    pub(crate) kernel: String,
}

impl Machine {
    /// Describes this machine. Call it before pinning, which reduces the number of processors that
    /// this process sees.
    pub(crate) fn this() -> Self {
        let processors = text("/proc/cpuinfo");
        let field = |name| field(&processors, name, ':').map(str::to_owned);
        Self {
            processor: field("model name").unwrap_or_else(unknown),
            cores: thread::available_parallelism().map_or(1, usize::from),
            caches: caches(),
            memory_bytes: memory_info("MemTotal").unwrap_or(0),
            huge_pages: chosen(&text("/sys/kernel/mm/transparent_hugepage/enabled")),
            virtual_machine: field("flags")
                .is_some_and(|flags| flags.split(' ').any(|flag| flag == "hypervisor")),
            system: self::field(&text("/etc/os-release"), "PRETTY_NAME", '=').map_or_else(
                || env::consts::OS.to_owned(),
                |name| name.trim_matches('"').to_owned(),
            ),
            kernel: Some(text("/proc/sys/kernel/osrelease").trim().to_owned())
                .filter(|kernel| !kernel.is_empty())
                .unwrap_or_else(unknown),
        }
    }
}

/// The average number of runnable tasks over the last minute; 0 if the system does not report it.
pub(crate) fn load_average() -> f64 {
    text("/proc/loadavg").split(' ').next().and_then(|load| load.parse().ok()).unwrap_or(0.0)
}

/// The workspace root in which this program was built.
pub(crate) fn workspace() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A version of the sources.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Commit {
    /// The commit's hash.
    pub(crate) hash: String,
    /// Whether files other than benchmark records differ from the commit.
    pub(crate) dirty: bool,
}

/// The state of the sources, if they are in a git repository. Uncommitted benchmark records do not
/// make it dirty.
pub(crate) fn commit() -> Option<Commit> {
    let git = |arguments: &[&str]| -> Option<String> {
        let output =
            Command::new("git").arg("-C").arg(workspace()).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let hash = git(&["rev-parse", "HEAD"])?;
    let changes = git(&["status", "--porcelain", "--", ".", ":(exclude)lab/record"])?;
    Some(Commit { hash, dirty: !changes.is_empty() })
}

/// The versions of Kostra, the compiler and the device driver.
pub(crate) fn versions() -> BTreeMap<String, String> {
    let profile = if cfg!(debug_assertions) { "debug" } else { "release" };
    let versions = [
        ("kostra", env!("CARGO_PKG_VERSION")),
        ("rustc", env!("KOSTRA_RUSTC")),
        ("rustflags", env!("KOSTRA_RUSTFLAGS")),
        ("profile", profile),
    ];
    let mut versions: BTreeMap<_, _> =
        versions.into_iter().map(|(name, version)| (name.to_owned(), version.to_owned())).collect();
    if let (Ok(device), Ok(kernels)) = (kostra_cuda::Device::open(0), kostra_cuda::kernels()) {
        let (major, minor) = device.driver();
        let words =
            format!("{}, driver for CUDA {major}.{minor}, kernels {kernels}", device.name());
        versions.insert("cuda device".to_owned(), words);
    }
    versions
}

/// The command line of this process, quoted for a shell. It lacks `--resume`, so that all parts of
/// an interrupted measurement have the same one.
pub(crate) fn command_line() -> String {
    let arguments = env::args().skip(1).filter(|argument| argument != "--resume");
    let arguments = arguments.map(|argument| quoted(&argument));
    ["kostra-bench".to_owned()].into_iter().chain(arguments).collect::<Vec<_>>().join(" ")
}

/// Quotes an argument for a shell.
pub(crate) fn quoted(argument: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c);
    if !argument.is_empty() && argument.chars().all(plain) {
        argument.to_owned()
    } else {
        format!("'{}'", argument.replace('\'', r"'\''"))
    }
}

fn unknown() -> String {
    "unknown".to_owned()
}

fn text(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// The value of the first line that starts with `name`.
fn field<'a>(table: &'a str, name: &str, separator: char) -> Option<&'a str> {
    let mut lines = table.lines().filter_map(|line| line.split_once(separator));
    lines.find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim())
}

/// The word in brackets, which marks the selected value in Linux.
fn chosen(choice: &str) -> String {
    let word =
        choice.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map(|(word, _)| word);
    word.map_or_else(unknown, str::to_owned)
}

fn caches() -> Vec<String> {
    let cache = |index: usize| {
        let part = |name| text(&format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{name}"));
        let (level, kind, size) = (part("level"), part("type"), part("size"));
        (kind.trim() != "Instruction" && !size.is_empty())
            .then(|| format!("L{} {}", level.trim(), size.trim()))
    };
    (0..8).filter_map(cache).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_tables_are_parsed() {
        let table = "processor\t: 0\nmodel name\t: Fast One\nmodel name\t: Other\n";
        assert_eq!(field(table, "model name", ':'), Some("Fast One"));
        assert_eq!(field(table, "flags", ':'), None);
        assert_eq!(chosen("always [madvise] never\n"), "madvise");
        assert_eq!(chosen(""), "unknown");
    }

    #[test]
    fn command_lines_are_quoted_for_a_shell() {
        assert_eq!(quoted("grid:side=20,keep=0.6"), "grid:side=20,keep=0.6");
        assert_eq!(quoted("it's here"), r"'it'\''s here'");
        assert_eq!(quoted(""), "''");
    }
}
