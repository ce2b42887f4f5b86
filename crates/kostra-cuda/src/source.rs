//! The CUDA sources: a file of kernels, and the headers that it may include.

include!(concat!(env!("OUT_DIR"), "/headers.rs"));

/// A file of kernels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    /// The file's name in `kernels/`, without `.cu`.
    pub(crate) name: &'static str,
    /// The file's content.
    pub(crate) text: &'static str,
}

impl Source {
    /// The headers of `kernels/` and its folders: for each the name by which it is included, and
    /// its content.
    pub(crate) const HEADERS: &[(&str, &str)] = HEADERS;
}
