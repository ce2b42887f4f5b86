//! Values of a matrix that are probably no weights: sums of rows, and a number for "no edge".

use kostra_core::counted;

use super::{Facts, Matrix, float};
use crate::ReadErrorKind;
use crate::columns::TextNumber;
use crate::fault::Fault;
use crate::message::Message;

/// Numbers that programs write for an infinite weight: the greatest of their types, half of one,
/// and the bytes 3f.
const FAR: [f64; 10] = [
    i16::MAX as f64,
    u16::MAX as f64,
    i32::MAX as f64,
    (i32::MAX / 2) as f64,
    0x3f3f_3f3f_u32 as f64,
    u32::MAX as f64,
    i64::MAX as f64,
    u64::MAX as f64,
    f32::MAX as f64,
    f64::MAX,
];

/// Whether people or programs write a number for an infinite weight: also 99, 999 and so on, and a
/// million and further powers of ten.
fn is_far(number: f64) -> bool {
    let power = 10_f64.powi((number + 1.0).log10().round() as i32);
    FAR.contains(&number)
        || power >= 100.0 && number == power - 1.0
        || power >= 1e6 && number == power
}

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
        let far = Some(facts.highest).filter(|&highest| is_far(highest))?;
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
