//! The nearest points of one point, so far.

use kostra_core::{OutOfMemory, memory};

/// From this number of neighbors on, a [`NearestSelection`] finds them. Measured: below it,
/// insertion in order is as fast.
pub(crate) const MANY: usize = 64;

/// The first `k` of many points in the order of (compared distance, index).
///
/// Points wait in any order. When there are `2 * k`, a selection keeps the first `k` (Hoare 1961).
/// So `m` points take O(m + k log k) time, while insertion
/// in order takes O(m k).
#[derive(Clone)]
pub(crate) struct NearestSelection {
    k: usize,
    /// The points, packed so that one comparison orders two.
    waiting: Vec<u128>,
    /// A point after this one is not among the first `k`.
    last: u128,
}

impl NearestSelection {
    /// No points yet. `k` is at least 1.
    pub(crate) fn new(k: usize) -> Result<Self, OutOfMemory> {
        Ok(Self { k, waiting: memory::with_capacity(2 * k)?, last: u128::MAX })
    }

    /// The bits of a compared distance, the index and the position of a point. Compared distances
    /// are not negative, so their bits ascend with them.
    #[inline]
    fn packed(compared: f64, (index, position): (u32, u32)) -> u128 {
        u128::from(compared.to_bits()) << 64 | u128::from(index) << 32 | u128::from(position)
    }

    #[inline]
    fn unpacked(point: u128) -> (f64, (u32, u32)) {
        (f64::from_bits((point >> 64) as u64), ((point >> 32) as u32, point as u32))
    }

    /// Takes a point if it may be among the first `k`. Returns the last place, once it is known.
    #[inline]
    pub(crate) fn offer(&mut self, compared: f64, point: (u32, u32)) -> Option<(f64, (u32, u32))> {
        let point = Self::packed(compared, point);
        if point < self.last {
            self.waiting.push(point);
            if self.waiting.len() == self.k || self.waiting.len() == 2 * self.k {
                self.select();
            }
        }
        (self.last < u128::MAX).then(|| Self::unpacked(self.last))
    }

    /// Keeps the first `k` points.
    #[inline(never)]
    fn select(&mut self) {
        self.last = *self.waiting.select_nth_unstable(self.k - 1).1;
        self.waiting.truncate(self.k);
    }

    /// Stores the first points in order, and forgets all. Places without a point stay as they are.
    #[inline(never)]
    pub(crate) fn finish(&mut self, compared: &mut [f64], points: &mut [(u32, u32)]) {
        if self.waiting.len() > self.k {
            self.select();
        }
        self.waiting.sort_unstable();
        for (place, point) in self.waiting.drain(..).enumerate() {
            (compared[place], points[place]) = Self::unpacked(point);
        }
        self.last = u128::MAX;
    }
}

/// The first `k` points in the order of (compared distance, index), ascending. Unused places hold
/// infinity.
#[derive(Clone)]
pub(crate) struct Nearest {
    pub(crate) compared: Vec<f64>,
    /// Their indices; the second number is not used.
    pub(crate) points: Vec<(u32, u32)>,
    /// From [`MANY`] neighbors on.
    many: Option<NearestSelection>,
}

impl Nearest {
    /// No points yet. `k` is at least 1.
    pub(crate) fn new(k: usize) -> Result<Self, OutOfMemory> {
        let compared = memory::filled(k, f64::INFINITY)?;
        let many = if k < MANY { None } else { Some(NearestSelection::new(k)?) };
        Ok(Self { compared, points: memory::filled(k, (u32::MAX, 0))?, many })
    }

    /// Forgets all points.
    pub(crate) fn clear(&mut self) {
        self.compared.fill(f64::INFINITY);
        self.points.fill((u32::MAX, 0));
    }

    /// The compared distance of the last place.
    #[inline(always)]
    fn farthest(&self) -> f64 {
        self.compared[self.compared.len() - 1]
    }

    /// Takes a point if it is among the first `k`.
    #[inline(always)]
    pub(crate) fn offer(&mut self, compared: f64, point: u32) {
        if compared <= self.farthest() {
            self.insert(compared, (point, 0));
        }
    }

    fn insert(&mut self, compared: f64, point: (u32, u32)) {
        let (distances, points) = (&mut self.compared[..], &mut self.points[..]);
        let mut place = distances.len();
        if let Some(many) = &mut self.many {
            if let Some((last, _)) = many.offer(compared, point) {
                distances[place - 1] = last;
            }
            return;
        }
        while place > 0 && (compared, point) < (distances[place - 1], points[place - 1]) {
            if place < distances.len() {
                (distances[place], points[place]) = (distances[place - 1], points[place - 1]);
            }
            place -= 1;
        }
        if place < distances.len() {
            (distances[place], points[place]) = (compared, point);
        }
    }

    /// Puts the points in order, after the last offer.
    pub(crate) fn finish(&mut self) {
        if let Some(many) = &mut self.many {
            many.finish(&mut self.compared, &mut self.points);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_points_stay_in_order() {
        let mut nearest = Nearest::new(3).unwrap();
        for (compared, point) in [(2.0, 5), (1.0, 9), (2.0, 4), (1.0, 7), (3.0, 0), (2.0, 3)] {
            nearest.offer(compared, point);
        }
        nearest.finish();
        assert_eq!(nearest.compared, [1.0, 1.0, 2.0]);
        assert_eq!(nearest.points, [(7, 0), (9, 0), (3, 0)]);
    }

    #[test]
    fn a_selection_keeps_the_first_points() {
        let mut nearest = Nearest::new(MANY).unwrap();
        for _ in 0..2 {
            nearest.clear();
            let mut all: Vec<_> = (0..1000).map(|i| (f64::from(i * 37 % 11), i)).collect();
            all.iter().for_each(|&(compared, point)| nearest.offer(compared, point));
            nearest.finish();
            all.sort_by(|a, b| a.partial_cmp(b).unwrap());
            for (place, (compared, point)) in all[..MANY].iter().enumerate() {
                assert_eq!(nearest.compared[place], *compared);
                assert_eq!(nearest.points[place].0, *point);
            }
        }
    }
}
