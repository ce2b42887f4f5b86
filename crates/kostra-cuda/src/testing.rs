//! The device for tests.

use std::sync::Arc;

use crate::device::Device;

/// The first device. If there is none, prints that the test is skipped.
pub(crate) fn device() -> Option<Arc<Device>> {
    match Device::open(0) {
        Ok(device) => Some(device),
        Err(error) => {
            let required =
                std::env::var_os("KOSTRA_REQUIRE_DEVICE").is_some_and(|value| !value.is_empty());
            assert!(!required, "KOSTRA_REQUIRE_DEVICE is set, but: {error}");
            println!("skipped: {error}");
            None
        }
    }
}
