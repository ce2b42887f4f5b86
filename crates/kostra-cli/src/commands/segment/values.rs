//! The values of an image, and the memory that its segments take.

use kostra_io::{ImageFile, ImageSize, PixelValues};
use kostra_points::grid::Value;

use crate::memory_limit::MemoryArguments;
use crate::pixels::NeighborCount;
use crate::report::count;

/// Refuses an image whose segments take too much memory.
pub(super) fn admit(
    size: ImageSize,
    neighbors: Option<NeighborCount>,
    memory: MemoryArguments,
) -> Result<(), String> {
    let ImageSize { values, channels, value_bytes: value } = size;
    let neighbors = neighbors.unwrap_or(NeighborCount::Four);
    let cells = if neighbors.is_of_volume() { values } else { values / channels.max(1) };
    // Two ends, a weight, and the rank of a weight with an id.
    let edge = 8 + value + if value == 4 { 8 } else { 16 };
    let edges = cells.saturating_mul(u64::from(neighbors.number() / 2));
    // A set, its size and its largest weight.
    let of_cells = cells.saturating_mul(16).saturating_add(values.saturating_mul(value));
    let work = format!("dividing {} into segments", count(cells, "pixel", "pixels"));
    let remedy = match value {
        4 => "divide the image into tiles",
        _ => "divide the image into tiles, or save its values as floats of 32 bits",
    };
    memory.admit(&work, edges.saturating_mul(edge).saturating_add(of_cells), remedy)
}

/// The lowest and the highest value that is known. Without one, both are zero.
pub(super) fn range(image: &ImageFile) -> [f64; 2] {
    fn of<T: Value>(values: &[T], unknown: Option<f64>) -> [f64; 2] {
        let known =
            values.iter().map(|value| value.to_f64()).filter(|&value| unknown != Some(value));
        let range = known.fold(None, |range: Option<[f64; 2]>, value| {
            let [low, high] = range.unwrap_or([value; 2]);
            Some([low.min(value), high.max(value)])
        });
        range.unwrap_or_default()
    }
    match &image.values {
        PixelValues::Single(values) => of(values, image.unknown),
        PixelValues::Double(values) => of(values, image.unknown),
    }
}

/// The number of unknown values.
pub(super) fn unknown(image: &ImageFile) -> u64 {
    fn of<T: Value>(values: &[T], unknown: f64) -> u64 {
        values.iter().filter(|value| value.to_f64() == unknown).count() as u64
    }
    match (image.unknown, &image.values) {
        (None, _) => 0,
        (Some(unknown), PixelValues::Single(values)) => of(values, unknown),
        (Some(unknown), PixelValues::Double(values)) => of(values, unknown),
    }
}
