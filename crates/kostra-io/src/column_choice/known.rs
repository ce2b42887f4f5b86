//! Known names of columns of edge lists, in the form that [`plain`] returns.

use crate::fields::text;
use crate::quotes::unquote;

/// Names of the weight. They take precedence over [`LENGTH_NAMES`].
pub(super) const WEIGHT_NAMES: [&str; 3] = ["weight", "w", "weights"];
pub(super) const LENGTH_NAMES: [&str; 7] =
    ["cost", "length", "distance", "dist", "l2distance", "value", "len"];

/// Ends of the names of columns that are no weights.
const NO_WEIGHT_ENDS: &str = "id ids key name type class code index number date label count counts";
/// First of several words of names that count or identify things, as in `n_trips`.
const COUNTING_WORDS: &str = "n nb no nr num number count id";
/// Whole names, and last words of names, of columns that are no weights. Pandas calls a column of
/// row numbers `Unnamed: 0`.
const NO_WEIGHT_NAMES: &str = "\
    unnamed0 year month day timestamp lane lanes speed maxspeed oneway direction layer level \
    zone region group category status version color idx no nr num row rank order";

/// Names of weights that are greater where vertices are nearer.
const SIMILARITIES: &str = "\
    similarity correlation corr r identity affinity score strength capacity bandwidth \
    throughput probability jaccard cosine tanimoto pident bitscore confidence pearson spearman \
    kendall covariance";
/// First words of names that turn the second into its opposite.
const OPPOSITES: &str = "inverse inv neg negative minus not";

/// Whether a column or an attribute of this name contains weights that are greater where vertices
/// are nearer, as `similarity` and `match_score` do. Usually their maximum forest is meant.
pub fn is_similarity(name: &str) -> bool {
    let words = words(name.as_bytes());
    let (first, last) = match &words[..] {
        [word] => (None, word),
        [first, last] => (Some(first), last),
        _ => return false,
    };
    lists(SIMILARITIES, last) && first.is_none_or(|first| !lists(OPPOSITES, first))
}

/// The name of the column of the weights, if it is [a similarity](is_similarity).
pub(crate) fn similarity(name: Option<&[u8]>) -> Option<String> {
    name.map(text).filter(|name| is_similarity(name))
}

/// Whether the name of a column of numbers says that they are no weights. So does an empty name,
/// which a column of row numbers may have.
pub(super) fn is_no_weight(name: &[u8]) -> bool {
    let is_empty = unquote(name).is_some_and(|name| name.trim_ascii().is_empty());
    let plain = plain(name);
    let words = words(name);
    let counts = match &words[..] {
        [first, _, ..] => lists(COUNTING_WORDS, first),
        _ => false,
    };
    let is_known = |word: &String| lists(NO_WEIGHT_NAMES, word);
    is_empty
        || counts
        || NO_WEIGHT_ENDS.split(' ').any(|end| plain.ends_with(end))
        || is_known(&plain)
        // `trips_per_year` is a rate.
        || (!words.iter().any(|word| word == "per") && words.last().is_some_and(is_known))
}

/// Whether a list of words contains a word.
pub(crate) fn lists(list: &str, word: &str) -> bool {
    list.split(' ').any(|other| other == word)
}

/// Longer names say nothing about a column.
pub(super) const LONGEST_NAME: usize = 1 << 10;

/// The words of a column name in lower case: `num_lanes` and `numLanes` have two.
pub(super) fn words(name: &[u8]) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = b' ';
    for &byte in name.get(..LONGEST_NAME).unwrap_or(name) {
        let starts = !before.is_ascii_alphanumeric()
            || (before.is_ascii_lowercase() && byte.is_ascii_uppercase());
        match words.last_mut() {
            _ if !byte.is_ascii_alphanumeric() => {}
            Some(word) if !starts => word.push(byte.to_ascii_lowercase().into()),
            _ => words.push(char::from(byte.to_ascii_lowercase()).into()),
        }
        before = byte;
    }
    words
}

/// The letters and digits of a column name, in lower case.
pub(super) fn plain(name: &[u8]) -> String {
    name.iter()
        .take(LONGEST_NAME)
        .filter(|byte| byte.is_ascii_alphanumeric())
        .map(|byte| byte.to_ascii_lowercase() as char)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similarities_are_known_by_their_last_word() {
        for name in [
            "similarity",
            "Cosine Similarity",
            "match_score",
            "linkStrength",
            "CAPACITY",
            "pearson",
        ] {
            assert!(is_similarity(name), "{name}");
        }
        for name in
            ["", "weight", "dissimilarity", "inverse_similarity", "score_distance", "a b score"]
        {
            assert!(!is_similarity(name), "{name}");
        }
    }
}
