//! The CUDA sources of this crate.

kostra_cuda::kernel_files!();

#[cfg(test)]
mod tests {
    use std::path::Path;

    use kostra_cuda::testing;

    use super::Files;

    #[test]
    fn the_archive_has_each_file_with_its_text() {
        testing::check_archive::<Files>(Path::new(env!("CARGO_MANIFEST_DIR")));
    }

    #[test]
    fn every_kernel_file_compiles_with_the_headers_of_the_engine() {
        testing::check_compilation::<Files>(Path::new(env!("CARGO_MANIFEST_DIR")), &[]);
    }
}
