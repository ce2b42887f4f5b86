//! The plots of whole processes.

use super::plot::{Origin, Plot, Series};
use super::typed::bars;
use crate::command_time::{ProcessResult, StateResult};

/// One plot: each command beside its floors.
pub(super) fn plot(title: &str, results: &[ProcessResult]) -> Plot {
    let states = || results.iter().flat_map(|one| one.states.iter().map(move |state| (one, state)));
    let points = |figure: &dyn Fn(&ProcessResult, &StateResult) -> Option<f64>| {
        let all = states().enumerate();
        all.filter_map(|(at, (one, state))| Some((at as f64, figure(one, state)? * 1e3))).collect()
    };
    let whole = points(&|_, state| Some(state.whole.median));
    let plain = points(&|_, state| Some(state.plain_read.as_ref()?.median));
    let solve = points(&|one, _| Some(one.solve.median));
    let bound =
        |name: &str, points| Series { name: name.to_owned(), origin: Origin::Bound, points };
    let series = vec![
        Series::measured("from exec to exit", whole),
        bound("plain read of the file", plain),
        bound("solve in a running program", solve),
    ];
    let names = states().map(|(one, state)| format!("{} ({})", one.source, state.cache)).collect();
    bars(format!("{title}-process"), "Whole processes beside their floors", "ms", names, series)
}
