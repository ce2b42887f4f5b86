//! Progress bars on standard error. They appear only on a terminal, and only for stages that take
//! longer than a second.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A stage that ends sooner shows no bar.
const PATIENCE: Duration = Duration::from_secs(1);
/// The interval at which a bar moves by itself. It shows that the program runs, even if a step
/// reports no progress.
const TICK: Duration = Duration::from_millis(120);

/// A part of the work. A bar shows it while it lasts.
pub(crate) struct Stage {
    bar: ProgressBar,
    /// Dropping this end of the channel tells the waiting thread that the stage is over.
    _over: Sender<()>,
}

impl Stage {
    /// Starts a stage. It ends when the value is dropped.
    pub(crate) fn start(message: &str) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        bar.set_message(message.to_owned());
        bar.set_style(style("{spinner} {msg} [{elapsed}]"));
        let (over, wait) = mpsc::channel();
        let shown = bar.clone();
        // If the system refuses the thread, no bar is shown. The steady tick of `indicatif` would
        // start a thread, too, and panic if it is refused.
        let _ = std::thread::Builder::new().spawn(move || {
            let is_over = |time| wait.recv_timeout(time) != Err(RecvTimeoutError::Timeout);
            if is_over(PATIENCE) {
                return;
            }
            shown.set_draw_target(ProgressDrawTarget::stderr());
            while !is_over(TICK) && !shown.is_finished() {
                shown.tick();
            }
        });
        Self { bar, _over: over }
    }

    /// Reports that `done` bytes are done, of `total` bytes if that is known.
    pub(crate) fn bytes(&self, done: u64, total: Option<u64>) {
        if let Some(total) = total
            && self.bar.length() != Some(total)
        {
            let template =
                "{spinner} {msg} {wide_bar} {percent}% of {total_bytes}, {bytes_per_sec}";
            self.bar.set_style(style(template));
            self.bar.set_length(total);
        }
        self.bar.set_position(done);
    }

    /// Reports that `done` of `total` steps of equal weight are done.
    pub(crate) fn steps(&self, done: u64, total: u64) {
        if self.bar.length() != Some(total) {
            self.bar.set_style(style("{spinner} {msg} {wide_bar} {percent}% [{elapsed}]"));
            self.bar.set_length(total);
        }
        self.bar.set_position(done);
    }

    /// Replaces the message of the bar.
    pub(crate) fn say(&self, message: String) {
        self.bar.set_message(message);
    }

    /// The current message.
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
    fn short_stages_are_never_shown() {
        let stage = Stage::start("counting");
        stage.bytes(1, None);
        stage.bytes(1, Some(2));
        stage.steps(3, 4);
        stage.say("counting on".into());
        assert!(stage.bar.is_hidden());
    }
}
