//! The report of `kostra persistence`.

use std::time::Duration;

use kostra_core::Total;
use serde::Serialize;

use super::filtration::Found;
use super::table::place;
use crate::report::{self, JsonNumber, Sheet, count};

/// The number of components that the report lists.
const SHOWN: usize = 5;

/// The report as JSON.
#[derive(Default, Serialize)]
pub(super) struct Record {
    input: String,
    pub(super) superlevel: bool,
    /// Null for a graph and for points.
    connectivity: Option<u32>,
    components: usize,
    /// The components that do not end.
    lasting: usize,
    pub(super) min_persistence: f64,
    /// The components that do not last longer than `min_persistence`.
    pub(super) left_out: usize,
    longest: Vec<Component>,
    /// The files of the components and of the tree; null if they are not written.
    pub(super) files: [Option<String>; 2],
    pub(super) seconds: Seconds,
}

#[derive(Serialize)]
struct Component {
    birth: JsonNumber,
    death: JsonNumber,
    vertex: u32,
    #[serde(skip)]
    place: String,
}

#[derive(Default, Serialize)]
pub(super) struct Seconds {
    load: f64,
    solve: f64,
    /// Null if nothing is written.
    write: Option<f64>,
}

impl Seconds {
    pub(super) fn new(found: &Found, write: Option<Duration>) -> Self {
        let write = write.map(|write| write.as_secs_f64());
        Self { load: found.load.as_secs_f64(), solve: found.solve.as_secs_f64(), write }
    }
}

impl Record {
    pub(super) fn new(input: String, found: &Found) -> Self {
        let number = |value: f64| JsonNumber(Total::Float(value));
        let shown = found.longest_first().into_iter().take(SHOWN);
        let component = |pair: usize| {
            let pair = &found.pairs[pair];
            let place = match (&found.cells, &found.names) {
                (Some(cells), _) => {
                    let [x, y, z] = place(cells, pair.vertex);
                    let z = if cells.is_volume { format!(", z = {z}") } else { String::new() };
                    format!("x = {x}, y = {y}{z}")
                }
                (None, Some(names)) => names[pair.vertex as usize].clone(),
                (None, None) => format!("vertex {}", pair.vertex),
            };
            let (birth, death) = (number(pair.birth), number(pair.death));
            Component { birth, death, vertex: pair.vertex, place }
        };
        Self {
            input,
            connectivity: found.cells.as_ref().map(|cells| cells.neighbors.number()),
            components: found.pairs.len(),
            lasting: found.pairs.iter().filter(|pair| pair.end.is_none()).count(),
            longest: shown.map(component).collect(),
            ..Self::default()
        }
    }

    pub(super) fn sheet(&self, found: &Found) -> String {
        let mut sheet = Sheet::default();
        sheet.gap();
        sheet.line(found.what.0, &found.what.1);
        let direction = if self.superlevel { "superlevel" } else { "sublevel" };
        let neighbors = self.connectivity.map(|number| format!(", connectivity {number}"));
        sheet.line("filtration", format!("{direction}{}", neighbors.unwrap_or_default()));
        let components = count(self.components as u64, "component", "components");
        let lasting = match self.lasting {
            1 => "one does not end".to_owned(),
            number => format!("{} do not end", report::weight(Total::Integer(number as i128))),
        };
        sheet.line("components", format!("{components}, of which {lasting}"));
        if self.min_persistence > 0.0 {
            let others = count(self.left_out as u64, "component", "components");
            let least = report::weight(Total::Float(self.min_persistence));
            sheet.line("left out", format!("{others} that do not last longer than {least}"));
        }
        for (row, component) in self.longest.iter().enumerate() {
            let label = if row == 0 { "longest" } else { "" };
            let [birth, death] = [&component.birth, &component.death].map(|n| report::weight(n.0));
            sheet.line(label, format!("{birth} to {death}, from {}", component.place));
        }
        for file in self.files.iter().flatten() {
            sheet.line("written", file);
        }
        sheet.gap();
        let Seconds { load, solve, write } = self.seconds;
        let mut times = vec![("load", load), ("solve", solve)];
        times.extend(write.map(|write| ("write", write)));
        let times: Vec<_> =
            times.into_iter().map(|(step, time)| (step, Duration::from_secs_f64(time))).collect();
        sheet.times(&times);
        format!("Components of {}\n{sheet}", self.input)
    }
}
