//! What stands before the values of an array that is written. The format is that of NEP 1.

use std::io::{self, Write};

/// The first bytes of an array, of version 1.0 of the format.
const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";

/// Writes what stands before the values. `dtype` is an expression of Python, such as `'<i4'`.
///
/// # Errors
/// When the output cannot be written.
pub fn write_npy_header(to: &mut dyn Write, dtype: &str, shape: &[usize]) -> io::Result<()> {
    let shape: String = shape.iter().map(|length| format!("{length}, ")).collect();
    let shape = shape.trim_end();
    let mut header = format!("{{'descr': {dtype}, 'fortran_order': False, 'shape': ({shape}), }}");
    // The values start at a multiple of 64 bytes, and a line ends before them.
    let unpadded = MAGIC.len() + 2 + header.len() + 1;
    header.push_str(&" ".repeat(unpadded.next_multiple_of(64) - unpadded));
    header.push('\n');
    to.write_all(MAGIC)?;
    to.write_all(&(header.len() as u16).to_le_bytes())?;
    to.write_all(header.as_bytes())
}
