//! An array in parts, one part for each rank: the data of gathers, scatters and exchanges.

use std::ops::Range;

/// An array of consecutive parts. Part `r` is sent to rank `r`, or received from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts<T> {
    items: Vec<T>,
    ends: Vec<usize>,
}

impl<T> Parts<T> {
    /// Splits `items` into consecutive parts of these lengths.
    ///
    /// # Panics
    /// When the sum of `lengths` is not the number of items.
    pub fn new(items: Vec<T>, lengths: impl IntoIterator<Item = usize>) -> Self {
        let sum = |end: &mut usize, length| {
            *end += length;
            Some(*end)
        };
        let ends: Vec<_> = lengths.into_iter().scan(0, sum).collect();
        assert_eq!(
            ends.last().copied().unwrap_or_default(),
            items.len(),
            "the parts contain all items"
        );
        Self { items, ends }
    }

    /// The number of parts.
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    /// The range of a part in [`items`](Self::items).
    pub fn range(&self, part: usize) -> Range<usize> {
        let start = part.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[part]
    }

    /// The items of a part.
    pub fn part(&self, part: usize) -> &[T] {
        &self.items[self.range(part)]
    }

    /// The parts in ascending order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[T]> {
        (0..self.count()).map(|part| self.part(part))
    }

    /// The number of items in each part.
    pub fn lengths(&self) -> impl ExactSizeIterator<Item = usize> {
        self.iter().map(<[T]>::len)
    }

    /// The items of all parts in ascending order of the parts.
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// The items of all parts in ascending order of the parts.
    pub fn into_items(self) -> Vec<T> {
        self.items
    }
}

impl<T: Copy> Parts<T> {
    /// Distributes `items` to `count` parts: item `x` goes to part `part(x)`. Items of one part
    /// keep their order. O(items + count).
    ///
    /// # Panics
    /// When `part` returns `count` or more.
    pub fn distribute(count: usize, items: &[T], part: impl Fn(&T) -> usize) -> Self {
        let mut next = vec![0; count + 1];
        for item in items {
            next[part(item) + 1] += 1;
        }
        for index in 0..count {
            next[index + 1] += next[index];
        }
        let Some(&first) = items.first() else {
            return Self { items: Vec::new(), ends: vec![0; count] };
        };
        let mut distributed = vec![first; items.len()];
        for item in items {
            let slot = &mut next[part(item)];
            distributed[*slot] = *item;
            *slot += 1;
        }
        next.pop();
        Self { items: distributed, ends: next }
    }
}

impl<T: Clone, P: AsRef<[T]>> FromIterator<P> for Parts<T> {
    fn from_iter<I: IntoIterator<Item = P>>(parts: I) -> Self {
        let (mut items, mut ends) = (Vec::new(), Vec::new());
        for part in parts {
            items.extend_from_slice(part.as_ref());
            ends.push(items.len());
        }
        Self { items, ends }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distributed_items_keep_their_order() {
        let parts = Parts::distribute(4, &[13, 2, 11, 1, 22, 10], |item| item / 10);
        assert_eq!(parts.iter().collect::<Vec<_>>(), [&[2, 1][..], &[13, 11, 10], &[22], &[]]);
        assert_eq!(parts, Parts::new(vec![2, 1, 13, 11, 10, 22], [2, 3, 1, 0]));
        assert_eq!(parts, parts.iter().collect());
        assert_eq!(Parts::<u8>::distribute(2, &[], |_| 9).lengths().collect::<Vec<_>>(), [0, 0]);
    }
}
