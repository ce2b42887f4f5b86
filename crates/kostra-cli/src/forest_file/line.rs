//! The lines of a forest in the format `edges`.

use std::borrow::Cow;

/// The first line.
pub(super) const HEADER: &str = "edge\tu\tv\tweight";

/// Writes a name as one column of one line. Backslash, tab, newline and carriage return become
/// `\\`, `\t`, `\n` and `\r`.
pub(super) fn escaped(name: &str) -> Cow<'_, str> {
    if !name.contains(['\\', '\t', '\n', '\r']) {
        return Cow::Borrowed(name);
    }
    let name = name.replace('\\', "\\\\").replace('\t', "\\t");
    Cow::Owned(name.replace('\n', "\\n").replace('\r', "\\r"))
}
