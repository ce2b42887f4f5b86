//! Files of points that may be taken for edge lists.

use std::collections::HashSet;

use super::known::words;
use crate::fields::text;
use crate::message::{Message, Remedy, message};

/// Pairs of words by which the names of two coordinates differ: `start_lat` and `start_lon` differ
/// in `lat` and `lon`.
const COORDINATES: [[&str; 2]; 8] = [
    ["x", "y"],
    ["lon", "lat"],
    ["long", "lat"],
    ["lng", "lat"],
    ["longitude", "latitude"],
    ["easting", "northing"],
    ["xcoord", "ycoord"],
    ["coordx", "coordy"],
];

/// Whether two columns are called like the coordinates of a point, in either order: `x` and `y`, or
/// `stop_lat` and `stop_lon`.
fn are_coordinates(name: &[u8], other: &[u8]) -> bool {
    let (words, others) = (words(name), words(other));
    let mut differing = words.iter().zip(&others).filter(|(word, other)| word != other);
    let (Some((word, other)), None) = (differing.next(), differing.next()) else { return false };
    let is = |pair: &[&str; 2]| pair.contains(&&**word) && pair.contains(&&**other);
    words.len() == others.len() && COORDINATES.iter().any(is)
}

/// The question whether lines are edges or points, if the columns of the ends are called like
/// coordinates.
pub(super) fn question(u: &[u8], v: &[u8]) -> Option<Message> {
    let is_open = are_coordinates(u, v);
    let [u, v] = [u, v].map(text);
    is_open.then(|| {
        message![
            format!("is each line an edge from {u} to {v}, or a point? pass "),
            Remedy::text("source", u),
            " and ",
            Remedy::text("target", v),
            " if it is an edge; ",
            Remedy::PointTree,
            " finds the tree of points",
        ]
    })
}

/// What to add to the question for the columns of the ends, if two columns are called like
/// coordinates.
pub(super) fn remedy(names: &[&[u8]]) -> Message {
    match has_coordinates(names) {
        true => message!["; ", Remedy::PointTree, " finds the tree of points"],
        false => Message::default(),
    }
}

/// The most words of the name of a coordinate.
const MOST_WORDS: usize = 16;

/// Whether two of the names [are coordinates](are_coordinates), in linear time: a name with another
/// coordinate in the place of one of its words is looked up.
fn has_coordinates(names: &[&[u8]]) -> bool {
    let divided: HashSet<Vec<String>> =
        names.iter().map(|name| words(name)).filter(|words| words.len() <= MOST_WORDS).collect();
    let others = |word: &str| {
        let pairs = COORDINATES.into_iter().filter(|pair| pair.contains(&word));
        pairs.flatten().filter(|&other| other != word).map(str::to_owned).collect::<Vec<_>>()
    };
    divided.iter().any(|words| {
        (0..words.len()).any(|place| {
            let mut name = words.clone();
            others(&words[place]).into_iter().any(|other| {
                name[place] = other;
                divided.contains(&name)
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_coordinates_differ_in_one_word() {
        let are = |name: &str, other: &str| are_coordinates(name.as_bytes(), other.as_bytes());
        for (name, other) in [
            ("x", "y"),
            ("Y", "X"),
            ("lat", "lon"),
            ("stop_lat", "stop_lon"),
            ("startLng", "startLat"),
            ("Longitude", "Latitude"),
            ("pos.x", "pos.y"),
            ("\"x\"", "\"y\""),
        ] {
            assert!(are(name, other) && are(other, name), "{name} {other}");
            assert!(has_coordinates(&[b"id", name.as_bytes(), other.as_bytes()]));
        }
        for (name, other) in [
            ("x", "z"),
            ("x1", "x2"),
            ("x", "x"),
            ("u", "v"),
            ("start_x", "end_y"),
            ("lat", "latitude"),
            ("x", "pos_y"),
            ("", ""),
        ] {
            assert!(!are(name, other), "{name} {other}");
            assert!(!has_coordinates(&[name.as_bytes(), other.as_bytes()]));
        }
    }
}
