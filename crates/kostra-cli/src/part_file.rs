//! Files with the part of each vertex.

use std::io::BufReader;

use anyhow::Context;
use kostra_io::Input;
use kostra_partition::{Partition, part_file};

/// Reads the parts of `vertices` vertices, in the format of METIS: one part number per line. There
/// are `parts` parts, or one more than the greatest number.
///
/// # Errors
/// When the file cannot be read, or a line is at fault.
pub(crate) fn read(input: &Input, vertices: u32, parts: Option<u32>) -> anyhow::Result<Partition> {
    let content = BufReader::new(kostra_io::open_text(input)?);
    part_file::read(content, vertices, parts).with_context(|| input.to_string())
}
