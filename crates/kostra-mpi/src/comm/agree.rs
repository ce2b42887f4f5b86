//! Results and values that all ranks agree on.

use std::fmt::Display;

use xxhash_rust::xxh3::xxh3_64;

use super::communicator::Communicator;
use super::reduce::Reduction;
use super::refusal::Refusal;

impl Communicator {
    /// Makes a result that may differ between ranks the same everywhere. If any rank has an error,
    /// every rank gets the error of the lowest such rank. Collective.
    ///
    /// # Errors
    /// When the result of any rank is an error.
    pub fn agree<T, E: Display>(&self, result: Result<T, E>) -> Result<T, Refusal> {
        let candidate = if result.is_err() { self.rank } else { self.size };
        let speaker = self.reduce_one(Reduction::Min, candidate as u64) as usize;
        if speaker < self.size {
            let reason = result.as_ref().err().map(ToString::to_string).unwrap_or_default();
            return Err(self.refusal_of(speaker, &reason));
        }
        // No rank gets here with an error.
        result.map_err(|error| Refusal::of_rank(self.rank, error.to_string(), true))
    }

    /// Checks that `value` is the same on all ranks. `name` says what it is. Collective.
    ///
    /// # Errors
    /// When values differ; the refusal names the lowest rank whose value differs from rank 0's.
    pub fn agree_on(&self, name: &str, value: &str) -> Result<(), Refusal> {
        let hash = xxh3_64(value.as_bytes());
        let root = self.broadcast_one(0, hash);
        let odd = if hash == root { self.size } else { self.rank };
        let odd = self.reduce_one(Reduction::Min, odd as u64) as usize;
        if odd == self.size {
            return Ok(());
        }
        let of_root = self.broadcast_vec(0, value.as_bytes().to_vec());
        let of_root = String::from_utf8_lossy(&of_root);
        let reason = format!("{name} is not the same as on rank 0: {value} here, {of_root} there");
        Err(self.refusal_of(odd, &reason))
    }

    /// The refusal whose reason `speaker` gives. Collective.
    fn refusal_of(&self, speaker: usize, reason: &str) -> Refusal {
        let reason = self.broadcast_vec(speaker, reason.as_bytes().to_vec());
        let reason = String::from_utf8_lossy(&reason).into_owned();
        Refusal::of_rank(speaker, reason, speaker == self.rank)
    }
}
