//! A walk over values in the compact protocol of Thrift.
//!
//! The description of a file and the headers of its pages are in this protocol. The crate `parquet`
//! trusts them in two ways. It skips as many elements of an unknown list as the list states, and a
//! boolean in a list takes it no byte. And it reads a field that it knows as the type that the
//! format gives the field, whichever type precedes the value. The walk refuses both. So it passes
//! over the same bytes as the crate does, and each element takes at least one byte of the input.
//!
//! Source:
//! <https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md>.

/// The bytes break the rules of the protocol, or what they describe is not reasonable.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Broken;

/// The deepest nesting of values that are skipped.
const MOST_DEPTH: usize = 64;

/// Types of the protocol. The type of a boolean field is its value.
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const I8: u8 = 3;
const I16: u8 = 4;
const I32: u8 = 5;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const MAP: u8 = 11;
const STRUCT: u8 = 12;
const UUID: u8 = 13;

/// How the crate reads a value.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    Boolean,
    Byte,
    /// Of 16, 32 or 64 bits, which are encoded alike.
    Integer,
    Double,
    Binary,
    List(&'static Shape),
    /// A structure or a union. Its fields are numbered from 1; the crate skips others.
    Fields(&'static [Shape]),
    /// Of any type: the crate skips it.
    Skipped,
}

impl Shape {
    /// The memory of a value, without the elements of its lists and the bytes of its texts.
    fn memory(self) -> u64 {
        match self {
            Self::Boolean | Self::Byte | Self::Skipped => 1,
            Self::Integer | Self::Double => 16, // with whether it is there
            Self::Binary | Self::List(_) => 40,
            Self::Fields(fields) => fields.iter().map(|field| field.memory()).sum(),
        }
    }

    fn matches(self, kind: u8) -> bool {
        match self {
            Self::Boolean => matches!(kind, TRUE | FALSE),
            Self::Byte => kind == I8,
            Self::Integer => matches!(kind, I16 | I32 | I64),
            Self::Double => kind == DOUBLE,
            Self::Binary => kind == BINARY,
            Self::List(_) => kind == LIST,
            Self::Fields(_) => kind == STRUCT,
            Self::Skipped => true,
        }
    }
}

/// Checks the structure with these fields at the start of `bytes`. Takes time proportional to its
/// length.
pub(super) fn check(bytes: &[u8], fields: &'static [Shape]) -> Result<(), Broken> {
    memory_of_lists(bytes, fields).map(drop)
}

/// As [`check`]. Returns the memory that the elements of lists take when the crate has read them.
pub(super) fn memory_of_lists(bytes: &[u8], fields: &'static [Shape]) -> Result<u64, Broken> {
    let mut walk = Walk { bytes, lists: 0 };
    walk.value(STRUCT, Shape::Fields(fields))?;
    Ok(walk.lists)
}

/// Walks over values.
pub(super) struct Walk<'a> {
    bytes: &'a [u8],
    /// The memory of the elements of the lists so far.
    lists: u64,
}

impl<'a> Walk<'a> {
    /// Starts at the first of these bytes.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, lists: 0 }
    }

    /// The number of bytes that are left.
    pub(super) fn left(&self) -> usize {
        self.bytes.len()
    }

    /// Passes over a value that the crate reads.
    fn value(&mut self, kind: u8, shape: Shape) -> Result<(), Broken> {
        if !shape.matches(kind) {
            return Err(Broken);
        }
        match shape {
            Shape::List(element) => {
                let (count, kind) = self.list()?;
                self.lists = self.lists.saturating_add(count.saturating_mul(element.memory()));
                (0..count).try_for_each(|_| self.value(kind, *element))
            }
            Shape::Fields(fields) => self.structure(|walk, id, kind| {
                let known = usize::try_from(id - 1).ok().and_then(|at| fields.get(at));
                walk.value(kind, known.copied().unwrap_or(Shape::Skipped))
            }),
            _ => self.skip(kind, 0),
        }
    }

    /// Calls `field` with the id and the type of each field; it must consume the value.
    pub(super) fn structure(
        &mut self,
        mut field: impl FnMut(&mut Self, i16, u8) -> Result<(), Broken>,
    ) -> Result<(), Broken> {
        let mut id = 0_i16;
        loop {
            let head = self.byte()?;
            let (step, kind) = (head >> 4, head & 0x0f);
            if kind == 0 {
                return Ok(());
            }
            id = match step {
                // The crate, too, ignores the upper bits.
                0 => self.integer()? as i16,
                step => id.checked_add(step.into()).ok_or(Broken)?,
            };
            field(self, id, kind)?;
        }
    }

    /// The number of elements and their type.
    pub(super) fn list(&mut self) -> Result<(u64, u8), Broken> {
        let head = self.byte()?;
        let count = match head >> 4 {
            0x0f => self.varint()?,
            count => count.into(),
        };
        if count > self.bytes.len() as u64 { Err(Broken) } else { Ok((count, head & 0x0f)) }
    }

    /// Skips a value of a field. `depth` values contain it.
    pub(super) fn skip(&mut self, kind: u8, depth: usize) -> Result<(), Broken> {
        if depth > MOST_DEPTH {
            return Err(Broken);
        }
        match kind {
            TRUE | FALSE => Ok(()),
            I8 => self.pass(1),
            I16 | I32 | I64 => self.varint().map(|_| ()),
            DOUBLE => self.pass(8),
            UUID => self.pass(16),
            BINARY => {
                let length = self.varint()?;
                self.pass(length)
            }
            LIST | SET => {
                let (count, element) = self.list()?;
                (0..count).try_for_each(|_| self.skip_element(element, depth))
            }
            MAP => {
                let count = self.varint()?;
                let kinds = if count == 0 { 0 } else { self.byte()? };
                (0..count).try_for_each(|_| {
                    self.skip_element(kinds >> 4, depth)?;
                    self.skip_element(kinds & 0x0f, depth)
                })
            }
            STRUCT => self.structure(|walk, _, kind| walk.skip(kind, depth + 1)),
            _ => Err(Broken),
        }
    }

    /// Skips an element of a list or a map. A boolean has a byte there, which the crate forgets.
    fn skip_element(&mut self, kind: u8, depth: usize) -> Result<(), Broken> {
        match kind {
            TRUE | FALSE => Err(Broken),
            kind => self.skip(kind, depth + 1),
        }
    }

    fn byte(&mut self) -> Result<u8, Broken> {
        let (&byte, rest) = self.bytes.split_first().ok_or(Broken)?;
        self.bytes = rest;
        Ok(byte)
    }

    fn pass(&mut self, count: u64) -> Result<(), Broken> {
        let count = usize::try_from(count).map_err(|_| Broken)?;
        self.bytes = self.bytes.get(count..).ok_or(Broken)?;
        Ok(())
    }

    /// The value of an integer field.
    pub(super) fn integer(&mut self) -> Result<i64, Broken> {
        let number = self.varint()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    fn varint(&mut self) -> Result<u64, Broken> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(Broken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: &[Shape] = &[Shape::Integer, Shape::List(&Shape::Fields(&[Shape::Binary]))];

    #[test]
    fn known_fields_have_the_types_of_the_format() {
        // 1: 1, 2: [{1: "a"}], 3: {}, which is not known.
        let good = [0x15, 2, 0x19, 0x1c, 0x18, 1, b'a', 0, 0x1c, 0, 0];
        assert_eq!(check(&good, FIELDS), Ok(()));
        for end in 0..good.len() {
            assert_eq!(check(&good[..end], FIELDS), Err(Broken));
        }
        // Text, which the crate would read as a number and then as fields.
        assert_eq!(check(&[0x18, 1, 0, 0], FIELDS), Err(Broken));
        // The same with the id 65537, of which the crate reads 16 bits.
        assert_eq!(check(&[0x08, 0x82, 0x80, 8, 1, 0, 0], FIELDS), Err(Broken));
        assert_eq!(check(&[0x19, 0x15, 0, 0], FIELDS), Err(Broken));
    }

    #[test]
    fn each_element_of_a_skipped_collection_takes_bytes() {
        let fields: &[Shape] = &[];
        assert_eq!(check(&[0x19, 0x23, 7, 7, 0], fields), Ok(()));
        assert_eq!(check(&[0x1b, 1, 0x33, 7, 7, 0], fields), Ok(()));
        for element in [1, 2, 3, 7, 12, 13] {
            let list = [0x19, 0xf0 + element, 0xff, 0xff, 0xff, 0xff, 7, 0, 0];
            assert_eq!(check(&list, fields), Err(Broken));
            let map = [0x1b, 0xff, 0xff, 0xff, 0xff, 7, 0x11 * element, 0, 0];
            assert_eq!(check(&map, fields), Err(Broken));
        }
        assert_eq!(check(&[0x19, 0x21, 1, 1, 0], fields), Err(Broken));
    }
}
