//! The device on which to work, as the user types it.

/// Where an algorithm runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Device {
    Processor,
    /// The CUDA device of this number.
    Cuda(usize),
}

/// Parses `cpu`, `cuda` or `cuda:N`.
pub(crate) fn parse_device(text: &str) -> Result<Device, String> {
    match text.split_once(':') {
        None if text == "cpu" => Ok(Device::Processor),
        None if text == "cuda" => Ok(Device::Cuda(0)),
        Some(("cuda", number)) => {
            let number: u16 =
                number.parse().map_err(|_| format!("'{number}' is not a device number"))?;
            Ok(Device::Cuda(number.into()))
        }
        _ => Err("expected cpu, cuda or cuda:N".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_cpu_or_cuda_and_a_number() {
        assert_eq!(parse_device("cpu"), Ok(Device::Processor));
        assert_eq!(parse_device("cuda"), Ok(Device::Cuda(0)));
        assert_eq!(parse_device("cuda:3"), Ok(Device::Cuda(3)));
        for text in ["", "gpu", "cuda:", "cuda:-1", "cuda:x", "cuda:99999999", "cpu:0", "CUDA"] {
            assert!(parse_device(text).is_err(), "{text}");
        }
    }
}
