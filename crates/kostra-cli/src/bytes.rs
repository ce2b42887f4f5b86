//! Sizes in bytes, as users type them.

/// The units of sizes, longest names first.
const UNITS: [(&str, u64); 10] = [
    ("kib", 1 << 10),
    ("mib", 1 << 20),
    ("gib", 1 << 30),
    ("tib", 1 << 40),
    ("kb", 1_000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
    ("tb", 1_000_000_000_000),
    ("b", 1),
    ("", 1),
];

/// Parses a size such as `4GiB`, `500MB` or `1.5GiB`.
pub(crate) fn parse_bytes(text: &str) -> Result<u64, String> {
    let lower = text.trim().to_ascii_lowercase();
    let split = lower.find(|at: char| !at.is_ascii_digit() && at != '.').unwrap_or(lower.len());
    let (number, unit) = lower.split_at(split);
    let unit = unit.trim_start();
    let scale = UNITS.iter().find(|(name, _)| *name == unit).map(|&(_, scale)| scale);
    let size = number.parse::<f64>().ok().zip(scale).map(|(number, scale)| number * scale as f64);
    match size {
        None if matches!(unit, "k" | "m" | "g" | "t") => {
            let unit = unit.to_ascii_uppercase();
            Err(format!("is {unit} 1024 or 1000 based? write {number}{unit}iB or {number}{unit}B"))
        }
        Some(size) if size.is_finite() && size < u64::MAX as f64 => Ok(size as u64),
        _ => Err("expected a size such as 4GiB or 500MB".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        for (text, bytes) in [
            ("4GiB", 4 << 30),
            ("1.5gib", 3 << 29),
            ("500 MB", 500_000_000),
            ("64kib", 1 << 16),
            ("7", 7),
            ("7b", 7),
        ] {
            assert_eq!(parse_bytes(text), Ok(bytes), "{text}");
        }
        assert!(parse_bytes("1G").is_err_and(|said| said.contains("1GiB or 1GB")));
        for text in ["", "GiB", "4 parsecs", "-1GiB", "1e9", "999999999999TiB"] {
            assert!(parse_bytes(text).is_err(), "{text}");
        }
    }
}
