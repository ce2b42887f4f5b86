//! Checks of the description at the end of a file, before the crate `parquet` reads it.
//!
//! The crate builds the tree of columns by recursion, and reserves memory for the stated number of
//! children. So the numbers of children must describe a flat enough tree of the elements that are
//! there.
//!
//! Source: `parquet.thrift` in <https://github.com/apache/parquet-format>.

use super::thrift::Shape::{Binary, Boolean, Byte, Double, Fields, Integer, List, Skipped};
use super::thrift::{self, Broken, Shape, Walk};

/// The deepest nesting of columns.
const MOST_DEPTH: usize = 64;

/// The list of columns in the description, and the number of children in a column.
const SCHEMA: i16 = 2;
const CHILDREN: i16 = 5;

/// The description: `FileMetaData`.
const FILE: &[Shape] =
    &[Integer, List(&ELEMENT), Integer, List(&GROUP), List(&PAIR), Binary, List(&ORDER)];

const ELEMENT: Shape = Fields(&[
    Integer,
    Integer,
    Integer,
    Binary,
    Integer,
    Integer,
    Integer,
    Integer,
    Integer,
    Fields(LOGICAL_TYPE),
]);

const LOGICAL_TYPE: &[Shape] = &[
    EMPTY,
    EMPTY,
    EMPTY,
    EMPTY,
    Fields(&[Integer, Integer]),
    EMPTY,
    TIME,
    TIME,
    Skipped,
    Fields(&[Byte, Boolean]),
    EMPTY,
    EMPTY,
    EMPTY,
    EMPTY,
    EMPTY,
    Fields(&[Byte]),
    Fields(&[Binary]),
    Fields(&[Binary, Integer]),
    EMPTY,
];

const TIME: Shape = Fields(&[Boolean, Fields(&[EMPTY, EMPTY, EMPTY])]);

const GROUP: Shape = Fields(&[
    List(&CHUNK),
    Integer,
    Integer,
    List(&Fields(&[Integer, Boolean, Boolean])),
    Integer,
    Skipped,
    Integer,
]);

const CHUNK: Shape = Fields(&[Binary, Integer, Fields(COLUMN), Integer, Integer, Integer, Integer]);

/// A column in a group of rows: `ColumnMetaData`.
const COLUMN: &[Shape] = &[
    Integer,
    List(&Integer),
    Skipped,
    Integer,
    Integer,
    Integer,
    Integer,
    Skipped,
    Integer,
    Integer,
    Integer,
    STATISTICS,
    List(&Fields(&[Integer, Integer, Integer])),
    Integer,
    Integer,
    Fields(&[Integer, List(&Integer), List(&Integer)]),
    Fields(&[Fields(&[Double; 8]), List(&Integer)]),
];

const STATISTICS: Shape =
    Fields(&[Binary, Binary, Integer, Integer, Binary, Binary, Boolean, Boolean, Integer]);

const PAIR: Shape = Fields(&[Binary, Binary]);

const ORDER: Shape = Fields(&[EMPTY, EMPTY, EMPTY]);

const EMPTY: Shape = Fields(&[]);

/// Checks the types of fields and the tree of columns. Returns the memory that the description will
/// take in addition to its texts.
pub(super) fn check(footer: &[u8]) -> Result<u64, Broken> {
    let memory = thrift::memory_of_lists(footer, FILE)?;
    let mut children: Option<Vec<usize>> = None;
    let mut walk = Walk::new(footer);
    walk.structure(|walk, id, kind| {
        if id != SCHEMA {
            return walk.skip(kind, 0);
        }
        if children.is_some() {
            return Err(Broken);
        }
        let (count, _) = walk.list()?;
        children = Some((0..count).map(|_| children_of_next(walk)).collect::<Result<_, _>>()?);
        Ok(())
    })?;
    check_tree(&children.ok_or(Broken)?)?;
    Ok(memory)
}

/// The number of children of the column that starts here.
fn children_of_next(walk: &mut Walk<'_>) -> Result<usize, Broken> {
    let mut children = 0;
    walk.structure(|walk, id, kind| {
        if id != CHILDREN {
            return walk.skip(kind, 0);
        }
        children = usize::try_from(walk.integer()?).map_err(|_| Broken)?;
        Ok(())
    })?;
    Ok(children)
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
        let columns = [0x2c, 0x48, 1, b'a', 0x15, 2, 0, 0x48, 1, b'b', 0];
        let footer = [&[0x15, 2, 0x19][..], &columns, &[0]].concat();
        assert!(check(&footer).is_ok());
        for end in 0..footer.len() {
            assert_eq!(check(&footer[..end]), Err(Broken));
        }
        let two_children = footer.iter().map(|&byte| if byte == 2 { 4 } else { byte });
        assert_eq!(check(&two_children.collect::<Vec<_>>()), Err(Broken));
    }
}
