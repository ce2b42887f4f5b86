//! Numbers with their nouns, for messages.

use std::fmt::Display;

/// A number with its noun: `counted(1, "vertex", "vertices")` is `1 vertex`.
pub fn counted<N: Display + PartialEq + From<u8>>(
    number: N,
    singular: &str,
    plural: &str,
) -> String {
    let noun = if number == N::from(1) { singular } else { plural };
    format!("{number} {noun}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_agrees_with_its_noun() {
        let text = |number: u64| counted(number, "vertex", "vertices");
        assert_eq!([0, 1, 2].map(text), ["0 vertices", "1 vertex", "2 vertices"]);
    }
}
