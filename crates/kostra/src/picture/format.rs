//! The formats of pictures.

use std::path::Path;

use kostra_core::shown;
use kostra_io::WriteError;
use thiserror::Error;

/// The reason why a picture is not drawn.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PictureError {
    /// The extension belongs to no format.
    #[error("{path}: no picture format has this extension; use .svg, .png or .html")]
    UnknownExtension {
        /// The path.
        path: String,
    },
    /// The output fails.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// The format of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFormat {
    /// Lines, with a legend.
    Svg,
    /// Pixels.
    Png,
    /// A page that pans and zooms.
    Html,
}

impl PictureFormat {
    /// The format with this name, which is its extension.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "svg" => Some(Self::Svg),
            "png" => Some(Self::Png),
            "html" => Some(Self::Html),
            _ => None,
        }
    }

    /// The format of files with the extension of this path, apart from `.gz` and `.zst`.
    ///
    /// # Errors
    /// When the extension is another one.
    pub fn by_path(path: impl AsRef<Path>) -> Result<Self, PictureError> {
        let path = path.as_ref();
        let named = kostra_io::extension(path).as_deref().and_then(Self::named);
        named.ok_or_else(|| PictureError::UnknownExtension { path: shown(path) })
    }
}
