//! Items that one thread at a time uses, and one call for each item.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::team::{Schedule, Team, with_team};

/// Locks a mutex, even if a thread has panicked while it held the lock. Either the panic ends the
/// use of the item, or each change of the item is one statement, so that the item is valid.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The item of a mutex, as [`lock`] gives access to it.
pub fn into_item<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Calls `step` once for each item, on the threads of a team.
///
/// One thread may take several items, so the call for one item must not wait for another item's.
pub fn for_each_item<T: Send>(
    team: &Team<'_>,
    items: impl Iterator<Item = T>,
    step: impl Fn(T) + Sync,
) {
    let items: Vec<_> = items.map(|item| Mutex::new(Some(item))).collect();
    team.for_each(items.len(), Schedule::Dynamic(1), |index| {
        let item = lock(&items[index]).take();
        item.into_iter().for_each(&step);
    });
}

/// [`for_each_item`] on a team of up to `items.len()` threads, the calling thread included.
///
/// # Panics
/// When `step` panics on any thread.
pub fn for_each_mut<T: Send>(items: &mut [T], step: impl Fn(&mut T) + Sync) {
    with_team(items.len(), |team| for_each_item(team, items.iter_mut(), step));
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
