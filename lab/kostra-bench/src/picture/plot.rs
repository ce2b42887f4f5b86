//! What a plot shows, apart from how it is drawn: axes, panels and series.

/// How the marks of a plot are arranged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A group of bars for each category. Bars start at the axis' base.
    Bars,
    /// One bar for each category, made of one piece for each series.
    Stacks,
    /// One row for each category, with a dot for each series.
    Dots,
    /// A line for each series over a numeric axis.
    Lines,
}

/// A numeric axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Axis {
    /// What it shows, with its unit.
    pub(super) label: String,
    /// Whether equal distances are equal ratios. Such an axis shows positive values only.
    pub(super) log: bool,
    /// A value that the axis must contain, where bars start.
    pub(super) base: Option<f64>,
}

impl Axis {
    /// An axis on which equal distances are equal ratios.
    pub(super) fn log(label: &str) -> Self {
        Self { label: label.to_owned(), log: true, base: None }
    }

    /// An axis that starts at 0.
    pub(super) fn linear(label: &str) -> Self {
        Self { label: label.to_owned(), log: false, base: Some(0.0) }
    }

    /// The same axis, which contains `base`.
    pub(super) fn from(self, base: f64) -> Self {
        Self { base: Some(base), ..self }
    }

    /// Whether the axis can show a value.
    pub(super) fn shows(&self, value: f64) -> bool {
        value.is_finite() && !(self.log && value <= 0.0)
    }
}

/// A named sequence of points.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Series {
    pub(super) name: String,
    /// Whether it is a bound, not a measurement.
    pub(super) is_bound: bool,
    /// Position and value. In a plot with categories, the position is the category's number.
    pub(super) points: Vec<(f64, f64)>,
}

impl Series {
    /// A series of measured values.
    pub(super) fn measured(name: &str, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.to_owned(), is_bound: false, points }
    }

    /// A bound of the measured values.
    pub(super) fn bound(name: &str, points: Vec<(f64, f64)>) -> Self {
        Self { is_bound: true, ..Self::measured(name, points) }
    }
}

/// A part of a plot with axes of its own.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Panel {
    pub(super) title: String,
    /// The names of the categories; empty in a plot of lines.
    pub(super) categories: Vec<String>,
    pub(super) series: Vec<Series>,
}

/// A plot of one or more panels.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Plot {
    /// The name on the command line.
    pub(super) id: String,
    pub(super) title: String,
    pub(super) kind: Kind,
    /// The axis of the positions; unused in a plot with categories.
    pub(super) positions: Axis,
    pub(super) values: Axis,
    pub(super) panels: Vec<Panel>,
}

impl Plot {
    /// Removes what cannot be shown; none if nothing is left.
    pub(super) fn cleaned(mut self) -> Option<Self> {
        let lines = self.kind == Kind::Lines;
        for panel in &mut self.panels {
            for series in &mut panel.series {
                series.points.retain(|&(at, value)| {
                    self.values.shows(value) && (!lines || self.positions.shows(at))
                });
            }
            panel.series.retain(|series| !series.points.is_empty());
        }
        self.panels.retain(|panel| panel.series.iter().any(|series| !series.is_bound));
        (!self.panels.is_empty()).then_some(self)
    }

    /// The names of all series in the order of their first appearance, and whether they are bounds.
    pub(super) fn names(&self) -> Vec<(&str, bool)> {
        let mut names: Vec<(&str, bool)> = Vec::new();
        for series in self.panels.iter().flat_map(|panel| &panel.series) {
            if !names.iter().any(|(name, _)| *name == series.name) {
                names.push((&series.name, series.is_bound));
            }
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(points: Vec<(f64, f64)>) -> Plot {
        Plot {
            id: "times".to_owned(),
            title: "Times".to_owned(),
            kind: Kind::Dots,
            positions: Axis::linear(""),
            values: Axis::log("time, ms"),
            panels: vec![Panel {
                title: "panel".to_owned(),
                categories: vec!["grid, large".to_owned(), "road".to_owned()],
                series: vec![Series::measured("fast", points)],
            }],
        }
    }

    #[test]
    fn values_that_an_axis_cannot_show_are_left_out() {
        let shown = plot(vec![(0.0, 2.5), (1.0, 0.0), (1.0, f64::NAN)]).cleaned().unwrap();
        assert_eq!(shown.panels[0].series[0].points, [(0.0, 2.5)]);
        assert_eq!(plot(vec![(0.0, -1.0)]).cleaned(), None);
    }
}
