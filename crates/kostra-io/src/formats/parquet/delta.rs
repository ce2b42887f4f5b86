//! Checks of pages of text in the encodings that store lengths as differences.
//!
//! The crate `parquet` reserves memory for the number of lengths that such a page states. So this
//! number must not exceed the number of values of the page.

use parquet::basic::Encoding;

/// Whether a page of text with up to `most` values states no more lengths than that. `values` are
/// the bytes of the values, behind the levels.
pub(super) fn is_reasonable(encoding: Encoding, values: &[u8], most: u64) -> bool {
    let lists = match encoding {
        Encoding::DELTA_LENGTH_BYTE_ARRAY => 1,
        // Lengths of prefixes and lengths of suffixes.
        Encoding::DELTA_BYTE_ARRAY => 2,
        _ => 0,
    };
    let mut rest = values;
    (0..lists).all(|_| match pass_list(rest) {
        Some((count, behind)) => {
            rest = behind;
            count <= most
        }
        None => false,
    })
}

/// The number of values in a list of differences, and the bytes behind the list.
///
/// The list has blocks of several miniblocks. A block starts with its least difference and the bit
/// width of each miniblock. The miniblocks behind the last value have no bytes.
fn pass_list(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut rest = bytes;
    let (block, miniblocks) = (varint(&mut rest)?, varint(&mut rest)?);
    let (count, _first) = (varint(&mut rest)?, varint(&mut rest)?);
    let in_miniblock = block.checked_div(miniblocks)?;
    let mut left = count.saturating_sub(1);
    while left > 0 && in_miniblock > 0 {
        let _least = varint(&mut rest)?;
        let (widths, behind) = rest.split_at_checked(usize::try_from(miniblocks).ok()?)?;
        let mut size = 0_u64;
        for &width in widths {
            if left > 0 {
                size = size.checked_add(in_miniblock.checked_mul(width.into())? / 8)?;
            }
            left = left.saturating_sub(in_miniblock);
        }
        rest = behind.get(usize::try_from(size).ok()?..)?;
    }
    Some((count, rest))
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_lengths_than_values_are_refused() {
        // Blocks of 128 values in 4 miniblocks; 3 values from 7; the differences have no bits.
        let list = [0x80, 1, 4, 3, 14, 0, 0, 9, 9, 9];
        assert_eq!(pass_list(&list), Some((3, &[][..])));
        assert!(is_reasonable(Encoding::DELTA_LENGTH_BYTE_ARRAY, &list, 3));
        assert!(!is_reasonable(Encoding::DELTA_LENGTH_BYTE_ARRAY, &list, 2));
        let two = [list, list].concat();
        assert!(is_reasonable(Encoding::DELTA_BYTE_ARRAY, &two, 3));
        assert!(!is_reasonable(Encoding::DELTA_BYTE_ARRAY, &list, 3));
        let endless = [0x80, 1, 4, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 14, 0, 0, 0, 0, 0];
        assert!(!is_reasonable(Encoding::DELTA_LENGTH_BYTE_ARRAY, &endless, 3));
    }
}
