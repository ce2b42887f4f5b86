//! The CUDA sources: files of kernels, and the headers that they may include.
//!
//! The program has the texts of all files, without comments, as one deflated archive, which the
//! build script makes. It is inflated when a text is first needed, so a program whose kernels were
//! compiled with the crate never inflates it. Constants and parameters are read from the texts when
//! the crate is compiled.

use std::io::Read;
use std::sync::OnceLock;

use flate2::bufread::DeflateDecoder;

include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// The texts of all files, one after the other, deflated.
static ARCHIVE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/kernels.deflate"));

/// The name of each file, and the range of its text in the inflated archive.
static INDEX: [(&str, usize, usize); FILES.len()] = {
    let mut index = [("", 0, 0); FILES.len()];
    let (mut file, mut start) = (0, 0);
    while file < FILES.len() {
        let end = start + FILES[file].1.len();
        index[file] = (FILES[file].0, start, end);
        (file, start) = (file + 1, end);
    }
    index
};

/// A file of kernels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    /// The file's name in `kernels/`, without its extension.
    pub(crate) name: &'static str,
    text: Text,
}

/// Where the text of a source is.
#[derive(Clone, Copy, Debug)]
enum Text {
    /// In the archive: the index of the file.
    File(usize),
    /// Here.
    #[cfg(test)]
    Given(&'static str),
}

impl Source {
    /// A file in `kernels/` or its folders, such as `points/tree.cuh`. Must be evaluated when the
    /// crate is compiled; then a wrong name is a compile error.
    pub(crate) const fn file(path: &'static str) -> Self {
        let mut file = 0;
        while !equals(FILES[file].0, path) {
            file += 1;
            assert!(file < FILES.len(), "there is no file of this name in kernels/");
        }
        let mut end = path.len();
        while path.as_bytes()[end - 1] != b'.' {
            end -= 1;
        }
        Self { name: path.split_at(end - 1).0, text: Text::File(file) }
    }

    /// A source that is no file.
    #[cfg(test)]
    pub(crate) const fn given(name: &'static str, text: &'static str) -> Self {
        Self { name, text: Text::Given(text) }
    }

    /// The text. Must be evaluated when the crate is compiled; otherwise the program would have the
    /// texts of all files twice.
    pub(crate) const fn text(self) -> &'static str {
        match self.text {
            Text::File(file) => FILES[file].1,
            #[cfg(test)]
            Text::Given(text) => text,
        }
    }

    /// The text, in a running program.
    pub(crate) fn inflated(self) -> &'static str {
        match self.text {
            Text::File(file) => inflated(file),
            #[cfg(test)]
            Text::Given(text) => text,
        }
    }

    /// The headers in `kernels/` and its folders: for each the name by which it is included, and
    /// its text.
    pub(crate) fn headers() -> impl Iterator<Item = (&'static str, &'static str)> {
        let files = INDEX.iter().enumerate().filter(|(_, (name, ..))| name.ends_with(".cuh"));
        files.map(|(file, (name, ..))| (*name, inflated(file)))
    }
}

/// The text of a file.
fn inflated(file: usize) -> &'static str {
    static TEXTS: OnceLock<String> = OnceLock::new();
    let (_, start, end) = INDEX[file];
    let texts = TEXTS.get_or_init(|| {
        let mut texts = String::with_capacity(INDEX[INDEX.len() - 1].2);
        let read = DeflateDecoder::new(ARCHIVE).read_to_string(&mut texts);
        read.expect("the build script deflated the texts");
        texts
    });
    &texts[start..end]
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
    use std::collections::BTreeMap;
    use std::path::Path;

    use super::*;

    /// The texts of the files in `kernels/` and its folders, by name.
    fn files() -> BTreeMap<String, String> {
        let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
        let mut folders = vec![kernels.clone()];
        let mut files = BTreeMap::new();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let name = path.strip_prefix(&kernels).unwrap().to_str().unwrap();
                    let text = std::fs::read_to_string(&path).unwrap();
                    files.insert(name.replace('\\', "/"), without_comments(&text));
                }
            }
        }
        files
    }

    fn without_comments(text: &str) -> String {
        text.lines().map(|line| line.split("//").next().unwrap().trim().to_owned() + "\n").collect()
    }

    /// Else the text after it would be lost.
    #[test]
    fn no_string_of_a_kernel_contains_what_begins_a_comment() {
        for line in files().values().flat_map(|text| text.lines()) {
            assert!(line.matches('"').count() % 2 == 0, "{line}");
        }
    }

    #[test]
    fn the_archive_has_each_file_with_its_text() {
        let archived = INDEX.iter().enumerate();
        let archived: BTreeMap<_, _> = archived
            .map(|(file, (name, ..))| ((*name).to_owned(), inflated(file).to_owned()))
            .collect();
        assert!(archived == files(), "{:?}", archived.keys());
    }

    #[test]
    fn a_source_has_its_files_name_and_text_and_headers_have_theirs() {
        const SCAN: Source = Source::file("scan.cu");
        const TREE: Source = Source::file("points/tree.cuh");
        assert_eq!((SCAN.name, TREE.name), ("scan", "points/tree"));
        let files = files();
        assert_eq!(SCAN.inflated(), files["scan.cu"]);
        assert_eq!(TREE.inflated(), files["points/tree.cuh"]);
        let headers: Vec<_> = Source::headers().collect();
        let expected: Vec<_> = files.iter().filter(|(name, _)| name.ends_with(".cuh")).collect();
        assert_eq!(headers.len(), expected.len());
        for (name, text) in expected {
            assert!(headers.contains(&(name, text)), "{name}");
        }
    }

    /// A text that is looked at in a running program by [`Source::text`] would be one.
    #[test]
    fn the_program_has_no_text_that_is_not_deflated() {
        let program = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let files = files();
        assert!(files.values().all(|text| text.starts_with('\n')));
        for start in (0..program.len()).filter(|&start| program[start] == b'\n') {
            let found =
                files.iter().find(|(_, text)| program[start..].starts_with(text.as_bytes()));
            assert!(found.is_none(), "{}", found.unwrap().0);
        }
    }
}
