//! The device that tests run on, where there is one.

use std::sync::Arc;

use crate::Device;

/// The first device; without any, says that the test is skipped.
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
