//! The division of vertices over members by speed.

use std::time::Duration;

use kostra_core::Vertex;

/// Below this number of entries, the fastest member gets all vertices: an exchange takes longer
/// than a round.
const FEW_ENTRIES: u32 = 1 << 16;

/// The speed of each member, in entries per second.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Speeds {
    speeds: Vec<f64>,
    /// Whether the caller has set them, so that they are not measured.
    fixed: bool,
}

impl Speeds {
    /// The threads, which are the last of `members`, get this share in percent. The devices share
    /// the rest.
    pub(super) fn fixed(members: usize, threads_percent: u64) -> Self {
        let devices = (members - 1).max(1) as f64;
        let mut speeds = vec![(100 - threads_percent.min(100)) as f64 / devices; members];
        if let Some(threads) = speeds.last_mut() {
            *threads = threads_percent as f64;
        }
        Self { speeds, fixed: true }
    }

    /// Equal speeds, which measurements replace.
    pub(super) fn unknown(members: usize) -> Self {
        Self { speeds: vec![1.0; members], fixed: false }
    }

    pub(super) fn are_fixed(&self) -> bool {
        self.fixed
    }

    /// Takes the time of each member for its number of entries. Members without entries keep their
    /// speed.
    pub(super) fn measure(&mut self, entries: &[u32], times: &[Duration]) {
        if self.fixed {
            return;
        }
        for ((speed, &entries), time) in self.speeds.iter_mut().zip(entries).zip(times) {
            if entries > FEW_ENTRIES {
                *speed = f64::from(entries) / time.as_secs_f64().max(1e-9);
            }
        }
    }

    /// The share of the last member.
    pub(super) fn threads_percent(&self) -> f64 {
        100.0 * self.speeds.last().copied().unwrap_or_default() / self.speeds.iter().sum::<f64>()
    }

    /// The first vertex of each member's block, and the number of vertices. The blocks have numbers
    /// of entries in the ratio of the speeds, up to one row.
    ///
    /// `first_edge` has the first entry of each row, and the number of entries.
    pub(super) fn divide(&self, first_edge: &[u32]) -> Vec<Vertex> {
        let vertices = first_edge.len() - 1;
        let entries = first_edge[vertices];
        let shares = self.shares(entries);
        let sum: f64 = shares.iter().sum();
        let mut before = 0.0;
        let mut starts: Vec<Vertex> = shares
            .iter()
            .map(|share| {
                let target = (f64::from(entries) * before / sum).round() as u32;
                before += share;
                first_edge[..vertices].partition_point(|&edge| edge < target) as Vertex
            })
            .collect();
        starts.push(vertices as Vertex);
        starts
    }

    fn shares(&self, entries: u32) -> Vec<f64> {
        if self.fixed || entries >= FEW_ENTRIES {
            return self.speeds.clone();
        }
        let is_faster = |&best: &usize, &other: &usize| self.speeds[best] < self.speeds[other];
        let fastest = (0..self.speeds.len())
            .reduce(|best, other| if is_faster(&best, &other) { other } else { best });
        (0..self.speeds.len()).map(|member| f64::from(Some(member) == fastest)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_in_the_ratio_of_the_speeds_and_have_all_vertices() {
        let rows: Vec<u32> = (0..=1000).map(|vertex| vertex * 100).collect();
        assert_eq!(Speeds::fixed(3, 20).divide(&rows), [0, 400, 800, 1000]);
        assert_eq!(Speeds::fixed(2, 0).divide(&rows), [0, 1000, 1000]);
        assert_eq!(Speeds::fixed(2, 100).divide(&rows), [0, 0, 1000]);
        assert_eq!(Speeds::fixed(1, 0).divide(&rows).len(), 2);
        let hub = [0, 0, 90_000, 90_000, 90_001];
        for percent in 0..=100 {
            let starts = Speeds::fixed(4, percent).divide(&hub);
            assert!(starts.is_sorted() && starts.first() == Some(&0), "{starts:?}");
            assert_eq!(starts[4], 4);
        }
        assert_eq!(Speeds::unknown(2).divide(&[0]), [0, 0, 0], "no vertices");
    }

    #[test]
    fn measured_speeds_replace_equal_ones_and_few_entries_go_to_the_fastest() {
        let mut speeds = Speeds::unknown(2);
        let second = Duration::from_secs(1);
        speeds.measure(&[300_000, 100_000], &[second, second]);
        let rows: Vec<u32> = (0..=400).map(|vertex| vertex * 1000).collect();
        assert_eq!(speeds.divide(&rows), [0, 300, 400]);
        assert_eq!(speeds.threads_percent(), 25.0);
        speeds.measure(&[10, 10], &[second, second]);
        assert_eq!(speeds.divide(&rows), [0, 300, 400], "too few to measure");
        assert_eq!(speeds.divide(&[0, 5, 10]), [0, 2, 2]);
    }
}
