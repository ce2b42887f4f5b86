//! The names of options in messages: flags of the command, or arguments in Python, Rust or C.

/// How errors and notes name options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Terms {
    /// Flags of the command: `--weight km`.
    #[default]
    Command,
    /// Arguments of a Python function: `weight="km"`.
    Python,
    /// Methods of the `Reader` of the crate `kostra`, and fields of [`ReadOptions`](crate::ReadOptions)
    /// and [`ColumnOptions`](crate::ColumnOptions): `weight("km")`.
    Rust,
    /// Items of the array `options` of the C function `kostra_graph_read_with`: `"weight=km"`.
    C,
}

impl Terms {
    /// An option: `--weight`.
    pub fn option(self, option: &str) -> String {
        match self {
            Self::Command => format!("`--{option}`"),
            Self::C => format!("`\"{option}\"`"),
            Self::Rust if option == "weights" => "`missing_weights`".into(),
            Self::Python | Self::Rust => {
                format!("`{}`", option.strip_prefix("no-").unwrap_or(option).replace('-', "_"))
            }
        }
    }

    /// An option with a text value: `--weight km`.
    pub fn text(self, option: &str, value: &str) -> String {
        match self {
            Self::Command => format!("`--{option} {}`", quoted_for_shells(value)),
            Self::C => format!("`{:?}`", format!("{option}={value}")),
            Self::Python => format!("`{option}={value:?}`"),
            Self::Rust => match (option, value) {
                ("weights", "unit") => "`missing_weights(MissingWeights::Unit)`".into(),
                ("weights", "hash") => "`missing_weights(MissingWeights::Hash)`".into(),
                ("weights", "distance") => "`missing_weights(MissingWeights::Distance)`".into(),
                ("nan", "skip") => "`nan(Nan::Skip)`".into(),
                ("format", id) => format!("`format({id:?}.parse()?)`"),
                ("delimiter", value) => format!("`delimiter: Some({value:?}.parse()?)`"),
                ("array", "matrix") => "`array: Some(ArrayContent::Matrix)`".into(),
                ("array", "edges") => "`array: Some(ArrayContent::Edges)`".into(),
                ("weight", name) => format!("`weight({name:?})`"),
                (option, value) => format!("`{option}: {value:?}`"),
            },
        }
    }

    /// An option with the position of a column: `--weight 3`.
    pub(crate) fn position(self, option: &str, position: usize) -> String {
        match self {
            Self::Command => format!("`--{option} {position}`"),
            Self::C => format!("`\"{option}={position}\"`"),
            Self::Python if option == "keep" => format!("`{option}=[{position}]`"),
            Self::Python => format!("`{option}={position}`"),
            Self::Rust => format!("`{option}: ColumnChoice::Position({position})`"),
        }
    }

    /// The option for vertices with names.
    pub fn names(self) -> &'static str {
        match self {
            Self::Command => "--names",
            Self::Python => "names=True",
            Self::Rust => "names(true)",
            Self::C => "\"names\"",
        }
    }

    /// What finds the spanning tree of points.
    pub(crate) fn points(self) -> &'static str {
        match self {
            Self::Command => "`kostra tree`",
            Self::Python => "`kostra.euclidean_mst`",
            Self::Rust | Self::C => "the command `kostra tree`",
        }
    }

    /// The options that say whether the first line is a header.
    pub(crate) fn header_or_not(self) -> String {
        format!("{} or {}", self.header(), self.no_header())
    }

    /// An option without a value, or one that is true: `--header`.
    pub(crate) fn switch(self, option: &str) -> String {
        match self {
            Self::Command | Self::C => self.option(option),
            Self::Python => format!("`{}=True`", option.replace('-', "_")),
            Self::Rust => format!("`{}: true`", option.replace('-', "_")),
        }
    }

    /// The option that says that the first line is a header.
    pub(crate) fn header(self) -> &'static str {
        match self {
            Self::Command => "`--header`",
            Self::Python => "`header=True`",
            Self::Rust => "`header: Header::Present`",
            Self::C => "`\"header\"`",
        }
    }

    /// The option that says that the first line is no header.
    pub(crate) fn no_header(self) -> &'static str {
        match self {
            Self::Command => "`--no-header`",
            Self::Python => "`header=False`",
            Self::Rust => "`header: Header::Absent`",
            Self::C => "`\"no-header\"`",
        }
    }
}

fn quoted_for_shells(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-.,:/%+@".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_named_so_that_they_can_be_pasted() {
        assert_eq!(Terms::Command.text("weight", "km"), "`--weight km`");
        assert_eq!(Terms::Command.text("weight", "Length (km)"), "`--weight 'Length (km)'`");
        assert_eq!(Terms::Command.text("weight", "it's"), r"`--weight 'it'\''s'`");
        assert_eq!(Terms::Python.text("weight", "Length (km)"), "`weight=\"Length (km)\"`");
        assert_eq!(Terms::Python.position("weight", 3), "`weight=3`");
        assert_eq!(Terms::Python.position("keep", 3), "`keep=[3]`");
        assert_eq!(Terms::Rust.text("weight", "km"), "`weight(\"km\")`");
        assert_eq!(Terms::Rust.text("weights", "unit"), "`missing_weights(MissingWeights::Unit)`");
        assert_eq!(Terms::Python.switch("decimal-comma"), "`decimal_comma=True`");
        assert_eq!(Terms::C.text("weight", "Length (km)"), "`\"weight=Length (km)\"`");
        assert_eq!(Terms::C.position("source", 3), "`\"source=3\"`");
        assert_eq!(Terms::C.header_or_not(), "`\"header\"` or `\"no-header\"`");
        assert_eq!(
            (&*Terms::Command.option("no-header"), &*Terms::Python.option("no-header")),
            ("`--no-header`", "`header`")
        );
    }
}
