//! A folder for a test, and the binary to run in it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A folder for one test. It is removed when the test ends.
pub(crate) struct Workplace {
    folder: TempDir,
}

/// The result of a run.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Workplace {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        std::fs::write(self.path(name), content).unwrap();
        self
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// The names of all files, in order.
    pub(crate) fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The command, in the folder, with an empty standard input.
    pub(crate) fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kostra"));
        command.current_dir(self.folder.path()).args(arguments.split_whitespace());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs the command with these arguments. No argument may contain a space.
    pub(crate) fn run(&self, arguments: &str) -> Outcome {
        Outcome::from_output(self.command(arguments).output().unwrap())
    }

    /// Runs a line of bash in the folder. `kostra` in the line is the command under test.
    pub(crate) fn shell(&self, line: &str) -> Outcome {
        let command = Path::new(env!("CARGO_BIN_EXE_kostra")).parent().unwrap();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(command.to_path_buf()).chain(std::env::split_paths(&path));
        let mut shell = Command::new("bash");
        shell.args(["-c", line]).current_dir(self.folder.path());
        shell.env("PATH", std::env::join_paths(folders).unwrap()).stdin(Stdio::null());
        Outcome::from_output(shell.output().unwrap())
    }

    /// The ids of all algorithms that can run on this machine. Without a CUDA device, the skipped
    /// algorithms are printed.
    pub(crate) fn algorithms_here(&self) -> Vec<String> {
        let mut ids = [self.algorithms("one thread"), self.algorithms("threads")].concat();
        let without_device = self.run("solve gen:path:n=2 --device cuda");
        if without_device.code == Some(2)
            && without_device.stderr.starts_with("kostra: no CUDA device: ")
        {
            for id in self.algorithms("CUDA device") {
                println!("skipped: no CUDA device: {id}");
            }
        } else {
            ids.extend(self.algorithms("CUDA device"));
        }
        ids
    }

    /// The ids of the algorithms for a platform, such as `threads`.
    pub(crate) fn algorithms(&self, platform: &str) -> Vec<String> {
        let solvers = self.run("solvers --json").expect_success().json();
        let solvers =
            solvers.as_array().unwrap().iter().filter(|solver| solver["platform"] == platform);
        let ids: Vec<_> = solvers.map(|solver| solver["id"].as_str().unwrap().to_owned()).collect();
        assert!(!ids.is_empty(), "{platform}");
        ids
    }

    /// Runs the command with a text on its standard input.
    pub(crate) fn run_with_input(&self, arguments: &str, input: impl AsRef<[u8]>) -> Outcome {
        let mut child = self.command(arguments).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.as_ref().to_vec();
        let writer = std::thread::spawn(move || {
            // A command may close its end before it has read everything.
            let _ = stdin.write_all(&input);
        });
        let outcome = Outcome::from_output(child.wait_with_output().unwrap());
        writer.join().unwrap();
        outcome
    }
}

impl Outcome {
    pub(crate) fn from_output(output: std::process::Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let outcome = Self {
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        };
        assert!(!outcome.stderr.contains("panicked"), "{outcome:?}");
        assert!(!outcome.stderr.contains("internal error"), "{outcome:?}");
        outcome
    }

    /// Asserts that the exit code is 0.
    #[track_caller]
    pub(crate) fn expect_success(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:?}");
        self
    }

    /// Standard output as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Compares a text with the stored one, without the times, which differ from run to run.
#[track_caller]
pub(crate) fn assert_snapshot(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r" +(0|[0-9.]+ (ms|s))(  [█▏▎▍▌▋▊▉]+)?(?m:$)", " [time]");
    settings.add_filter(r"\b[0-9.]+ (ms|s)\b", "[time]");
    settings.add_filter(
        r#""(load|build|solve|verify|partition|write|analysis|seconds)": [0-9.e-]+"#,
        r#""$1": "[time]""#,
    );
    // A new format changes no snapshot.
    settings.add_filter(r"(\[possible\s+values: )?\bgr(,\s+[a-z0-9.]+){2,}\]?", "[formats]");
    settings.add_filter(r"(?s)(Formats that are read, [^\n]*\n).*?\n\n", "$1  [formats]\n\n");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// A small graph with a tie, a parallel edge, a self-loop and an isolated vertex, as DIMACS.
pub(crate) const SMALL: &str = "\
c a square with a diagonal
p sp 5 7
a 1 2 4
a 2 3 1
a 3 4 3
a 4 1 2
a 1 3 2
a 1 2 9
a 3 3 0
";
