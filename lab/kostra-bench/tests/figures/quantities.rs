//! Quantities of records: their numbers, and what follows from samples.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::rc::Rc;

use serde_json::{Map, Value};

use crate::tables::Figure;

/// The quantities of several records.
#[derive(Default)]
pub(crate) struct Records {
    quantities: Vec<Quantity>,
    /// The words that quantities belong to.
    known: HashMap<String, u32>,
    /// The graphs by record and name.
    groups: BTreeMap<String, usize>,
}

type Words = Rc<Vec<u32>>;

struct Quantity {
    value: f64,
    unit: Unit,
    of: Place,
}

/// Where a quantity is in a record.
#[derive(Clone, Default)]
struct Place {
    /// The words of the keys and names that lead to it.
    words: Words,
    /// The graph, or other entry, that it belongs to.
    group: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum Unit {
    Seconds,
    Milliseconds,
    Bytes,
    Rate,
    Other,
}

/// Lists of at most this length are figures one by one, such as one for each run.
const FEW: usize = 5;

/// Descriptions are longer than names.
const LONGEST_NAME: usize = 60;

/// Families of graphs: the label of a row begins with one, and more words describe the graph.
const FAMILIES: &[&str] = &["grid", "road", "uniform", "dense", "r-mat"];

/// Labels of tables, and the words of records for them.
const ALIASES: &[(&str, &str)] = &[
    ("r-mat", "rmat"),
    ("leaders", ""),
    ("total", ""),
    ("kostra", ""),
    ("without", ""),
    ("partition", ""),
    ("minpma", "cuda-pma-min"),
    ("sortpma", "cuda-pma-sort"),
    ("hybridpma", "cuda-pma-hybrid"),
    ("gpu-u", "cuda-boruvka-contract"),
    ("gpu-e", "cuda-boruvka-contract-edge"),
];

impl Records {
    /// Reads the records with these names.
    pub(crate) fn read(folder: &Path, names: &[String]) -> Self {
        let mut all = Self::default();
        for name in names {
            let text = std::fs::read(folder.join(format!("{name}.json"))).unwrap();
            let of = all.with(&Place::default(), &name.split('-').collect::<Vec<_>>());
            all.add(&serde_json::from_slice(&text).unwrap(), Unit::Other, &of);
        }
        all
    }

    fn add(&mut self, value: &Value, unit: Unit, of: &Place) {
        match value {
            Value::Number(number) => self.push(number.as_f64().unwrap(), unit, of),
            Value::String(text) => {
                for word in text.split_whitespace() {
                    if let Ok(number) = word.replace(',', "").parse() {
                        self.push(number, unit, of);
                    }
                }
            }
            Value::Array(values) => {
                let numbers: Vec<_> = values.iter().filter_map(Value::as_f64).collect();
                if numbers.len() == values.len() {
                    self.add_samples(numbers, unit, of);
                } else {
                    self.add_entries(values, unit, of);
                }
            }
            Value::Object(fields) => self.add_fields(fields, unit, of),
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn add_fields(&mut self, fields: &Map<String, Value>, unit: Unit, of: &Place) {
        let names = fields.values().filter_map(Value::as_str);
        let names: Vec<_> = names.filter(|text| text.len() < LONGEST_NAME).collect();
        let of = self.with(of, &names);
        let number = |key: &str| fields.get(key).and_then(Value::as_f64);
        if let (Some(seconds), Some(committed), Some(aborted)) =
            (number("seconds"), number("committed"), number("aborted"))
        {
            self.push(committed / seconds, Unit::Other, &of);
            self.push(aborted / (committed + aborted), Unit::Other, &of);
        }
        for (key, value) in fields {
            let unit = Unit::of(key).unwrap_or(unit);
            let place = self.with(&of, &[key]);
            if let (true, Value::Object(steps)) = (key.starts_with("steps"), value) {
                self.push(steps.values().filter_map(Value::as_f64).sum(), unit, &place);
            }
            let entries = match value {
                Value::Object(entries) if GROUPS.contains(&key.as_str()) => {
                    entries.iter().map(|(key, value)| (key.as_str(), value)).collect()
                }
                Value::Array(entries) if GROUPS.contains(&key.as_str()) => {
                    self.add_repeated_contests(entries, &place);
                    entries.iter().map(|value| ("", value)).collect()
                }
                _ => Vec::new(),
            };
            for (key, value) in &entries {
                let names = ["name", "source", "spec", "graph"];
                let name = names.into_iter().find_map(|name| value[name].as_str());
                let next = self.groups.len() + 1;
                let name = name.map_or_else(|| next.to_string(), str::to_owned);
                let group = *self.groups.entry(name).or_insert(next);
                let of = Place { group, ..self.with(&place, &[key]) };
                self.add(value, unit, &of);
            }
            if entries.is_empty() {
                self.add(value, unit, &place);
            }
        }
    }

    /// The entries of a list, samples and sums of the fields that all have, and sums by name.
    fn add_entries(&mut self, entries: &[Value], unit: Unit, of: &Place) {
        for entry in entries {
            self.add(entry, unit, of);
        }
        let keys = entries.first().and_then(Value::as_object).into_iter().flat_map(Map::keys);
        for key in keys {
            let numbers: Vec<_> = entries.iter().filter_map(|entry| entry[key].as_f64()).collect();
            if numbers.len() == entries.len() {
                let (unit, of) = (Unit::of(key).unwrap_or(unit), self.with(of, &[key]));
                self.push(numbers.iter().sum(), unit, &of);
                self.add_samples(numbers, unit, &of);
            }
        }
        let mut sums = BTreeMap::<_, f64>::new();
        for entry in entries {
            if let (Some(name), Some(seconds)) = (entry["name"].as_str(), entry["seconds"].as_f64())
            {
                *sums.entry(name).or_default() += seconds;
            }
        }
        for (name, seconds) in sums {
            let of = self.with(of, &[name]);
            self.push(seconds, Unit::Seconds, &of);
        }
    }

    /// The samples of contests on the same graph and number of threads together.
    fn add_repeated_contests(&mut self, entries: &[Value], of: &Place) {
        let mut all = BTreeMap::<_, (usize, Vec<f64>)>::new();
        for entry in entries {
            for contestant in entry["contestants"].as_array().into_iter().flatten() {
                let (graph, name) = (entry["name"].as_str(), contestant["name"].as_str());
                let seconds = contestant["timing"]["seconds"].as_array().into_iter().flatten();
                let key = (graph.unwrap_or(""), name.unwrap_or(""), entry["threads"].as_u64());
                let pooled = all.entry(key).or_default();
                pooled.0 += 1;
                pooled.1.extend(seconds.filter_map(Value::as_f64));
            }
        }
        for ((graph, name, _), (contests, seconds)) in all {
            if contests > 1 {
                let of = self.with(of, &[graph, name]);
                self.add_samples(seconds, Unit::Seconds, &of);
            }
        }
    }

    /// The same place with the words of further names.
    fn with(&mut self, of: &Place, names: &[&str]) -> Place {
        let mut words = Vec::clone(&of.words);
        for name in names {
            let name = name.to_lowercase();
            let whole = if name.starts_with("kostra-") { ".+" } else { "-.+" };
            let parts = name.split(|c: char| !c.is_alphanumeric() && !whole.contains(c));
            let family = name.starts_with("gnm:").then_some("uniform");
            for word in parts.chain([name.as_str()]).chain(family).filter(|word| !word.is_empty()) {
                let next = u32::try_from(self.known.len()).unwrap();
                words.push(*self.known.entry(word.to_owned()).or_insert(next));
            }
        }
        words.sort_unstable();
        words.dedup();
        Place { words: Rc::new(words), group: of.group }
    }

    fn add_samples(&mut self, mut numbers: Vec<f64>, unit: Unit, of: &Place) {
        if numbers.is_empty() {
            return;
        }
        if numbers.len() <= FEW {
            numbers.iter().for_each(|&number| self.push(number, unit, of));
        }
        let count = numbers.len() as f64;
        let mean = numbers.iter().sum::<f64>() / count;
        let geometric = (numbers.iter().map(|number| number.ln()).sum::<f64>() / count).exp();
        numbers.sort_by(f64::total_cmp);
        let (low, high) = (numbers[(numbers.len() - 1) / 2], numbers[numbers.len() / 2]);
        let most = numbers[numbers.len() - 1];
        for value in [f64::midpoint(low, high), numbers[0], most, mean, geometric] {
            self.push(value, unit, of);
        }
    }

    fn push(&mut self, value: f64, unit: Unit, of: &Place) {
        self.quantities.push(Quantity { value, unit, of: of.clone() });
    }

    /// The labels that the records know.
    pub(crate) fn known_labels(&self, labels: &[&str]) -> Vec<u32> {
        let mut found = Vec::new();
        for label in labels {
            let label = label.to_lowercase();
            let code = label.split('`').skip(1).step_by(2);
            let start = label.split([',', '`']).next().unwrap_or_default().trim();
            let first = start.split(' ').next().unwrap_or_default();
            let start = if FAMILIES.contains(&first) { first } else { start };
            for name in code.chain([start]) {
                let alias = ALIASES.iter().find(|(label, _)| *label == name);
                let name = alias.map_or(name, |(_, word)| word);
                let known = self.known.get(name).filter(|_| name.parse::<f64>().is_err());
                found.extend(known);
            }
        }
        found
    }

    /// Whether a quantity with these labels rounds to the figure.
    pub(crate) fn contain(&self, figure: &Figure, labels: &[u32]) -> bool {
        let labeled =
            |one: &&Quantity| labels.iter().all(|label| one.of.words.binary_search(label).is_ok());
        let fitting: Vec<_> = self.quantities.iter().filter(labeled).collect();
        let shown = |one: &&Quantity| {
            one.unit.scales(figure.percent).iter().any(|scale| figure.rounds(one.value * scale))
        };
        fitting.iter().any(shown) || (figure.ratio && self.ratio(&fitting, figure))
    }

    /// Whether the figure is the ratio of a fitting quantity and another of the same graph.
    fn ratio(&self, fitting: &[&Quantity], figure: &Figure) -> bool {
        let scale = if figure.percent { 100.0 } else { 1.0 };
        fitting.iter().filter(|a| a.unit != Unit::Other && a.value > 0.0).any(|a| {
            let group = |b: &&Quantity| b.of.group == a.of.group && b.unit == a.unit;
            self.quantities.iter().filter(group).filter(|b| b.value > 0.0).any(|b| {
                figure.rounds(scale * a.value / b.value) || figure.rounds(scale * b.value / a.value)
            })
        })
    }
}

/// The keys of lists whose entries are graphs or the like.
const GROUPS: &[&str] = &["graphs", "measured", "results", "experiments", "partition"];

impl Unit {
    /// The unit that the name of a field says.
    fn of(key: &str) -> Option<Self> {
        let key = key.to_lowercase();
        if key.contains("_per_") || key == "nanoseconds" {
            Some(Self::Rate)
        } else if key.contains("seconds") || key == "phases" {
            Some(Self::Seconds)
        } else if key.ends_with("ms") {
            Some(Self::Milliseconds)
        } else if key.contains("bytes") {
            Some(Self::Bytes)
        } else {
            None
        }
    }

    /// The factors by which a table may show it.
    fn scales(self, percent: bool) -> &'static [f64] {
        const MIB: f64 = 1.0 / 1_048_576.0;
        match self {
            _ if percent => &[1.0, 100.0],
            Self::Seconds => &[1.0, 1e3, 1e6],
            Self::Milliseconds => &[1.0, 1e-3, 1e3],
            Self::Bytes => &[1.0, 1e-3, 1e-6, 1e-9, MIB, MIB / 1024.0],
            Self::Rate | Self::Other => &[1.0, 1e-3, 1e-6],
        }
    }
}
