//! Sums of edge weights by label: clusters or parts.

/// A sum for each label, which remembers the labels that have one. Memory: 8 bytes per label.
pub(crate) struct Rating {
    sums: Vec<i64>,
    /// The labels whose sum is not 0.
    used: Vec<u32>,
}

impl Rating {
    /// No sums, for labels below `bound`.
    pub(crate) fn new(bound: usize) -> Self {
        Self { sums: vec![0; bound], used: Vec::new() }
    }

    /// Adds a weight to the sum of a label.
    #[inline]
    pub(crate) fn add(&mut self, label: u32, weight: i64) {
        let sum = &mut self.sums[label as usize];
        if *sum == 0 && weight != 0 {
            self.used.push(label);
        }
        *sum += weight;
    }

    /// The sum of a label.
    #[inline]
    pub(crate) fn sum(&self, label: u32) -> i64 {
        self.sums[label as usize]
    }

    /// Removes all sums and returns them, in the order in which their labels got one.
    #[inline]
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = (u32, i64)> + '_ {
        let sums = &mut self.sums;
        self.used.drain(..).map(|label| (label, std::mem::take(&mut sums[label as usize])))
    }
}
