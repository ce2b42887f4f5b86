//! The number of threads of calls that do not name one. All faces ask here.

use std::num::NonZero;
use std::sync::OnceLock;

use thiserror::Error;

/// The variable with the number of threads of Kostra's calls.
const OWN: &str = "KOSTRA_NUM_THREADS";
/// The variable with the number of threads of OpenMP's programs. Job systems set it, and so does
/// joblib for its workers.
const OPEN_MP: &str = "OMP_NUM_THREADS";
/// The most threads that a caller may name, more than any machine has processors. It keeps a typing
/// error from starting tens of thousands of threads.
pub const MOST_THREADS: usize = 4096;

/// A number of threads that the environment names wrongly.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{OWN} is {0:?}; set it to a number of threads from 1 to {MOST_THREADS}, or unset it")]
pub struct ThreadsError(String);

/// The number of threads of a call that does not name one.
///
/// It is `KOSTRA_NUM_THREADS`, if the environment has it. Otherwise it is the number of threads
/// that the system grants this process, by its processors and the quota of its group, and at most
/// the first number in `OMP_NUM_THREADS`. The system is asked once per process, because its answer
/// takes longer than a small solve. Other values of these variables are ignored;
/// [`check_threads`] refuses them.
#[must_use]
pub fn default_threads() -> usize {
    own().ok().flatten().unwrap_or_else(|| {
        let granted = granted_threads();
        variable(OPEN_MP)
            .and_then(|value| first_of_list(&value))
            .map_or(granted, |limit| granted.min(limit))
    })
}

/// The number of threads that the system grants this process.
#[must_use]
pub fn granted_threads() -> usize {
    static GRANTED: OnceLock<usize> = OnceLock::new();
    *GRANTED.get_or_init(|| std::thread::available_parallelism().map_or(1, NonZero::get))
}

/// Checks the variable `KOSTRA_NUM_THREADS`.
///
/// # Errors
/// When it is set, not empty, and no number from 1 to 4096.
pub fn check_threads() -> Result<(), ThreadsError> {
    own().map(|_| ())
}

fn own() -> Result<Option<usize>, ThreadsError> {
    variable(OWN).map_or(Ok(None), |value| number(&value).map(Some).ok_or(ThreadsError(value)))
}

/// The value of a variable, unless it is empty.
fn variable(name: &str) -> Option<String> {
    let value = std::env::var_os(name)?;
    (!value.is_empty()).then(|| value.to_string_lossy().into_owned())
}

fn number(text: &str) -> Option<usize> {
    text.trim().parse().ok().filter(|number| (1..=MOST_THREADS).contains(number))
}

/// The number for the outermost level: OpenMP's variable may list one per level.
fn first_of_list(text: &str) -> Option<usize> {
    number(text.split(',').next()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_from_one_to_the_most() {
        for (text, expected) in
            [("3", Some(3)), (" 8 ", Some(8)), ("4096", Some(4096)), ("0", None), ("4097", None)]
        {
            assert_eq!(number(text), expected, "{text:?}");
        }
        for text in ["", "-1", "two", "1.5", "99999999999999999999"] {
            assert_eq!(number(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_list_of_levels_gives_its_first_number() {
        assert_eq!(first_of_list("4,2,1"), Some(4));
        assert_eq!(first_of_list("x,2"), None);
    }

    #[test]
    fn the_system_grants_at_least_one_thread() {
        assert!(granted_threads() >= 1);
    }
}
