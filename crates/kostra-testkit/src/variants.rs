//! The option values with which a solver is tested, derived from its declared options.

use kostra_core::{Platform, SolverInfo, SolverOption};

use crate::multigraphs::Random;

/// The options of a solver that are set, with their values.
pub type Variant = Vec<(&'static str, u64)>;

/// The variants with which a solver is tested everywhere. A device solver is tested with
/// [all variants](all_variants), because options select kernels and grids. Other solvers are tested
/// with their defaults, and in `tests/options.rs` with [covering variants](covering_variants).
pub fn variants(info: &SolverInfo) -> Vec<Variant> {
    if info.platform == Platform::Cuda { all_variants(info) } else { vec![Vec::new()] }
}

/// Every combination of the [`values`] of a solver's options.
pub fn all_variants(info: &SolverInfo) -> Vec<Variant> {
    info.options.iter().fold(vec![Vec::new()], |variants, option| {
        let with =
            |variant: &Variant, value| [variant.as_slice(), &[(option.name, value)]].concat();
        let values = values(option);
        variants
            .iter()
            .flat_map(|variant| values.iter().map(|&value| with(variant, value)))
            .collect()
    })
}

/// A few of [all variants](all_variants), which together set every option to each of its [`values`].
/// The random numbers decide which values are combined.
pub fn covering_variants(info: &SolverInfo, random: &mut Random) -> Vec<Variant> {
    let columns: Vec<_> = info
        .options
        .iter()
        .map(|option| {
            let mut values = values(option);
            let first = random.below(values.len() as u32);
            values.rotate_left(first as usize);
            (option.name, values)
        })
        .collect();
    let count = columns.iter().map(|(_, values)| values.len()).max().unwrap_or(1);
    let variant =
        |row| columns.iter().map(move |(name, values)| (*name, values[row % values.len()]));
    (0..count).map(|row| variant(row).collect()).collect()
}

/// The values with which an option is tested, ascending: all values if there are at most four,
/// otherwise the lowest value, its successor, the middle, the default and the highest.
pub fn values(option: &SolverOption) -> Vec<u64> {
    let ((lowest, highest), default) = (option.values.range(), option.default);
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

    use kostra::solvers;
    use kostra_core::{OptionValues, Run, Solver};

    use super::*;

    #[test]
    fn small_ranges_are_tested_completely_and_large_ranges_at_their_ends() {
        let option = |lowest, highest, default| SolverOption {
            name: "x",
            about: "",
            values: OptionValues::Number { lowest, highest },
            default,
        };
        assert_eq!(values(&option(0, 1, 1)), [0, 1]);
        assert_eq!(values(&option(2, 5, 2)), [2, 3, 4, 5]);
        assert_eq!(values(&option(32, 1024, 512)), [32, 33, 512, 528, 1024]);
        assert_eq!(values(&option(0, u64::MAX, 0)), [0, 1, u64::MAX / 2, u64::MAX]);
    }

    #[test]
    fn covering_variants_have_every_value_and_in_time_every_combination() {
        for info in solvers().map(Solver::info) {
            let mut random = Random(1);
            let mut seen = HashSet::new();
            for _ in 0..2000 {
                let variants = covering_variants(info, &mut random);
                for option in info.options {
                    for value in values(option) {
                        assert!(
                            variants.iter().any(|variant| variant.contains(&(option.name, value)))
                        );
                    }
                }
                seen.extend(variants);
            }
            assert_eq!(seen, all_variants(info).into_iter().collect(), "{}", info.id);
        }
    }

    #[test]
    fn cuda_solvers_have_all_combinations_of_their_options_as_variants() {
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
                let (lowest, highest) = option.values.range();
                for value in [lowest, option.default, highest] {
                    assert!(variants.iter().any(|variant| variant.contains(&(option.name, value))));
                }
            }
        }
        assert!(with_options > 0, "no CUDA solver has options");
    }

    #[test]
    fn cuda_boruvka_edge_is_tested_with_every_combination_of_its_options() {
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
