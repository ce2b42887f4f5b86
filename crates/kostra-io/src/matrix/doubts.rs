//! Values of a matrix that are probably no weights: sums of rows, and a number for "no edge".

use kostra_core::counted;

use super::{Facts, Matrix, float};
use crate::ReadErrorKind;
use crate::columns::TextNumber;
use crate::fault::Fault;
use crate::message::Message;

/// Numbers that people and programs write for an infinite weight.
const FAR: [f64; 14] = [
    99.0,
    999.0,
    9999.0,
    99_999.0,
    999_999.0,
    9_999_999.0,
    99_999_999.0,
    999_999_999.0,
    1e6,
    1e9,
    32_767.0,
    65_535.0,
    2_147_483_647.0,
    4_294_967_295.0,
];

/// A number for an infinite weight is as many times the largest weight, at least.
const FAR_ABOVE: f64 = 10.0;

impl<V: Fn(usize, usize) -> Option<TextNumber>> Matrix<'_, V> {
    /// Refuses a last row and a last column with the sums of the others, and the sum of all in the
    /// corner.
    pub(super) fn refuse_totals(&self) -> Result<(), Fault> {
        const FEWEST: usize = 3;
        let Some(last) = self.size.checked_sub(1).filter(|_| self.size >= FEWEST) else {
            return Ok(());
        };
        let value = |row, column| self.number(row, column).map_or(0.0, float);
        let is_sum = |sum: f64, total: f64| (sum - total).abs() <= 1e-9 * total.abs();
        let row = |u: usize| (0..last).map(|v| value(u, v)).sum::<f64>();
        let column = |v: usize| (0..last).map(|u| value(u, v)).sum::<f64>();
        let corner = value(last, last);
        let are_totals = corner > 0.0
            && is_sum(row(last), corner)
            && (0..last)
                .all(|at| is_sum(row(at), value(at, last)) && is_sum(column(at), value(last, at)));
        if !are_totals {
            return Ok(());
        }
        let sentence = "the last row and the last column are the sums of the others; remove them";
        let place = Some((self.place)(last, 0));
        Err(Fault { place, kind: ReadErrorKind::malformed(sentence) })
    }

    /// The warning that the largest entry may mean that there is no edge.
    pub(super) fn far_entry(&self, facts: &Facts) -> Option<Message> {
        let far = FAR.into_iter().find(|&far| far == facts.highest)?;
        let rows = (0..self.size).flat_map(|u| (0..self.size).map(move |v| (u, v)));
        let numbers =
            || rows.clone().filter(|(u, v)| u != v).filter_map(|(u, v)| self.number(u, v));
        let next = numbers().map(float).filter(|&value| value < far).reduce(f64::max)?;
        let times = numbers().filter(|&number| float(number) == far).count();
        (next > 0.0 && next * FAR_ABOVE <= far).then(|| {
            let entries = counted(times as u64, "entry is", "entries are");
            let above = format!("{entries} {far}, far above the next, {next}");
            format!("{above}; if it means that there is no edge, write NA").into()
        })
    }
}
