//! Work of any kind on several threads.

use std::sync::{Mutex, PoisonError};

use super::team::{Schedule, with_team};

/// Does something with every item, each on a thread of its own, the caller's among them; on fewer where others come late,
/// so no item may wait for another.
///
/// # Panics
/// When a step panics, on any thread.
pub fn on_threads<T: Send>(items: &mut [T], step: impl Fn(&mut T) + Sync) {
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
            on_threads(&mut turns, |turn| *turn += 1);
            assert_eq!(turns, vec![1; items]);
        }
    }
}
