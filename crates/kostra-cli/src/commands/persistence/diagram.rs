//! The persistence diagram as SVG: a point for each component, at its two values.

use std::io::{self, Write};

use kostra::variants::PersistencePair;
use kostra_core::Order;

/// The side of the square of the values, and the margin around it.
const SIDE: f64 = 600.0;
const MARGIN: f64 = 70.0;
/// The numbers at each axis.
const TICKS: u32 = 5;
/// The colors of components that end, and of those that do not: those of pictures of forests.
const ENDED: &str = "#0072b2";
const LASTING: &str = "#d55e00";

/// Writes the diagram. Components that do not end are on a line beyond the other values.
///
/// # Errors
/// When the output cannot be written.
pub(super) fn write(pairs: &[PersistencePair], order: Order, to: &mut dyn Write) -> io::Result<()> {
    let finite = pairs.iter().flat_map(|pair| [pair.birth, pair.death]).filter(|v| v.is_finite());
    let [low, high] = finite.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| {
        [low.min(value), high.max(value)]
    });
    let [low, high] = if low < high { [low, high] } else { [low.min(0.0), low.min(0.0) + 1.0] };
    // A tenth of the side, beyond the last value, is for components that do not end.
    let (start, share) = match order {
        Order::Minimum => (0.0, SIDE * 0.9),
        Order::Maximum => (SIDE * 0.1, SIDE * 0.9),
    };
    let along = |value: f64| start + (value - low) / (high - low) * share;
    let never = if order == Order::Minimum { SIDE * 0.95 } else { SIDE * 0.05 };
    let size = SIDE + 2.0 * MARGIN;
    let [x_name, y_name] = ["birth", "death"];
    write!(
        to,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-{MARGIN} -{MARGIN} {size} {size}\" \
         font-family=\"sans-serif\" font-size=\"16\" fill=\"#222222\">\n\
         <title>Persistence diagram</title>\n\
         <rect x=\"-{MARGIN}\" y=\"-{MARGIN}\" width=\"{size}\" height=\"{size}\" \
         fill=\"#ffffff\"/>\n\
         <rect width=\"{SIDE}\" height=\"{SIDE}\" fill=\"none\" stroke=\"#222222\"/>\n\
         <line x1=\"{:.2}\" y1=\"{:.2}\" x2=\"{:.2}\" y2=\"{:.2}\" stroke=\"#a0a0a0\"/>\n\
         <line x1=\"0\" y1=\"{:.2}\" x2=\"{SIDE}\" y2=\"{:.2}\" stroke=\"#a0a0a0\" \
         stroke-dasharray=\"6 4\"/>\n\
         <text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{x_name}</text>\n\
         <text x=\"{}\" y=\"-12\">{y_name}</text>\n",
        along(low),
        SIDE - along(low),
        along(high),
        SIDE - along(high),
        SIDE - never,
        SIDE - never,
        SIDE / 2.0,
        SIDE + 50.0,
        -MARGIN + 12.0,
    )?;
    ticks([low, high], &along, to)?;
    let label = if order == Order::Minimum { "∞" } else { "-∞" };
    writeln!(
        to,
        "<text x=\"-8\" y=\"{:.2}\" text-anchor=\"end\">{label}</text>",
        SIDE - never + 5.0
    )?;
    points(pairs, &along, never, to)?;
    writeln!(to, "</svg>")
}

/// The numbers at both axes.
fn ticks([low, high]: [f64; 2], along: &dyn Fn(f64) -> f64, to: &mut dyn Write) -> io::Result<()> {
    for tick in 0..=TICKS {
        let value = low + (high - low) * f64::from(tick) / f64::from(TICKS);
        let (x, label) = (along(value), shortened(value, high - low));
        writeln!(
            to,
            "<text x=\"{x:.2}\" y=\"{}\" text-anchor=\"middle\">{label}</text>\
             <text x=\"-8\" y=\"{:.2}\" text-anchor=\"end\">{label}</text>",
            SIDE + 22.0,
            SIDE - x + 5.0,
        )?;
    }
    Ok(())
}

/// The points of the components; `never` is the height of those that do not end.
fn points(
    pairs: &[PersistencePair],
    along: &dyn Fn(f64) -> f64,
    never: f64,
    to: &mut dyn Write,
) -> io::Result<()> {
    for pair in pairs.iter().filter(|pair| pair.birth.is_finite()) {
        let (death, color) = match pair.death.is_finite() {
            true => (along(pair.death), ENDED),
            false => (never, LASTING),
        };
        writeln!(
            to,
            "<circle cx=\"{:.2}\" cy=\"{:.2}\" r=\"4\" fill=\"{color}\" fill-opacity=\"0.6\"/>",
            along(pair.birth),
            SIDE - death,
        )?;
    }
    Ok(())
}

/// A number with as many digits as tell the values of a range apart.
fn shortened(value: f64, range: f64) -> String {
    let digits = (2.0 - range.log10().floor()).clamp(0.0, 12.0) as usize;
    let text = format!("{value:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}
