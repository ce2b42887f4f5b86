//! Whether the edges of an input have directions.

use kostra_io::Undirected;

use crate::input::InputGraph;

/// Replaces the notes on directions by one that says what the directions are.
///
/// # Errors
/// When the input is not directed, or its reader does not keep the directions.
pub(super) fn check(input: &mut InputGraph) -> anyhow::Result<()> {
    kostra_io::take_directions(input.format, &mut input.notes).map_err(|reason| match reason {
        Undirected::BothCosts => anyhow::anyhow!("{reason}"),
        Undirected::Input(_) => {
            anyhow::anyhow!("{reason}, or use `kostra solve --root` for edges in both directions")
        }
    })?;
    input.notes.push("each edge leads from its first end to its second".to_owned());
    Ok(())
}
