//! The number of threads of the functions that take one.

/// The number of threads to use: `threads`, or by default all of the machine's.
pub(crate) fn threads_or_all(threads: Option<usize>) -> usize {
    threads
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get))
}
