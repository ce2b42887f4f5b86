//! The types of numbers in arrays of other libraries, and their names there.

use std::fmt::{self, Display, Formatter};

use crate::WeightType;

/// The type of an array's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each variant is the type it is named after")]
pub enum ElementType {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F16,
    F32,
    F64,
}

/// Each type with its name in Rust and in kernels, its short form in NumPy, and its code and bits
/// in DLPack.
const NAMES: [(ElementType, &str, &str, (u8, u8)); 12] = [
    (ElementType::Bool, "bool", "b1", (6, 8)),
    (ElementType::I8, "i8", "i1", (0, 8)),
    (ElementType::I16, "i16", "i2", (0, 16)),
    (ElementType::I32, "i32", "i4", (0, 32)),
    (ElementType::I64, "i64", "i8", (0, 64)),
    (ElementType::U8, "u8", "u1", (1, 8)),
    (ElementType::U16, "u16", "u2", (1, 16)),
    (ElementType::U32, "u32", "u4", (1, 32)),
    (ElementType::U64, "u64", "u8", (1, 64)),
    (ElementType::F16, "f16", "f2", (2, 16)),
    (ElementType::F32, "f32", "f4", (2, 32)),
    (ElementType::F64, "f64", "f8", (2, 64)),
];

impl ElementType {
    /// The type of NumPy's short form without the byte order, such as `"i8"` for [`I64`](Self::I64).
    pub fn from_numpy(form: &str) -> Option<Self> {
        NAMES.iter().find(|names| names.2 == form).map(|names| names.0)
    }

    /// The type of a DLPack code and a number of bits.
    pub fn from_dlpack(code: u8, bits: u8) -> Option<Self> {
        NAMES.iter().find(|names| names.3 == (code, bits)).map(|names| names.0)
    }

    /// The name in Rust, with which names of kernels end: such as `"i64"`.
    pub const fn name(self) -> &'static str {
        NAMES[self as usize].1
    }

    /// NumPy's short form without the byte order.
    pub const fn numpy(self) -> &'static str {
        NAMES[self as usize].2
    }

    /// The code and the bits in DLPack.
    pub const fn dlpack(self) -> (u8, u8) {
        NAMES[self as usize].3
    }

    /// The number of bytes of an element.
    pub const fn size(self) -> usize {
        self.dlpack().1 as usize / 8
    }

    /// Whether the elements are integers, which have a sign or none; truth values are not.
    pub const fn is_integer(self) -> bool {
        matches!(self.dlpack().0, 0 | 1)
    }

    /// Whether the elements are integers with a sign.
    pub const fn is_signed_integer(self) -> bool {
        self.dlpack().0 == 0
    }

    /// The type of weights that has all values of this type, with as few bits as possible.
    pub const fn weight_type(self) -> WeightType {
        match self {
            Self::I8 | Self::I16 | Self::I32 => WeightType::I32,
            Self::Bool | Self::U8 | Self::U16 | Self::U32 => WeightType::U32,
            Self::I64 => WeightType::I64,
            Self::U64 => WeightType::U64,
            Self::F16 | Self::F32 => WeightType::F32,
            Self::F64 => WeightType::F64,
        }
    }
}

impl Display for ElementType {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_of_a_type_leads_back_to_it() {
        for (position, (element, name, numpy, (code, bits))) in NAMES.into_iter().enumerate() {
            assert_eq!(element as usize, position, "{name}");
            assert_eq!(ElementType::from_numpy(numpy), Some(element));
            assert_eq!(ElementType::from_dlpack(code, bits), Some(element));
            assert_eq!(numpy[1..], element.size().to_string());
            assert_eq!(element == ElementType::Bool, !name.ends_with(&bits.to_string()));
            assert_eq!(element.is_integer(), name.starts_with(['i', 'u']));
            let wide = element.weight_type();
            assert_eq!(element.size().max(4) * 8, wide.bits() as usize, "{name}");
        }
        for unknown in ["", "i", "i3", "f1", "b2", "c8", "<i4"] {
            assert_eq!(ElementType::from_numpy(unknown), None);
        }
        assert_eq!(ElementType::from_dlpack(2, 8), None);
        assert_eq!(ElementType::from_dlpack(4, 16), None);
    }
}
