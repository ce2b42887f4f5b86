//! Names by which two columns say that they are the ends of edges: `source` and `target`, `node1`
//! and `node2`, `from_station` and `to_station`.

use std::collections::HashMap;

use super::known::{LONGEST_NAME, lists, words};
use crate::text_fold::fold;

/// Pairs of words in which the names of the two ends differ. All of them are ends by themselves, as
/// `u` and `v`.
const WORDS: [[&str; 2]; 26] = [
    ["u", "v"],
    ["i", "j"],
    ["source", "target"],
    ["source", "destination"],
    ["source", "dest"],
    ["src", "dst"],
    ["src", "dest"],
    ["src", "tgt"],
    ["origin", "destination"],
    ["origin", "dest"],
    ["orig", "dest"],
    ["from", "to"],
    ["tail", "head"],
    ["start", "end"],
    ["begin", "end"],
    ["sender", "receiver"],
    ["query", "subject"],
    ["parent", "child"],
    ["von", "nach"],
    ["od", "do"],
    ["odkud", "kam"],
    ["fra", "til"],
    ["fran", "till"],
    ["desde", "hasta"],
    ["origen", "destino"],
    ["origem", "destino"],
];
/// Pairs of marks after a noun, as in `node1` and `node2`.
const MARKS: [[&str; 2]; 3] = [["1", "2"], ["0", "1"], ["a", "b"]];
/// Words that are written without a gap next to another one, as in `fromnode` and `nodea`.
const NOUNS: [&str; 8] = ["node", "nodeid", "vertex", "vertexid", "id", "city", "station", "name"];
/// The lengths of all [`WORDS`].
const LENGTHS: [usize; 10] = [1, 2, 3, 4, 5, 6, 7, 8, 10, 11];
/// Among more names than any spreadsheet has columns, no ends are looked for, because that takes
/// microseconds for each name.
const MOST_NAMES: usize = 1 << 15;
/// Words with which pairs are no ends: coordinates, times, and columns that are only numbered.
const OTHERS: &str = "\
    x y z lat lon lng long latitude longitude time date year day v c col column field var f \
    dim pc";

/// The words of a name without case and accents, divided before the marks of ends.
fn parts(name: &[u8]) -> Vec<String> {
    if name.len() > LONGEST_NAME {
        return Vec::new();
    }
    let folded = fold(&String::from_utf8_lossy(name));
    let mut parts = Vec::new();
    for word in words(folded.as_bytes()) {
        let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
        let cut = LENGTHS
            .into_iter()
            .chain([word.len().saturating_sub(1), letters.len()])
            .find(|&at| is_cut(&word, at));
        let (first, rest) = word.split_at(cut.unwrap_or(word.len()));
        parts.extend([first, rest].into_iter().filter(|part| !part.is_empty()).map(String::from));
    }
    parts
}

/// Whether a word is two words with a gap at this byte: a word of ends and a noun, or a noun and a
/// mark, or letters and a number.
fn is_cut(word: &str, at: usize) -> bool {
    let Some((first, rest)) = word.split_at_checked(at) else { return false };
    let is_number = !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
    WORDS.as_flattened().contains(&first) && NOUNS.contains(&rest)
        || NOUNS.contains(&first)
            && (WORDS.as_flattened().contains(&rest) || MARKS.as_flattened().contains(&rest))
        || !first.is_empty() && is_number && !first.ends_with(|c: char| c.is_ascii_digit())
}

/// Two columns whose names differ as those of ends do.
struct Pair {
    columns: (usize, usize),
    /// Whether the names have no other words.
    is_bare: bool,
    /// Whether no vertices are called like this. Those of many graphs are called `s1` and `s2`.
    is_header: bool,
}

/// A name without one of its words: the index of the pair of this word, and the other words, with
/// an empty one in its place.
type Frame = (usize, Vec<String>);

/// The frames of a name in which one word is on this side of a pair.
fn frames(parts: &[String], side: usize) -> impl Iterator<Item = Frame> + '_ {
    let pairs = move || WORDS.iter().chain(&MARKS).enumerate();
    (0..parts.len()).flat_map(move |at| {
        pairs().filter(move |(_, pair)| pair[side] == parts[at]).filter_map(move |(index, _)| {
            let mut others = parts.to_vec();
            others[at] = String::new();
            let is_mark_alone = index >= WORDS.len() && others.len() == 1;
            let is_other = others.iter().any(|other| lists(OTHERS, other));
            (!is_mark_alone && !is_other).then_some((index, others))
        })
    })
}

fn find(names: &[&[u8]]) -> Vec<Pair> {
    if names.len() > MOST_NAMES {
        return Vec::new();
    }
    let all: Vec<Vec<String>> = names.iter().map(|name| parts(name)).collect();
    let sides = |side| {
        let all = all.iter().enumerate();
        all.flat_map(move |(column, parts)| frames(parts, side).map(move |frame| (frame, column)))
    };
    let mut firsts: HashMap<Frame, Vec<usize>> = HashMap::new();
    for (frame, column) in sides(0) {
        firsts.entry(frame).or_default().push(column);
    }
    let mut pairs = Vec::new();
    for (frame, column) in sides(1) {
        let (index, others) = &frame;
        let is_header =
            *index < WORDS.len() || others.iter().any(|other| NOUNS.contains(&other.as_str()));
        // More columns than one of a name are a question.
        for &first in firsts.get(&frame).into_iter().flatten().take(2) {
            let is_bare = others.len() == 1;
            pairs.push(Pair { columns: (first, column), is_bare, is_header });
        }
    }
    pairs
}

/// The pairs of columns whose names say that they are ends. Those that are pairs by themselves come
/// alone if there are any, as `from` and `to` next to `from_city` and `to_city`.
pub(super) fn pairs(names: &[&[u8]]) -> Vec<(usize, usize)> {
    let found = find(names);
    let has_bare = found.iter().any(|pair| pair.is_bare);
    let kept = found.iter().filter(|pair| pair.is_bare == has_bare);
    let mut pairs: Vec<_> = kept.map(|pair| pair.columns).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// Whether exactly two of some names say that they are ends.
pub(crate) fn are_pair(names: &[&[u8]]) -> bool {
    pairs(names).len() == 1 && are_in(names)
}

/// Whether the fields of a line are names of columns, among them those of the ends of edges.
pub(crate) fn are_in(head: &[&[u8]]) -> bool {
    find(head).iter().any(|pair| pair.is_header)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(names: &str) -> Vec<(usize, usize)> {
        pairs(&names.split(',').map(str::as_bytes).collect::<Vec<_>>())
    }

    #[test]
    fn names_of_ends_differ_in_one_word() {
        for names in [
            "u,v",
            "Source,Target",
            "FromNodeId,ToNodeId",
            "fromnode,tonode",
            "node1,node2",
            "Node A,Node B",
            "nodeA,nodeB",
            "id1,id2",
            "startnodeid,endnodeid",
            "city_1,city_2",
            "from_station,to_station",
            "sourceid,targetid",
            "gene_a,gene_b",
            "protein1,protein2",
            "origin,destination",
            "Från,Till",
            "i,j",
            "person0,person1",
        ] {
            assert_eq!(of(names), [(0, 1)], "{names}");
        }
        assert_eq!(of("start_time,end_time,to,from"), [(3, 2)]);
        assert_eq!(of("u,v,from,to"), [(0, 1), (2, 3)]);
        assert_eq!(of("source,target,source_city,target_city"), [(0, 1)]);
    }

    #[test]
    fn other_names_are_no_ends() {
        for names in [
            "A,B",
            "1,2",
            "x1,x2,x3",
            "V1,V2,V3",
            "start_x,end_x",
            "start_year,end_year",
            "Id,Label",
            "osm_id,highway,length",
            "name,interaction,weight",
            "a,weight,b",
            "source,to",
        ] {
            assert_eq!(of(names), [], "{names}");
        }
    }
}
