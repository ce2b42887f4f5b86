//! One step for each of several items, on several threads.

use std::sync::{Mutex, PoisonError};

use crate::team::{Schedule, with_team};

/// Calls `step` once for every item, on up to as many threads as there are items, the caller's
/// among them. Where threads start late, one thread takes several items, so the step for one item
/// must not wait for that of another.
///
/// # Panics
/// When a step panics, on any thread.
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
    fn every_item_has_its_turn_once() {
        for items in [0, 1, 2, 9] {
            let mut turns = vec![0; items];
            for_each_mut(&mut turns, |turn| *turn += 1);
            assert_eq!(turns, vec![1; items]);
        }
    }
}
