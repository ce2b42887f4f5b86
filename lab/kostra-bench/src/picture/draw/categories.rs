//! Plots with categories: bars, stacks and dots. Categories are rows, so that long names fit.

use anyhow::Result;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::{
    Area, GRID, INK, Look, PAPER, TEXT, Ticked, draw_legend, font, legend_height, look_of, looks,
    text_width,
};
use crate::cells::distinct;
use crate::picture::plot::{Kind, Panel, Plot};
use crate::picture::scale::{Scale, number};

/// The height of a bar of a group, and of a row of a stack or of dots.
const BAR: f64 = 13.0;
const ROW: f64 = 22.0;
/// The part of a bar's height between two categories.
const GAP: f64 = 0.7;
/// The heights of a panel's title and of its axis.
const CAPTION: i32 = 24;
const AXIS: u32 = 46;

/// The rows of a panel: the first row of each category, and the number of rows.
struct Rows {
    starts: Vec<f64>,
    counts: Vec<usize>,
    end: f64,
}

impl Rows {
    fn new(kind: Kind, panel: &Panel) -> Self {
        let bars = |category: usize| {
            let has = |points: &[(f64, f64)]| points.iter().any(|(at, _)| *at as usize == category);
            let series = panel.series.iter().filter(|series| !series.is_bound);
            series.filter(|series| has(&series.points)).count().max(1)
        };
        let count = |category| if kind == Kind::Bars { bars(category) } else { 1 };
        let counts: Vec<usize> = (0..panel.categories.len()).map(count).collect();
        let gap = if kind == Kind::Bars { GAP } else { 0.0 };
        let mut end = 0.0;
        let mut starts = Vec::new();
        for &count in &counts {
            starts.push(end + gap / 2.0);
            end += count as f64 + gap;
        }
        Self { starts, counts, end }
    }

    fn middle(&self, category: usize) -> f64 {
        self.starts[category] + self.counts[category] as f64 / 2.0
    }
}

/// The legend of a panel of stacks. A piece has one color and one entry, whoever measured it.
fn panel_legend(kind: Kind, panel: &Panel) -> Vec<(&str, Look)> {
    if kind != Kind::Stacks {
        return Vec::new();
    }
    let names = distinct(panel.series.iter().map(|series| &*series.name));
    looks(&names.into_iter().map(|name| (name, false)).collect::<Vec<_>>())
}

/// The height of a panel's title.
fn caption(panel: &Panel) -> i32 {
    if panel.title.is_empty() { 4 } else { CAPTION }
}

fn panel_height(kind: Kind, panel: &Panel) -> u32 {
    let row = if kind == Kind::Bars { BAR } else { ROW };
    let rows = (Rows::new(kind, panel).end * row) as i32;
    (caption(panel) + legend_height(&panel_legend(kind, panel)) + rows) as u32 + AXIS
}

/// The height of all panels, one below the other.
pub(super) fn height(plot: &Plot) -> u32 {
    plot.panels.iter().map(|panel| panel_height(plot.kind, panel)).sum()
}

/// The length of the longest stack.
fn longest_stack(panel: &Panel) -> f64 {
    let length = |category: usize| -> f64 {
        let points = panel.series.iter().flat_map(|series| &series.points);
        points.filter(|(at, _)| *at as usize == category).map(|(_, value)| value).sum()
    };
    (0..panel.categories.len()).map(length).fold(0.0, f64::max)
}

/// Draws all panels. The panels of a plot share the scale, but each panel of stacks has its own.
pub(super) fn draw(area: &Area<'_>, plot: &Plot, common: &[(&str, Look)]) -> Result<()> {
    let values = plot.panels.iter().flat_map(|panel| &panel.series);
    let values = values.flat_map(|series| series.points.iter().map(|&(_, value)| value));
    let common_scale = Scale::new(&plot.values, values);
    let mut rest = area.clone();
    for panel in &plot.panels {
        let (here, below) = rest.split_vertically(panel_height(plot.kind, panel));
        rest = below;
        let own = panel_legend(plot.kind, panel);
        let style = font(14).style(FontStyle::Bold).color(&INK);
        here.draw(&Text::new(panel.title.clone(), (10, 4), style))?;
        draw_legend(&here, &own, caption(panel))?;
        let (_, chart) = here.split_vertically(caption(panel) + legend_height(&own));
        let looks = if own.is_empty() { common } else { &own };
        let longest = [longest_stack(panel)].into_iter();
        let stacks = (plot.kind == Kind::Stacks).then(|| Scale::new(&plot.values, longest));
        let scale = stacks.as_ref().unwrap_or(&common_scale);
        draw_panel(&chart, plot, panel, (scale, looks))?;
    }
    Ok(())
}

fn draw_panel(
    area: &Area<'_>,
    plot: &Plot,
    panel: &Panel,
    (scale, looks): (&Scale, &[(&str, Look)]),
) -> Result<()> {
    let rows = Rows::new(plot.kind, panel);
    let names = &panel.categories;
    let widest = names.iter().map(|name| text_width(name)).max().unwrap_or(0);
    let middles: Vec<f64> = (0..names.len()).map(|category| rows.middle(category)).collect();
    let name_of = |at: &f64| {
        let found = middles.iter().position(|middle| (middle - at).abs() < 1e-6);
        found.map_or_else(String::new, |category| names[category].clone())
    };
    let text_of = |at: &f64| scale.text(*at);
    let mut chart = ChartBuilder::on(area)
        .margin_right(64)
        .y_label_area_size(widest + 16)
        .x_label_area_size(AXIS)
        .build_cartesian_2d(
            Ticked::from(scale),
            Ticked { range: (rows.end, 0.0), ticks: middles.clone() },
        )?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .bold_line_style(GRID)
        .light_line_style(GRID)
        .axis_style(INK)
        .x_desc(plot.values.label.clone())
        .x_label_formatter(&text_of)
        .y_label_formatter(&name_of)
        .label_style(font(TEXT).color(&INK))
        .axis_desc_style(font(TEXT).color(&INK))
        .draw()?;

    let base = scale.at(plot.values.base.unwrap_or(0.0));
    let mut marks = Marks {
        kind: plot.kind,
        base,
        free: rows.starts.clone(),
        stacked: vec![base; panel.categories.len()],
    };
    for series in &panel.series {
        let look = look_of(looks, &series.name);
        for &(at, value) in &series.points {
            let category = at as usize;
            let (x, top) = (scale.at(value), rows.starts[category]);
            if series.is_bound {
                let ends = [(x, top), (x, top + rows.counts[category] as f64)];
                chart.draw_series([PathElement::new(ends, look.color.stroke_width(3))])?;
            } else {
                marks.draw(&mut chart, look, category, (x, value))?;
            }
        }
    }
    Ok(())
}

type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Ticked, Ticked>>;

/// Places the marks of a panel.
struct Marks {
    kind: Kind,
    /// The coordinate at which bars start.
    base: f64,
    /// The next free row of each category.
    free: Vec<f64>,
    /// The end of each category's stack.
    stacked: Vec<f64>,
}

impl Marks {
    /// Draws the mark of a value at the coordinate `x`.
    fn draw(
        &mut self,
        chart: &mut Chart<'_, '_>,
        look: Look,
        category: usize,
        (x, value): (f64, f64),
    ) -> Result<()> {
        let top = self.free[category];
        match self.kind {
            Kind::Bars => {
                self.free[category] += 1.0;
                let corners = [(self.base, top + 0.08), (x, top + 0.92)];
                chart.draw_series([Rectangle::new(corners, look.color.filled())])?;
                if (x - self.base).abs() < 1e-9 {
                    // The color of a bar without length must be seen too.
                    let foot = Rectangle::new([(-2, -4), (2, 4)], look.color.filled());
                    chart.draw_series([EmptyElement::at((x, top + 0.5)) + foot])?;
                }
                let style = font(11).color(&INK).pos(Pos::new(HPos::Left, VPos::Center));
                let place = EmptyElement::at((x.max(self.base), top + 0.5));
                chart.draw_series([place + Text::new(number(value), (4, 0), style)])?;
            }
            Kind::Stacks => {
                let start = self.stacked[category];
                let end = start + x;
                self.stacked[category] = end;
                let corners = [(start, top + 0.12), (end, top + 0.88)];
                chart.draw_series([Rectangle::new(corners, look.color.filled())])?;
                // A thin line of paper divides the pieces.
                let line = [(end, top + 0.12), (end, top + 0.88)];
                chart.draw_series([PathElement::new(line, PAPER.stroke_width(1))])?;
            }
            Kind::Dots | Kind::Lines => {
                chart.draw_series([Circle::new((x, top + 0.5), 5, look.color.filled())])?;
            }
        }
        Ok(())
    }
}
