//! The components and their tree as tables.

use kostra::table::{Table, TableColumn, TableError, TableFormat, TableValues};
use kostra::variants::JoinTree;
use kostra_core::Order;
use kostra_io::{KeptColumns, Output};

use super::diagram;
use super::filtration::Found;
use crate::output;
use crate::pixels::PixelCells;

/// The format of the components.
#[derive(Clone, Copy)]
pub(super) enum Destination {
    Table(TableFormat),
    Diagram,
}

impl Destination {
    pub(super) fn of(output: &Output) -> Result<Self, TableError> {
        match output {
            Output::Path(path) if kostra_io::extension(path).as_deref() == Some("svg") => {
                Ok(Self::Diagram)
            }
            _ => TableFormat::of(output, false).map(Self::Table),
        }
    }
}

pub(super) fn tree_format(output: &Output) -> Result<TableFormat, TableError> {
    TableFormat::of(output, false)
}

/// The place of a cell: the column, the row and the layer.
pub(super) fn place(cells: &PixelCells, cell: u32) -> [u32; 3] {
    let [_, height, width] = cells.shape.map(|length| length as u32);
    [cell % width, cell / width % height, cell / width / height]
}

impl Found {
    /// Writes the components, those that last longest first.
    pub(super) fn write(
        &self,
        to: &Output,
        format: Destination,
        order: Order,
    ) -> anyhow::Result<()> {
        let Destination::Table(format) = format else {
            return Ok(output::write_lines(to, |file| diagram::write(&self.pairs, order, file))?);
        };
        let longest = self.longest_first();
        let floats = |value: fn(&kostra::variants::PersistencePair) -> f64| -> Vec<f64> {
            longest.iter().map(|&pair| value(&self.pairs[pair])).collect()
        };
        let (births, deaths) = (floats(|pair| pair.birth), floats(|pair| pair.death));
        let vertices: Vec<_> = longest.iter().map(|&pair| self.pairs[pair].vertex).collect();
        let places: Vec<[u32; 2]> = vertices.iter().map(|&vertex| [vertex, 0]).collect();
        let of_cell = |cells: &PixelCells, axes: [usize; 2]| -> Vec<[u32; 2]> {
            let place = |&vertex: &u32| axes.map(|axis| place(cells, vertex)[axis]);
            vertices.iter().map(place).collect()
        };
        let flat = self.cells.as_ref().map(|cells| of_cell(cells, [0, 1])).unwrap_or_default();
        let deep = self.cells.as_ref().map(|cells| of_cell(cells, [2, 2])).unwrap_or_default();
        let mut columns = vec![
            TableColumn { name: "birth", values: TableValues::Floats(&births) },
            TableColumn { name: "death", values: TableValues::Floats(&deaths) },
        ];
        match &self.cells {
            Some(cells) => {
                columns.push(TableColumn { name: "x", values: TableValues::Ends(&flat, 0) });
                columns.push(TableColumn { name: "y", values: TableValues::Ends(&flat, 1) });
                if cells.is_volume {
                    columns.push(TableColumn { name: "z", values: TableValues::Ends(&deep, 0) });
                }
            }
            None => {
                columns.push(TableColumn { name: "vertex", values: TableValues::Ends(&places, 0) });
            }
        }
        let kept = KeptColumns::default();
        let table = Table::new(&columns, &kept)?;
        Ok(output::write_lines(to, |file| table.write(format, file))?)
    }

    /// Writes the tree: the value and the place of each node, and its parent, or -1 for a root.
    pub(super) fn write_tree(&self, to: &Output, format: TableFormat) -> anyhow::Result<()> {
        // A component ends in one that lasts at least as long, so none is missing.
        let tree = JoinTree::new(&self.pairs).unwrap_or_default();
        let places: Vec<[u32; 2]> = tree.places.iter().map(|&place| [place, 0]).collect();
        let parent = |parent: &Option<u32>| parent.map_or(-1, |parent| parent as i32);
        let parents: Vec<_> = tree.parents.iter().map(parent).collect();
        let columns = [
            TableColumn { name: "value", values: TableValues::Floats(&tree.values) },
            TableColumn { name: "place", values: TableValues::Ends(&places, 0) },
            TableColumn { name: "parent", values: TableValues::Labels(&parents) },
        ];
        let kept = KeptColumns::default();
        let table = Table::new(&columns, &kept)?;
        Ok(output::write_lines(to, |file| table.write(format, file))?)
    }
}
