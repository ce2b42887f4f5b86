//! Files with the part of each vertex.

use std::io::BufReader;

use kostra_io::{Input, ReadError, ReadErrorKind};
use kostra_partition::Partition;
use kostra_partition::part_file::{PartFileError, read};

use crate::forest_file::read_error;

/// Reads the parts of `vertices` vertices from a file, plain or compressed, in the format of METIS:
/// one part number per line. The number of parts is `parts`, or one more than the greatest number.
///
/// ```
/// use kostra::io::Input;
/// use kostra::partition::read_parts;
///
/// # let folder = std::env::temp_dir().join(format!("kostra-parts-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("parts.txt");
/// std::fs::write(&path, "1\n0\n1\n")?;
/// let parts = read_parts(&Input::Path(path.clone()), 3, None)?;
/// assert_eq!((parts.parts(), parts.count()), (&[1, 0, 1][..], 2));
/// let fault = read_parts(&Input::Path(path), 4, None).unwrap_err();
/// assert!(fault.to_string().ends_with("parts.txt: the file ends after 3 lines, but the graph has \
///     4 vertices"));
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the file cannot be read, a line is not a part number, the number of lines is not the number
/// of vertices, or a part has no vertex.
pub fn read_parts(
    input: &Input,
    vertices: u32,
    parts: Option<u32>,
) -> Result<Partition, ReadError> {
    let content = BufReader::new(kostra_io::open_text(input)?);
    read(content, vertices, parts).map_err(|fault| match fault {
        PartFileError::Io(cause) => read_error(input, cause),
        fault => {
            let kind = ReadErrorKind::Malformed(fault.to_string().into());
            ReadError { input: input.to_string(), place: None, kind }
        }
    })
}
