//! The columns of a file of points: which are coordinates, and which are kept.

use std::collections::{HashMap, HashSet};
use std::str::FromStr;

use super::PointOptions;
use crate::options::ALL;

/// A column of a file of points, as a user types it: its name, or its position counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointColumn(String);

impl FromStr for PointColumn {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self(text.trim().to_owned()))
    }
}

impl PointColumn {
    /// The column with this name.
    pub fn named(name: &str) -> Self {
        Self(name.to_owned())
    }

    /// The name of the column; none if it may be a position.
    pub(super) fn name(&self) -> Option<&str> {
        Some(&*self.0).filter(|text| text.parse::<usize>().is_err())
    }

    /// Whether the column stands for all columns, as what is kept.
    fn is_all(&self) -> bool {
        self.0 == ALL
    }

    /// The place among `count` columns with these names, counted from 0. `named` are the first two
    /// columns with the name, and `option` is how the user chose the column.
    fn place(
        &self,
        [named, twin]: [Option<usize>; 2],
        option: &str,
        names: &[String],
        count: usize,
    ) -> Result<usize, String> {
        let Self(text) = self;
        if let (Some(first), Some(second)) = (named, twin) {
            return Err(format!(
                "`{option} {text}`: columns {} and {} both have this name; pass the position",
                first + 1,
                second + 1
            ));
        }
        let position = text.parse::<usize>().ok().filter(|&position| position > 0);
        match (named, position) {
            (Some(place), Some(position)) if position != place + 1 => Err(format!(
                "`{option} {text}` may be the name of column {} or the position of another one; \
                 rename the column",
                place + 1
            )),
            (Some(place), _) => Ok(place),
            (None, Some(position)) if position <= count => Ok(position - 1),
            (None, Some(position)) => {
                Err(format!("`{option} {position}`: there are only {count} columns"))
            }
            (None, None) if names.is_empty() => Err(format!(
                "`{option} {text}`: the columns have no names; pass their positions from 1 to \
                 {count}"
            )),
            (None, None) => Err(format!(
                "`{option} {text}`: there is no such column; the columns are {}",
                names.join(", ")
            )),
        }
    }
}

/// Names of columns that are no coordinates, in lower case. [`may_be_coordinate`] has more rules.
const NO_COORDINATES: [&str; 21] = [
    "", // the index of a table of pandas
    "category",
    "class",
    "cluster",
    "code",
    "fid",
    "geoid",
    "gid",
    "id",
    "index",
    "key",
    "label",
    "labels",
    "name",
    "objectid",
    "oid",
    "osmid",
    "probability",
    "type",
    "uid",
    "uuid",
];

/// Whether a column with this name may be a coordinate. Ids are not: `osm_id`, `stop-id`, `nodeId`.
/// Nor is `Unnamed: 0`, as pandas calls a column without a name.
pub fn may_be_coordinate(name: &str) -> bool {
    let lower = name.to_lowercase();
    let is_id = ["_id", "-id", " id", ".id"].iter().any(|end| lower.ends_with(end))
        || name.strip_suffix("Id").is_some_and(|before| !before.is_empty())
        || name.strip_suffix("ID").is_some_and(|before| before.ends_with(char::is_lowercase));
    !is_id && !lower.starts_with("unnamed:") && !NO_COORDINATES.contains(&&*lower)
}

/// The places of the columns with the coordinates, all if none is chosen, and then that of the
/// weights.
pub(super) fn coordinates(
    options: &PointOptions,
    names: &[String],
    count: usize,
) -> Result<Vec<usize>, String> {
    if !options.columns.is_empty() {
        let chosen = places("--columns", &options.columns, names, count)?;
        return and_weights(chosen, options, names, count);
    }
    let weights = weights_place(options, names, count)?;
    let rest = names.iter().enumerate().filter(|(place, _)| Some(*place) != weights);
    if let Some((place, name)) = rest.clone().find(|(_, name)| !may_be_coordinate(name)) {
        let others = rest.map(|(_, name)| name).filter(|name| may_be_coordinate(name));
        let others: Vec<_> = others.cloned().collect();
        let example = match &*others {
            [] => String::new(),
            others => format!(", such as `--columns {}`", others.join(",")),
        };
        if name.is_empty() {
            return Err(format!(
                "column {} has no name: does it have the names of the rows? pass `--metric \
                 precomputed` if the table has all distances between its rows, or the columns of \
                 the coordinates with `--columns`{example}",
                place + 1
            ));
        }
        return Err(format!(
            "is column {name:?} a coordinate? pass the columns of the coordinates with \
             `--columns`{example}"
        ));
    }
    let rest = (0..count).filter(|place| Some(*place) != weights).collect();
    and_weights(rest, options, names, count)
}

/// The place of the weights; none without weights.
fn weights_place(
    options: &PointOptions,
    names: &[String],
    count: usize,
) -> Result<Option<usize>, String> {
    match *places("--weights", options.weights.as_slice(), names, count)? {
        [] => Ok(None),
        [place] => Ok(Some(place)),
        _ => Err("`--weights` is one column; pass its name or its position".to_owned()),
    }
}

/// Adds the place of the weights to those of the coordinates.
pub(super) fn and_weights(
    mut coordinates: Vec<usize>,
    options: &PointOptions,
    names: &[String],
    count: usize,
) -> Result<Vec<usize>, String> {
    let Some(place) = weights_place(options, names, count)? else { return Ok(coordinates) };
    if coordinates.contains(&place) {
        return Err(format!(
            "column {} is a coordinate and the weight; leave it out of `--columns` or of `--weights`",
            place + 1
        ));
    }
    if coordinates.is_empty() {
        return Err("the only column is the weight; the points need coordinates".to_owned());
    }
    coordinates.push(place);
    Ok(coordinates)
}

/// The places of the columns that an option chooses; `all` chooses all.
pub(super) fn places(
    option: &str,
    columns: &[PointColumn],
    names: &[String],
    count: usize,
) -> Result<Vec<usize>, String> {
    if columns.iter().any(PointColumn::is_all) {
        return Ok((0..count).collect());
    }
    let mut by_name = HashMap::<&str, [Option<usize>; 2]>::new();
    for (place, name) in names.iter().enumerate() {
        let [first, second] = by_name.entry(name).or_default();
        let free = if first.is_none() { first } else { second };
        free.get_or_insert(place);
    }
    let (mut places, mut seen) = (Vec::new(), HashSet::new());
    for column in columns {
        let named = by_name.get(&*column.0).copied().unwrap_or_default();
        let place = column.place(named, option, names, count)?;
        if !seen.insert(place) {
            return Err(format!("`{option}` contains column {} twice", place + 1));
        }
        places.push(place);
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_ids_and_indices_are_no_coordinates() {
        for name in [
            "osm_id",
            "cluster_id",
            "ID",
            "Unnamed: 0",
            "stop-id",
            "Stop ID",
            "nodeId",
            "nodeID",
            "uuid",
            "",
            "Label",
        ] {
            assert!(!may_be_coordinate(name), "{name:?}");
        }
        for name in ["x", "lat", "CENTROID", "humid", "width", "idle", "3d"] {
            assert!(may_be_coordinate(name), "{name:?}");
        }
    }
}
