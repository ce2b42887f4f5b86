//! Reading a table of points.

use kostra_core::memory;

use super::cells::Cells;
use super::file::File;
use super::headers::Stored;
use super::read::kind_of;
use crate::fault::Fault;
use crate::held_memory::HeldMemory;
use crate::{KeptColumns, damage, number};

/// The columns of coordinates, and those that are kept.
pub(crate) type ChosenColumns = (Vec<usize>, Vec<usize>);

/// Points of a table.
pub(crate) struct PointTable {
    /// The names of the columns of coordinates.
    pub(crate) names: Vec<String>,
    /// The coordinates, row by row.
    pub(crate) coordinates: Vec<f64>,
    pub(crate) kept: KeptColumns,
}

/// Reads the points of a file. `choose` chooses columns by the names of all.
///
/// # Errors
/// When the file is damaged, or a coordinate is missing, no number, or an integer that a float
/// would round.
pub(crate) fn read_points(
    bytes: Vec<u8>,
    choose: impl FnOnce(&[String]) -> Result<ChosenColumns, Fault>,
) -> Result<PointTable, Fault> {
    damage::catch(|| {
        let file = File::open(Stored::in_memory(bytes), &HeldMemory::default())?;
        read_table(&file, choose)
    })
    .unwrap_or_else(|damage| Err(Fault::whole(damage)))
}

fn read_table(
    file: &File,
    choose: impl FnOnce(&[String]) -> Result<ChosenColumns, Fault>,
) -> Result<PointTable, Fault> {
    let names: Vec<String> = file.columns.iter().map(|column| column.name.clone()).collect();
    let (chosen, kept) = choose(&names)?;
    let name = |&column: &usize| names.get(column).cloned().unwrap_or_default();
    let mut points = PointTable {
        names: chosen.iter().map(name).collect(),
        coordinates: Vec::new(),
        kept: KeptColumns::with_kinds(
            kept.iter().map(name).collect(),
            kept.iter().map(|&column| kind_of(file, column)).collect(),
        ),
    };
    let wanted: Vec<usize> = chosen.iter().chain(&kept).copied().collect();
    for group in file.groups() {
        file.scan_group(group, &wanted, |cells| {
            let (coordinates, kept) = cells.split_at_checked(chosen.len()).unwrap_or_default();
            for row in 0..cells.first().map_or(0, Cells::rows) {
                for cells in coordinates {
                    if cells.is_missing(row) {
                        let sentence = "the coordinate is missing; remove the row";
                        return Err(cells.fault(row, sentence).into());
                    }
                    let sentence = "the coordinate is not a number; choose the columns of the \
                                    coordinates with `--columns`";
                    let number = cells.number(row).ok_or_else(|| cells.fault(row, sentence))?;
                    let value = number.exact_float();
                    let value = value.map_err(|i| cells.fault(row, number::would_round(i)))?;
                    memory::push(&mut points.coordinates, value)?;
                }
                for cells in kept {
                    let text = (!cells.is_missing(row)).then(|| cells.text(row)).transpose()?;
                    points.kept.push_value(text.as_deref());
                }
            }
            Ok(())
        })?;
    }
    Ok(points)
}
