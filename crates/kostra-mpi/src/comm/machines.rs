//! The machines of a job, and its two levels: the ranks of a machine, and the first ranks of all
//! machines.
//!
//! Ranks are numbered machine by machine, in the order of the lowest rank of MPI on each machine.
//! So the ranks of a machine have consecutive slices, however the launcher places ranks. Rank 0 is
//! rank 0 of MPI.

use mpi::collective::SystemOperation;
use mpi::topology::{Color, Communicator as _, SimpleCommunicator};
use mpi::traits::CommunicatorCollectives;

use super::communicator::{Communicator, Levels};
use super::refusal::Refusal;

/// Groups of ranks, from which communicators are made.
pub(super) struct Groups {
    /// All ranks, machine by machine.
    pub(super) all: SimpleCommunicator,
    pub(super) machine: SimpleCommunicator,
    pub(super) leaders: Option<SimpleCommunicator>,
    /// The machine of each rank.
    pub(super) machine_of: Vec<u32>,
}

/// For tests: the number of a machine for each rank of MPI, separated by commas. Ranks of one
/// machine with different numbers are treated as ranks of different machines.
const TEST_MACHINES: &str = "KOSTRA_TEST_MACHINES";

impl Groups {
    /// Groups the ranks of `world` by their machines. Collective.
    ///
    /// # Errors
    /// When the variable for tests is not a list with one number for each rank.
    pub(super) fn new(world: &SimpleCommunicator) -> Result<Self, Refusal> {
        let (rank, size) = (world.rank(), world.size() as usize);
        let declared = declared_machines(std::env::var(TEST_MACHINES).ok().as_deref(), size);
        let declared = declared.map_err(|reason| Refusal::everywhere(reason, rank == 0))?;
        let shared = world.split_shared(0);
        let color = declared.map(|machines| Color::with_value(machines[rank as usize]));
        let machine = color.and_then(|color| shared.split_by_color(color)).unwrap_or(shared);
        let mut first = rank;
        machine.all_reduce_into(&rank, &mut first, SystemOperation::min());
        let group = |color, order| world.split_by_color_with_key(color, order);
        let everyone = Color::with_value(0);
        let all = group(everyone, first).unwrap_or_else(SimpleCommunicator::world);
        let leaders = group(if first == rank { everyone } else { Color::undefined() }, rank);
        let mut firsts = vec![0; size];
        all.all_gather_into(&first, &mut firsts[..]);
        Ok(Self { all, machine, leaders, machine_of: numbered(&firsts) })
    }
}

/// The machine of each rank of MPI, if `list` declares it.
fn declared_machines(list: Option<&str>, ranks: usize) -> Result<Option<Vec<i32>>, String> {
    let Some(list) = list else { return Ok(None) };
    let machines = list.split(',').map(|number| number.parse::<u16>().map(i32::from));
    let machines: Option<Vec<_>> = machines.map(Result::ok).collect();
    match machines.filter(|machines| machines.len() == ranks) {
        Some(machines) => Ok(Some(machines)),
        None => Err(format!(
            "{TEST_MACHINES} is '{list}', but must be one number for each of the {ranks} ranks"
        )),
    }
}

/// The number of each run of equal items.
fn numbered(items: &[i32]) -> Vec<u32> {
    let runs = (0..).zip(items.chunk_by(|a, b| a == b));
    runs.flat_map(|(number, run)| run.iter().map(move |_| number)).collect()
}

impl Communicator {
    /// The lowest rank on this rank's machine. Ranks on one machine return the same number.
    pub fn first_on_machine(&self) -> usize {
        self.machine_of.partition_point(|&machine| machine < self.machine_of[self.rank])
    }

    /// The number of machines.
    pub fn machines(&self) -> usize {
        self.machine_of[self.size - 1] as usize + 1
    }

    /// The levels of the job. `None` in a communicator that is itself a level.
    pub(crate) fn levels(&self) -> Option<&Levels> {
        self.levels.as_deref()
    }

    /// Whether a rank is on another machine than this rank.
    pub(super) fn is_far(&self, rank: usize) -> bool {
        self.machine_of[rank] != self.machine_of[self.rank]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_machines_are_one_number_for_each_rank() {
        assert_eq!(declared_machines(None, 2), Ok(None));
        assert_eq!(declared_machines(Some("1,0,1"), 3), Ok(Some(vec![1, 0, 1])));
        for list in ["", "1", "1,2,3", "1,x", "1,-1", "1,2,"] {
            let refusal = declared_machines(Some(list), 2).unwrap_err();
            assert!(
                refusal.contains(list) && refusal.ends_with("each of the 2 ranks"),
                "{refusal}"
            );
        }
    }

    #[test]
    fn machines_are_numbered_in_the_order_of_their_ranks() {
        assert_eq!(numbered(&[0, 0, 3, 3, 1, 7]), [0, 0, 1, 1, 2, 3]);
    }
}
