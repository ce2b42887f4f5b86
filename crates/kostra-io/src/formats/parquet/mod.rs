//! Apache Parquet, the column format of pandas, Polars, DuckDB and Spark.
//!
//! Each row is an edge. The columns of the vertices and the weight are chosen as in an edge list:
//! by the options, or else by names and by the values of the first row. Vertices are integers or
//! text. Only chosen columns are decoded; the file is held in memory, or read in blocks. Threads
//! decode groups of rows; one thread decodes blocks, and names, which are numbered in order.
//!
//! The crate `parquet` decodes and encodes the columns. It trusts sizes that a file states, so
//! [`footer`], [`headers`] and [`pages`] check them before. It also panics on some damaged files:
//! see [`damage`](crate::damage).
//!
//! Source: the specification, <https://github.com/apache/parquet-format>.

#[cfg(feature = "parquet")]
mod blocks;
#[cfg(feature = "parquet")]
mod cells;
#[cfg(feature = "parquet")]
mod column;
#[cfg(feature = "parquet")]
mod delta;
#[cfg(feature = "parquet")]
mod ends;
#[cfg(feature = "parquet")]
mod file;
#[cfg(feature = "parquet")]
mod footer;
#[cfg(feature = "parquet")]
mod headers;
#[cfg(feature = "parquet")]
mod page_sizes;
#[cfg(feature = "parquet")]
mod pages;
#[cfg(feature = "parquet")]
mod points;
#[cfg(feature = "parquet")]
mod read;
#[cfg(feature = "parquet")]
mod table;
#[cfg(test)]
#[cfg(all(feature = "parquet", feature = "zstd"))]
mod tests;
#[cfg(feature = "parquet")]
mod thrift;
#[cfg(feature = "parquet")]
mod time;
#[cfg(feature = "parquet")]
mod write;

#[cfg(feature = "parquet")]
pub(crate) use points::read_points;
#[cfg(feature = "parquet")]
pub use table::write_parquet_table;

use crate::head::{Evidence, Head};
use crate::interface::{Format, FormatInfo};

/// The first and the last bytes of a file.
const MAGIC: &[u8] = b"PAR1";

impl Format {
    /// Parquet: tables by column.
    pub const PARQUET: Self = Self::new(&FormatInfo {
        id: "parquet",
        title: "Parquet",
        extensions: &["parquet"],
        summary: "Parquet: tables of edges, as pandas, Polars and DuckDB write them",
        has_attributes: true,
        recognize,
        #[cfg(feature = "parquet")]
        read: read::read,
        #[cfg(feature = "parquet")]
        write: Some(write::writer),
        #[cfg(not(feature = "parquet"))]
        read: left_out::read,
        #[cfg(feature = "parquet")]
        read_blocks: Some(blocks::read_blocks),
        ..FormatInfo::READ_ONLY
    });
}

/// Recognizes the first bytes.
fn recognize(head: &Head<'_>) -> Evidence {
    Evidence::Signature.when(head.bytes().starts_with(MAGIC))
}

/// The key of the number of vertices in the description of a file.
#[cfg(feature = "parquet")]
const VERTICES: &str = "kostra:vertices";

#[cfg(not(feature = "parquet"))]
mod left_out {
    //! Builds without the feature `parquet`.

    use crate::ReadOptions;
    use crate::compression::Stream;
    use crate::fault::Fault;
    use crate::interface::Parsed;

    pub(super) fn read(_: Stream<'_>, _: &ReadOptions) -> Result<Parsed, Fault> {
        let name = "Parquet";
        Err(Fault::whole(format!(
            "this build of Kostra leaves out {name}; build it with the feature parquet"
        )))
    }
}
