//! The largest size of a tree.

use kostra_core::{OptionValues, Run, SolverOption};

use super::Search;

/// The option. If it is not set, [`BY_DEGREE`] decides.
pub(super) const GAMMA: SolverOption = SolverOption {
    name: "gamma",
    about: "most vertices of a tree; if it is not set, it depends on the average degree",
    default: BY_DEGREE[0].1,
    values: OptionValues::Number { lowest: 2, highest: 1000 },
    // With one vertex, a tree would have no edge.
    // The highest value of the source (6.2).
};

/// The lowest average degree of a graph, and gamma from this degree on. On an NVIDIA H200, 8 is the
/// best value of the sweep for road networks and degree 2, and 20 is within 2 % of the best for
/// degrees from 10 to 60; see `papers/nobari.md`. The source used up to 200 (6.2).
const BY_DEGREE: [(u64, u64); 2] = [(0, 8), (8, 20)];

/// The lowest average degree from which a first iteration of MinPMA takes [`LONG_ROWS_GAMMA`]. It
/// searches a row up to gamma times, and in a graph of degree 1,322 that is most of the time: gamma
/// of 2 takes 17 ms, and 20 takes 40 ms. The bound lies between that degree and 60.
const LONG_ROWS: u64 = 256;
const LONG_ROWS_GAMMA: u64 = 2;

/// The value of the option for a graph of this size, whose first iteration is of this kind.
pub(super) fn gamma(run: &Run<'_>, first: Search, vertices: u32, entries: usize) -> u32 {
    run.request.chosen_option(&GAMMA).unwrap_or_else(|| by_degree(first, vertices, entries)) as u32
}

fn by_degree(first: Search, vertices: u32, entries: usize) -> u64 {
    let degree = entries as u64 / u64::from(vertices).max(1);
    if first == Search::Min && degree >= LONG_ROWS {
        return LONG_ROWS_GAMMA;
    }
    let row = BY_DEGREE.iter().rev().find(|(lowest, _)| *lowest <= degree);
    row.map_or(GAMMA.default, |(_, gamma)| *gamma)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pma::INFOS;

    #[test]
    fn without_the_option_gamma_follows_from_the_average_degree() {
        let run = Run::new();
        let gammas = [(0, 0), (1000, 0), (1000, 2000), (1000, 7999), (1000, 8000), (10, 320)];
        let gammas = gammas.map(|(vertices, entries)| gamma(&run, Search::Min, vertices, entries));
        assert_eq!(gammas, [8, 8, 8, 8, 20, 20]);
        assert_eq!(gamma(&run, Search::Min, 1000, 255_999), 20);
        assert_eq!(gamma(&run, Search::Min, 1000, 256_000), 2);
        assert_eq!(gamma(&run, Search::Sort, u32::MAX, usize::MAX), 20);
        for (_, gamma) in BY_DEGREE {
            assert!(GAMMA.number(gamma.into()).is_ok());
        }
    }

    #[test]
    fn an_option_that_is_set_is_taken_whatever_the_degree() {
        for info in INFOS {
            let run = Run::new().with_option(info, "gamma", 3).unwrap();
            assert_eq!(gamma(&run, Search::Min, 10, 10_000), 3);
        }
    }

    #[test]
    fn a_gamma_out_of_range_is_refused_with_the_range() {
        for info in INFOS {
            for value in [0, 1, 1001, u64::MAX] {
                let error = Run::new().with_option(info, "gamma", value).err().unwrap().to_string();
                assert_eq!(error, format!("gamma must be from 2 to 1000, not {value}"));
            }
        }
    }
}
