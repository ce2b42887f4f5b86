//! Which values of its options a solver is tried with, derived from what it declares.

use kostra::{Platform, SolverInfo, SolverOption};

/// The options of a solver that are set, and their values.
pub type Variant = Vec<(&'static str, u64)>;

/// The variants that a solver is tried with. A solver for devices is tried with every combination
/// of its options' [`values`], since options choose kernels and grids there; other solvers are
/// tried with their defaults.
pub fn variants(info: &SolverInfo) -> Vec<Variant> {
    let options = if info.platform == Platform::Cuda { info.options } else { &[] };
    options.iter().fold(vec![Vec::new()], |variants, option| {
        let with =
            |variant: &Variant, value| [variant.as_slice(), &[(option.name, value)]].concat();
        let values = values(option);
        variants
            .iter()
            .flat_map(|variant| values.iter().map(|&value| with(variant, value)))
            .collect()
    })
}

/// The values that an option is tried with, ascending: all where there are up to four; elsewhere
/// the lowest, the one after it, the middle, the default and the highest.
pub fn values(option: &SolverOption) -> Vec<u64> {
    let SolverOption { lowest, highest, default, .. } = *option;
    if highest - lowest < 4 {
        return (lowest..=highest).collect();
    }
    let mut values = vec![lowest, lowest + 1, lowest.midpoint(highest), default, highest];
    values.sort_unstable();
    values.dedup();
    values
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use kostra::{Run, Solver, solvers};

    use super::*;

    #[test]
    fn every_value_of_a_short_option_is_tried_and_both_ends_of_a_long_one() {
        let option = |lowest, highest, default| SolverOption {
            name: "x",
            about: "",
            default,
            lowest,
            highest,
        };
        assert_eq!(values(&option(0, 1, 1)), [0, 1]);
        assert_eq!(values(&option(2, 5, 2)), [2, 3, 4, 5]);
        assert_eq!(values(&option(32, 1024, 512)), [32, 33, 512, 528, 1024]);
        assert_eq!(values(&option(0, u64::MAX, 0)), [0, 1, u64::MAX / 2, u64::MAX]);
    }

    #[test]
    fn variants_of_cuda_solvers_are_all_combinations_of_the_options_that_they_declare() {
        let mut with_options = 0;
        for info in solvers().map(Solver::info).filter(|info| info.platform == Platform::Cuda) {
            let variants = variants(info);
            let count: usize = info.options.iter().map(|option| values(option).len()).product();
            assert_eq!(
                variants.iter().collect::<HashSet<_>>().len(),
                count,
                "{}: {variants:?}",
                info.id
            );
            for variant in &variants {
                assert_eq!(variant.len(), info.options.len(), "{}: {variant:?}", info.id);
                let run = variant
                    .iter()
                    .try_fold(Run::new(), |run, (name, value)| run.with_option(info, name, *value));
                assert!(run.is_ok(), "{}: {variant:?}", info.id);
            }
            for option in info.options {
                with_options += 1;
                for value in [option.lowest, option.default, option.highest] {
                    assert!(variants.iter().any(|variant| variant.contains(&(option.name, value))));
                }
            }
        }
        assert!(with_options > 0, "there are CUDA solvers with options");
    }

    #[test]
    fn both_listings_are_tried_with_and_without_path_compression_in_blocks_of_every_kind() {
        let info = kostra::solver("cuda-boruvka-edge").unwrap().info();
        let variants = variants(info);
        for worklist in [0, 1] {
            for path_compression in [0, 1] {
                for block_size in [32, 33, 512, 1024] {
                    let wanted = [
                        ("worklist", worklist),
                        ("path-compression", path_compression),
                        ("block-size", block_size),
                    ];
                    assert!(variants.iter().any(|variant| variant == &wanted), "{wanted:?}");
                }
            }
        }
    }
}
