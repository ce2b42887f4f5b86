//! Part files as METIS writes them: one part number per line, in the order of the vertices.

use std::io::{self, BufRead, Write};

use thiserror::Error;

use crate::Partition;

/// The reason why a part file cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PartFileError {
    /// The file cannot be read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// A line is not a part number.
    #[error("line {line}: '{text}' is not a part number, a whole number from 0")]
    NotANumber {
        /// The line, counted from 1.
        line: u64,
        /// The line's content, shortened.
        text: String,
    },
    /// A part number is not below the number of parts.
    #[error("line {line}: part {part} is beyond the {parts} parts, which are numbered from 0")]
    BeyondParts {
        /// The line, counted from 1.
        line: u64,
        /// The part number.
        part: u32,
        /// The number of parts.
        parts: u32,
    },
    /// The file has more lines than the graph has vertices.
    #[error(
        "line {line}: the graph has only {vertices} vertices; one part number is needed for each"
    )]
    TooLong {
        /// The first line too many, counted from 1.
        line: u64,
        /// The number of vertices.
        vertices: u32,
    },
    /// The file has fewer lines than the graph has vertices.
    #[error("the file ends after {lines} lines, but the graph has {vertices} vertices")]
    TooShort {
        /// The number of lines.
        lines: u64,
        /// The number of vertices.
        vertices: u32,
    },
    /// A part has no vertex.
    #[error(
        "no line has part {part}, but line {line} has part {beyond}; part numbers must have no gap"
    )]
    Gap {
        /// The lowest part without a vertex.
        part: u32,
        /// A line with a greater part number, counted from 1.
        line: u64,
        /// The part number of that line.
        beyond: u32,
    },
    /// The parts at the end have no vertex.
    #[error("no line has part {part}, but {parts} parts are required")]
    MissingPart {
        /// The lowest part without a vertex.
        part: u32,
        /// The required number of parts.
        parts: u32,
    },
    /// The graph has no vertices, so it has no partition.
    #[error("a graph without vertices has no partition")]
    NoVertices,
}

/// The most characters of a line that an error repeats.
const QUOTED: usize = 40;

/// Reads the parts of `vertices` vertices. The number of parts is `parts`, or one more than the
/// greatest part number. Blanks around a number are ignored.
///
/// # Errors
/// When a line is not a number in range, the number of lines is not the number of vertices, a part
/// has no vertex, or reading fails.
pub fn read(
    from: impl BufRead,
    vertices: u32,
    parts: Option<u32>,
) -> Result<Partition, PartFileError> {
    let mut read = Vec::new(); // grows with the file, so that a wrong `vertices` costs no memory
    for (index, text) in from.split(b'\n').enumerate() {
        let (line, text) = (index as u64 + 1, text?);
        let text = String::from_utf8_lossy(&text);
        let text = text.trim();
        if read.len() == vertices as usize {
            if text.is_empty() {
                continue; // blank lines at the end
            }
            return Err(PartFileError::TooLong { line, vertices });
        }
        let Ok(part) = text.parse::<u32>() else {
            let text = text.chars().take(QUOTED).collect();
            return Err(PartFileError::NotANumber { line, text });
        };
        if let Some(parts) = parts.filter(|&parts| part >= parts) {
            return Err(PartFileError::BeyondParts { line, part, parts });
        }
        read.push(part);
    }
    if read.len() < vertices as usize {
        return Err(PartFileError::TooShort { lines: read.len() as u64, vertices });
    }
    without_gap(read, parts)
}

fn without_gap(read: Vec<u32>, parts: Option<u32>) -> Result<Partition, PartFileError> {
    let Some(&greatest) = read.iter().max() else { return Err(PartFileError::NoVertices) };
    // Numbers from the number of vertices on imply a gap below it, so the marks need no more room.
    let mut used = vec![false; read.len().min(greatest as usize + 1)];
    for &part in &read {
        if let Some(used) = used.get_mut(part as usize) {
            *used = true;
        }
    }
    let gap = used.iter().position(|used| !used).unwrap_or(used.len()) as u32;
    if gap <= greatest {
        let index = read.iter().position(|&part| part > gap).unwrap_or_default();
        let (line, beyond) = (index as u64 + 1, read[index]);
        return Err(PartFileError::Gap { part: gap, line, beyond });
    }
    match parts {
        Some(parts) if parts > gap => Err(PartFileError::MissingPart { part: gap, parts }),
        _ => Ok(Partition::of_checked(read, gap)),
    }
}

/// Writes the part of each vertex, one per line.
///
/// # Errors
/// When writing fails.
pub fn write(to: &mut dyn Write, partition: &Partition) -> io::Result<()> {
    partition.parts().iter().try_for_each(|part| writeln!(to, "{part}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str, vertices: u32, parts: Option<u32>) -> String {
        read(text.as_bytes(), vertices, parts).unwrap_err().to_string()
    }

    #[test]
    fn what_is_written_is_read_again() {
        let partition = Partition::new(vec![2, 0, 1, 1], 3).unwrap();
        let mut text = Vec::new();
        write(&mut text, &partition).unwrap();
        assert_eq!(text, b"2\n0\n1\n1\n");
        assert_eq!(read(&text[..], 4, None).unwrap(), partition);
        assert_eq!(read(&b" 2\r\n0 \n1\n1\n\n"[..], 4, Some(3)).unwrap(), partition);
    }

    #[test]
    fn each_fault_is_refused_with_its_line() {
        for (text, vertices, parts, expected) in [
            ("0\nx\n", 2, None, "line 2: 'x' is not a part number"),
            ("0\n-1\n", 2, None, "line 2: '-1' is not a part number"),
            ("0\n\n1\n", 3, None, "line 2: '' is not a part number"),
            ("0\n1\n2\n", 3, Some(2), "line 3: part 2 is beyond the 2 parts"),
            ("0\n1\n0\n", 2, None, "line 3: the graph has only 2 vertices"),
            ("0\n", 2, None, "ends after 1 lines, but the graph has 2 vertices"),
            ("0\n2\n", 2, None, "no line has part 1, but line 2 has part 2"),
            ("0\n4294967295\n", 2, None, "no line has part 1, but line 2 has part 4294967295"),
            ("0\n1\n", 2, Some(3), "no line has part 2, but 3 parts are required"),
            ("", 0, None, "without vertices"),
        ] {
            let message = message(text, vertices, parts);
            assert!(message.contains(expected), "{text:?}: {message}");
        }
    }
}
