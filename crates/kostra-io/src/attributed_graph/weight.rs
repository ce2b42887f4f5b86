//! Which attribute of the edges is the weight, and what its values are.

use std::cell::OnceCell;

use crate::column_choice::is_similarity;
use crate::columns::TextNumber;
use crate::message::{Message, Remedy, message};
use crate::number::{self, did_you_mean, show};
pub(crate) use crate::options::WEIGHT;
use crate::quantity::{Quantity, without_tags};
use crate::{ColumnChoice, ColumnOptions, ReadErrorKind, ReadOptions};

/// Which attribute of the edges is the weight.
#[derive(Debug)]
pub(crate) struct WeightAttribute<'a> {
    pub(super) options: &'a ReadOptions,
    chosen: Option<&'a str>,
    /// Other attributes that are numbers, in order of appearance.
    others: Vec<String>,
    /// Attributes with a unit in every value, and the unit; none if the values differ in it.
    measured: Vec<(String, Option<String>)>,
    /// All attributes besides the weight.
    seen: Vec<String>,
    /// The unit of the weights so far; empty for numbers without a unit.
    unit: Option<String>,
    /// The attribute that contains an attribute [`WEIGHT`].
    nested: Option<String>,
    /// The spellings of [`WEIGHT`] that occur: the first, and another one.
    spellings: [OnceCell<String>; 2],
}

impl<'a> WeightAttribute<'a> {
    /// The name that the options give.
    pub(crate) fn name(&self) -> Option<&'a str> {
        self.chosen
    }

    /// The attribute that the options name.
    ///
    /// # Errors
    /// When they give a position.
    pub(crate) fn new(options: &'a ReadOptions) -> Result<Self, ReadErrorKind> {
        let chosen = match &options.columns.weight {
            None => None,
            Some(ColumnChoice::Name(name) | ColumnChoice::NameOrPosition(name)) => Some(&**name),
            Some(ColumnChoice::Position(_)) => {
                let sentence = "the edges have named attributes and no columns; pass the name of \
                                the attribute that is the weight";
                return Err(ReadErrorKind::Columns {
                    sentence: sentence.into(),
                    columns: Vec::new(),
                });
            }
        };
        Ok(Self {
            options,
            chosen,
            others: Vec::new(),
            measured: Vec::new(),
            seen: Vec::new(),
            unit: None,
            nested: None,
            spellings: Default::default(),
        })
    }

    /// See [`Loaded::similarity`](crate::Loaded).
    pub(crate) fn similarity(&self) -> Option<String> {
        self.chosen.filter(|name| is_similarity(name)).map(str::to_owned)
    }

    /// Whether the attribute with this name is the weight.
    pub(crate) fn is(&self, name: &str) -> bool {
        let Some(chosen) = self.chosen else {
            let is_weight = name.eq_ignore_ascii_case(WEIGHT);
            if is_weight {
                let [first, other] = &self.spellings;
                if first.get_or_init(|| name.into()) != name {
                    other.get_or_init(|| name.into());
                }
            }
            return is_weight;
        };
        name == chosen
    }

    /// Refuses edges with the attributes `weight` and `Weight`, which may both be the weight.
    ///
    /// # Errors
    /// When there are such edges.
    pub(super) fn check_spelling(&self) -> Result<(), ReadErrorKind> {
        let [Some(first), Some(other)] = self.spellings.each_ref().map(OnceCell::get) else {
            return Ok(());
        };
        let sentence = message![
            format!("is the weight the attribute '{first}' or '{other}'? pass "),
            Remedy::option("weight"),
            " with one of them",
        ];
        let columns = vec![first.clone(), other.clone()];
        Err(ReadErrorKind::Columns { sentence, columns })
    }

    /// The weight that a text is: a number, perhaps with a unit and inside tags of HTML.
    ///
    /// # Errors
    /// When it is no number, or its unit is not that of the weights before it.
    pub(crate) fn number(&mut self, text: &str) -> Result<TextNumber, Message> {
        let nan = self.options.nan;
        let plain = without_tags(text);
        let text = plain.as_deref().unwrap_or(text).trim();
        let (number, unit) = match number::weight(text.as_bytes(), nan) {
            Ok(number) => (number, ""),
            Err(sentence) => {
                let Quantity { number, unit } = Quantity::parse(text).ok_or(sentence)?;
                (number::weight(number.as_bytes(), nan)?, unit)
            }
        };
        let first = self.unit.get_or_insert_with(|| unit.into());
        if first == unit {
            return Ok(number);
        }
        let [first, unit] = [&**first, unit].map(|unit| match unit {
            "" => "no unit".to_owned(),
            unit => format!("the unit '{}'", show(unit.as_bytes())),
        });
        let sentence = format!("the weight has {unit}, but weights before it have {first}");
        Err(format!("{sentence}; use one unit").into())
    }

    /// The number that a text is, whatever its unit.
    pub(crate) fn number_in(&self, text: &str) -> Option<TextNumber> {
        let plain = without_tags(text);
        let measure = Quantity::parse(plain.as_deref().unwrap_or(text))?;
        number::weight(measure.number.as_bytes(), self.options.nan).ok()
    }

    /// The note on the unit of the weights, if they have one.
    pub(super) fn note_on_unit(&self) -> Option<Message> {
        let unit = self.unit.as_deref().filter(|unit| !unit.is_empty())?;
        Some(format!("the unit of the weights is '{}'", show(unit.as_bytes())).into())
    }

    /// Records an attribute that is not the weight, and its value.
    pub(crate) fn see(&mut self, name: &str, text: &str) {
        if text.trim().parse::<f64>().is_ok() {
            return self.see_other(name);
        }
        if !self.may_be_weight(name) || !remember(&mut self.seen, name) {
            return;
        }
        let plain = without_tags(text);
        let measure = Quantity::parse(plain.as_deref().unwrap_or(text));
        let unit = measure.map(|measure| measure.unit.to_owned());
        match self.measured.iter_mut().find(|(other, _)| other == name) {
            Some((_, before)) => drop(before.take_if(|before| unit.as_ref() != Some(before))),
            None => self.measured.push((name.into(), unit)),
        }
    }

    /// Records an attribute that is a number and not the weight.
    pub(crate) fn see_other(&mut self, name: &str) {
        if self.may_be_weight(name) {
            remember(&mut self.seen, name);
            remember(&mut self.others, name);
        }
    }

    /// Whether the options leave open what an attribute is: they neither keep it nor name it as the
    /// id.
    fn may_be_weight(&self, name: &str) -> bool {
        let ColumnOptions { id, keep, .. } = &self.options.columns;
        !id.iter().chain(keep).any(|choice| match choice {
            ColumnChoice::Name(chosen) | ColumnChoice::NameOrPosition(chosen) => chosen == name,
            ColumnChoice::Position(_) => false,
        })
    }

    /// Records an attribute that contains an attribute [`WEIGHT`].
    pub(crate) fn see_nested(&mut self, name: &str) {
        self.nested.get_or_insert_with(|| name.into());
    }

    /// Refuses a graph without weights if the user names an attribute, or if other attributes may
    /// be the weight. Returns a warning of other attributes.
    pub(crate) fn check_absence(self) -> Result<Option<Message>, ReadErrorKind> {
        let Self { options, chosen, mut others, measured, seen, nested, .. } = self;
        for (name, _) in measured.iter().filter(|(_, unit)| unit.is_some()) {
            remember(&mut others, name);
        }
        let shown: Vec<_> =
            others.iter().map(|name| format!("'{}'", show(name.as_bytes()))).collect();
        let list = shown.join(", ");
        let sentence = match (chosen, nested) {
            (Some(chosen), _) => {
                let remedy = match others.is_empty() {
                    true => "omit the option".to_owned(),
                    false => format!(
                        "numbers are in {list}{}",
                        did_you_mean(chosen, others.iter().map(String::as_str))
                    ),
                };
                message![
                    Remedy::text("weight", show(chosen.as_bytes())),
                    format!(": no edge has this attribute; {remedy}"),
                ]
            }
            (None, _) if options.missing_weights.is_some() => return Ok(None),
            (None, Some(name)) => {
                let name = show(name.as_bytes());
                message![
                    format!("the weight is nested in the attribute '{name}'"),
                    "; make it an attribute of the edge, or pass ",
                    Remedy::text("weights", "unit"),
                ]
            }
            (None, None) if others.is_empty() => return Ok(warning(&seen)),
            (None, None) => message![
                format!("which attribute is the weight? numbers are in {list}; pass "),
                Remedy::option("weight"),
                " with one of these, or ",
                Remedy::text("weights", "unit"),
            ],
        };
        Err(ReadErrorKind::Columns { sentence, columns: others })
    }
}

/// A question lists no more names than a reader of it compares.
const MOST_LISTED: usize = 8;

/// Adds a name to a list, unless the list is long. Returns whether it has the name.
fn remember(names: &mut Vec<String>, name: &str) -> bool {
    let is_listed = names.iter().any(|other| other == name);
    let is_new = !is_listed && names.len() < MOST_LISTED;
    if is_new {
        names.push(name.into());
    }
    is_listed || is_new
}

/// The warning that edges weigh 1 although they have attributes.
fn warning(seen: &[String]) -> Option<Message> {
    let shown: Vec<_> = seen.iter().map(|name| format!("'{}'", show(name.as_bytes()))).collect();
    let list = shown.join(", ");
    (!seen.is_empty()).then(|| {
        message![
            format!("each edge weighs 1, but edges have the attributes {list}; pass "),
            Remedy::option("weight"),
            " with one of these if it is the weight, or ",
            Remedy::text("weights", "unit"),
        ]
    })
}
