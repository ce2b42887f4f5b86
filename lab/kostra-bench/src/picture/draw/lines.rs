//! Plots of lines over a numeric axis, in panels side by side.

use anyhow::Result;
use plotters::element::DashedPathElement;
use plotters::prelude::*;

use super::{Area, GRID, INK, Look, TEXT, Ticked, WIDTH, font, look_of};
use crate::picture::plot::{Axis, Panel, Plot, Series};
use crate::picture::scale::Scale;

/// The height of a single panel, and of one of several.
const ALONE: u32 = 400;
const TOGETHER: u32 = 290;
/// The longest name that fits beside an axis.
const LONGEST_LABEL: usize = 36;

fn columns(plot: &Plot) -> usize {
    match plot.panels.len() {
        0 | 1 => 1,
        2 | 4 => 2,
        _ => 3,
    }
}

/// The height of all panels.
pub(super) fn height(plot: &Plot) -> u32 {
    let rows = plot.panels.len().div_ceil(columns(plot)) as u32;
    if plot.panels.len() == 1 { ALONE } else { rows * TOGETHER }
}

/// Draws the panels row by row. Each has scales of its own.
pub(super) fn draw(area: &Area<'_>, plot: &Plot, looks: &[(&str, Look)]) -> Result<()> {
    let columns = columns(plot);
    let cells = area.split_evenly((plot.panels.len().div_ceil(columns), columns));
    let characters = WIDTH as usize / columns / 8;
    for (cell, panel) in cells.iter().zip(&plot.panels) {
        let title: String = panel.title.chars().take(characters).collect();
        draw_panel(cell, plot, panel, (&title, looks))?;
    }
    Ok(())
}

fn scale(axis: &Axis, series: &[Series], value: fn(&(f64, f64)) -> f64) -> Scale {
    let points = series.iter().flat_map(|series| &series.points);
    Scale::new(axis, points.map(value))
}

fn draw_panel(
    area: &Area<'_>,
    plot: &Plot,
    panel: &Panel,
    (title, looks): (&str, &[(&str, Look)]),
) -> Result<()> {
    let mut positions: Vec<f64> =
        panel.series.iter().flat_map(|series| series.points.iter().map(|point| point.0)).collect();
    positions.sort_unstable_by(f64::total_cmp);
    positions.dedup();
    let x = scale(&plot.positions, &panel.series, |point| point.0).with_ticks_at(&positions);
    let y = scale(&plot.values, &panel.series, |point| point.1);
    let (x_text, y_text) = (|at: &f64| x.text(*at), |at: &f64| y.text(*at));
    // The title of the plot says what a longer name says.
    let fits = plot.values.label.chars().count() <= LONGEST_LABEL;
    let label = if fits { plot.values.label.clone() } else { String::new() };
    let mut chart = ChartBuilder::on(area)
        .margin(8)
        .margin_right(16)
        .caption(title, font(14).style(FontStyle::Bold).color(&INK))
        .x_label_area_size(42)
        .y_label_area_size(58)
        .build_cartesian_2d(Ticked::from(&x), Ticked::from(&y))?;
    chart
        .configure_mesh()
        .bold_line_style(GRID)
        .light_line_style(GRID)
        .axis_style(INK)
        .x_desc(plot.positions.label.clone())
        .y_desc(label)
        .x_label_formatter(&x_text)
        .y_label_formatter(&y_text)
        .label_style(font(12).color(&INK))
        .axis_desc_style(font(TEXT).color(&INK))
        .draw()?;
    for series in &panel.series {
        let look = look_of(looks, &series.name);
        let points: Vec<_> =
            series.points.iter().map(|&(at, value)| (x.at(at), y.at(value))).collect();
        if series.is_bound {
            let dashed = DashedPathElement::new(points, look.dash, 6, look.color.stroke_width(2));
            chart.draw_series([dashed])?;
            continue;
        }
        chart.draw_series([PathElement::new(points.clone(), look.color.stroke_width(2))])?;
        for place in points {
            chart.draw_series([Circle::new(place, 4, look.color.filled())])?;
        }
    }
    Ok(())
}
