//! The HTML of the page: one file with its style, its script and its plots.

use std::fmt::Write;

use super::Figure;
use super::cells::{Group, Section};
use super::draw::{GRID, INK, PAPER};
use super::plot::Plot;
use super::table::Table;
use crate::date;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Escapes a text for HTML, attributes included.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// The page of all sections with the figures of their groups.
pub(super) fn page(sections: &[(&Section, Vec<Vec<Figure>>)]) -> String {
    let mut body = String::new();
    // Writing to a string cannot fail.
    let _ = contents(&mut body, sections);
    for (at, (section, figures)) in sections.iter().enumerate() {
        let _ = one(&mut body, at, section, figures);
    }
    let [paper, ink, grid] =
        [PAPER, INK, GRID].map(|color| format!("#{:02X}{:02X}{:02X}", color.0, color.1, color.2));
    let style = STYLE.replace("PAPER", &paper).replace("INK", &ink).replace("GRID", &grid);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>Kostra: benchmark report</title>\n<link rel=\"icon\" href=\"data:,\">\n\
         <style>\n{style}</style>\n</head>\n<body>\n<main>\n{body}</main>\n\
         <script>\n{SCRIPT}</script>\n</body>\n</html>\n"
    )
}

fn contents(text: &mut String, sections: &[(&Section, Vec<Vec<Figure>>)]) -> std::fmt::Result {
    writeln!(text, "<h1>Kostra: benchmark report</h1>")?;
    writeln!(
        text,
        "<p>Made by <code>kostra-bench report</code> {} on {}. Times are medians of all samples. A \
         click on a heading of a table sorts the table.</p>\n<nav><ul>",
        env!("CARGO_PKG_VERSION"),
        date::now()
    )?;
    for (at, (section, figures)) in sections.iter().enumerate() {
        let plots: usize = figures.iter().map(Vec::len).sum();
        let title = escape(&section.title);
        writeln!(text, "<li><a href=\"#section-{at}\">{title}</a> ({plots} plots)")?;
        let groups = section.groups.iter().enumerate().filter(|(_, group)| !group.title.is_empty());
        let link = |(number, group): (usize, &Group)| {
            let title = escape(&group.title);
            format!("<li><a href=\"#{}\">{title}</a></li>\n", anchor(at, number))
        };
        let links: String = groups.map(link).collect();
        if !links.is_empty() {
            writeln!(text, "<ul>\n{links}</ul>")?;
        }
        writeln!(text, "</li>")?;
    }
    writeln!(text, "</ul></nav>")
}

/// The id of a group of a section.
fn anchor(section: usize, group: usize) -> String {
    format!("group-{section}-{group}")
}

fn one(
    text: &mut String,
    at: usize,
    section: &Section,
    figures: &[Vec<Figure>],
) -> std::fmt::Result {
    writeln!(text, "<section id=\"section-{at}\">\n<h2>{}</h2>\n<dl>", escape(&section.title))?;
    for (name, value) in &section.facts {
        writeln!(text, "<dt>{}</dt><dd>{}</dd>", escape(name), escape(value))?;
    }
    writeln!(text, "</dl>")?;
    for (number, (group, figures)) in section.groups.iter().zip(figures).enumerate() {
        group_of(text, &anchor(at, number), group, figures)?;
    }
    writeln!(text, "</section>")
}

fn group_of(text: &mut String, id: &str, group: &Group, figures: &[Figure]) -> std::fmt::Result {
    if !group.title.is_empty() {
        writeln!(text, "<h3 id=\"{id}\">{}</h3>", escape(&group.title))?;
    }
    for fault in &group.faults {
        writeln!(text, "<p class=\"fault\">{}</p>", escape(fault))?;
    }
    list(text, &group.facts)?;
    for figure in figures {
        writeln!(
            text,
            "<figure id=\"{}\" data-marks=\"{}\">\n{}<figcaption>{} {}</figcaption>\n</figure>",
            escape(&figure.plot.id),
            figure.plot.marks(),
            inline(figure),
            escape(&figure.plot.note),
            download(&figure.plot)
        )?;
    }
    for table in &group.tables {
        text.push_str(&table.html());
    }
    if let Some(table) = Table::from_cells(group) {
        text.push_str(&table.html());
    }
    if !group.skipped.is_empty() {
        writeln!(text, "<details><summary>Not measured: {}</summary>", group.skipped.len())?;
        list(text, &group.skipped)?;
        writeln!(text, "</details>")?;
    }
    Ok(())
}

/// The drawing inside the page, with a name for readers that cannot see it.
fn inline(figure: &Figure) -> String {
    let title = escape(&figure.plot.title);
    figure.svg.replacen("<svg ", &format!("<svg role=\"img\" aria-label=\"{title}\" "), 1)
}

/// A link to the values of a plot, which are in the link itself.
fn download(plot: &Plot) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let mut data = String::new();
    for byte in plot.csv().bytes() {
        if is_plain(byte) {
            data.push(byte.into());
        } else {
            // Writing to a string cannot fail.
            let _ = write!(data, "%{byte:02X}");
        }
    }
    let id = escape(&plot.id);
    format!(
        "<a download=\"{id}.csv\" href=\"data:text/csv;charset=utf-8,{data}\">Values as CSV</a>"
    )
}

fn list(text: &mut String, items: &[String]) -> std::fmt::Result {
    if items.is_empty() {
        return Ok(());
    }
    let items: String = items.iter().map(|item| format!("<li>{}</li>\n", escape(item))).collect();
    writeln!(text, "<ul>\n{items}</ul>")
}
