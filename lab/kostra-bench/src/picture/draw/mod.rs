//! Draws a plot as SVG with `plotters`.
//!
//! Every color is one of the constants below. Rules of CSS, which select colors by value, replace
//! those of paper, ink and grid in dark mode.

mod categories;
mod lines;

use std::ops::Range;

use anyhow::Result;
use plotters::coord::Shift;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint};
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::plot::{Kind, Plot};
use super::scale::Scale;

/// The color behind a plot.
const PAPER: RGBColor = RGBColor(0xFF, 0xFF, 0xFF);
/// The color of texts and axes.
const INK: RGBColor = RGBColor(0x1F, 0x29, 0x37);
/// The color of grid lines.
const GRID: RGBColor = RGBColor(0xE1, 0xE4, 0xE8);
/// The color of bounds.
const BOUND: RGBColor = RGBColor(0x8A, 0x90, 0x99);

/// The colors of series. They differ in lightness too, and are legible on light and dark paper.
const SERIES: [RGBColor; 10] = [
    RGBColor(0x2F, 0x6F, 0xBB),
    RGBColor(0xE0, 0x7B, 0x1A),
    RGBColor(0x2E, 0x9E, 0x5B),
    RGBColor(0xC8, 0x3E, 0x4D),
    RGBColor(0x8A, 0x63, 0xC4),
    RGBColor(0x8C, 0x6D, 0x46),
    RGBColor(0xD5, 0x5F, 0xA8),
    RGBColor(0x6F, 0x8F, 0x2A),
    RGBColor(0x1F, 0xA3, 0xB5),
    RGBColor(0xB8, 0x96, 0x1E),
];

/// The width of all plots, in pixels.
const WIDTH: u32 = 960;
/// The height of the title, and of a row of the legend.
const TITLE: u32 = 30;
const LEGEND_ROW: i32 = 20;
const TEXT: i32 = 13;
/// The mean width of a character at the size of [`TEXT`].
const CHARACTER: f64 = 6.7;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// A linear axis with given ticks.
struct Ticked {
    range: (f64, f64),
    ticks: Vec<f64>,
}

impl Ranged for Ticked {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let share = (value - self.range.0) / (self.range.1 - self.range.0);
        limit.0 + (share * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _hint: Hint) -> Vec<f64> {
        self.ticks.clone()
    }

    fn range(&self) -> Range<f64> {
        self.range.0..self.range.1
    }
}

impl From<&Scale> for Ticked {
    fn from(scale: &Scale) -> Self {
        Self { range: scale.range, ticks: scale.ticks.clone() }
    }
}

/// How the marks of a series look.
#[derive(Clone, Copy, Debug)]
struct Look {
    color: RGBColor,
    is_bound: bool,
    /// The length of a dash, for bounds.
    dash: i32,
}

impl Look {
    /// The look of the series with a number; bounds are numbered apart.
    fn new(index: usize, is_bound: bool) -> Self {
        let color = if is_bound { BOUND } else { SERIES[index % SERIES.len()] };
        Self { color, is_bound, dash: if index == 0 { 9 } else { 3 } }
    }
}

/// The looks of series by name. A bound takes no color from the others.
fn looks<'a>(names: &[(&'a str, bool)]) -> Vec<(&'a str, Look)> {
    let (mut series, mut bounds) = (0, 0);
    let look = |&(name, is_bound): &(&'a str, bool)| {
        let count = if is_bound { &mut bounds } else { &mut series };
        let look = Look::new(*count, is_bound);
        *count += 1;
        (name, look)
    };
    names.iter().map(look).collect()
}

fn look_of(looks: &[(&str, Look)], name: &str) -> Look {
    let found = looks.iter().find(|(known, _)| *known == name);
    found.map_or(Look::new(0, false), |(_, look)| *look)
}

/// Draws a plot, which changes its colors with the reader's color scheme.
///
/// # Errors
/// If the library fails.
pub(super) fn svg(plot: &Plot) -> Result<String> {
    let names = plot.names();
    // The pieces of a stack differ from panel to panel, so each panel has its own legend.
    let common = if plot.kind == Kind::Stacks { Vec::new() } else { looks(&names) };
    let legend = legend_height(&common);
    let top = TITLE as i32 + legend;
    let body = match plot.kind {
        Kind::Lines => lines::height(plot),
        _ => categories::height(plot),
    };
    let mut text = String::new();
    {
        let root =
            SVGBackend::with_string(&mut text, (WIDTH, top as u32 + body)).into_drawing_area();
        root.fill(&PAPER)?;
        let size = if plot.title.chars().count() > 100 { 14 } else { 17 };
        root.draw(&Text::new(
            plot.title.clone(),
            (10, 8),
            font(size).style(FontStyle::Bold).color(&INK),
        ))?;
        draw_legend(&root, &common, TITLE as i32)?;
        let (_, area) = root.split_vertically(top);
        match plot.kind {
            Kind::Lines => lines::draw(&area, plot, &common)?,
            _ => categories::draw(&area, plot, &common)?,
        }
        root.present()?;
    }
    // The default of SVG, which the library writes for every element.
    Ok(with_dark_colors(&text.replace(" opacity=\"1\"", "")))
}

fn with_dark_colors(svg: &str) -> String {
    let named = |color: RGBColor| format!("#{:02X}{:02X}{:02X}", color.0, color.1, color.2);
    let dark = [(PAPER, "#14181d"), (INK, "#e4e7eb"), (GRID, "#333a43")];
    let rules: String = dark
        .into_iter()
        .map(|(light, dark)| {
            let light = named(light);
            format!("[fill=\"{light}\"]{{fill:{dark}}}[stroke=\"{light}\"]{{stroke:{dark}}}")
        })
        .collect();
    let style = format!("<style>@media (prefers-color-scheme:dark){{{rules}}}</style>\n");
    let head = svg.find('>').map_or(0, |end| end + 1);
    format!("{}\n{style}{}", &svg[..head], svg[head..].trim_start())
}

fn font(size: i32) -> FontDesc<'static> {
    ("sans-serif", size).into_font()
}

fn text_width(text: &str) -> i32 {
    (text.chars().count() as f64 * CHARACTER) as i32
}

/// The place of each entry of a legend, in rows as wide as the plot.
fn legend_places(looks: &[(&str, Look)]) -> Vec<(i32, i32)> {
    let (mut x, mut y) = (12, 0);
    let mut places = Vec::new();
    for (name, _) in looks {
        let width = 34 + text_width(name);
        if x + width > WIDTH as i32 && x > 12 {
            (x, y) = (12, y + LEGEND_ROW);
        }
        places.push((x, y));
        x += width;
    }
    places
}

fn legend_height(looks: &[(&str, Look)]) -> i32 {
    legend_places(looks).last().map_or(0, |(_, y)| y + LEGEND_ROW + 4)
}

/// Draws a legend: squares for measured series, dashes for bounds.
fn draw_legend(area: &Area<'_>, looks: &[(&str, Look)], top: i32) -> Result<()> {
    for ((name, look), (x, y)) in looks.iter().zip(legend_places(looks)) {
        let middle = top + y + LEGEND_ROW / 2;
        if look.is_bound {
            let ends = [(x, middle), (x + 14, middle)];
            let style = look.color.stroke_width(2);
            area.draw(&DashedPathElement::new(ends, look.dash, 4, style))?;
        } else {
            area.draw(&Rectangle::new(
                [(x + 1, middle - 5), (x + 11, middle + 5)],
                look.color.filled(),
            ))?;
        }
        let style = font(TEXT).color(&INK).pos(Pos::new(HPos::Left, VPos::Center));
        area.draw(&Text::new((*name).to_owned(), (x + 18, middle), style))?;
    }
    Ok(())
}
