//! A team whose start and end are phases of the run, so that they appear in traces.

use std::time::Instant;

use kostra_core::Run;

use crate::team::{MAX_THREADS, Team, with_team};

/// Calls `work` with a [team](with_team). Reports the time that the threads took to start and to
/// end, and the number of threads that the system refused. Finishes the rounds of the run after
/// `work`.
pub fn with_observed_team<R>(
    run: &mut Run<'_>,
    threads: usize,
    work: impl FnOnce(&Team<'_>, &mut Run<'_>) -> R,
) -> R {
    let start = Instant::now();
    let (result, done) = with_team(threads, |team| {
        if threads > 1 {
            run.report.phase_took("start threads", start.elapsed());
            let wanted = threads.min(MAX_THREADS);
            run.report.threads_refused(wanted - team.threads(), wanted);
        }
        let result = work(team, run);
        run.report.finish_rounds();
        (result, Instant::now())
    });
    if threads > 1 {
        run.report.phase_took("end threads", done.elapsed());
    }
    result
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use kostra_core::{Observer, Round};

    use super::*;

    #[derive(Default)]
    struct Log(Vec<&'static str>);

    impl Observer for Log {
        fn phase_finished(&mut self, name: &'static str, _: Duration) {
            self.0.push(name);
        }
        fn round(&mut self, _: Round) {
            self.0.push("round");
        }
        fn rounds_finished(&mut self) {
            self.0.push("no more rounds");
        }
    }

    fn told_with(threads: usize) -> Vec<&'static str> {
        let mut log = Log::default();
        let mut run = Run::new().observed_by(&mut log);
        with_observed_team(&mut run, threads, |_, run| {
            run.report.round(1, 1).unwrap();
            run.phase("work", |_| ());
        });
        log.0
    }

    #[test]
    fn threads_start_before_the_first_round_and_end_after_the_last() {
        let expected = ["start threads", "round", "work", "no more rounds", "end threads"];
        assert_eq!(told_with(2), expected);
        assert_eq!(told_with(1), expected[1..4]);
    }
}
