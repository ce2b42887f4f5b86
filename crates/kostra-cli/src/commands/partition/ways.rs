//! The steps of a partition.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use kostra_cuda::partition::{DevicePartitionOptions, Matching, Refinement};
use kostra_partition::Options;

/// The options that choose steps.
#[derive(Args)]
pub(super) struct Ways {
    /// How a CUDA device matches vertices: by `handshake`, in `transactions`, or each once along
    /// its `heavy-edge`
    #[arg(long, value_name = "WAY", value_parser = one_of(Matching::ALL, Matching::name))]
    matching: Option<Matching>,

    /// How a CUDA device moves vertices between parts: by `jet`, in `transactions`, or in those
    /// with `invalidation` of neighbors' gains
    #[arg(long, value_name = "WAY", value_parser = one_of(Refinement::ALL, Refinement::name))]
    refinement: Option<Refinement>,

    /// Partition as Manoochehri describes: on the processor by workers with a queue each, on a CUDA
    /// device with heavy-edge, invalidation, and rows sorted by segmented scans
    #[arg(long, conflicts_with_all = ["matching", "refinement"])]
    pub(super) manoochehri: bool,
}

impl Ways {
    /// The first of the options for a device that the user has passed.
    pub(super) fn first_of_device(&self) -> Option<&'static str> {
        let named =
            [(self.matching.is_some(), "--matching"), (self.refinement.is_some(), "--refinement")];
        named.into_iter().find_map(|(is_named, option)| is_named.then_some(option))
    }

    /// What the options choose on a device, with the default parameters of every partition.
    pub(super) fn options(&self) -> DevicePartitionOptions {
        if self.manoochehri {
            return DevicePartitionOptions::manoochehri(Options::default());
        }
        DevicePartitionOptions {
            matching: self.matching.unwrap_or_default(),
            refinement: self.refinement.unwrap_or_default(),
            ..Default::default()
        }
    }
}

/// Parses the name of one of several choices.
pub(super) fn one_of<T: Copy + Send + Sync + 'static, const N: usize>(
    choices: [T; N],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(choices.map(name)).try_map(move |text| {
        choices.into_iter().find(|&choice| name(choice) == text).ok_or("no such choice")
    })
}
