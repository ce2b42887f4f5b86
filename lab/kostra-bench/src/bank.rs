//! Measures the transactional memory for devices with a bank: transfers in transactions, beside
//! plain atomics on the same device.

use std::fmt::Write;

use anyhow::{Context, Result};
use clap::Args;
use kostra_cuda::Device;
use kostra_papers_cuda::bank::{BankOutcome, TransferMethod, Workload, run};
use serde::{Deserialize, Serialize};

/// The workload, except for the number of accounts.
#[derive(Args)]
pub(crate) struct BankArguments {
    /// Numbers of accounts; few accounts give much contention
    #[arg(long, value_delimiter = ',', default_value = "1024,16384,262144,4194304")]
    accounts: Vec<u32>,
    /// Accounts of a branch, between which transfers are made; 0 makes the bank one branch
    #[arg(long, default_value_t = 0)]
    branch: u32,
    /// Percent of read-only transactions, which add up a branch of at most 32 accounts
    #[arg(long, default_value_t = 0)]
    read_percent: u32,
    /// Transfers in a transaction
    #[arg(long, default_value_t = 1)]
    transfers: u32,
    /// Transactions in a run
    #[arg(long, default_value_t = 1 << 22)]
    transactions: u64,
    /// Blocks of the kernel
    #[arg(long, default_value_t = 64)]
    blocks: u32,
    /// Threads of a block, a multiple of 32
    #[arg(long, default_value_t = 256)]
    threads: u32,
    /// Number of counted runs of each method, after one warm-up run
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// The number of the device
    #[arg(long, default_value_t = 0)]
    device: usize,
}

/// One run of a bank.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct BankRun {
    /// The seconds of the kernel, by the device's clock.
    seconds: f64,
    /// The transactions that were done, read-only ones included.
    committed: u64,
    /// The read-only transactions.
    read_only: u64,
    /// The attempts that failed because of another thread.
    aborted: u64,
    /// The read-only transactions that saw a wrong total.
    wrong: u64,
    /// Whether each branch had its first total in the end.
    preserved: bool,
}

/// One method on a bank of one size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct BankResult {
    /// `transactions` or `atomics`.
    method: String,
    accounts: u32,
    branch: u32,
    read_percent: u32,
    transfers: u32,
    /// The number of all threads.
    threads: u32,
    /// The counted runs.
    runs: Vec<BankRun>,
}

impl BankResult {
    /// Whether the totals stayed the same, and no transaction saw a wrong one.
    pub(crate) fn is_right(&self) -> bool {
        let transactions = self.method == name(TransferMethod::Transactions);
        self.runs.iter().all(|run| run.preserved && !(transactions && run.wrong > 0))
    }

    /// The median of the transactions that were done per second.
    pub(crate) fn commits_per_second(&self) -> f64 {
        self.median(|run| run.committed as f64 / run.seconds.max(f64::EPSILON))
    }

    /// The median share of the attempts that failed, in percent.
    pub(crate) fn abort_percent(&self) -> f64 {
        self.median(|run| 100.0 * run.aborted as f64 / (run.aborted + run.committed).max(1) as f64)
    }

    /// The median of a figure of the runs.
    fn median(&self, figure: impl Fn(&BankRun) -> f64) -> f64 {
        let mut figures: Vec<f64> = self.runs.iter().map(figure).collect();
        figures.sort_unstable_by(f64::total_cmp);
        figures.get(figures.len() / 2).copied().unwrap_or_default()
    }
}

/// Runs both methods in turn on banks of each size.
///
/// # Errors
/// If there is no device, a number is out of range, or the device fails.
pub(crate) fn measure(arguments: &BankArguments) -> Result<Vec<BankResult>> {
    let device = Device::open(arguments.device)?;
    let mut results = Vec::new();
    for &accounts in &arguments.accounts {
        let branch = if arguments.branch == 0 { accounts } else { arguments.branch };
        let mut workload = Workload {
            accounts,
            branch,
            read_percent: arguments.read_percent,
            transfers: arguments.transfers,
            transactions: arguments.transactions,
            blocks: arguments.blocks,
            threads: arguments.threads,
            seed: 0,
        };
        let mut of_methods =
            [TransferMethod::Transactions, TransferMethod::Atomics].map(|method| {
                let result = BankResult {
                    method: name(method).to_owned(),
                    accounts,
                    branch,
                    read_percent: arguments.read_percent,
                    transfers: arguments.transfers,
                    threads: arguments.blocks.saturating_mul(arguments.threads),
                    runs: Vec::new(),
                };
                (method, result)
            });
        for seed in 0..=u64::from(arguments.runs) {
            workload.seed = seed;
            for (method, result) in &mut of_methods {
                let outcome = run(&device, &workload, *method)
                    .with_context(|| format!("a bank of {accounts} accounts"))?;
                // The first run warms the device up.
                if seed > 0 {
                    result.runs.push(counted(&outcome));
                }
            }
        }
        results.extend(of_methods.map(|(_, result)| result));
    }
    Ok(results)
}

fn counted(outcome: &BankOutcome) -> BankRun {
    let BankOutcome { time, committed, read_only, aborted, wrong, preserved, .. } = *outcome;
    BankRun { seconds: time.as_secs_f64(), committed, read_only, aborted, wrong, preserved }
}

fn name(method: TransferMethod) -> &'static str {
    match method {
        TransferMethod::Transactions => "transactions",
        TransferMethod::Atomics => "atomics",
    }
}

/// Adds the table of the results.
pub(crate) fn table(text: &mut String, results: &[BankResult]) -> std::fmt::Result {
    writeln!(
        text,
        "| method | accounts | branch | read-only % | transfers | threads \
         | commits/s | aborts % | wrong totals | right |"
    )?;
    writeln!(text, "|---|--:|--:|--:|--:|--:|--:|--:|--:|---|")?;
    for result in results {
        let (commits, aborts) = (result.commits_per_second(), result.abort_percent());
        let wrong: u64 = result.runs.iter().map(|run| run.wrong).sum();
        writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {commits:.3e} | {aborts:.2} | {wrong} | {} |",
            result.method,
            result.accounts,
            result.branch,
            result.read_percent,
            result.transfers,
            result.threads,
            if result.is_right() { "yes" } else { "NO" },
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(method: TransferMethod, wrong: u64, preserved: bool) -> BankResult {
        let run =
            BankRun { seconds: 0.5, committed: 30, read_only: 10, aborted: 10, wrong, preserved };
        BankResult {
            method: name(method).to_owned(),
            accounts: 64,
            branch: 8,
            read_percent: 30,
            transfers: 1,
            threads: 64,
            runs: vec![run],
        }
    }

    #[test]
    fn a_wrong_total_condemns_transactions_and_a_lost_unit_both_methods() {
        assert!(result(TransferMethod::Transactions, 0, true).is_right());
        assert!(!result(TransferMethod::Transactions, 1, true).is_right());
        assert!(!result(TransferMethod::Transactions, 0, false).is_right());
        assert!(result(TransferMethod::Atomics, 1, true).is_right());
        assert!(!result(TransferMethod::Atomics, 0, false).is_right());
    }

    #[test]
    fn the_table_has_commits_per_second_and_the_share_of_aborts() {
        let mut text = String::new();
        table(&mut text, &[result(TransferMethod::Transactions, 0, true)]).unwrap();
        let row = "| transactions | 64 | 8 | 30 | 1 | 64 | 6.000e1 | 25.00 | 0 | yes |";
        assert!(text.contains(row), "{text}");
    }
}
