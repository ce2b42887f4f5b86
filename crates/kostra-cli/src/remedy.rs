//! How the command spells the remedies in messages of the library.

use kostra_io::{Message, Remedy, RemedyValue};

/// A remedy as a flag that can be pasted into a shell: `--weight km`.
pub(crate) fn spell(remedy: &Remedy) -> String {
    let Remedy::Option { option, value } = remedy else { return "`kostra tree`".to_owned() };
    match value {
        RemedyValue::Unsaid | RemedyValue::On => format!("`--{option}`"),
        RemedyValue::Text(text) => format!("`--{option} {}`", quoted(text)),
        RemedyValue::Position(at) => format!("`--{option} {at}`"),
        RemedyValue::Bytes(bytes) => format!("`--{option} {}MiB`", bytes >> 20),
    }
}

/// Messages with their remedies as flags.
pub(crate) fn spelled(messages: &[Message]) -> Vec<String> {
    messages.iter().map(|message| message.spelled(spell)).collect()
}

fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-.,:/%+@".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_can_be_pasted_into_a_shell() {
        let spell = |option, value| spell(&Remedy::Option { option, value });
        let text = |value: &str| spell("weight", RemedyValue::Text(value.into()));
        assert_eq!(text("km"), "`--weight km`");
        assert_eq!(text("Length (km)"), "`--weight 'Length (km)'`");
        assert_eq!(text("it's"), r"`--weight 'it'\''s'`");
        assert_eq!(spell("no-header", RemedyValue::On), "`--no-header`");
        assert_eq!(spell("keep", RemedyValue::Position(3)), "`--keep 3`");
    }
}
