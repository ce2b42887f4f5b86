//! Prints the id of every format, one per line.

fn main() {
    for format in kostra_io::FORMATS {
        println!("{format}");
    }
}
