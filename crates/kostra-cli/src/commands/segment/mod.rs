//! `kostra segment`: segments of images, terrain and volumes.

mod labels;
mod picture;
mod record;
mod values;
mod watershed;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use clap::{Parser, ValueHint};
use kostra_core::{AnyGraph, EdgeList, OutOfMemory, Run, memory};
use kostra_io::{ImageAxes, ImageFile, ImageSize, Input, Output, PixelValues, read_image};
use kostra_points::cluster::{Segments, segment};
use kostra_points::grid::Value;

use self::labels::LabelFormat;
use self::picture::Colors;
use self::record::{Record, Seconds, sheet};
use self::values::{admit, range};
use self::watershed::{AttributeChoice, ReliefChoice};
use crate::command::{Answer, Command};
use crate::memory_limit::MemoryArguments;
use crate::pixels::{Channels, NeighborCount, PixelCells};
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
  kostra segment cells.png --watershed --markers seeds.png -o cells.npy
  kostra segment N50E014.hgt.zip --watershed=heights --segments 40 -o basins.png

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

    /// The least number of pixels of a segment [default: 20]
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..),
    )]
    min_size: Option<u32>,

    /// Divide along watersheds: each segment grows from a marker, or from one of the most important
    /// minima; what is flooded are the differences of pixels, or the values themselves (heights)
    #[arg(
        long,
        value_name = "RELIEF",
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "differences",
        conflicts_with_all = ["scale", "min_size"],
    )]
    watershed: Option<ReliefChoice>,

    /// The markers of a watershed: an image or an array of the same size with a label for each
    /// pixel, or 0 for none
    #[arg(
        long,
        value_name = "FILE",
        value_hint = ValueHint::FilePath,
        requires = "watershed",
        conflicts_with = "segments",
    )]
    markers: Option<OsString>,

    /// The number of segments of a watershed without markers
    #[arg(long, value_name = "K", requires = "watershed",
        value_parser = clap::value_parser!(u32).range(1..))]
    segments: Option<u32>,

    /// What makes a minimum important in a watershed without markers [default: volume]
    #[arg(long, value_name = "ATTRIBUTE", value_enum, requires = "segments")]
    by: Option<AttributeChoice>,

    /// The number of neighbors of a pixel (4 or 8), or of a cell of a volume (6 or 26) [default: 4]
    #[arg(long, value_name = "N", value_enum)]
    connectivity: Option<NeighborCount>,

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

fn scale(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| *number >= 0.0);
    number.ok_or_else(|| "it must be a number from 0".to_owned())
}

/// The scale for brightnesses from 0 to 255: a usual one for photos.
const SCALE: f64 = 300.0;

/// The least number of pixels of a segment, unless the user chooses another one.
const MIN_SIZE: u32 = 20;

/// What makes a segment.
enum Criterion {
    /// Contrast, by Felzenszwalb and Huttenlocher.
    Contrast { scale: Option<f64>, min_size: u32 },
    /// Markers.
    Markers(ReliefChoice, Input),
    /// The most important minima.
    Minima { relief: ReliefChoice, segments: u32, attribute: AttributeChoice },
}

/// What the arguments mean.
struct Plan {
    source: Input,
    criterion: Criterion,
    neighbors: Option<NeighborCount>,
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
        let markers = arguments.markers.as_deref().map(input::file);
        file_roles::check(
            &[("image", Some(&source)), ("markers", markers.as_ref())],
            &[("segments", path)],
        )?;
        let criterion = match (arguments.watershed, markers, arguments.segments) {
            (None, ..) => Criterion::Contrast {
                scale: arguments.scale,
                min_size: arguments.min_size.unwrap_or(MIN_SIZE),
            },
            (Some(relief), Some(markers), _) => Criterion::Markers(relief, markers),
            (Some(relief), None, Some(segments)) => {
                let attribute = arguments.by.unwrap_or(AttributeChoice::Volume);
                Criterion::Minima { relief, segments, attribute }
            }
            (Some(_), None, None) => {
                bail!("a watershed needs `--markers`, or the number of segments: `--segments`")
            }
        };
        Ok(Self {
            source,
            criterion,
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

    /// The scale of segments by contrast.
    fn scale(scale: Option<f64>, image: &ImageFile) -> anyhow::Result<f64> {
        let white = f64::from(u8::MAX);
        match scale {
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
        let cells = PixelCells::of(&image, plan.neighbors, plan.channels).with_context(named)?;
        if let Some((_, format)) = &plan.output {
            format.check(&cells).with_context(named)?;
        }
        let divided = match &image.values {
            PixelValues::Single(values) => plan.divide(values, &image, &cells),
            PixelValues::Double(values) => plan.divide(values, &image, &cells),
        }
        .with_context(named)?;
        let write = match &plan.output {
            None => None,
            Some((to, format)) => {
                let start = Instant::now();
                let _stage = Stage::start(&format!("writing {to}"));
                let (segments, names) = (&divided.segments, divided.names.as_deref());
                let segments = picture::Labeled { segments, names, image: &image, cells: &cells };
                segments.write(to, *format)?;
                Some(start.elapsed().as_secs_f64())
            }
        };
        let [build, segment] = divided.times.map(|time| time.as_secs_f64());
        let seconds = Seconds { load: load.as_secs_f64(), build, segment, write };
        let mut record = Record::new(&plan, &image, &cells, &divided);
        record.seconds = seconds;
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

/// The segments of an image.
struct Divided {
    segments: Segments,
    /// The label of each segment; none if they are numbered from 0.
    names: Option<Vec<u32>>,
    /// The scale, if there is one.
    scale: Option<f64>,
    /// The times to build the graph and to divide it.
    times: [Duration; 2],
}

impl Plan {
    fn divide<T: Value>(
        &self,
        values: &[T],
        image: &ImageFile,
        cells: &PixelCells,
    ) -> anyhow::Result<Divided>
    where
        AnyGraph: From<EdgeList<T>>,
    {
        match &self.criterion {
            &Criterion::Contrast { scale, min_size } => {
                let scale = Self::scale(scale, image)?;
                let start = Instant::now();
                let _stage = Stage::start("finding the segments");
                let graph = cells.grid.differences(values, cells.channels)?;
                let build = start.elapsed();
                let segments = segment(&graph, scale, min_size, &mut Run::new())?;
                let times = [build, start.elapsed() - build];
                Ok(Divided { segments, names: None, scale: Some(scale), times })
            }
            Criterion::Markers(relief, file) => {
                let markers = watershed::read_markers(file, cells)?;
                watershed::from_markers(*relief, values, cells, &markers)
            }
            &Criterion::Minima { relief, segments, attribute } => {
                watershed::from_minima(relief, values, cells, (segments, attribute))
            }
        }
    }
}
