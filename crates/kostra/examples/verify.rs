//! Checks forests that another program may have found, and prints the first violation of each.
//!
//! Run it with `cargo run --release --example verify`.

use kostra::{Graph, Order, VerifyError, verify_ids};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A square with a diagonal. Edges 1 and 4 have equal weights.
    let graph = Graph::from_edges([(0, 1, 4), (1, 2, 2), (2, 3, 1), (3, 0, 5), (0, 2, 2)])?;

    let forests: [(&str, &[u32]); 4] = [
        ("correct", &[1, 2, 4]),
        ("with a cycle", &[0, 1, 2, 4]),
        ("not spanning", &[1, 2]),
        ("too heavy", &[1, 2, 3]),
    ];
    for (name, forest) in forests {
        // `verify_ids` shares no algorithm with the solvers. It takes nearly linear time.
        match verify_ids(&graph, forest, Order::Minimum) {
            Ok(certificate) => println!("{name}: {} component", certificate.components),
            Err(VerifyError::Violation(violation)) => println!("{name}: {violation}"),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
