//! Numbers for the names of vertices.

use std::collections::HashMap;
use std::hash::Hash;

use kostra_core::memory::{self, OutOfMemory};
use kostra_core::{GraphError, MAX_VERTICES, Vertex};

use crate::ReadErrorKind;

/// The numbers of the names, in order of first appearance.
///
/// Most names in files are integers below a small multiple of the number of names. Such a name is
/// the position of its number in an array. Larger integers are keys of a map, which needs no memory
/// for their digits, and all other names of another map.
#[derive(Debug, Default)]
pub(crate) struct Numbering {
    /// The number of each name that is an integer, or [`NONE`].
    integers: Vec<Vertex>,
    large: HashMap<u64, Vertex>,
    others: HashMap<Box<str>, Vertex>,
    count: usize,
}

/// No name. There are fewer names than this.
const NONE: Vertex = Vertex::MAX;

/// The array may grow to this length, and to this many entries for each name: a map takes as much
/// memory for a name.
const LEAST_INTEGERS: usize = 1 << 16;
const INTEGERS_PER_NAME: usize = 16;

impl Numbering {
    /// The number of a name; a new name gets the next number.
    ///
    /// # Errors
    /// When there are too many names, or the system does not grant the memory.
    pub(crate) fn number(&mut self, name: &str) -> Result<Vertex, ReadErrorKind> {
        if let Some(number) = self.find(name) {
            return Ok(number);
        }
        let integer = integer(name);
        if self.count >= MAX_VERTICES {
            return Err(GraphError::TooManyVertices { vertices: self.count as u64 + 1 }.into());
        }
        let number = self.count as Vertex;
        let most = LEAST_INTEGERS.max(self.count.saturating_mul(INTEGERS_PER_NAME));
        match integer {
            Some(integer) if integer < most as u64 => *self.place(integer as usize)? = number,
            Some(integer) => insert(&mut self.large, integer, number)?,
            None => insert(&mut self.others, name.into(), number)?,
        }
        self.count += 1;
        Ok(number)
    }

    /// The number of a name that has one.
    pub(crate) fn find(&self, name: &str) -> Option<Vertex> {
        match integer(name) {
            Some(integer) => match self.integers.get(integer as usize) {
                Some(&number) if number != NONE => Some(number),
                _ => self.large.get(&integer).copied(),
            },
            None => self.others.get(name).copied(),
        }
    }

    /// The entry of an integer, which may extend the array.
    fn place(&mut self, integer: usize) -> Result<&mut Vertex, OutOfMemory> {
        let length = self.integers.len();
        if integer >= length {
            memory::reserve(&mut self.integers, integer + 1 - length)?;
            self.integers.resize(integer + 1, NONE);
        }
        Ok(&mut self.integers[integer])
    }

    /// The number of names.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Whether each name is its number.
    pub(crate) fn are_numbers(&self) -> bool {
        let is_same = |(integer, &number): (usize, &Vertex)| integer == number as usize;
        self.large.is_empty()
            && self.others.is_empty()
            && self.integers.iter().enumerate().all(is_same)
    }

    /// The name of a number, which takes time proportional to the number of names.
    pub(crate) fn name(&self, number: Vertex) -> Option<String> {
        let integer = self.integers.iter().position(|&other| other == number);
        let large = || self.large.iter().find(|&(_, &other)| other == number);
        let other = || self.others.iter().find(|&(_, &other)| other == number);
        let integer = integer.map(|integer| integer as u64).or_else(|| Some(*large()?.0));
        integer.map(|integer| integer.to_string()).or_else(|| Some(other()?.0.to_string()))
    }

    /// The names by number.
    ///
    /// # Errors
    /// When the system does not grant the memory.
    pub(crate) fn into_names(self) -> Result<Vec<String>, OutOfMemory> {
        let mut names = memory::filled(self.count, String::new())?;
        let integers = self.integers.into_iter().enumerate();
        for (integer, number) in integers.map(|(at, number)| (at as u64, number)).chain(self.large)
        {
            if let Some(place) = names.get_mut(number as usize) {
                *place = integer.to_string();
            }
        }
        for (name, number) in self.others {
            if let Some(place) = names.get_mut(number as usize) {
                *place = name.into();
            }
        }
        Ok(names)
    }
}

fn insert<K: Hash + Eq>(
    numbers: &mut HashMap<K, Vertex>,
    name: K,
    number: Vertex,
) -> Result<(), ReadErrorKind> {
    let bytes = (numbers.len() + 1) * size_of::<(K, Vertex)>();
    numbers.try_reserve(1).map_err(|_| ReadErrorKind::OutOfMemory { bytes: bytes as u64 })?;
    numbers.insert(name, number);
    Ok(())
}

/// The integer that a name is, if this integer as text is the name.
fn integer(name: &str) -> Option<u64> {
    /// All integers with this number of digits are below 2^64.
    const MOST_DIGITS: usize = 19;
    let digits = name.as_bytes();
    let is_plain = match digits {
        [b'0'] => true,
        [b'1'..=b'9', ..] => digits.len() <= MOST_DIGITS,
        _ => false,
    };
    if !is_plain {
        return None;
    }
    digits.iter().try_fold(0_u64, |integer, digit| {
        digit.is_ascii_digit().then(|| 10 * integer + u64::from(digit - b'0'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_numbered_in_order_whichever_kind_they_are() {
        let large = LEAST_INTEGERS.to_string();
        let names = [
            "7",
            "a",
            "07",
            "0",
            &large,
            "-7",
            "+7",
            "7 ",
            "",
            "1099511627776",
            "9999999999999999999",
            "18446744073709551616",
            "99999999999999999999",
        ];
        let mut numbering = Numbering::default();
        for _ in 0..2 {
            for (number, name) in names.iter().enumerate() {
                assert_eq!(numbering.number(name).unwrap(), number as Vertex, "{name}");
            }
        }
        // The name that came when the array was short is found when the array is long.
        let count = names.len();
        for integer in 0..LEAST_INTEGERS {
            numbering.number(&format!("{integer}")).unwrap();
        }
        assert_eq!(
            numbering.number(&format!("{}", 2 * LEAST_INTEGERS)).unwrap() as usize,
            count + LEAST_INTEGERS - 2
        );
        assert_eq!(numbering.number(&large).unwrap(), 4);
        assert_eq!(numbering.name(4).as_ref(), Some(&large));
        assert_eq!(numbering.name(0), Some("7".into()));
        assert_eq!(numbering.name(Vertex::MAX - 1), None);
        assert!(!numbering.are_numbers());
        assert_eq!(numbering.into_names().unwrap()[..count], names);
    }

    #[test]
    fn numbers_are_no_names() {
        let mut numbering = Numbering::default();
        for number in 0..9 {
            numbering.number(&format!("{number}")).unwrap();
        }
        assert!(numbering.are_numbers());
        numbering.number("10").unwrap();
        assert!(!numbering.are_numbers());
    }
}
