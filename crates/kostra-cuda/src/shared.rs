//! Constants, structs and kernel parameters that Rust and CUDA share.
//!
//! The CUDA source is the only place that states them. These functions read it when the crate is
//! compiled, so a difference is a compile error at the Rust line that relies on it.

/// The value of `constexpr TYPE NAME = VALUE;` in a CUDA source. The value is a decimal number, or
/// two of them with `<<` between.
pub(crate) const fn constant(text: &str, name: &str) -> u64 {
    let text = text.as_bytes();
    let mut at = 0;
    while let Some(start) = find(text, b"constexpr", at) {
        let type_start = skip_blank(text, start + b"constexpr".len());
        let name_start = skip_blank(text, word_end(text, type_start));
        at = word_end(text, name_start);
        if equals(text, name_start, at, name.as_bytes()) {
            let equal_sign = skip_blank(text, at);
            assert!(text[equal_sign] == b'=', "the constant is not followed by `=`");
            let (value, end) = number(text, skip_blank(text, equal_sign + 1));
            let end = skip_blank(text, end);
            if text[end] == b';' {
                return value;
            }
            assert!(text[end] == b'<' && text[end + 1] == b'<', "the value is not `A` or `A << B`");
            let (shift, end) = number(text, skip_blank(text, end + 2));
            assert!(text[end] == b';', "the value is not `A` or `A << B`");
            return value << shift;
        }
    }
    panic!("the CUDA source has no constant of this name")
}

/// Checks that `struct NAME` in a CUDA source has these members, in this order. A member is its
/// kind and its name. The kind of a pointer is `ptr`. The kind `option_u32` is a `u32` that may be
/// missing. Any other kind is the name of a type.
#[allow(dead_code, reason = "Rust 1.88 does not count its use in `const _`")]
pub(crate) const fn assert_members(text: &str, name: &str, members: &[(&str, &str)]) {
    let text = text.as_bytes();
    let mut at = 0;
    while let Some(start) = find(text, b"struct", at) {
        let name_start = skip_blank(text, start + b"struct".len());
        at = word_end(text, name_start);
        let open = skip_blank(text, at);
        if equals(text, name_start, at, name.as_bytes()) && text[open] == b'{' {
            assert_list(text, open + 1, (b';', b'}'), members);
            return;
        }
    }
    panic!("the CUDA source has no struct of this name")
}

/// Checks that a kernel in a CUDA source has these parameters, in this order, as
/// [`assert_members`] does. `name` is the name with or without the suffix for a type, such as `_32`
/// or `_##BITS`.
pub(crate) const fn assert_parameters(text: &str, name: &str, parameters: &[(&str, &str)]) {
    let text = text.as_bytes();
    let mut at = 0;
    while let Some(start) = find(text, b"KERNEL", at) {
        let mut name_start = skip_blank(text, word_end(text, start));
        if equals(text, name_start, word_end(text, name_start), b"__launch_bounds__") {
            name_start = skip_blank(text, after(text, name_start, b')'));
        }
        at = word_end(text, name_start);
        if at > name_start && text[at] == b'(' && is_kernel(text, name_start, at, name.as_bytes()) {
            assert_list(text, at + 1, (b',', b')'), parameters);
            return;
        }
    }
    panic!("the CUDA source has no kernel of this name")
}

/// Whether the word at `start..end` is `name`, or `name` with a suffix for a type.
const fn is_kernel(text: &[u8], start: usize, end: usize, name: &[u8]) -> bool {
    let suffix = start + name.len();
    if end < suffix || !equals(text, start, suffix, name) {
        return false;
    }
    end == suffix
        || text[suffix] == b'_'
            && match text[suffix + 1] {
                b'#' | b'0'..=b'9' => true,
                b'i' | b'u' | b'f' => text[suffix + 2].is_ascii_digit(),
                _ => false,
            }
}

/// Checks the declarations from `at` on against the expected kinds and names.
const fn assert_list(
    text: &[u8],
    mut at: usize,
    (separator, close): (u8, u8),
    expected: &[(&str, &str)],
) {
    let mut index = 0;
    loop {
        at = skip_blank(text, at);
        if text[at] == close {
            assert!(index == expected.len(), "the CUDA source declares fewer than Rust passes");
            return;
        }
        assert!(index < expected.len(), "the CUDA source declares more than Rust passes");
        // A declaration is words and asterisks; the first word but `const` is the type, the last
        // one the name.
        let (mut kind, mut name, mut pointer) = ((0, 0), (0, 0), false);
        while text[at] != separator && text[at] != close {
            if is_word(text[at]) {
                name = (at, word_end(text, at));
                at = name.1;
                if kind.1 == 0 && !equals(text, name.0, name.1, b"const") {
                    kind = name;
                }
            } else {
                assert!(text[at] == b'*', "this declaration is none that Rust can check");
                pointer = true;
                at += 1;
            }
            at = skip_blank(text, at);
        }
        let (mut expected_kind, mut expected_name) = expected[index];
        if equals(expected_kind.as_bytes(), 0, expected_kind.len(), b"option_u32") {
            if equals(text, name.0, name.1, expected_name.as_bytes()) {
                expected_kind = "u32";
            } else {
                index += 1;
                assert!(index < expected.len(), "the CUDA source declares more than Rust passes");
                (expected_kind, expected_name) = expected[index];
            }
        }
        let same_kind = if pointer {
            equals(expected_kind.as_bytes(), 0, expected_kind.len(), b"ptr")
        } else {
            equals(text, kind.0, kind.1, expected_kind.as_bytes())
        };
        assert!(same_kind, "the CUDA source declares another type than Rust passes");
        let same_name = equals(text, name.0, name.1, expected_name.as_bytes());
        assert!(same_name, "the CUDA source declares another name than Rust passes");
        index += 1;
        if text[at] == separator {
            at += 1;
        }
    }
}

/// The next place of `what`, at or after `at`.
const fn find(text: &[u8], what: &[u8], mut at: usize) -> Option<usize> {
    while at + what.len() <= text.len() {
        if text[at] == what[0] && equals(text, at, at + what.len(), what) {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// Whether `text[start..end]` is `what`.
const fn equals(text: &[u8], start: usize, end: usize, what: &[u8]) -> bool {
    if end - start != what.len() {
        return false;
    }
    let mut i = 0;
    while i < what.len() {
        if text[start + i] != what[i] {
            return false;
        }
        i += 1;
    }
    true
}

/// The place after the next `byte`.
const fn after(text: &[u8], mut at: usize, byte: u8) -> usize {
    while text[at] != byte {
        at += 1;
    }
    at + 1
}

/// The first place at or after `at` that is not blank, a continued line or a comment.
const fn skip_blank(text: &[u8], mut at: usize) -> usize {
    loop {
        if at < text.len() && matches!(text[at], b' ' | b'\n' | b'\r' | b'\\') {
            at += 1;
        } else if at + 1 < text.len() && text[at] == b'/' && text[at + 1] == b'/' {
            at = after(text, at, b'\n');
        } else {
            return at;
        }
    }
}

/// Whether a byte is part of an identifier, or of one that the preprocessor joins by `##`.
const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'#'
}

/// The end of the word that starts at `at`.
const fn word_end(text: &[u8], mut at: usize) -> usize {
    while at < text.len() && is_word(text[at]) {
        at += 1;
    }
    at
}

/// A decimal number and its end.
const fn number(text: &[u8], mut at: usize) -> (u64, usize) {
    assert!(text[at].is_ascii_digit(), "the value is not a decimal number");
    let mut value = 0;
    while text[at].is_ascii_digit() {
        value = 10 * value + (text[at] - b'0') as u64;
        at += 1;
    }
    (value, at)
}

/// Declares a struct that kernels take, laid out as the struct `$theirs` of the CUDA source
/// `$text`. The type of a pointer is `ptr`, an address in device memory.
macro_rules! shared_struct {
    (
        $(#[$attribute:meta])*
        $visible:vis struct $name:ident as $theirs:literal in $text:expr;
        $($(#[$field_attribute:meta])* $field_visible:vis $field:ident: $kind:ident,)*
    ) => {
        $(#[$attribute])*
        #[repr(C)]
        $visible struct $name {
            $($(#[$field_attribute])* $field_visible $field: $kind,)*
        }

        const _: () = $crate::shared::assert_members(
            $text,
            $theirs,
            &[$((stringify!($kind), stringify!($field))),*],
        );
    };
}
pub(crate) use shared_struct;

/// An address in device memory, as a member of a [`shared_struct`].
#[allow(non_camel_case_types, reason = "read as a primitive type, beside u32 and u64")]
pub(crate) type ptr = cudarc::driver::sys::CUdeviceptr;

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use super::*;

    const TEXT: &str = "
constexpr u32 BLOCK = 512;   // threads of a block
constexpr u32 BLOCKS = 3 << 12;
struct Graph;
struct Graph {
    u32 vertices; // comment
    const u32* offsets;
    Other other;
};
template <typename K> __device__ void scan(u32 other) {}
#define KERNELS(BITS)                          \\
    KERNEL_1024 scan_##BITS(u##BITS* keys,     \\
                            u32 count) {       \\
    }
KERNEL __launch_bounds__(BLOCK) scan_tiles(const u32* numbers, u64 count) {}
";

    #[test]
    fn constants_are_read_from_the_source() {
        assert_eq!(constant(TEXT, "BLOCK"), 512);
        assert_eq!(constant(TEXT, "BLOCKS"), 3 << 12);
        assert!(catch_unwind(|| constant(TEXT, "OTHER")).is_err());
    }

    #[test]
    fn members_are_compared_by_kind_name_and_order() {
        let members = [("u32", "vertices"), ("ptr", "offsets"), ("Other", "other")];
        assert_members(TEXT, "Graph", &members);
        for wrong in [
            &members[..2],
            &[members[1], members[0], members[2]],
            &[("u64", "vertices"), members[1], members[2]],
            &[("u32", "vertexes"), members[1], members[2]],
            &[members[0], members[1], members[2], members[2]],
        ] {
            assert!(catch_unwind(|| assert_members(TEXT, "Graph", wrong)).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn parameters_are_those_of_the_kernel_and_not_of_its_namesakes() {
        let keys = [("ptr", "keys"), ("u32", "count")];
        assert_parameters(TEXT, "scan", &keys);
        let numbers = [("ptr", "numbers"), ("option_u32", "other"), ("u64", "count")];
        assert_parameters(TEXT, "scan_tiles", &numbers);
        assert_parameters(TEXT, "scan", &[("ptr", "keys"), ("option_u32", "count")]);
        assert!(catch_unwind(|| assert_parameters(TEXT, "scan_tile", &keys)).is_err());
        assert!(catch_unwind(|| assert_parameters(TEXT, "scan", &keys[..1])).is_err());
    }
}
