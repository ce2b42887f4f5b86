//! One call for each item of a slice, on several threads.

use std::sync::{Mutex, PoisonError};

use crate::team::{Schedule, with_team};

/// Calls `step` once for every item, on up to `items.len()` threads, the calling thread included.
///
/// One thread may take several items, so the call for one item must not wait for another item's.
///
/// # Panics
/// When `step` panics on any thread.
pub fn for_each_mut<T: Send>(items: &mut [T], step: impl Fn(&mut T) + Sync) {
    let items: Vec<_> = items.iter_mut().map(Mutex::new).collect();
    with_team(items.len(), |team| {
        team.for_each(items.len(), Schedule::Dynamic(1), |index| {
            step(&mut items[index].lock().unwrap_or_else(PoisonError::into_inner));
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_gets_one_call() {
        for items in [0, 1, 2, 9] {
            let mut turns = vec![0; items];
            for_each_mut(&mut turns, |turn| *turn += 1);
            assert_eq!(turns, vec![1; items]);
        }
    }
}
