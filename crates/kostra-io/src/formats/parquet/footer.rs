//! Checks of the description at the end of a file, before the crate `parquet` reads it.
//!
//! The crate builds the tree of columns by recursion, and reserves memory for the stated number of
//! children. So the numbers of children must describe a flat enough tree of the elements that are
//! there.
//!
//! The description is in the compact protocol of Thrift,
//! <https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md>.

/// The bytes break the rules of the protocol, or describe no reasonable tree.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Broken;

/// The deepest nesting of columns, and of values that are skipped.
const MOST_DEPTH: usize = 64;

/// Types of the protocol.
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

/// The list of columns in the description, and the number of children in a column.
const SCHEMA: i64 = 2;
const CHILDREN: i64 = 5;

/// Checks the tree of columns.
pub(super) fn check(footer: &[u8]) -> Result<(), Broken> {
    let mut children: Option<Vec<usize>> = None;
    let mut walk = Walk { bytes: footer };
    walk.structure(|walk, id, kind| {
        if id != SCHEMA {
            return walk.skip(kind, 0);
        }
        let (count, element) = if kind == LIST { walk.list()? } else { (0, 0) };
        if children.is_some() || element != STRUCT {
            return Err(Broken);
        }
        children = Some((0..count).map(|_| walk.children()).collect::<Result<_, _>>()?);
        Ok(())
    })?;
    check_tree(&children.ok_or(Broken)?)
}

/// Checks the depth of a tree whose nodes have these numbers of children, in preorder.
fn check_tree(children: &[usize]) -> Result<(), Broken> {
    // The children that are left at each level.
    let mut open: Vec<usize> = Vec::new();
    for &count in children {
        if let Some(left) = open.last_mut() {
            *left -= 1;
        }
        if count > children.len() || open.len() == MOST_DEPTH {
            return Err(Broken);
        }
        if count > 0 {
            open.push(count);
        }
        while open.last() == Some(&0) {
            open.pop();
        }
    }
    if open.is_empty() { Ok(()) } else { Err(Broken) }
}

/// Walks over values.
struct Walk<'a> {
    bytes: &'a [u8],
}

impl Walk<'_> {
    /// The number of children of the column that starts here.
    fn children(&mut self) -> Result<usize, Broken> {
        let mut children = 0;
        self.structure(|walk, id, kind| match (id, kind) {
            (CHILDREN, I32) => {
                let number = zigzag(walk.varint()?);
                children = usize::try_from(number).map_err(|_| Broken)?;
                Ok(())
            }
            (CHILDREN, _) => Err(Broken),
            _ => walk.skip(kind, 0),
        })?;
        Ok(children)
    }

    /// Calls `field` with the id and the type of each field; it must consume the value.
    fn structure(
        &mut self,
        mut field: impl FnMut(&mut Self, i64, u8) -> Result<(), Broken>,
    ) -> Result<(), Broken> {
        let mut id = 0_i64;
        loop {
            let head = self.byte()?;
            let (step, kind) = (head >> 4, head & 0x0f);
            if kind == 0 {
                return Ok(());
            }
            id = match step {
                0 => zigzag(self.varint()?),
                step => id + i64::from(step),
            };
            field(self, id, kind)?;
        }
    }

    /// The number of elements and their type.
    fn list(&mut self) -> Result<(u64, u8), Broken> {
        let head = self.byte()?;
        let count = match head >> 4 {
            0x0f => self.varint()?,
            count => count.into(),
        };
        if count > self.bytes.len() as u64 { Err(Broken) } else { Ok((count, head & 0x0f)) }
    }

    /// Skips a value of a field.
    fn skip(&mut self, kind: u8, depth: usize) -> Result<(), Broken> {
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

    /// Skips an element of a list or a map, where a boolean has a byte of its own.
    fn skip_element(&mut self, kind: u8, depth: usize) -> Result<(), Broken> {
        match kind {
            TRUE | FALSE => self.pass(1),
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

fn zigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_are_shallow_and_complete() {
        assert_eq!(check_tree(&[2, 0, 1, 0]), Ok(()));
        assert_eq!(check_tree(&[2, 0]), Err(Broken));
        assert_eq!(check_tree(&[1 << 30, 0]), Err(Broken));
        let deep = |depth: usize| [vec![1; depth], vec![0]].concat();
        assert_eq!(check_tree(&deep(MOST_DEPTH - 1)), Ok(()));
        assert_eq!(check_tree(&deep(100_000)), Err(Broken));
    }

    #[test]
    fn numbers_of_children_are_found_behind_other_fields() {
        // A list of two columns: the first has a name and one child, the second only a name.
        let columns = [0x29, 0x2c, 0x48, 1, b'a', 0x15, 2, 0, 0x48, 1, b'b', 0];
        let footer = [&[0x15, 2][..], &[0x19 + 0x10 - 0x10], &columns[1..], &[0]].concat();
        assert_eq!(check(&footer), Ok(()));
        for end in 0..footer.len() {
            assert_eq!(check(&footer[..end]), Err(Broken));
        }
    }
}
