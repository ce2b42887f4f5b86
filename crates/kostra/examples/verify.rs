//! Checks forests that another program may have found, and prints the first violation of each.
//!
//! Run it with `cargo run --release --example verify`.

use kostra::{EdgeList, Order, VerifyError, verify};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A square with a diagonal. Edges 1 and 4 have equal weights.
    let u = vec![0, 1, 2, 3, 0];
    let v = vec![1, 2, 3, 0, 2];
    let graph = EdgeList::new(4, u, v, vec![4, 2, 1, 5, 2])?;
    let edges = graph.edges(Order::Minimum);

    let forests: [(&str, &[u32]); 4] = [
        ("correct", &[1, 2, 4]),
        ("with a cycle", &[0, 1, 2, 4]),
        ("not spanning", &[1, 2]),
        ("too heavy", &[1, 2, 3]),
    ];
    for (name, forest) in forests {
        // `verify` shares no algorithm with the solvers. It takes nearly linear time.
        match verify(edges, forest) {
            Ok(certificate) => println!("{name}: {} component", certificate.components),
            Err(VerifyError::Violation(violation)) => println!("{name}: {violation}"),
            Err(error @ VerifyError::OutOfMemory(_)) => return Err(error.into()),
        }
    }
    Ok(())
}
