//! Names by which columns of edge lists are known, as [`plain`] gives them.

/// Names of the first end; the second end has the name at the same place of [`V_NAMES`].
pub(super) const U_NAMES: [&str; 16] = [
    "u",
    "source",
    "src",
    "from",
    "tail",
    "start",
    "node1",
    "vertex1",
    "id1",
    "fromnode",
    "fromnodeid",
    "startnode",
    "startnodeid",
    "sourceid",
    "nodea",
    "i",
];
pub(super) const V_NAMES: [&str; 16] = [
    "v",
    "target",
    "dst",
    "to",
    "head",
    "end",
    "node2",
    "vertex2",
    "id2",
    "tonode",
    "tonodeid",
    "endnode",
    "endnodeid",
    "targetid",
    "nodeb",
    "j",
];
/// Names of the weight. Where there are columns of both kinds, these count.
pub(super) const WEIGHT_NAMES: [&str; 3] = ["weight", "w", "weights"];
pub(super) const LENGTH_NAMES: [&str; 7] =
    ["cost", "length", "distance", "dist", "l2distance", "value", "len"];

/// The letters and digits of a column's name, in lower case.
pub(super) fn plain(name: &[u8]) -> String {
    name.iter()
        .filter(|byte| byte.is_ascii_alphanumeric())
        .map(|byte| byte.to_ascii_lowercase() as char)
        .collect()
}
