//! Recognition of METIS among texts of numbers, which may also be edge lists.
//!
//! Lines of different lengths, or of one number, cannot be edges, so such a text is METIS. If all
//! lines have the same number of columns, the text is METIS only if the rows prove it, as far as
//! the head reaches: every neighbor is in `1..=n` and differs from its vertex, neighbors list each
//! other, and the counts fit the first line (exactly if the head is the whole input, within a
//! factor of two otherwise). If the first line has the same number of columns, too, the text can
//! still be an edge list, and the evidence is as weak as that of an edge list. So is that of a line
//! of counts alone.

use crate::head::{Evidence, Head};
use crate::number::{digits, words};

/// Recognizes a line of counts, and rows of neighbors after it.
pub(super) fn recognize(head: &Head<'_>) -> Evidence {
    let is_comment = |line: &[u8]| line.starts_with(b"%");
    let lines = head.lines().unwrap_or_default().iter().copied();
    let mut rows = lines.filter(|line| !is_comment(line));
    let first = rows.find(|line| words(line).next().is_some()).and_then(Counts::parse);
    first.map_or(Evidence::Absent, |counts| counts.fit(rows, head.is_whole()))
}

/// The first line of a METIS graph: `n m`, the kinds of weights, and the number of vertex weights.
struct Counts {
    n: u64,
    m: u64,
    edge_weights: bool,
    /// The number of words in the line.
    columns: usize,
    /// The number of numbers before the neighbors in each line.
    before: usize,
}

impl Counts {
    fn parse(line: &[u8]) -> Option<Self> {
        let words: Vec<_> = words(line).map(|(_, word)| word).take(5).collect();
        let number = |word: &[u8]| {
            let (value, end) = digits(word, 0);
            (end == word.len() && end < 19).then_some(value)
        };
        let (&[n, m], options) = words.split_first_chunk()?;
        let (n, m) = (number(n)?, number(m)?);
        let flags = options.first().copied().unwrap_or(b"0");
        if options.len() > 2
            || flags.len() > 3
            || flags.iter().any(|flag| !matches!(flag, b'0' | b'1'))
        {
            return None;
        }
        let flag = |from_right: usize| flags.iter().rev().nth(from_right) == Some(&b'1');
        let constraints = match options.get(1) {
            Some(word) => usize::try_from(number(word)?).ok().filter(|&count| count <= 1_000)?,
            None => usize::from(flag(1)),
        };
        let before = usize::from(flag(2)) + if flag(1) { constraints } else { 0 };
        Some(Self { n, m, edge_weights: flag(0), columns: words.len(), before })
    }

    /// The evidence that the lines after the first are rows of neighbors, as far as they are in the
    /// head.
    fn fit<'a>(&self, lines: impl Iterator<Item = &'a [u8]>, whole: bool) -> Evidence {
        let mut rows: Vec<Vec<&[u8]>> =
            lines.map(|line| words(line).map(|(_, word)| word).collect()).collect();
        // Blank lines at the end are not rows.
        while rows.len() as u64 > self.n && rows.last().is_some_and(Vec::is_empty) {
            rows.pop();
        }
        let columns = rows.iter().map(Vec::len).find(|&length| length > 0).unwrap_or(0);
        let could_be_edges =
            columns > 1 && rows.iter().all(|row| row.len() == columns || row.is_empty());
        if could_be_edges {
            let evidence =
                if columns == self.columns { Evidence::Fallback } else { Evidence::Structure };
            return evidence.when(self.is_proved_by(&rows, whole));
        }
        // The lines are not edges. If they are numbers, the METIS reader reports what is wrong.
        let mut words = rows.iter().flatten();
        let numbers = words
            .all(|word| word.iter().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(byte)));
        if columns == 0 {
            // A first line without rows may be the only edge, with blank lines after it.
            return Evidence::Fallback.when(self.m == 0 && rows.len() as u64 == self.n);
        }
        Evidence::Structure.when(numbers)
    }

    fn is_proved_by(&self, rows: &[Vec<&[u8]>], whole: bool) -> bool {
        let step = if self.edge_weights { 2 } else { 1 };
        let mut neighbors: Vec<Vec<u64>> = Vec::with_capacity(rows.len());
        for (vertex, row) in (1..).zip(rows) {
            let mut list = Vec::with_capacity(row.len());
            for word in row.iter().skip(self.before).step_by(step) {
                let (neighbor, end) = digits(word, 0);
                if end != word.len() || neighbor == vertex || !(1..=self.n).contains(&neighbor) {
                    return false;
                }
                list.push(neighbor);
            }
            list.sort_unstable();
            neighbors.push(list);
        }
        let row =
            |vertex: u64| usize::try_from(vertex - 1).ok().and_then(|index| neighbors.get(index));
        let pairs =
            || (1_u64..).zip(&neighbors).flat_map(|(u, list)| list.iter().map(move |&v| (u, v)));
        if pairs().any(|(u, v)| row(v).is_some_and(|list| list.binary_search(&u).is_err())) {
            return false;
        }
        let (have, entries) = (rows.len() as u64, pairs().count() as u64);
        if whole {
            return have == self.n && Some(entries) == self.m.checked_mul(2);
        }
        // The entries must be within a factor of two of the announced number.
        let announced = u128::from(self.m) * 2 * u128::from(have);
        let estimate = u128::from(entries) * u128::from(self.n);
        have < self.n && estimate < 2 * announced && announced < 2 * estimate
    }
}
