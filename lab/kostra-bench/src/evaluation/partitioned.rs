//! Experiments about partitions: Kostra's partitioners on threads and on a device, and METIS if its
//! program is there.

use super::PaperArguments;
use super::family::{Family, PaperGraph};
use crate::partition::{self, ClassedGraph, PartitionArguments, PartitionResult};
use crate::record::{ExperimentResult, Skipped};

/// Partitions graphs, except for those in `finished`. Graphs that begin when
/// it is `late` are skipped.
pub(super) fn measure(
    graphs: impl Iterator<Item = PaperGraph>,
    arguments: &PaperArguments,
    finished: &[PartitionResult],
    late: impl Fn() -> bool,
    result: &mut ExperimentResult,
) {
    let conditions = PartitionArguments::of_suite(
        arguments.threads(),
        arguments.smoke,
        arguments.peer_programs.as_deref(),
    );
    for graph in graphs {
        let before = finished.iter().filter(|known| known.graph == graph.name);
        let before: Vec<_> = before.cloned().collect();
        if !before.is_empty() {
            result.partitions.extend(before);
            continue;
        }
        let class = match graph.family {
            Family::Road => "road",
            _ => "generated",
        };
        let source = graph.source(arguments.scale(), arguments.data.as_deref());
        let classed = ClassedGraph { class: class.to_owned(), source };
        let measured = if late() {
            Err(anyhow::anyhow!("the budget of time is spent"))
        } else {
            partition::measure_one(&conditions, &classed)
        };
        match measured {
            Ok(partitions) => result.partitions.extend(partitions),
            Err(error) => {
                eprintln!("{} skipped: {error:#}", graph.name);
                let reason = format!("{error:#}");
                result.skipped.push(Skipped { name: graph.name, reason });
            }
        }
    }
}
