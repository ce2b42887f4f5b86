//! The clock that times phases and solves.

/// A point in time.
#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
pub(crate) use std::time::Instant;

/// The stand-in for a point in time in a browser, where the standard library has no clock and
/// panics. All durations are zero.
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
#[derive(Clone, Copy)]
pub(crate) struct Instant;

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
impl Instant {
    pub(crate) fn now() -> Self {
        Self
    }

    pub(crate) fn elapsed(self) -> std::time::Duration {
        std::time::Duration::ZERO
    }
}

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
impl std::ops::Sub for Instant {
    type Output = std::time::Duration;

    fn sub(self, _: Self) -> Self::Output {
        std::time::Duration::ZERO
    }
}
