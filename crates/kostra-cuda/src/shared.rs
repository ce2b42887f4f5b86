//! Constants, structs and kernel parameters that Rust and CUDA share.
//!
//! The CUDA source is the only place that states them. These functions read it when the crate is
//! compiled, so a difference is a compile error at the Rust line that relies on it.

/// The value of `constexpr TYPE NAME = VALUE;` in a CUDA source. The value is a decimal number, or
/// two of them with `<<` between.
pub const fn constant(text: &str, name: &str) -> u64 {
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

/// Checks that `struct NAME` in a CUDA source has these members, in this order, before its
/// functions. A member is its
/// kind and its name. The kind of a pointer is `ptr`. Any other kind is the name of a type.
#[allow(dead_code, reason = "Rust 1.88 does not count its use in `const _`")]
pub const fn assert_members(text: &str, name: &str, members: &[(&str, &str)]) {
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
pub const fn assert_parameters(text: &str, name: &str, parameters: &[(&str, &str)]) {
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

/// Checks that a kernel in a CUDA source takes one struct by value, of this name.
#[allow(dead_code, reason = "Rust 1.88 does not count its use in `const _`")]
pub const fn assert_takes(text: &str, kernel: &str, arguments: &str) {
    assert_parameters(text, kernel, &[(arguments, "args")]);
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
    let (mut index, mut kind, mut shares_type) = (0, (0, 0), false);
    loop {
        at = skip_blank(text, at);
        if text[at] == close || equals_at(text, at, b"__device__") {
            assert!(index == expected.len(), "the CUDA source declares fewer than Rust passes");
            return;
        }
        assert!(index < expected.len(), "the CUDA source declares more than Rust passes");
        // A declaration is words and asterisks; the first word but `const` is the type, the last
        // one the name. After a comma, a member has the type of the member before it.
        let (mut name, mut pointer) = ((0, 0), false);
        if !shares_type {
            kind = (0, 0);
        }
        while text[at] != separator && text[at] != close && text[at] != b',' {
            if text[at] == b'<' {
                at = after(text, at, b'>'); // the type of keys does not change the layout
            } else if is_word(text[at]) {
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
        let (expected_kind, expected_name) = expected[index];
        let same_kind = if pointer {
            equals(expected_kind.as_bytes(), 0, expected_kind.len(), b"ptr")
        } else {
            equals(text, kind.0, kind.1, expected_kind.as_bytes())
        };
        assert!(same_kind, "the CUDA source declares another type than Rust passes");
        let same_name = equals(text, name.0, name.1, expected_name.as_bytes());
        assert!(same_name, "the CUDA source declares another name than Rust passes");
        index += 1;
        shares_type = text[at] == b',' && separator == b';';
        if text[at] != close {
            at += 1;
        }
    }
}

/// Whether `what` is at a place.
const fn equals_at(text: &[u8], at: usize, what: &[u8]) -> bool {
    at + what.len() <= text.len() && equals(text, at, at + what.len(), what)
}

/// The next place of `what`, at or after `at`.
const fn find(text: &[u8], what: &[u8], mut at: usize) -> Option<usize> {
    while at + what.len() <= text.len() {
        if text[at] == what[0] && equals_at(text, at, what) {
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

/// Declares the struct that the kernels of a file take, laid out as the struct of the same name in
/// the CUDA source `$text`, which describes its members. `u32: vertices entries; ptr: keys;`
/// declares three members in this order.
#[macro_export]
macro_rules! arguments {
    (
        $(#[$attribute:meta])*
        $visible:vis struct $name:ident in $text:expr;
        $($kind:ident: $($field:ident)+;)+
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, Default)]
        #[repr(C)]
        $visible struct $name {
            $($($visible $field: $kind,)+)+
        }

        const _: () = $crate::shared::assert_members(
            $text,
            stringify!($name),
            &[$($((stringify!($kind), stringify!($field))),+),+],
        );

        #[allow(unsafe_code, reason = "the struct is passed to kernels as it is laid out")]
        // SAFETY: the struct is laid out as in C, and every bit pattern is valid.
        unsafe impl ::cudarc::driver::DeviceRepr for $name {}
    };
}
pub use arguments;

/// The value of a struct of [`arguments!`].
///
/// `fill!(Arguments { vertices }, ..others; graph => keys)` takes the address of `graph.keys`.
/// Other members are those of `others`.
#[macro_export]
macro_rules! fill {
    (
        $name:ident { $($field:ident $(: $value:expr)?),* $(,)? }, ..$others:expr
        $(; $of:expr => $($array:ident)+)*
    ) => {
        $name {
            $($field $(: $value)?,)*
            $($($array: $crate::buffers::address(&$of.$array),)+)*
            ..$others
        }
    };
    (
        $name:ident { $($field:ident $(: $value:expr)?),* $(,)? }
        $(; $of:expr => $($array:ident)+)*
    ) => {
        $name {
            $($field $(: $value)?,)*
            $($($array: $crate::buffers::address(&$of.$array),)+)*
        }
    };
}
pub use fill;

/// An address in device memory, as a member of a struct that kernels take.
#[allow(non_camel_case_types, reason = "read as a primitive type, beside u32 and u64")]
pub type ptr = cudarc::driver::sys::CUdeviceptr;

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
    Other<u##BITS> other;
    u32 first, *last;
    __device__ u32 size() const { return last - first; }
};
template <typename K> __device__ void scan(u32 other) {}
#define KERNELS(BITS)                          \\
    KERNEL_1024 scan_##BITS(u##BITS* keys,     \\
                            u32 count) {       \\
    }
KERNEL __launch_bounds__(BLOCK) scan_tiles(const u32* numbers, u64 count) {}
KERNEL sort_##BITS(const Graph<u##BITS> args) {}
";

    #[test]
    fn constants_are_read_from_the_source() {
        assert_eq!(constant(TEXT, "BLOCK"), 512);
        assert_eq!(constant(TEXT, "BLOCKS"), 3 << 12);
        assert!(catch_unwind(|| constant(TEXT, "OTHER")).is_err());
    }

    #[test]
    fn members_are_compared_by_kind_name_and_order() {
        let [other, first, last] = [("Other", "other"), ("u32", "first"), ("ptr", "last")];
        let members = [("u32", "vertices"), ("ptr", "offsets"), other, first, last];
        assert_members(TEXT, "Graph", &members);
        for wrong in [
            &members[..4],
            &[members[1], members[0], other, first, last],
            &[("u64", "vertices"), members[1], other, first, last],
            &[("u32", "vertexes"), members[1], other, first, last],
            &[members[0], members[1], other, first, ("u32", "last")],
            &[members[0], members[1], other, first, last, last],
        ] {
            assert!(catch_unwind(|| assert_members(TEXT, "Graph", wrong)).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn parameters_are_those_of_the_kernel_and_not_of_its_namesakes() {
        let keys = [("ptr", "keys"), ("u32", "count")];
        assert_parameters(TEXT, "scan", &keys);
        let numbers = [("ptr", "numbers"), ("u64", "count")];
        assert_parameters(TEXT, "scan_tiles", &numbers);
        assert_takes(TEXT, "sort", "Graph");
        assert!(catch_unwind(|| assert_takes(TEXT, "scan_tiles", "Graph")).is_err());
        assert!(catch_unwind(|| assert_parameters(TEXT, "scan_tile", &keys)).is_err());
        assert!(catch_unwind(|| assert_parameters(TEXT, "scan", &keys[..1])).is_err());
    }
}
