//! Structures in the compact protocol of Thrift, to be written.

use super::thrift::{BINARY, FALSE, I8, I32, I64, LIST, STRUCT, TRUE};

/// A structure. Fields are added in the order of their ids, which differ by less than 16.
#[derive(Default)]
pub(super) struct Structure {
    bytes: Vec<u8>,
    last: u8,
}

impl Structure {
    fn field(mut self, id: u8, kind: u8, value: &[u8]) -> Self {
        self.bytes.push((id - self.last) << 4 | kind);
        self.bytes.extend_from_slice(value);
        Self { last: id, ..self }
    }

    pub(super) fn boolean(self, id: u8, value: bool) -> Self {
        self.field(id, if value { TRUE } else { FALSE }, &[])
    }

    pub(super) fn byte(self, id: u8, value: u8) -> Self {
        self.field(id, I8, &[value])
    }

    pub(super) fn int(self, id: u8, value: i32) -> Self {
        self.field(id, I32, &zigzag(value.into()))
    }

    pub(super) fn long(self, id: u8, value: i64) -> Self {
        self.field(id, I64, &zigzag(value))
    }

    pub(super) fn text(self, id: u8, value: &str) -> Self {
        self.field(id, BINARY, &binary(value))
    }

    pub(super) fn structure(self, id: u8, value: Self) -> Self {
        self.field(id, STRUCT, &value.end())
    }

    pub(super) fn ints(self, id: u8, values: &[i32]) -> Self {
        self.list(id, I32, values.iter().map(|&value| zigzag(value.into())).collect())
    }

    pub(super) fn texts(self, id: u8, values: &[&str]) -> Self {
        self.list(id, BINARY, values.iter().map(|value| binary(value)).collect())
    }

    pub(super) fn structures(self, id: u8, values: impl IntoIterator<Item = Self>) -> Self {
        self.list(id, STRUCT, values.into_iter().map(Self::end).collect())
    }

    fn list(self, id: u8, element: u8, values: Vec<Vec<u8>>) -> Self {
        /// The count follows the head.
        const LONG: u8 = 0xf0;
        let mut list = vec![LONG | element];
        put_varint(&mut list, values.len() as u64);
        list.extend(values.into_iter().flatten());
        self.field(id, LIST, &list)
    }

    /// The bytes of the structure.
    pub(super) fn end(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }
}

fn binary(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    put_varint(&mut bytes, text.len() as u64);
    bytes.extend_from_slice(text.as_bytes());
    bytes
}

fn zigzag(number: i64) -> Vec<u8> {
    let mut bytes = Vec::new();
    put_varint(&mut bytes, (number << 1 ^ number >> (i64::BITS - 1)) as u64);
    bytes
}

/// Appends an integer in groups of 7 bits, the lowest first.
pub(super) fn put_varint(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}
