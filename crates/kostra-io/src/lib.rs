//! Reads and writes graphs in the formats of [`FORMATS`]. Every reader accepts untrusted bytes.
//!
//! Formats and compressions are recognized by content, never by file name; [`ReadOptions::format`]
//! names a format instead. Text is read in blocks of whole lines: one thread reads and decompresses
//! the blocks, all threads parse them, and the parsed blocks are joined in order. So the result
//! does not depend on the number of threads.
//!
//! `interface` contains the types that formats and their users share, `formats` the formats and
//! their table. `point_file` reads tables of points, and `image_file` images and terrain. `read`,
//! `write`, `part` and `recognition` use the table, and formats do not use these modules.

mod attributed_graph;
mod blocks;
mod checkpoint;
mod column_choice;
mod columns;
mod compression;
#[cfg_attr(not(feature = "parquet"), allow(dead_code, reason = "Parquet needs it"))]
mod damage;
#[cfg(unix)]
mod descriptor;
mod directions;
mod edge_blocks;
mod edge_stream;
mod error;
mod fault;
mod fields;
mod file_version;
mod foreign;
mod formats;
mod grouping;
mod head;
mod held_memory;
#[cfg(feature = "image")]
mod image_file;
mod interface;
mod isolated;
mod kept;
mod labels;
mod literal;
mod lock_file;
mod mapped_file;
mod matrix;
mod message;
mod mirror;
mod number;
mod numbered_graph;
mod numbering;
mod occurring;
mod options;
mod outgoing;
mod output;
mod parsed;
mod part;
mod point_file;
mod quantity;
mod quotes;
mod raw_row;
mod read;
mod recognition;
mod replacement;
mod row_file;
mod rows;
mod source;
mod table;

#[cfg(test)]
mod testing;
mod text_fold;
mod text_kinds;

mod text_part;
mod text_writer;
mod thousands;
mod weights;
mod whole;
mod words;
mod write;
mod xml;
mod xml_graph;

pub use checkpoint::{Checkpoint, CheckpointFacts, EdgesSeen, write_checkpoint};
pub use column_choice::is_similarity;
pub use compression::Compression;
pub use damage::damage_behind_panic;
pub use directions::{Undirected, take_directions};
pub use edge_blocks::{EdgeBlock, Ids, StreamFacts, TakeBlocks};
pub use edge_stream::{StreamSummary, stream_edges};
pub use error::{Place, ReadError, ReadErrorKind, WriteError};
pub use file_version::{FileVersion, is_same_file};
#[cfg(feature = "parquet")]
pub use formats::write_parquet_table;
pub use formats::{FORMATS, KstFile, MISSING_VALUES, is_in_mapped_file, open_kst};
pub use formats::{parse_format, write_npy_header};
pub use head::is_of_no_text;
pub use held_memory::AskMemory;
#[cfg(feature = "image")]
pub use image_file::{ImageAxes, ImageFile, ImageSize, PixelValues, read_image, read_image_bytes};
pub use interface::{
    Format, FormatInfo, Loaded, Outgoing, Parsed, Part, ReadOptions, StreamHeader, TakeEdges,
    Vertices,
};
pub use isolated::isolated_vertices;
pub use kept::{KeptColumns, KeptKind, KeptRows};
pub use lock_file::LockFile;
pub use mapped_file::MappedFile;
pub use matrix::{condensed_distances, may_be_distances};
pub use message::{Message, Remedy, RemedyValue};
pub use occurring::NOTE_ON_IDS;
pub use options::{
    ArrayContent, BoundingBox, ColumnChoice, ColumnOptions, Delimiter, Header, Links, Meaning,
    MissingWeights, Nan, RoadOptions,
};
pub use output::{Output, extension, write_atomically};
pub use part::{PartReader, hash_ranges, pieces};
pub use point_file::{
    PointColumn, PointFile, PointOptions, may_be_coordinate, read_points, read_points_bytes,
};
pub use raw_row::RawRow;
pub use read::{open_text, read, read_bytes, read_stream};
pub use replacement::{Replacement, ReplacementPart, abandon_unfinished};
pub use source::{Input, Progress};
pub use table::{TableColumn, TableValues};

pub use write::{is_streamed, write_bytes, write_graph, write_stream};
