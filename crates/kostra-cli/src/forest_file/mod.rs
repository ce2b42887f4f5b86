//! Files of forests: what `solve` writes, and what `verify` reads.

mod graph;
mod number;
mod read;
mod text;
mod write;

use std::path::Path;

use anyhow::Context;
use kostra::io::{Format, Output};

use crate::args::ForestFormat;
use crate::output;

pub(crate) use read::read;
pub(crate) use write::write;
#[cfg(feature = "mpi")]
pub(crate) use write::write_forest;

/// The first line of a forest as edges.
const HEADER: &str = "edge\tu\tv\tweight";

impl ForestFormat {
    /// The format of a file with this extension, if there is one.
    fn by_extension(extension: Option<&str>) -> Option<Self> {
        match extension {
            None | Some("ids" | "txt") => Some(Self::Ids),
            Some("edges" | "tsv") => Some(Self::Edges),
            Some("gr") => Some(Self::Gr),
            Some("kst") => Some(Self::Kst),
            Some(_) => None,
        }
    }

    /// What people call it.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Ids => "edge ids",
            Self::Edges => "edges",
            Self::Gr => Format::DIMACS.title(),
            Self::Kst => Format::KST.title(),
        }
    }
}

/// The output that a user means, and the format: as asked, or else by the file's extension.
///
/// # Errors
/// When neither says the format, or it is already clear that the output cannot be written.
pub(crate) fn output(
    path: &Path,
    asked: Option<ForestFormat>,
) -> anyhow::Result<(Output, ForestFormat)> {
    let extension = output::extension(path);
    let format = asked.or_else(|| ForestFormat::by_extension(extension.as_deref())).with_context(|| {
        let (path, extension) = (path.display(), extension.unwrap_or_default());
        format!(
            "{path}: no forest is written to files of the extension .{extension}; use .ids or .txt (edge ids), \
             .edges or .tsv (edges), .gr or .kst, or say --output-format with one of ids, edges, gr, kst"
        )
    })?;
    let output = output::of_path(path);
    output.check()?;
    if output.shares_stdout() {
        anyhow::bail!(
            "{output}: the report goes to the same file, by way of standard output; say `-o -`, which sends the report \
             to standard error, or send standard output elsewhere"
        );
    }
    Ok((output, format))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_says_the_format_or_nothing_does() {
        let format = |path: &str| output(Path::new(path), None).map(|(_, format)| format);
        for path in
            ["-", "forest", "a.b/forest", "forest.ids", "forest.TXT", "forest.gz", "forest.ids.zst"]
        {
            assert_eq!(format(path).unwrap(), ForestFormat::Ids, "{path}");
        }
        for path in ["forest.edges", "forest.tsv", "forest.tsv.gz"] {
            assert_eq!(format(path).unwrap(), ForestFormat::Edges, "{path}");
        }
        assert_eq!(format("forest.gr.gz").unwrap(), ForestFormat::Gr);
        assert_eq!(format("forest.kst").unwrap(), ForestFormat::Kst);
        for path in ["forest.csv", "forest.json.gz", "forest.geojson", "forest.1", "forest.ids.bz2"]
        {
            assert!(format(path).is_err(), "{path}");
            let asked = output(Path::new(path), Some(ForestFormat::Ids));
            assert_eq!(asked.is_ok(), !path.ends_with("bz2"), "{path}");
        }
    }
}
