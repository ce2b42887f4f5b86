//! Faults of points in the words of the command line.

use kostra_cuda::points::DevicePointsError;
use kostra_io::PointFile;
use kostra_points::PointsError;

/// An error in the words of the command line, with the line of the point that is at fault.
/// `by_default` says why the number of samples is what it is.
pub(crate) fn with_line(
    error: DevicePointsError,
    file: &PointFile,
    by_default: &str,
) -> anyhow::Error {
    let DevicePointsError::Points(fault) = &error else { return with_option(error, by_default) };
    let (row, what) = match *fault {
        PointsError::NotFinite { row, column, value } => {
            let name = file.names.get(column).cloned();
            let name = name.unwrap_or_else(|| format!("coordinate {}", column + 1));
            (row, format!("{name} is {value}; remove the line, or replace the coordinate"))
        }
        PointsError::Latitude { row, value } => (
            row,
            format!(
                "the latitude is {value}, which is not in -90..=90; pass the columns of latitude \
                 and longitude in degrees with `--columns`"
            ),
        ),
        PointsError::Longitude { row, value } => (
            row,
            format!(
                "the longitude is {value}, which is not in -180..=360; pass the columns of \
                 latitude and longitude in degrees with `--columns`"
            ),
        ),
        PointsError::ZeroVector { row } => (
            row,
            "all coordinates are 0, so the point has no angle to others; remove the line, or \
             choose another metric"
                .to_owned(),
        ),
        _ => return with_option(error, by_default),
    };
    match file.line(row) {
        Some(line) => anyhow::anyhow!("line {line}: {what}"),
        None => with_option(error, by_default),
    }
}

/// An error in the words of the command line.
pub(crate) fn with_option(error: DevicePointsError, by_default: &str) -> anyhow::Error {
    match error {
        DevicePointsError::Points(PointsError::MinSamples { min_samples, points }) => {
            anyhow::anyhow!(
                "`--min-samples` is {min_samples}{by_default}, but it must be from 1 to the number of points, \
                 {points}"
            )
        }
        DevicePointsError::Points(PointsError::TooFewNeighbors { neighbors, points }) => {
            anyhow::anyhow!(
                "`--neighbors` is {neighbors}, but it must be from 1 to the number of other \
                 points, {}",
                points.saturating_sub(1)
            )
        }
        DevicePointsError::Points(error @ PointsError::NotGeographic { .. }) => {
            anyhow::anyhow!("{error} with `--columns`")
        }
        error => error.into(),
    }
}
