//! The pixels of an image or the cells of a volume, and which of them are neighbors.

use anyhow::bail;
use clap::ValueEnum;
use kostra_io::{ImageAxes, ImageFile};
use kostra_points::grid::{Connectivity, Grid};

use crate::report::thousands;

/// The number of neighbors of a cell.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum NeighborCount {
    #[value(name = "4")]
    Four,
    #[value(name = "8")]
    Eight,
    #[value(name = "6")]
    Six,
    #[value(name = "26")]
    TwentySix,
}

impl NeighborCount {
    pub(crate) fn number(self) -> u32 {
        match self {
            Self::Four => 4,
            Self::Eight => 8,
            Self::Six => 6,
            Self::TwentySix => 26,
        }
    }

    pub(crate) fn is_of_volume(self) -> bool {
        matches!(self, Self::Six | Self::TwentySix)
    }

    fn connectivity(self) -> Connectivity {
        match self {
            Self::Four | Self::Six => Connectivity::Faces,
            Self::Eight | Self::TwentySix => Connectivity::Corners,
        }
    }
}

/// Which dimension of an array counts the values of a pixel.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Channels {
    First,
    Last,
}

/// The most values of a pixel that a picture has: three colors, and transparency.
const COLORS: usize = 4;

/// Whether an array may be the planes of an image, one after the other: it has more values in its
/// last dimension than colors, and than in its first.
fn may_be_planes(shape: &[usize]) -> bool {
    matches!(shape, &[first, _, last] if last > COLORS && last > first)
}

/// The pixels of an image, or the cells of a volume.
pub(crate) struct PixelCells {
    pub(crate) grid: Grid,
    /// The depth, the height and the width.
    pub(crate) shape: [usize; 3],
    /// The number of values of a cell.
    pub(crate) channels: usize,
    pub(crate) neighbors: NeighborCount,
    pub(crate) is_volume: bool,
}

impl PixelCells {
    /// The number of cells, the number of their values, and the format, for people.
    pub(crate) fn described(&self, format: &str) -> String {
        let mut lengths: Vec<_> = self.shape[usize::from(!self.is_volume)..]
            .iter()
            .map(|&length| thousands(length as u64))
            .collect();
        lengths.reverse(); // width x height, as people say
        let cells = if self.is_volume { "cells" } else { "pixels" };
        let values = match self.channels {
            1 => String::new(),
            channels => format!(" of {channels} values"),
        };
        format!("{} {cells}{values} ({format})", lengths.join(" x "))
    }

    /// The cells of an image.
    ///
    /// # Errors
    /// When the shape has several meanings and the arguments do not say which one, or there are too
    /// many cells.
    pub(crate) fn of(
        image: &ImageFile,
        neighbors: Option<NeighborCount>,
        channels: Option<Channels>,
    ) -> anyhow::Result<Self> {
        let is_volume = is_volume(image, neighbors, channels)?;
        let neighbors = neighbors.unwrap_or(NeighborCount::Four);
        let (shape, channels) = match image.shape[..] {
            [depth, height, width] if is_volume => ([depth, height, width], 1),
            [height, width, channels] => ([1, height, width], channels),
            [height, width] => ([1, height, width], 1),
            _ => bail!("this array has neither two nor three dimensions"),
        };
        let grid = Grid::new(shape, neighbors.connectivity())?;
        Ok(Self { grid, shape, channels, neighbors, is_volume })
    }
}

/// Whether the cells are those of a volume.
fn is_volume(
    image: &ImageFile,
    neighbors: Option<NeighborCount>,
    channels: Option<Channels>,
) -> anyhow::Result<bool> {
    let is_volume = neighbors.map(NeighborCount::is_of_volume);
    let shape = &image.shape;
    match (image.axes, is_volume) {
        (ImageAxes::Image, Some(true)) => {
            bail!("this is no volume; pass `--connectivity 4` or `--connectivity 8`")
        }
        (ImageAxes::Pages, None | Some(false)) => bail!(
            "are these {} pages the slices of a volume? pass `--connectivity 6` or \
             `--connectivity 26` if they are, or save the page that you need",
            shape[0]
        ),
        (ImageAxes::Unknown, None) => bail!(
            "is this array of the shape {shape:?} a volume, or an image with {} values per \
             pixel? pass `--connectivity 6` or `--connectivity 4`",
            shape.last().unwrap_or(&1)
        ),
        (ImageAxes::Unknown, Some(false)) if channels.is_none() && may_be_planes(shape) => {
            bail!(
                "is this array of the shape {shape:?} an image of {} planes, or of pixels with \
                 {} values? pass `--channels first` or `--channels last`",
                shape[0],
                shape[2]
            )
        }
        (_, is_volume) => Ok(is_volume.unwrap_or(false)),
    }
}
