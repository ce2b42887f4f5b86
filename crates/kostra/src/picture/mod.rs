//! Pictures of graphs and their forests: SVG, PNG, or an HTML page that pans and zooms.
//!
//! The forest has one color per component; five colors repeat. Its heaviest edges, the bottlenecks,
//! are wide and vermilion, and the other edges of the graph gray.
//!
//! [`draw`] draws a forest into a file. [`Picture`] has more options, and writes to any writer.

mod format;
mod html;
mod labels;
mod layers;
mod layout;
mod png;
mod shown;
mod style;
mod svg;

use std::io::{self, Write};
use std::path::Path;

use kostra_core::Coordinates;
use kostra_io::{Output, write_atomically};

pub use format::{PictureError, PictureFormat};
pub use layers::{BOTTLENECKS, Picture};
pub use shown::Shown;

use crate::Forest;

impl Picture {
    /// Writes the picture.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn write(&self, format: PictureFormat, to: &mut dyn Write) -> io::Result<()> {
        match format {
            PictureFormat::Svg => svg::write(self, to),
            PictureFormat::Png => png::write(self, to),
            PictureFormat::Html => html::write(self, to),
        }
    }
}

/// Draws a graph with its forest into a file with the extension `.svg`, `.png` or `.html`. Vertices
/// without coordinates get a layout: each tree around its center.
///
/// ```
/// use kostra::{Graph, minimum_spanning_forest, picture};
///
/// # let folder = std::env::temp_dir().join(format!("kostra-draw-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("forest.svg");
/// let graph = Graph::from_edges([(0, 1, 4), (1, 2, 1), (2, 0, 2), (0, 3, 3)])?;
/// picture::draw(&path, &minimum_spanning_forest(&graph), None)?;
/// assert!(std::fs::read_to_string(&path)?.contains("<title>Minimum spanning forest</title>"));
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the extension belongs to no format, or the output fails.
pub fn draw(
    path: impl AsRef<Path>,
    forest: &Forest,
    coordinates: Option<&Coordinates>,
) -> Result<(), PictureError> {
    draw_named(path, forest, coordinates, None)
}

/// Draws as [`draw`]. An SVG shows the names of vertices where there is room.
///
/// # Errors
/// As [`draw`].
pub fn draw_named(
    path: impl AsRef<Path>,
    forest: &Forest,
    coordinates: Option<&Coordinates>,
    names: Option<&[String]>,
) -> Result<(), PictureError> {
    let path = path.as_ref();
    let format = PictureFormat::by_path(path)?;
    let shown = Shown {
        graph: forest.graph().as_any(),
        forest: forest.ids(),
        order: forest.order(),
        bottlenecks: BOTTLENECKS,
        coordinates,
        names,
    };
    let picture = Picture::new(&shown);
    write_atomically(&Output::Path(path.to_owned()), |to| picture.write(format, to))?;
    Ok(())
}
