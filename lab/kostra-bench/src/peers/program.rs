//! A peer in a separate process, with a protocol of text lines.
//!
//! The program gets one argument, the path of a file. The file contains the eight bytes `KOSTRAPE`,
//! then little-endian `n` and `m` (64 bits each), then `m` first ends, `m` second ends and `m`
//! weights (32 bits each, unsigned). The program loads the file, builds its own format, and prints
//! one JSON object in a line: `{"version": "...", "build_seconds": 1.5}`. For each line `run` on
//! its standard input it solves once, times only the solve, and prints `{"seconds": 0.5, "edges":
//! 7, "total": 29}`. It exits at the end of its input.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};
#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tempfile::NamedTempFile;

use super::Arrays;
use crate::contestant::{AnswerProperties, Contestant, Identity, TimedAnswer};

const MAGIC: &[u8; 8] = b"KOSTRAPE";

/// The environment variables in which the peers' libraries expect the number of threads.
const THREAD_VARIABLES: [&str; 6] = [
    "OMP_NUM_THREADS",
    "PARLAY_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "RAYON_NUM_THREADS",
];

/// A running peer. Dropping the value kills the process.
pub(super) struct Program {
    identity: Identity,
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// The peer's standard error. Its last line is the reason of a failure.
    errors: File,
}

#[derive(Deserialize)]
struct Ready {
    version: String,
    build_seconds: f64,
}

#[derive(Deserialize)]
struct Reply {
    seconds: f64,
    edges: usize,
    total: u64,
}

impl Program {
    /// Starts the peer with the graph's file, and waits until it has built its own format.
    pub(super) fn start(
        name: &str,
        command: &[OsString],
        graph: &Path,
        threads: usize,
    ) -> Result<Self> {
        let (program, arguments) = command.split_first().context("a peer needs a command")?;
        let errors = tempfile::tempfile().context("cannot make a file for the peer's messages")?;
        let mut child = Command::new(program)
            .args(arguments)
            .arg(graph)
            // Python's compiled files would make the work tree dirty.
            .env("PYTHONDONTWRITEBYTECODE", "1")
            // Makes the C library use huge pages, because Kostra uses them too.
            .env("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1")
            .envs(THREAD_VARIABLES.map(|variable| (variable, threads.to_string())))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(errors.try_clone()?)
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let (Some(requests), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            bail!("the peer has no standard input or output");
        };
        let identity = Identity {
            name: name.to_owned(),
            settings: BTreeMap::new(),
            peer: true,
            version: String::new(),
            build_seconds: 0.0,
        };
        let mut peer = Self { identity, child, requests, answers: BufReader::new(answers), errors };
        let ready: Ready = peer.answer()?;
        peer.identity.version = ready.version;
        peer.identity.build_seconds = ready.build_seconds;
        peer.pause();
        Ok(peer)
    }

    /// Stops the peer until its next turn. The idle threads of some peers poll for work, and would
    /// take processor time from the other contestants.
    fn pause(&self) {
        // A failure means that the peer has exited. The next request reports it.
        #[cfg(unix)]
        let _ = kill_process(Pid::from_child(&self.child), Signal::STOP);
    }

    fn resume(&self) {
        #[cfg(unix)]
        let _ = kill_process(Pid::from_child(&self.child), Signal::CONT);
    }

    fn answer<T: DeserializeOwned>(&mut self) -> Result<T> {
        let mut line = String::new();
        if self.answers.read_line(&mut line)? == 0 {
            let status = self.child.wait()?;
            bail!("it ended with {status}: {}", self.last_error()?);
        }
        serde_json::from_str(&line).with_context(|| format!("it answered {:?}", line.trim_end()))
    }

    fn last_error(&mut self) -> io::Result<String> {
        let mut bytes = Vec::new();
        self.errors.rewind()?;
        self.errors.read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes);
        let last = text.lines().rev().find(|line| !line.trim().is_empty());
        Ok(last.unwrap_or("it wrote no message").trim().to_owned())
    }
}

impl Contestant for Program {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn solve(&mut self) -> Result<TimedAnswer> {
        self.resume();
        // If the peer has exited, writing fails. Reading the answer then gives a better error
        // message than the broken pipe.
        let _ = self.requests.write_all(b"run\n").and_then(|()| self.requests.flush());
        let reply: Reply = self.answer()?;
        self.pause();
        let answer =
            AnswerProperties { edges: reply.edges, total: reply.total.to_string(), ids: None };
        Ok(TimedAnswer { seconds: reply.seconds, answer })
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // An error means that the peer has already exited, which is fine.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writes a graph to a temporary file for peers.
pub(super) fn write(graph: &Arrays<'_>) -> Result<NamedTempFile> {
    let mut file = NamedTempFile::new().context("cannot make a file for the graph")?;
    write_arrays(BufWriter::with_capacity(1 << 20, file.as_file_mut()), graph)
        .context("cannot write the graph for the peers")?;
    Ok(file)
}

fn write_arrays(mut file: impl Write, graph: &Arrays<'_>) -> io::Result<()> {
    file.write_all(MAGIC)?;
    file.write_all(&u64::from(graph.vertices).to_le_bytes())?;
    file.write_all(&(graph.u.len() as u64).to_le_bytes())?;
    for array in [graph.u, graph.v, &graph.weights] {
        for part in array.chunks(1 << 16) {
            let bytes: Vec<u8> = part.iter().flat_map(|value| value.to_le_bytes()).collect();
            file.write_all(&bytes)?;
        }
    }
    file.flush()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str) -> Result<Program> {
        let (u, v) = ([0, 1], [1, 2]);
        let graph = write(&Arrays { vertices: 3, u: &u, v: &v, weights: vec![5, 6].into() })?;
        let command = ["sh", "-c", script, "peer"].map(OsString::from);
        Program::start("shell", &command, graph.path(), 1)
    }

    #[test]
    fn a_peer_answers_each_run() {
        let script = r#"
            size=$(wc -c < "$1")
            echo '{"version": "sh '$OMP_NUM_THREADS'", "build_seconds": 0.5}'
            while read line; do echo '{"seconds": 0.25, "edges": 2, "total": '$size'}'; done"#;
        let mut peer = shell(script).unwrap();
        assert_eq!(peer.identity().version, "sh 1");
        for _ in 0..2 {
            let solved = peer.solve().unwrap();
            let answer = AnswerProperties { edges: 2, total: "48".to_owned(), ids: None };
            assert_eq!((solved.seconds, solved.answer), (0.25, answer));
        }
    }

    #[test]
    fn a_failed_peer_is_reported_with_its_last_message() {
        let message =
            |script| shell(script).err().map(|error| error.to_string()).unwrap_or_default();
        assert_eq!(
            message("echo first >&2; echo no such module >&2; exit 3"),
            "it ended with exit status: 3: no such module"
        );
        assert_eq!(message("echo hello"), "it answered \"hello\"");

        let script =
            r#"echo '{"version": "1", "build_seconds": 0}'; read line; echo gone >&2; exit 1"#;
        let error = shell(script).unwrap().solve().unwrap_err();
        assert_eq!(error.to_string(), "it ended with exit status: 1: gone");
    }

    #[test]
    fn a_missing_program_is_an_error() {
        let command = [OsString::from("no-such-program-of-a-peer")];
        let message =
            Program::start("none", &command, Path::new(""), 1).err().map(|error| error.to_string());
        assert_eq!(message.as_deref(), Some("cannot start no-such-program-of-a-peer"));
    }
}
