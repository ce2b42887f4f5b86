//! The second half of a round: components choose their pairs, and are joined along them.

use super::kernels::{Arguments, counter};
use super::rounds::Rounds;
use crate::error::DeviceError;

impl Rounds<'_> {
    /// Joins `components` components, adds their pairs to the edges, and lists the roots.
    pub(super) fn join(&mut self, components: u32) -> Result<(), DeviceError> {
        const DOING: &str = "joining components";
        self.run_on_points(&self.kernels.choose, "choosing pairs")?;
        // The hooks take the place of the queries, which no search needs any more.
        let arguments = &Arguments { count: components, ..self.arguments() };
        self.launch(&self.kernels.hook, components, arguments, DOING)?;
        self.launch(&self.kernels.add_edges, components, arguments, DOING)?;
        let mut of_round = self.counters.slice_mut(..counter::EDGES);
        self.device.fill(&mut of_round, 0)?;
        let mut of_components = self.counters.slice_mut(counter::COMPONENTS..);
        self.device.fill(&mut of_components, 0)?;
        self.launch(&self.kernels.shortcut, components, arguments, DOING)
    }
}
