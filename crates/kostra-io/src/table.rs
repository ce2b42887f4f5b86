//! Tables of results, such as the labels of points.

/// A column of a table, with a value per row.
#[derive(Clone, Copy, Debug)]
pub struct TableColumn<'a> {
    /// The name of the column.
    pub name: &'a str,
    /// Its values.
    pub values: TableValues<'a>,
}

/// The values of a column.
#[derive(Clone, Copy, Debug)]
pub enum TableValues<'a> {
    /// Labels of clusters.
    Labels(&'a [i32]),
    /// One end of each edge: the first one (0) or the second one (1).
    Ends(&'a [[u32; 2]], usize),
    /// Numbers.
    Floats(&'a [f64]),
}

impl TableValues<'_> {
    /// The number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Labels(labels) => labels.len(),
            Self::Ends(ends, _) => ends.len(),
            Self::Floats(floats) => floats.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
