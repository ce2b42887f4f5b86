//! Progress bars: on standard error, if it is a terminal, and only for stages that take longer than
//! a second.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A stage that ends sooner shows no bar.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often a bar moves by itself, so that a long step without progress reports still shows that
/// the program runs.
const TICK: Duration = Duration::from_millis(120);

/// A part of the work, shown while it lasts.
pub(crate) struct Stage {
    bar: ProgressBar,
    /// Dropped with the stage, which tells the thread that waits to show the bar.
    _over: Sender<()>,
}

impl Stage {
    /// Begins a stage, which ends when the value is dropped.
    pub(crate) fn start(message: &str) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        bar.set_message(message.to_owned());
        bar.set_style(style("{spinner} {msg} [{elapsed}]"));
        let (over, wait) = mpsc::channel();
        let shown = bar.clone();
        // A bar that cannot be shown for want of a thread is no reason to fail.
        let _ = std::thread::Builder::new().spawn(move || {
            if wait.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                shown.set_draw_target(ProgressDrawTarget::stderr());
                shown.enable_steady_tick(TICK);
            }
        });
        Self { bar, _over: over }
    }

    /// So many bytes are done, of so many if that is known.
    pub(crate) fn bytes(&self, done: u64, of: Option<u64>) {
        if let Some(of) = of
            && self.bar.length() != Some(of)
        {
            self.bar.set_style(style(
                "{spinner} {msg} {wide_bar} {bytes} of {total_bytes}, {bytes_per_sec}",
            ));
            self.bar.set_length(of);
        }
        self.bar.set_position(done);
    }

    /// So many steps of equal weight are done.
    pub(crate) fn steps(&self, done: u64, of: u64) {
        if self.bar.length() != Some(of) {
            self.bar.set_style(style("{spinner} {msg} {wide_bar} {percent}% [{elapsed}]"));
            self.bar.set_length(of);
        }
        self.bar.set_position(done);
    }

    /// Says more about where the work stands.
    pub(crate) fn say(&self, message: String) {
        self.bar.set_message(message);
    }

    /// What was last said.
    #[cfg(test)]
    pub(crate) fn message(&self) -> String {
        self.bar.message()
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_end_without_having_been_shown() {
        let stage = Stage::start("counting");
        stage.bytes(1, None);
        stage.bytes(1, Some(2));
        stage.steps(3, 4);
        stage.say("counting on".into());
        assert!(stage.bar.is_hidden());
    }
}
