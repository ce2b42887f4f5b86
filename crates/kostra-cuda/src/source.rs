//! The CUDA sources of a crate: files of kernels, and the headers that they may include.
//!
//! A crate with kernels has a folder `kernels`, a build script that calls `kostra-cuda-build`, and
//! a module with [`kernel_files!`]. Its kernels may include the headers of this crate.
//!
//! The program has the texts of all files of a crate, without comments, as one deflated archive,
//! which the build script makes. It is inflated when a text is first needed, so a program whose
//! kernels were compiled with the crate never inflates it. Constants and parameters are read from
//! the texts when the crate is compiled.

use std::io::Read;
use std::marker::PhantomData;
use std::sync::OnceLock;

use flate2::bufread::DeflateDecoder;

/// The files in the folder `kernels` of a crate. [`kernel_files!`] implements it.
pub trait KernelFiles: 'static {
    /// The name of each file, and its text without comments. Only for use when the crate is
    /// compiled: otherwise the program has all texts twice.
    const FILES: &'static [(&'static str, &'static str)];

    /// The files in a running program.
    fn archive() -> &'static KernelArchive;
}

/// The files of a crate's kernels in a running program.
#[derive(Debug)]
pub struct KernelArchive {
    /// The name of the crate.
    pub(crate) of: &'static str,
    /// The texts of all files, one after the other, deflated.
    deflated: &'static [u8],
    /// The name of each file, and the range of its text in the inflated archive.
    index: &'static [(&'static str, usize, usize)],
    /// The kernel files that were compiled with the crate: the name and the fat binary.
    pub(crate) compiled: &'static [(&'static str, &'static [u8])],
    /// The architectures that they were compiled for, as a list in words.
    pub(crate) architectures: &'static str,
    texts: OnceLock<String>,
}

impl KernelArchive {
    /// The archive of the crate `of`, from what the build script made.
    pub const fn new(
        of: &'static str,
        (deflated, index): (&'static [u8], &'static [(&'static str, usize, usize)]),
        (compiled, architectures): (&'static [(&'static str, &'static [u8])], &'static str),
    ) -> Self {
        Self { of, deflated, index, compiled, architectures, texts: OnceLock::new() }
    }

    /// The text of a file.
    fn inflated(&self, file: usize) -> &str {
        let (_, start, end) = self.index[file];
        let texts = self.texts.get_or_init(|| {
            let mut texts = String::with_capacity(self.index[self.index.len() - 1].2);
            let read = DeflateDecoder::new(self.deflated).read_to_string(&mut texts);
            read.expect("the build script deflated the texts");
            texts
        });
        &texts[start..end]
    }

    /// The name of each file, and its text.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.index.iter().enumerate().map(|(file, (name, ..))| (*name, self.inflated(file)))
    }
}

/// The name of each file, and the range of its text in an archive.
pub const fn index<const N: usize>(
    files: &[(&'static str, &str)],
) -> [(&'static str, usize, usize); N] {
    let mut index = [("", 0, 0); N];
    let (mut file, mut start) = (0, 0);
    while file < N {
        let end = start + files[file].1.len();
        index[file] = (files[file].0, start, end);
        (file, start) = (file + 1, end);
    }
    index
}

/// Declares `Source`, a file in the folder `kernels` of the crate that uses the macro.
#[macro_export]
macro_rules! kernel_files {
    () => {
        include!(concat!(env!("OUT_DIR"), "/kernels.rs"));

        /// The files in the folder `kernels` of this crate.
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct Files;

        impl $crate::source::KernelFiles for Files {
            const FILES: &'static [(&'static str, &'static str)] = FILES;

            fn archive() -> &'static $crate::source::KernelArchive {
                static INDEX: [(&str, usize, usize); FILES.len()] = $crate::source::index(FILES);
                static ARCHIVE: $crate::source::KernelArchive = $crate::source::KernelArchive::new(
                    env!("CARGO_PKG_NAME"),
                    (DEFLATED, &INDEX),
                    (EMBEDDED, ARCHITECTURES),
                );
                &ARCHIVE
            }
        }

        /// A file of this crate's kernels.
        pub(crate) type Source = $crate::source::KernelSource<Files>;
    };
}
pub use kernel_files;

kernel_files!();

/// A file of the kernels of a crate.
#[derive(Debug)]
pub struct KernelSource<F> {
    /// The file's name in `kernels/`, without its extension.
    name: &'static str,
    text: Text,
    files: PhantomData<F>,
}

impl<F> Clone for KernelSource<F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F> Copy for KernelSource<F> {}

/// Where the text of a source is.
#[derive(Clone, Copy, Debug)]
enum Text {
    /// In the archive: the index of the file.
    File(usize),
    /// Here.
    Given(&'static str),
}

impl<F: KernelFiles> KernelSource<F> {
    /// A file in `kernels/` or its folders, such as `points/tree.cuh`. Must be evaluated when the
    /// crate is compiled; then a wrong name is a compile error.
    ///
    /// # Panics
    /// When there is no such file.
    pub const fn file(path: &'static str) -> Self {
        let mut file = 0;
        while !equals(F::FILES[file].0, path) {
            file += 1;
            assert!(file < F::FILES.len(), "there is no file of this name in kernels/");
        }
        let mut end = path.len();
        while path.as_bytes()[end - 1] != b'.' {
            end -= 1;
        }
        Self { name: path.split_at(end - 1).0, text: Text::File(file), files: PhantomData }
    }

    /// A source that is no file.
    pub const fn given(name: &'static str, text: &'static str) -> Self {
        Self { name, text: Text::Given(text), files: PhantomData }
    }

    /// The text. Must be evaluated when the crate is compiled; otherwise the program would have the
    /// texts of all files twice.
    pub const fn text(self) -> &'static str {
        match self.text {
            Text::File(file) => F::FILES[file].1,
            Text::Given(text) => text,
        }
    }

    /// The text, in a running program.
    pub fn inflated(self) -> &'static str {
        self.in_program().text()
    }

    /// The source in a running program.
    pub(crate) fn in_program(self) -> InProgram {
        InProgram { name: self.name, text: self.text, archive: F::archive() }
    }
}

/// A source in a running program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InProgram {
    pub(crate) name: &'static str,
    text: Text,
    /// The files of the crate that has the source.
    pub(crate) archive: &'static KernelArchive,
}

impl InProgram {
    pub(crate) fn text(self) -> &'static str {
        match self.text {
            Text::File(file) => self.archive.inflated(file),
            Text::Given(text) => text,
        }
    }

    /// The headers of this crate, and those of the crate that has the source: for each the name by
    /// which it is included, and its text.
    pub(crate) fn headers(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let shared = Files::archive();
        let own = (self.archive.of != shared.of).then(|| self.archive.files());
        shared.files().chain(own.into_iter().flatten()).filter(|(name, _)| name.ends_with(".cuh"))
    }
}

/// Whether two names are equal; `==` cannot be evaluated when the crate is compiled.
const fn equals(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut equal = 0;
    while equal < one.len() && equal < other.len() && one[equal] == other[equal] {
        equal += 1;
    }
    equal == one.len() && equal == other.len()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::testing;

    #[test]
    fn the_archive_has_each_file_with_its_text() {
        testing::check_archive::<Files>(Path::new(env!("CARGO_MANIFEST_DIR")));
    }

    #[test]
    fn a_source_has_its_files_name_and_text_and_headers_have_theirs() {
        const SCAN: Source = Source::file("scan.cu");
        const TREE: Source = Source::file("points/tree.cuh");
        assert_eq!((SCAN.name, TREE.name), ("scan", "points/tree"));
        let text = |name| Files::archive().files().find(|file| file.0 == name).unwrap().1;
        assert_eq!(SCAN.inflated(), text("scan.cu"));
        assert_eq!(TREE.inflated(), text("points/tree.cuh"));
        let headers: Vec<_> = SCAN.in_program().headers().collect();
        assert!(headers.contains(&("points/tree.cuh", TREE.inflated())));
        assert!(headers.iter().all(|(name, _)| name.ends_with(".cuh")));
    }
}
