//! The device on which to work, as the user types it.

use kostra::DeviceChoice;
use kostra_cuda as cuda;

use crate::progress::Stage;

/// Where an algorithm runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ChosenDevice {
    Processor,
    /// The CUDA devices of these numbers, none of them twice. If there is no number, the user left
    /// the choice open.
    Cuda(Vec<usize>),
}

impl ChosenDevice {
    /// The numbers of the CUDA devices: the first device if the user named none.
    pub(crate) fn ordinals(&self) -> &[usize] {
        match self {
            Self::Processor => &[],
            Self::Cuda(named) if named.is_empty() => &[0],
            Self::Cuda(named) => named,
        }
    }

    /// The choice of the user, who may have left it open.
    pub(crate) fn choice(chosen: Option<&Self>) -> DeviceChoice {
        match chosen {
            None => DeviceChoice::Automatic,
            Some(Self::Processor) => DeviceChoice::Processor,
            Some(Self::Cuda(named)) => DeviceChoice::Cuda(named.clone()),
        }
    }

    /// The number of the CUDA device, if there is exactly one.
    pub(crate) fn single(&self) -> Option<usize> {
        match self.ordinals() {
            [ordinal] => Some(*ordinal),
            _ => None,
        }
    }
}

/// Opens a CUDA device, before long work for it. Returns its name and number for reports.
///
/// # Errors
/// When the device cannot be used.
pub(crate) fn open(ordinal: usize) -> Result<String, cuda::NoDevice> {
    let _stage = Stage::start("opening the device");
    let device = cuda::Device::open(ordinal)?;
    Ok(format!("{} (cuda:{ordinal})", device.name()))
}

/// Parses `cpu`, `cuda`, `cuda:N` or `cuda:N,N`.
pub(crate) fn parse_device(text: &str) -> Result<ChosenDevice, String> {
    match text.split_once(':') {
        None if text == "cpu" => Ok(ChosenDevice::Processor),
        None if text == "cuda" => Ok(ChosenDevice::Cuda(Vec::new())),
        Some(("cuda", numbers)) => {
            let mut ordinals = Vec::new();
            for number in numbers.split(',') {
                let ordinal: u16 =
                    number.parse().map_err(|_| format!("'{number}' is not a device number"))?;
                if ordinals.contains(&ordinal.into()) {
                    return Err(format!("device {ordinal} is named twice"));
                }
                ordinals.push(ordinal.into());
            }
            Ok(ChosenDevice::Cuda(ordinals))
        }
        _ => Err("expected cpu, cuda, cuda:N, or cuda:N,N for several devices".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_cpu_or_cuda_and_numbers() {
        assert_eq!(parse_device("cpu"), Ok(ChosenDevice::Processor));
        assert_eq!(parse_device("cuda"), Ok(ChosenDevice::Cuda(Vec::new())));
        assert_eq!(parse_device("cuda:3"), Ok(ChosenDevice::Cuda(vec![3])));
        assert_eq!(parse_device("cuda:1,0,7"), Ok(ChosenDevice::Cuda(vec![1, 0, 7])));
        for text in [
            "",
            "gpu",
            "cuda:",
            "cuda:-1",
            "cuda:x",
            "cuda:99999999",
            "cpu:0",
            "CUDA",
            "cuda:0,",
            "cuda:,0",
            "cuda:0, 1",
            "cuda:0,1,0",
            "cuda:1,cuda:2",
            "cpu,cuda",
        ] {
            assert!(parse_device(text).is_err(), "{text}");
        }
        assert_eq!(parse_device("cuda:0,0"), Err("device 0 is named twice".to_owned()));
    }

    #[test]
    fn only_one_cuda_device_is_a_single_one() {
        let single = |text| parse_device(text).map(|device| device.single());
        assert_eq!(single("cuda:2"), Ok(Some(2)));
        assert_eq!(single("cuda"), Ok(Some(0)));
        assert_eq!(single("cuda:2,3"), Ok(None));
        assert_eq!(single("cpu"), Ok(None));
    }
}
