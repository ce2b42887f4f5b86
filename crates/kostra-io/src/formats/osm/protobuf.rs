//! As much of Protocol Buffers as OpenStreetMap files need: fields one after the other, borrowed
//! from the bytes.
//!
//! Lengths are only ever compared with the bytes that are there, so nothing that a hostile file
//! says is allocated.

/// The bytes are no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Broken;

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value<'a> {
    /// A number of any kind that is written with as many bytes as it needs.
    Number(u64),
    /// A string, a message inside this one, or many numbers in a row.
    Bytes(&'a [u8]),
    /// A number of 4 or 8 bytes, which nothing here wants.
    Fixed,
}

impl<'a> Value<'a> {
    pub(super) fn number(self) -> Result<u64, Broken> {
        if let Self::Number(number) = self { Ok(number) } else { Err(Broken) }
    }

    /// A number of type `sint64`, which has its sign in the lowest bit.
    pub(super) fn signed(self) -> Result<i64, Broken> {
        self.number().map(signed)
    }

    pub(super) fn bytes(self) -> Result<&'a [u8], Broken> {
        if let Self::Bytes(bytes) = self { Ok(bytes) } else { Err(Broken) }
    }

    /// The numbers of a repeated field, which writers may write in a row or one by one.
    pub(super) fn numbers(self) -> Numbers<'a> {
        match self {
            Self::Number(number) => Numbers { single: Some(Ok(number)), packed: &[] },
            Self::Bytes(packed) => Numbers { single: None, packed },
            Self::Fixed => Numbers { single: Some(Err(Broken)), packed: &[] },
        }
    }
}

/// Some numbers.
pub(super) struct Numbers<'a> {
    single: Option<Result<u64, Broken>>,
    packed: &'a [u8],
}

impl Iterator for Numbers<'_> {
    type Item = Result<u64, Broken>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.packed.is_empty() {
            return self.single.take();
        }
        let number = varint(&mut self.packed);
        if number.is_err() {
            self.packed = &[];
        }
        Some(number)
    }
}

/// The number that is written with its sign in the lowest bit.
pub(super) fn signed(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

/// The fields of a message, in the order of the bytes; ends after the first that is broken.
pub(super) struct Fields<'a>(pub(super) &'a [u8]);

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u64, Value<'a>), Broken>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = field(&mut self.0);
        if field.is_err() {
            self.0 = &[];
        }
        Some(field)
    }
}

fn field<'a>(bytes: &mut &'a [u8]) -> Result<(u64, Value<'a>), Broken> {
    let tag = varint(bytes)?;
    let value = match tag & 7 {
        0 => Value::Number(varint(bytes)?),
        1 => take(bytes, 8).map(|_| Value::Fixed)?,
        2 => {
            let length = usize::try_from(varint(bytes)?).map_err(|_| Broken)?;
            Value::Bytes(take(bytes, length)?)
        }
        5 => take(bytes, 4).map(|_| Value::Fixed)?,
        _ => return Err(Broken),
    };
    Ok((tag >> 3, value))
}

fn take<'a>(bytes: &mut &'a [u8], length: usize) -> Result<&'a [u8], Broken> {
    let (taken, rest) = bytes.split_at_checked(length).ok_or(Broken)?;
    *bytes = rest;
    Ok(taken)
}

#[inline]
fn varint(bytes: &mut &[u8]) -> Result<u64, Broken> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first().ok_or(Broken)?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(number);
        }
    }
    Err(Broken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_come_in_order() {
        let bytes = [
            0x08, 0x96, 0x01, 0x12, 0x02, b'h', b'i', 0x1d, 0, 0, 0, 0, 0x21, 0, 0, 0, 0, 0, 0, 0,
            0,
        ];
        let fields: Result<Vec<_>, _> = Fields(&bytes).collect();
        let expected = [
            (1, Value::Number(150)),
            (2, Value::Bytes(b"hi")),
            (3, Value::Fixed),
            (4, Value::Fixed),
        ];
        assert_eq!(fields.unwrap(), expected);
    }

    #[test]
    fn repeated_numbers_come_in_a_row_or_one_by_one() {
        let packed = Value::Bytes(&[1, 0x80, 1, 3]).numbers();
        assert_eq!(packed.collect::<Result<Vec<_>, _>>(), Ok(vec![1, 128, 3]));
        assert_eq!(Value::Number(7).numbers().collect::<Result<Vec<_>, _>>(), Ok(vec![7]));
        assert_eq!([0, 1, 2, 3, u64::MAX].map(signed), [0, -1, 1, -2, i64::MIN]);
    }

    #[test]
    fn what_is_cut_short_or_endless_is_broken() {
        for bytes in [
            &[0x08][..],
            &[0x80],
            &[0x12, 5, b'h'],
            &[0x1d, 0],
            &[0x0b],
            &[0xff; 20],
            &[0x12, 0xff, 0xff, 0xff, 0xff, 0x0f],
        ] {
            assert!(Fields(bytes).any(|field| field.is_err()), "{bytes:?}");
        }
        assert_eq!(Value::Bytes(&[1, 0x80]).numbers().collect::<Vec<_>>(), [Ok(1), Err(Broken)]);
    }
}
