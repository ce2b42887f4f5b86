//! Panics that mean that the input is damaged.
//!
//! The crate `parquet` panics on some damaged files. A reader catches these panics, if the program
//! unwinds. The panic hook of a program that does not unwind asks [`damage_behind_panic`].

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

const SENTENCE: &str = "a column is damaged; write the file again";

thread_local! {
    static EXPECTED: Cell<bool> = const { Cell::new(false) };
}

/// What is wrong with the input that this thread reads, if a panic now would mean that.
pub fn damage_behind_panic() -> Option<&'static str> {
    EXPECTED.get().then_some(SENTENCE)
}

/// Does work on this thread in which a panic means that the input is damaged.
pub(crate) fn expect<T>(work: impl FnOnce() -> T) -> T {
    /// Restores the value, even after a panic.
    struct Before(bool);
    impl Drop for Before {
        fn drop(&mut self) {
            EXPECTED.set(self.0);
        }
    }
    let _before = Before(EXPECTED.replace(true));
    work()
}

/// Does work in which a panic means that the input is damaged. Nothing of the work may outlive the
/// panic.
///
/// # Errors
/// What is wrong with the input, after a panic.
pub(crate) fn catch<T>(work: impl FnOnce() -> T) -> Result<T, &'static str> {
    catch_unwind(AssertUnwindSafe(|| expect(work))).map_err(|_| SENTENCE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_expected_during_the_work_only() {
        assert_eq!(damage_behind_panic(), None);
        assert_eq!(expect(damage_behind_panic), Some(SENTENCE));
        assert_eq!(catch(|| 7), Ok(7));
        assert_eq!(catch(|| panic!("from the test")), Err::<(), _>(SENTENCE));
        assert_eq!(damage_behind_panic(), None);
    }
}
