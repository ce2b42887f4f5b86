//! What a launcher of parallel jobs says about this process.

/// The variables in which launchers say how many processes they started: Open MPI, MPICH and Intel
/// MPI, MVAPICH, and a step of Slurm. A batch script of Slurm is one process, in no step.
const SIZES: [&str; 4] =
    ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"];

/// Refuses to be one of several processes, for a build that has no MPI: each would do the same work
/// and write the same file.
///
/// # Errors
/// When a launcher has started several processes.
pub(crate) fn refuse_several(variable: impl Fn(&str) -> Option<String>) -> anyhow::Result<()> {
    let size = |name: &str| variable(name)?.parse().ok().filter(|&size: &u64| size > 1);
    match SIZES.iter().find_map(|name| Some((name, size(name)?))) {
        Some((name, size)) => anyhow::bail!(
            "this build of kostra has no MPI, so each of the {size} processes of the launcher \
             ({name}={size}) would do the same work; start one process, or build kostra by `cargo \
             build --release -p kostra-cli --features mpi`; if each process has another input, \
             unset {name}"
        ),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_processes_of_a_launcher_are_refused() {
        for name in SIZES {
            for (value, is_refused) in [("2", true), ("64", true), ("1", false), ("", false)] {
                let set = |other: &str| (other == name).then(|| value.to_owned());
                assert_eq!(refuse_several(set).is_err(), is_refused, "{name}={value}");
            }
        }
        let batch = |name: &str| (name == "SLURM_NTASKS").then(|| "8".to_owned());
        assert!(refuse_several(batch).is_ok());
    }
}
