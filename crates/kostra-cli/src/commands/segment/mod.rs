//! `kostra segment`: segments of images, terrain and volumes.

mod labels;
mod picture;
mod record;
mod values;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use clap::{Parser, ValueEnum, ValueHint};
use kostra_core::{OutOfMemory, Run, memory};
use kostra_io::{ImageAxes, ImageFile, ImageSize, Input, Output, PixelValues, read_image};
use kostra_points::cluster::{Segments, segment};
use kostra_points::grid::{Connectivity, Grid, Value};

use self::labels::LabelFormat;
use self::picture::Colors;
use self::record::{Record, Seconds, sheet};
use self::values::{admit, range};
use crate::command::{Answer, Command};
use crate::memory_limit::MemoryArguments;
use crate::progress::Stage;
use crate::report;
use crate::{file_roles, input, output};

/// Divide an image, a terrain or a volume into segments.
#[derive(Parser)]
#[command(
    name = "segment",
    after_help = "\
Examples:
  kostra segment image.png -o segments.png
  kostra segment photo.tiff --scale 500 --min-size 100 --colors mean -o regions.png
  kostra segment N50E014.hgt.zip --scale 100 --connectivity 8 -o labels.npy
  kostra segment scan.npy --connectivity 26 --json

Segments are those of Felzenszwalb and Huttenlocher: two segments are merged if
their lowest difference is at most the largest difference inside each of them,
plus the scale divided by the number of its pixels. The difference of two pixels
is the Euclidean distance of their values, transparency included."
)]
pub(super) struct Arguments {
    /// A PNG or TIFF image, a height tile of SRTM (.hgt), or a NumPy array of two or three
    /// dimensions (.npy), plain or compressed; `-` for standard input
    #[arg(value_hint = ValueHint::FilePath)]
    image: OsString,

    /// How strongly small segments are merged: a larger scale gives larger segments [default: 300
    /// for values of 8 bits, and otherwise 300/255 of the range of the known values]
    #[arg(
        long,
        value_name = "K",
        value_parser = scale,
    )]
    scale: Option<f64>,

    /// The least number of pixels of a segment
    #[arg(
        long,
        value_name = "N",
        default_value_t = 20,
        value_parser = clap::value_parser!(u32).range(1..),
    )]
    min_size: u32,

    /// The number of neighbors of a pixel (4 or 8), or of a cell of a volume (6 or 26) [default: 4]
    #[arg(long, value_name = "N", value_enum)]
    connectivity: Option<Neighbors>,

    /// Which dimension of a NumPy array of three dimensions counts the values of a pixel
    #[arg(long, value_enum)]
    channels: Option<Channels>,

    /// The segments: a picture (.png), or labels from 0 as an array (.npy) or as rows of a table
    /// (.csv); `-` for the table on standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,

    /// The colors of segments in a picture [default: distinct]
    #[arg(long, value_enum)]
    colors: Option<Colors>,

    #[command(flatten)]
    memory: MemoryArguments,

    /// Print the report as one JSON object
    #[arg(long)]
    json: bool,

    /// Print no report
    #[arg(long, short, requires = "output", conflicts_with = "json")]
    quiet: bool,
}

/// The number of neighbors of a cell.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Neighbors {
    #[value(name = "4")]
    Four,
    #[value(name = "8")]
    Eight,
    #[value(name = "6")]
    Six,
    #[value(name = "26")]
    TwentySix,
}

impl Neighbors {
    fn number(self) -> u32 {
        match self {
            Self::Four => 4,
            Self::Eight => 8,
            Self::Six => 6,
            Self::TwentySix => 26,
        }
    }

    fn is_of_volume(self) -> bool {
        matches!(self, Self::Six | Self::TwentySix)
    }

    fn connectivity(self) -> Connectivity {
        match self {
            Self::Four | Self::Six => Connectivity::Faces,
            Self::Eight | Self::TwentySix => Connectivity::Corners,
        }
    }
}

fn scale(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| *number >= 0.0);
    number.ok_or_else(|| "it must be a number from 0".to_owned())
}

/// Which dimension of an array counts the values of a pixel.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Channels {
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

/// The scale for brightnesses from 0 to 255: a usual one for photos.
const SCALE: f64 = 300.0;

/// What the arguments mean.
struct Plan {
    source: Input,
    scale: Option<f64>,
    min_size: u32,
    neighbors: Option<Neighbors>,
    channels: Option<Channels>,
    output: Option<(Output, LabelFormat)>,
    memory: MemoryArguments,
    json: bool,
    quiet: bool,
}

impl Plan {
    fn resolve(arguments: Arguments) -> anyhow::Result<Self> {
        let output = arguments.output.as_deref().map(|path| {
            let format = LabelFormat::by_extension(path, arguments.colors)?;
            let output = output::parse_path(path);
            output.check()?;
            anyhow::Ok((output, format))
        });
        let output = output.transpose()?;
        let is_picture = matches!(output, Some((_, LabelFormat::Png(_))));
        if arguments.colors.is_some() && !is_picture {
            bail!("`--colors` has an effect on pictures only; omit it, or write a .png file");
        }
        let source = input::file(&arguments.image);
        let path = output.as_ref().map(|(output, _)| output);
        file_roles::check(&[("image", Some(&source))], &[("segments", path)])?;
        Ok(Self {
            source,
            scale: arguments.scale,
            min_size: arguments.min_size,
            neighbors: arguments.connectivity,
            channels: arguments.channels,
            output,
            memory: arguments.memory,
            json: arguments.json,
            quiet: arguments.quiet,
        })
    }

    /// Puts the values of a pixel together, if the planes of an image are one after the other.
    fn arrange(&self, image: &mut ImageFile) -> anyhow::Result<()> {
        let Some(channels) = self.channels else { return Ok(()) };
        let is_of_pixels = self.neighbors.is_some_and(|neighbors| !neighbors.is_of_volume());
        if image.axes != ImageAxes::Unknown || !is_of_pixels {
            bail!(
                "`--channels` has an effect on arrays of three dimensions with `--connectivity 4` \
                 or `--connectivity 8`; omit it"
            );
        }
        if let (Channels::First, &[planes, height, width]) = (channels, &image.shape[..]) {
            match &mut image.values {
                PixelValues::Single(values) => *values = by_pixels(values, planes)?,
                PixelValues::Double(values) => *values = by_pixels(values, planes)?,
            }
            image.shape = vec![height, width, planes];
            let value_bytes = match image.values {
                PixelValues::Single(_) => 4,
                PixelValues::Double(_) => 8,
            };
            let values = (planes * height * width) as u64;
            let size = ImageSize { values, channels: planes as u64, value_bytes };
            admit(size, self.neighbors, self.memory).map_err(anyhow::Error::msg)?;
        }
        Ok(())
    }

    /// The cells of the image.
    fn cells(&self, image: &ImageFile) -> anyhow::Result<Cells> {
        let is_volume = self.is_volume(image)?;
        let neighbors = self.neighbors.unwrap_or(Neighbors::Four);
        let (shape, channels) = match image.shape[..] {
            [depth, height, width] if is_volume => ([depth, height, width], 1),
            [height, width, channels] => ([1, height, width], channels),
            [height, width] => ([1, height, width], 1),
            _ => bail!("this array has neither two nor three dimensions"),
        };
        let grid = Grid::new(shape, neighbors.connectivity())?;
        let cells = Cells { grid, shape, channels, neighbors, is_volume };
        if let Some((_, format)) = &self.output {
            format.check(&cells)?;
        }
        Ok(cells)
    }

    /// Whether the cells are those of a volume.
    fn is_volume(&self, image: &ImageFile) -> anyhow::Result<bool> {
        let is_volume = self.neighbors.map(Neighbors::is_of_volume);
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
            (ImageAxes::Unknown, Some(false))
                if self.channels.is_none() && may_be_planes(shape) =>
            {
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

    fn scale(&self, image: &ImageFile) -> anyhow::Result<f64> {
        let white = f64::from(u8::MAX);
        match self.scale {
            Some(scale) => Ok(scale),
            None if image.is_bytes => Ok(SCALE),
            None => {
                let [low, high] = range(image);
                let scale = (high - low) / white * SCALE;
                anyhow::ensure!(scale.is_finite(), "the values are infinite; pass `--scale`");
                Ok(scale)
            }
        }
    }
}

/// The pixels of an image, or the cells of a volume.
struct Cells {
    grid: Grid,
    /// The depth, the height and the width.
    shape: [usize; 3],
    /// The number of values of a cell.
    channels: usize,
    neighbors: Neighbors,
    is_volume: bool,
}

impl Command for Arguments {
    fn run(self, _: &clap::Command) -> anyhow::Result<Answer> {
        let plan = Plan::resolve(self)?;
        let start = Instant::now();
        let stage = Stage::start(&format!("reading {}", plan.source));
        let progress = |done: kostra_io::Progress| stage.bytes(done.bytes, done.of);
        plan.memory.apply()?;
        let mut image =
            read_image(&plan.source, &|size| admit(size, plan.neighbors, plan.memory), &progress)?;
        plan.arrange(&mut image).with_context(|| plan.source.to_string())?;
        drop(stage);
        let load = start.elapsed();
        let named = || plan.source.to_string();
        let cells = plan.cells(&image).with_context(named)?;
        let scale = plan.scale(&image).with_context(named)?;
        let (segments, [build, solve]) = match &image.values {
            PixelValues::Single(values) => divide(values, &cells, scale, plan.min_size),
            PixelValues::Double(values) => divide(values, &cells, scale, plan.min_size),
        }
        .with_context(named)?;
        let write = match &plan.output {
            None => None,
            Some((to, format)) => {
                let start = Instant::now();
                let _stage = Stage::start(&format!("writing {to}"));
                let segments =
                    picture::Labeled { segments: &segments, image: &image, cells: &cells };
                segments.write(to, *format)?;
                Some(start.elapsed().as_secs_f64())
            }
        };
        let [load, build, solve] = [load, build, solve].map(|time| time.as_secs_f64());
        let seconds = Seconds { load, build, segment: solve, write };
        let mut record = Record::new(&plan, &image, &cells, &segments);
        (record.scale, record.seconds) = (scale, seconds);
        let text = if plan.json { report::json(&record)? } else { sheet(&record, &cells) };
        if !plan.quiet {
            output::report(&text, plan.output.as_ref().map(|(to, _)| to))?;
        }
        Ok(Answer::Yes)
    }
}

/// The values of planes, pixel by pixel.
fn by_pixels<T: Copy>(values: &[T], planes: usize) -> Result<Vec<T>, OutOfMemory> {
    let pixels = values.len() / planes.max(1);
    memory::collected((0..values.len()).map(|at| values[at % planes * pixels + at / planes]))
}

/// The segments, and the times to build the graph and to divide it.
fn divide<T: Value>(
    values: &[T],
    cells: &Cells,
    scale: f64,
    min_size: u32,
) -> anyhow::Result<(Segments, [Duration; 2])> {
    let start = Instant::now();
    let _stage = Stage::start("finding the segments");
    let graph = cells.grid.differences(values, cells.channels)?;
    let build = start.elapsed();
    let segments = segment(&graph, scale, min_size, &mut Run::new())?;
    Ok((segments, [build, start.elapsed() - build]))
}
