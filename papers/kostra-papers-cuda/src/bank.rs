//! A bank on a device whose threads transfer money: the test and the benchmark of the software
//! transactional memory in `kernels/stm.cuh`.
//!
//! `kernels/bank.cu` says what a transfer and a read-only transaction are. Transactions must keep
//! two invariants: the total of all accounts, and the total of a branch in every read-only
//! transaction. Plain atomics, measured beside them, keep the first one only.

#![allow(unsafe_code, reason = "kernels are launched")]

use std::time::Duration;

use cudarc::driver::{CudaFunction, CudaSlice, LaunchConfig};
use kostra_cuda::buffers::download;
use kostra_cuda::launch::{grid_stride, launch};
use kostra_cuda::shared::constant;
use kostra_cuda::step_clock::new_event;
use kostra_cuda::{Device, DeviceError};
use thiserror::Error;

use crate::source::Source;

const SOURCE: Source = Source::file("bank.cu");

/// The most accounts in a transaction.
pub const CAPACITY: u32 = constant(SOURCE.text(), "CAPACITY") as u32;
/// The first balance of an account.
const BALANCE: u32 = constant(SOURCE.text(), "BALANCE") as u32;
const COUNTERS: usize = constant(SOURCE.text(), "FIRST_ABORTED") as usize + 1;
/// The lanes of a warp, which take transactions together.
const WARP: u32 = constant(SOURCE.text(), "WARP") as u32;

/// How transfers are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransferMethod {
    /// In transactions of the software transactional memory.
    Transactions,
    /// By atomic additions, without transactions.
    Atomics,
}

/// What the threads of a bank do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Workload {
    /// The number of accounts.
    pub accounts: u32,
    /// The number of accounts of a branch, from 2. It divides `accounts`. A transfer is between two
    /// accounts of a branch.
    pub branch: u32,
    /// The share of read-only transactions, in percent. If it is not 0, a branch has at most
    /// [`CAPACITY`] accounts.
    pub read_percent: u32,
    /// The number of transfers in a transaction, at most half of [`CAPACITY`].
    pub transfers: u32,
    /// The number of transactions. The threads do at most one batch of each warp more.
    pub transactions: u64,
    /// The number of blocks.
    pub blocks: u32,
    /// The threads of a block, a multiple of 32 up to 1024.
    pub threads: u32,
    /// The seed of the random numbers.
    pub seed: u64,
}

/// Why a workload was not run.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BankError {
    /// A number of the workload is out of range.
    #[error("{name} must be from {lowest} to {highest}, not {value}")]
    OutOfRange {
        /// The number's name.
        name: &'static str,
        /// The lowest allowed value.
        lowest: u32,
        /// The highest allowed value.
        highest: u32,
        /// The value.
        value: u32,
    },
    /// A number of the workload is not a multiple of another one.
    #[error("{name} must be a multiple of {of}, not {value}")]
    NoMultiple {
        /// The number's name.
        name: &'static str,
        /// The divisor.
        of: u32,
        /// The value.
        value: u32,
    },
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

impl Workload {
    /// Refuses numbers out of range.
    fn check(&self) -> Result<(), BankError> {
        /// More blocks than any device holds at once. The number of a thread has 31 bits.
        const MOST_BLOCKS: u32 = 1 << 16;
        let longest_branch = if self.read_percent > 0 { CAPACITY } else { self.accounts };
        for (name, value, lowest, highest) in [
            ("accounts", self.accounts, 2, 1 << 30),
            ("branch", self.branch, 2, longest_branch),
            ("read-percent", self.read_percent, 0, 100),
            ("transfers", self.transfers, 1, CAPACITY / 2),
            ("blocks", self.blocks, 1, MOST_BLOCKS),
            ("threads", self.threads, WARP, 1024),
        ] {
            if !(lowest..=highest).contains(&value) {
                return Err(BankError::OutOfRange { name, lowest, highest, value });
            }
        }
        for (name, value, of) in
            [("accounts", self.accounts, self.branch), ("threads", self.threads, WARP)]
        {
            if !value.is_multiple_of(of) {
                return Err(BankError::NoMultiple { name, of, value });
            }
        }
        Ok(())
    }
}

/// What the threads of a bank have done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BankOutcome {
    /// The time of the kernel, by the device's clock.
    pub time: Duration,
    /// The number of transactions that were done, read-only ones included.
    pub committed: u64,
    /// The number of read-only transactions.
    pub read_only: u64,
    /// The number of attempts that failed because of another thread.
    pub aborted: u64,
    /// The failed attempts of the thread with the highest priority. It is 0 with
    /// [`TransferMethod::Transactions`]: the proof of progress in `kernels/stm.cuh` needs it.
    pub first_aborted: u64,
    /// The number of read-only transactions that saw a wrong total of a branch. It is 0 with
    /// [`TransferMethod::Transactions`].
    pub wrong: u64,
    /// Whether each branch has its first total again, and no transaction has left a mark.
    pub preserved: bool,
}

/// Opens a bank and runs a workload.
///
/// # Errors
/// When a number is out of range, or the device fails.
pub fn run(
    device: &Device,
    workload: &Workload,
    method: TransferMethod,
) -> Result<BankOutcome, BankError> {
    run_kernels(device, workload, method, SOURCE)
}

/// Runs a workload with the kernels of a source, which are `SOURCE` or `SOURCE` with a fault.
fn run_kernels(
    device: &Device,
    workload: &Workload,
    method: TransferMethod,
    source: Source,
) -> Result<BankOutcome, BankError> {
    workload.check()?;
    let mut accounts = device.uninit::<u64>(workload.accounts as usize)?;
    let mut counters = device.filled::<u64>(COUNTERS, 0)?;
    // SAFETY: there is an element for each account.
    unsafe {
        launch!(
            device, &device.function(source, "open_accounts")?, grid_for(workload.accounts),
            (SOURCE, "open_accounts"),
            [ptr accounts = &mut accounts, u32 count = &workload.accounts], "opening accounts"
        )
    }?;
    device.finish()?;
    let kernel = match method {
        TransferMethod::Transactions => device.function(source, "bank_in_transactions"),
        TransferMethod::Atomics => device.function(source, "bank_by_atomics"),
    }?;
    let time = launch_bank(device, workload, &kernel, (&mut accounts, &mut counters))?;
    let counters = download(device, &counters)?;
    let get = |place: u64| counters.get(place as usize).copied().unwrap_or_default();
    Ok(BankOutcome {
        time,
        committed: get(const { constant(SOURCE.text(), "COMMITTED") }),
        read_only: get(const { constant(SOURCE.text(), "READ_ONLY") }),
        aborted: get(const { constant(SOURCE.text(), "ABORTED") }),
        first_aborted: get(const { constant(SOURCE.text(), "FIRST_ABORTED") }),
        wrong: get(const { constant(SOURCE.text(), "WRONG") }),
        preserved: are_preserved(&download(device, &accounts)?, workload.branch),
    })
}

/// The grid with one thread per account.
fn grid_for(accounts: u32) -> LaunchConfig {
    let mut grid = grid_stride(accounts.into());
    grid.grid_dim.0 = accounts.div_ceil(grid.block_dim.0);
    grid
}

/// Launches a workload on accounts, with its counters, and returns the time.
fn launch_bank(
    device: &Device,
    workload: &Workload,
    kernel: &CudaFunction,
    (accounts, counters): (&mut CudaSlice<u64>, &mut CudaSlice<u64>),
) -> Result<Duration, DeviceError> {
    let Workload { accounts: count, branch, read_percent, transfers, transactions, seed, .. } =
        *workload;
    let branches = count / branch;
    let grid = LaunchConfig {
        grid_dim: (workload.blocks, 1, 1),
        block_dim: (workload.threads, 1, 1),
        shared_mem_bytes: 0,
    };
    const {
        // Both kernels have these parameters.
        kostra_cuda::shared::assert_parameters(
            SOURCE.text(),
            "bank_by_atomics",
            &[
                ("ptr", "accounts"),
                ("u32", "branches"),
                ("u32", "branch"),
                ("u32", "read_percent"),
                ("u32", "transfers"),
                ("u64", "transactions"),
                ("u64", "seed"),
                ("ptr", "counters"),
            ],
        );
    }
    let (start, end) = (new_event(device)?, new_event(device)?);
    device.check(start.record(device.stream()), "timing kernels")?;
    // SAFETY: branches cover the accounts, a transaction has room for its accounts, and there are
    // `COUNTERS` counters.
    unsafe {
        launch!(
            device, kernel, grid, (SOURCE, "bank_in_transactions"),
            [ptr accounts = accounts, u32 branches = &branches, u32 branch = &branch,
            u32 read_percent = &read_percent, u32 transfers = &transfers,
            u64 transactions = &transactions, u64 seed = &seed, ptr counters = counters],
            "running a bank"
        )
    }?;
    device.check(end.record(device.stream()), "timing kernels")?;
    device.finish()?;
    let milliseconds = device.check(start.elapsed_ms(&end), "timing kernels")?;
    Ok(Duration::from_secs_f32(milliseconds.max(0.0) / 1e3))
}

/// Whether each branch has its first total and no account is marked. The balance of an account is
/// in the upper half of its word, and the tracking entry in the lower half.
fn are_preserved(accounts: &[u64], branch: u32) -> bool {
    /// The entry of an account that no transaction has marked.
    const UNMARKED: u32 = 0x7FFF_FFFF;
    accounts.chunks(branch as usize).all(|accounts| {
        let balances = accounts.iter().map(|account| (account >> 32) as u32);
        accounts.iter().all(|&account| account as u32 == UNMARKED)
            && balances.fold(0_u32, u32::wrapping_add) == BALANCE.wrapping_mul(branch)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use kostra_cuda::testing::device;

    /// Every thread of the device works on few accounts.
    const CONTENDED: Workload = Workload {
        accounts: 64,
        branch: 8,
        read_percent: 20,
        transfers: 1,
        transactions: 1 << 18,
        blocks: 64,
        threads: 256,
        seed: 1,
    };

    #[test]
    fn transactions_preserve_every_total_under_contention() {
        let Some(device) = device() else { return };
        for workload in [
            CONTENDED,
            Workload { accounts: 2, branch: 2, ..CONTENDED },
            Workload { accounts: 32, branch: 32, transactions: 1 << 14, ..CONTENDED },
            Workload { transfers: CAPACITY / 2, transactions: 1 << 14, ..CONTENDED },
            Workload { accounts: 1 << 20, branch: 1 << 20, read_percent: 0, ..CONTENDED },
            Workload { read_percent: 100, ..CONTENDED },
        ] {
            let outcome = run(&device, &workload, TransferMethod::Transactions).unwrap();
            assert!(outcome.preserved && outcome.wrong == 0, "{workload:?}: {outcome:?}");
            assert!(outcome.committed >= workload.transactions, "{workload:?}: {outcome:?}");
            assert_eq!(outcome.first_aborted, 0, "{workload:?}: {outcome:?}");
        }
    }

    /// The kernels with a planted fault.
    fn with_fault(name: &'static str, fault: &str) -> Source {
        Source::given(name, format!("#define {fault}\n{}", SOURCE.inflated()).leak())
    }

    /// The source's rule, with which two transactions can abort each other without end.
    #[test]
    fn with_a_rollback_at_locks_the_highest_priority_aborts_too() {
        let Some(device) = device() else { return };
        let source = with_fault("bank_rollback_at_locks", "PLANTED_ROLLBACK_AT_LOCKS");
        let outcome =
            run_kernels(&device, &CONTENDED, TransferMethod::Transactions, source).unwrap();
        assert!(outcome.preserved && outcome.wrong == 0, "{outcome:?}");
        assert!(outcome.first_aborted > 0, "{outcome:?}");
    }

    /// Locks are taken without a look at the marks.
    #[test]
    fn without_validation_money_is_lost() {
        let Some(device) = device() else { return };
        let source = with_fault("bank_locks_without_marks", "PLANTED_LOCKS_WITHOUT_MARKS");
        let outcome =
            run_kernels(&device, &CONTENDED, TransferMethod::Transactions, source).unwrap();
        assert!(!outcome.preserved, "{outcome:?}");
    }

    #[test]
    fn atomics_preserve_the_totals_but_show_readers_half_a_transfer() {
        let Some(device) = device() else { return };
        let outcome = run(&device, &CONTENDED, TransferMethod::Atomics).unwrap();
        assert!(outcome.preserved && outcome.aborted == 0, "{outcome:?}");
        assert!(outcome.wrong > 0, "the check of the totals sees nothing: {outcome:?}");
    }

    #[test]
    fn numbers_out_of_range_are_refused_with_the_range() {
        let words = |workload: Workload| workload.check().unwrap_err().to_string();
        assert_eq!(CONTENDED.check(), Ok(()));
        assert_eq!(
            words(Workload { branch: 1, ..CONTENDED }),
            "branch must be from 2 to 32, not 1"
        );
        assert_eq!(
            words(Workload { branch: 64, ..CONTENDED }),
            "branch must be from 2 to 32, not 64"
        );
        assert_eq!(Workload { branch: 64, read_percent: 0, ..CONTENDED }.check(), Ok(()));
        assert_eq!(
            words(Workload { accounts: 65, ..CONTENDED }),
            "accounts must be a multiple of 8, not 65"
        );
        assert_eq!(
            words(Workload { transfers: 17, ..CONTENDED }),
            "transfers must be from 1 to 16, not 17"
        );
        assert_eq!(
            words(Workload { threads: 33, ..CONTENDED }),
            "threads must be a multiple of 32, not 33"
        );
        assert_eq!(
            words(Workload { read_percent: 101, ..CONTENDED }),
            "read-percent must be from 0 to 100, not 101"
        );
    }

    #[test]
    fn a_lost_unit_and_a_mark_that_stays_are_seen() {
        let account = |balance: u64, entry: u64| balance << 32 | entry;
        let free = 0x7FFF_FFFF;
        assert!(are_preserved(&[account(9, free), account(11, free)], 2));
        assert!(!are_preserved(&[account(9, free), account(10, free)], 2));
        assert!(!are_preserved(&[account(9, 5), account(11, free)], 2));
    }
}
