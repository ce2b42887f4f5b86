//! Inner loops compiled for the vector instructions of the processor.
//!
//! A program is compiled for every processor of its kind, so the compiler may use only the oldest
//! vector instructions. Here it compiles the same work again for newer ones, and the program
//! chooses when it runs. Both versions round every operation to `f64` separately and do not use
//! fused multiply-add, so they give the same results. There is no version for AVX-512: the oldest
//! supported Rust cannot compile it.
#![allow(unsafe_code, reason = "only the processor can say that it has an instruction")]

/// Work that is worth compiling twice. Everything that [`run`](Self::run) calls in its inner loops
/// must be inlined.
pub(crate) trait Work {
    /// What the work returns.
    type Output;
    /// Whether there is a version for every processor, too. Each version makes programs larger.
    const EVERYWHERE: bool = true;
    /// Does the work. Implementations need `#[inline(always)]`.
    fn run(self) -> Self::Output;
}

/// Does the work with the widest vectors that the processor has.
pub(crate) fn wide<W: Work>(work: W) -> W::Output {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if has_avx2() {
        // SAFETY: the processor has these instructions.
        return unsafe { run_with_avx2(work) };
    }
    if W::EVERYWHERE || !cfg!(target_arch = "x86_64") {
        return work.run();
    }
    unreachable!("there is no version for this processor")
}

/// Whether [`wide`] can do work that has no version for every processor.
pub(crate) fn has_versions() -> bool {
    !cfg!(target_arch = "x86_64") || has_avx2()
}

/// Whether the processor has registers of 32 bytes. Miri has none.
#[cfg(all(target_arch = "x86_64", not(miri)))]
fn has_avx2() -> bool {
    std::arch::is_x86_feature_detected!("avx2")
}

#[cfg(not(all(target_arch = "x86_64", not(miri))))]
fn has_avx2() -> bool {
    false
}

/// With registers of 32 bytes.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[target_feature(enable = "avx2")]
fn run_with_avx2<W: Work>(work: W) -> W::Output {
    work.run()
}
