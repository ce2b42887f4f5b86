//! How many threads a rank uses when nobody says: its share of the cores of its node.

use std::collections::HashSet;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};

use kostra_mpi::Communicator;

/// How many processors are told of; more are rare, and rank for rank this travels to all.
const WORDS: usize = 16;

/// The cores that the ranks of this node may use together, dealt out evenly; at least one, and no more than this rank
/// may use by itself, as where `mpirun` has bound it to some. Collective.
pub(super) fn per_rank(world: &Communicator) -> usize {
    let own = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let mut words = [0_u64; WORDS + 1];
    words[0] = node();
    for core in allowed() {
        if let Some(word) = words.get_mut(1 + core / 64) {
            *word |= 1 << (core % 64);
        }
    }
    let all = world.all_gather(&[words]);
    let here = || all.items().iter().filter(|other| other[0] == words[0]);
    let together: u32 = (1..=WORDS).map(|at| here().fold(0_u64, |all, one| all | one[at]).count_ones()).sum();
    let alone: u32 = words[1..].iter().map(|word| word.count_ones()).sum();
    // A rank that may use all there are may yet be granted less of their time, which `own` knows.
    let cores = if together == alone { own } else { together as usize };
    own.min(cores / here().count()).max(1)
}

/// What stands for the node that this process is on.
fn node() -> u64 {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}

/// The processors that this process may use, as far as the system says.
fn allowed() -> HashSet<usize> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    processors(list.unwrap_or_default())
}

/// The numbers in a list such as `0-3,8`.
fn processors(list: &str) -> HashSet<usize> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        Some(first..=last)
    };
    list.split(',').filter_map(range).flatten().take(64 * WORDS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_processors_are_read() {
        assert_eq!(processors("\t0-3,8\n"), HashSet::from([0, 1, 2, 3, 8]));
        assert_eq!(processors(""), HashSet::new());
    }
}
