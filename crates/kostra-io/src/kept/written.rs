//! Kept columns in output that has types.

use super::{KeptColumns, KeptKind};

/// The kept columns of the edges that are written, each with a kind that holds all their values.
#[derive(Debug)]
pub struct KeptRows<'a> {
    columns: &'a KeptColumns,
    kinds: Vec<KeptKind>,
}

impl<'a> KeptRows<'a> {
    /// The columns of these edges. A column whose values are not of its kind is text.
    pub fn new(columns: &'a KeptColumns, rows: impl Iterator<Item = usize>) -> Self {
        let mut all = vec![Values::default(); columns.names().len()];
        for row in rows {
            for (values, value) in all.iter_mut().zip(columns.values(row)) {
                values.see(value);
            }
        }
        let kinds = columns.kinds.iter().zip(&all).map(|(&kind, values)| values.kind(kind));
        Self { columns, kinds: kinds.collect() }
    }

    /// The names of the columns.
    pub fn names(&self) -> &'a [String] {
        self.columns.names()
    }

    /// All rows of the columns.
    #[cfg(feature = "parquet")]
    pub(crate) fn columns(&self) -> &'a KeptColumns {
        self.columns
    }

    /// The kinds of the columns, none of them unknown.
    pub(crate) fn kinds(&self) -> &[KeptKind] {
        &self.kinds
    }

    /// The values of an edge, as [`KeptColumns::values`].
    pub(crate) fn values(&self, row: usize) -> impl Iterator<Item = Option<&'a str>> {
        self.columns.values(row)
    }

    /// The values of an edge as members of a JSON object, with a comma before each. A value that is
    /// missing is null.
    pub fn json(&self, row: usize) -> String {
        let mut text = String::new();
        let columns = self.names().iter().zip(&self.kinds);
        for ((name, &kind), value) in columns.zip(self.values(row)) {
            text += &format!(", {}: ", quoted(name));
            text += &value.map_or("null".into(), |value| json_value(value, kind));
        }
        text
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A value in JSON. Numbers that JSON does not have are texts.
fn json_value(value: &str, kind: KeptKind) -> String {
    match kind {
        KeptKind::Unknown | KeptKind::Text => quoted(value),
        KeptKind::Integer | KeptKind::Boolean => value.to_owned(),
        KeptKind::Float if serde_json::from_str::<f64>(value).is_ok() => value.to_owned(),
        KeptKind::Float => match value.parse::<f64>() {
            Ok(number) if number.is_finite() => number.to_string(),
            _ => quoted(value),
        },
    }
}

/// What holds for all values of a column so far.
#[derive(Clone, Debug)]
struct Values {
    has_some: bool,
    /// Whether they are integers of 64 bits with a sign, or without one, as they are written
    /// without zeros in front.
    signed: bool,
    unsigned: bool,
    /// Whether they are 64-bit floats, or integers that such a float holds exactly.
    floats: bool,
    booleans: bool,
}

impl Default for Values {
    fn default() -> Self {
        Self { has_some: false, signed: true, unsigned: true, floats: true, booleans: true }
    }
}

impl Values {
    fn see(&mut self, value: Option<&str>) {
        let Some(text) = value else { return };
        self.has_some = true;
        self.signed &= text.parse().is_ok_and(|value: i64| value.to_string() == text);
        self.unsigned &= text.parse().is_ok_and(|value: u64| value.to_string() == text);
        self.booleans &= matches!(text, "true" | "false");
        self.floats &= text.parse().is_ok_and(|float: f64| {
            text.parse().map_or(true, |integer: i128| float as i128 == integer)
        });
    }

    /// The kind of the values, if the input says that it is `kind`.
    fn kind(&self, kind: KeptKind) -> KeptKind {
        match kind {
            KeptKind::Unknown if self.has_some && self.signed => KeptKind::Integer,
            KeptKind::Integer if self.signed || self.unsigned => kind,
            KeptKind::Float if self.floats => kind,
            KeptKind::Boolean if self.booleans => kind,
            _ => KeptKind::Text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind_of(kind: KeptKind, values: &[Option<&str>]) -> KeptKind {
        let mut columns = KeptColumns::with_kinds(vec!["x".into()], vec![kind]);
        values.iter().for_each(|&value| columns.push_value(value));
        KeptRows::new(&columns, 0..values.len()).kinds()[0]
    }

    #[test]
    fn a_column_has_the_kind_that_holds_all_its_values() {
        use KeptKind::{Boolean, Float, Integer, Text, Unknown};
        assert_eq!(kind_of(Unknown, &[Some("1"), None, Some("-7")]), Integer);
        assert_eq!(kind_of(Unknown, &[Some("1"), Some("01")]), Text);
        assert_eq!(kind_of(Unknown, &[Some("1"), Some("")]), Text);
        assert_eq!(kind_of(Unknown, &[None]), Text);
        assert_eq!(kind_of(Text, &[Some("1")]), Text);
        assert_eq!(kind_of(Integer, &[Some("18446744073709551615"), Some("0")]), Integer);
        assert_eq!(kind_of(Integer, &[Some("18446744073709551615"), Some("-1")]), Text);
        assert_eq!(kind_of(Float, &[Some("0.5"), Some("3"), Some("NaN")]), Float);
        assert_eq!(kind_of(Float, &[Some("0.5"), Some("9007199254740993")]), Text);
        assert_eq!(kind_of(Boolean, &[Some("true"), None]), Boolean);
        assert_eq!(kind_of(Boolean, &[Some("yes")]), Text);
    }

    #[test]
    fn json_has_numbers_and_null() {
        let names = ["a\"b", "f", "t"].map(str::to_owned).to_vec();
        let kinds = vec![KeptKind::Boolean, KeptKind::Float, KeptKind::Text];
        let mut columns = KeptColumns::with_kinds(names, kinds);
        for value in [Some("true"), Some(".5"), None, None, Some("inf"), Some("1")] {
            columns.push_value(value);
        }
        let rows = KeptRows::new(&columns, 0..2);
        assert_eq!(rows.json(0), r#", "a\"b": true, "f": 0.5, "t": null"#);
        assert_eq!(rows.json(1), r#", "a\"b": null, "f": "inf", "t": "1""#);
    }
}
