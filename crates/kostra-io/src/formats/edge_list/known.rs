//! Known names of columns of edge lists, in the form that [`plain`] returns.

/// Names of the first end. The name of the second end is at the same index of [`V_NAMES`].
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
/// Names of the weight. They take precedence over [`LENGTH_NAMES`].
pub(super) const WEIGHT_NAMES: [&str; 3] = ["weight", "w", "weights"];
pub(super) const LENGTH_NAMES: [&str; 7] =
    ["cost", "length", "distance", "dist", "l2distance", "value", "len"];

/// The letters and digits of a column name, in lower case.
pub(super) fn plain(name: &[u8]) -> String {
    name.iter()
        .filter(|byte| byte.is_ascii_alphanumeric())
        .map(|byte| byte.to_ascii_lowercase() as char)
        .collect()
}
