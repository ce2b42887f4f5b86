//! The device of a solve.

use std::str::FromStr;

/// Where to solve. The names of devices are `cpu`, `cuda`, `cuda:N` and `cuda:N,N`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum DeviceChoice {
    /// Where the solver runs. If the choice of the solver is free, too, the first CUDA device is
    /// used if it is likely to be faster than the processor.
    #[default]
    Automatic,
    /// The processor.
    Processor,
    /// The CUDA devices of these numbers, counted from 0; device 0 if there is no number.
    Cuda(Vec<usize>),
}

impl DeviceChoice {
    /// The numbers of the CUDA devices; none if they are not chosen.
    pub fn ordinals(&self) -> &[usize] {
        match self {
            Self::Cuda(named) if named.is_empty() => &[0],
            Self::Cuda(named) => named,
            Self::Automatic | Self::Processor => &[],
        }
    }
}

impl FromStr for DeviceChoice {
    type Err = String;

    /// Parses the name of a device. The automatic choice has none.
    fn from_str(name: &str) -> Result<Self, String> {
        match name.split_once(':') {
            None if name == "cpu" => Ok(Self::Processor),
            None if name == "cuda" => Ok(Self::Cuda(Vec::new())),
            Some(("cuda", numbers)) => {
                let mut ordinals = Vec::new();
                for number in numbers.split(',') {
                    let ordinal: u32 =
                        number.parse().map_err(|_| format!("'{number}' is not a device number"))?;
                    if ordinals.contains(&(ordinal as usize)) {
                        return Err(format!("device {ordinal} is named twice"));
                    }
                    ordinals.push(ordinal as usize);
                }
                Ok(Self::Cuda(ordinals))
            }
            _ => Err("expected cpu, cuda, cuda:N, or cuda:N,N for several devices".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_cpu_or_cuda_and_numbers() {
        let parsed = |name: &str| name.parse::<DeviceChoice>();
        assert_eq!(parsed("cpu"), Ok(DeviceChoice::Processor));
        assert_eq!(parsed("cuda"), Ok(DeviceChoice::Cuda(Vec::new())));
        assert_eq!(parsed("cuda:3"), Ok(DeviceChoice::Cuda(vec![3])));
        assert_eq!(parsed("cuda:1,0,7"), Ok(DeviceChoice::Cuda(vec![1, 0, 7])));
        for name in [
            "",
            "auto",
            "gpu",
            "cuda:",
            "cuda:-1",
            "cuda:x",
            "cuda:9999999999",
            "cpu:0",
            "CUDA",
            "cuda:0,",
            "cuda:,0",
            "cuda:0, 1",
            "cuda:0,1,0",
            "cuda:1,cuda:2",
            "cpu,cuda",
        ] {
            assert!(parsed(name).is_err(), "{name}");
        }
        assert_eq!(parsed("cuda:0,0"), Err("device 0 is named twice".to_owned()));
    }
}
