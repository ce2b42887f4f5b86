//! Texts that look alike: without case, accents and characters that no reader sees.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::message::Message;

/// Letters with a combining mark: the mark, the letters with it, and those without.
const ACCENTS: [(char, &str, &str); 12] = [
    ('\u{300}', "àèìòùǹÀÈÌÒÙǸ", "aeiounAEIOUN"),
    ('\u{301}', "áéíóúýćĺńŕśźǵÁÉÍÓÚÝĆĹŃŔŚŹǴ", "aeiouyclnrszgAEIOUYCLNRSZG"),
    ('\u{302}', "âêîôûĉĝĥĵŝŵŷÂÊÎÔÛĈĜĤĴŜŴŶ", "aeioucghjswyAEIOUCGHJSWY"),
    ('\u{303}', "ãñõĩũÃÑÕĨŨ", "anoiuANOIU"),
    ('\u{304}', "āēīōūĀĒĪŌŪ", "aeiouAEIOU"),
    ('\u{306}', "ăĕğĭŏŭйĂĔĞĬŎŬЙ", "aegiouиAEGIOUИ"),
    ('\u{307}', "ċėġżıĊĖĠŻİ", "cegziCEGZI"),
    ('\u{308}', "äëïöüÿёÄËÏÖÜŸЁ", "aeiouyеAEIOUYЕ"),
    ('\u{30a}', "åůÅŮ", "auAU"),
    ('\u{30b}', "őűŐŰ", "ouOU"),
    ('\u{30c}', "čďěľňřšťžǎǐǒǔČĎĚĽŇŘŠŤŽ", "cdelnrstzaiouCDELNRSTZ"),
    ('\u{327}', "çģķļņŗşţÇĢĶĻŅŖŞŢ", "cgklnrstCGKLNRST"),
];

/// A letter without its accent, and the accent.
fn divided(letter: char) -> (char, Option<char>) {
    if letter.is_ascii() {
        return (letter, None);
    }
    let found = ACCENTS.iter().find_map(|(mark, with, without)| {
        let at = with.chars().position(|other| other == letter)?;
        Some((without.chars().nth(at)?, *mark))
    });
    found.map_or((letter, None), |(base, mark)| (base, Some(mark)))
}

/// Whether a character is a combining mark.
fn is_mark(letter: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&letter)
}

/// Whether no reader sees a character, as the property `Default_Ignorable_Code_Point` of Unicode
/// says: it has no width, controls the direction, fills a place, or selects a variant.
fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}')
        || matches!(letter, '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}')
        || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
        || matches!(letter, '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}')
        || matches!(letter, '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}')
        || matches!(letter, '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}')
        || matches!(letter, '\u{e0000}'..='\u{e0fff}')
}

/// Whether a character looks like a space and is none.
fn is_wide_space(letter: char) -> bool {
    !letter.is_ascii() && letter.is_whitespace()
}

/// A text in lower case, without accents.
pub(crate) fn fold(text: &str) -> String {
    let plain = text.chars().map(|letter| divided(letter).0).filter(|&letter| !is_mark(letter));
    plain.flat_map(char::to_lowercase).collect()
}

/// A text as readers see it: without invisible characters, with plain spaces between words, and
/// with each accent as a mark of its own. `None` if this is the text itself.
fn visible(text: &str) -> Option<String> {
    if text.is_ascii() && !text.contains("  ") {
        return None;
    }
    let seen = text.chars().filter(|&letter| !is_invisible(letter));
    let seen = seen.map(|letter| if is_wide_space(letter) { ' ' } else { letter });
    let divided: String = seen
        .flat_map(|letter| {
            let (base, mark) = divided(letter);
            std::iter::once(base).chain(mark)
        })
        .collect();
    let words: Vec<&str> = divided.split(' ').filter(|word| !word.is_empty()).collect();
    Some(words.join(" ")).filter(|visible| visible != text)
}

/// A warning if two of the names look alike: they differ in characters that no reader sees, or in
/// how an accent is stored.
pub(crate) fn alike(names: &[String]) -> Option<Message> {
    let mut changed: HashMap<String, &str> = HashMap::new();
    let mut pair = None;
    for name in names {
        let Some(seen) = visible(name) else { continue };
        match changed.entry(seen) {
            Entry::Occupied(other) => pair = pair.or(Some((*other.get(), name.as_str()))),
            Entry::Vacant(place) => {
                place.insert(name);
            }
        }
    }
    let same = |name: &'_ String| changed.get(name).map(|&other| (other.to_owned(), name.clone()));
    let pair = pair.map(|(one, other)| (one.to_owned(), other.to_owned()));
    let (one, other) = pair.or_else(|| {
        let others = names.iter().filter(|_| !changed.is_empty());
        others.filter(|name| visible(name).is_none()).find_map(same)
    })?;
    let [one, other] = [one, other].map(|name| escaped(&name));
    Some(
        format!(
            "the names '{one}' and '{other}' look alike, but are two vertices; write the same \
             characters if one is meant"
        )
        .into(),
    )
}

/// A name in which characters that look like others, or like nothing, are escaped.
fn escaped(name: &str) -> String {
    let is_plain =
        |letter: char| !is_mark(letter) && !is_invisible(letter) && !is_wide_space(letter);
    let escape = |letter: char| match is_plain(letter) {
        true => letter.to_string(),
        false => letter.escape_unicode().to_string(),
    };
    name.chars().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_has_a_letter_below_its_accent() {
        for (_, with, without) in ACCENTS {
            assert_eq!(with.chars().count(), without.chars().count(), "{with}");
        }
        assert_eq!(fold("Délka ŘEKY e\u{301}"), "delka reky e");
        assert_eq!(fold("Größe"), "große");
    }

    #[test]
    fn texts_that_look_alike_are_one() {
        let seen = |text: &str| visible(text).unwrap_or_else(|| text.into());
        for (text, like) in [
            ("Lyon\u{a0}", "Lyon"),
            ("Can\u{200b}nes", "Cannes"),
            ("Oslo\u{fe0f}", "Oslo"),
            ("Os\u{3164}lo", "Oslo"),
            ("\u{feff}Oslo", "Oslo"),
            ("New\u{a0}York", "New York"),
            ("New  York", "New York"),
            ("Orl\u{e9}ans", "Orle\u{301}ans"),
        ] {
            assert_eq!(seen(text), seen(like), "{text:?}");
        }
        let names = |names: &[&str]| -> Option<String> {
            let names: Vec<String> = names.iter().map(ToString::to_string).collect();
            alike(&names).map(|warning| warning.to_string())
        };
        let warning = names(&["Lyon", "Nice", "Lyon\u{a0}"]).unwrap();
        assert!(warning.starts_with("the names 'Lyon\\u{a0}' and 'Lyon' look alike"), "{warning}");
        assert!(names(&["\u{e9}", "e\u{301}"]).is_some() && names(&["e", "\u{e9}", "a"]).is_none());
        assert_ne!(seen("Orleans"), seen("Orl\u{e9}ans"));
        assert_eq!(visible("Oslo"), None);
    }
}
