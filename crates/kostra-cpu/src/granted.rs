//! Memory that is asked for: a refusal is an answer, not the end of the process.

/// So many values, if the system grants the memory for them.
pub(crate) fn granted<T>(count: usize, value: impl FnMut() -> T) -> Option<Vec<T>> {
    let mut values = Vec::new();
    values.try_reserve_exact(count).ok()?;
    values.extend(std::iter::repeat_with(value).take(count));
    Some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "Miri stops when memory is refused")]
    fn more_than_there_is_is_not_granted() {
        assert_eq!(granted(3, || 7), Some(vec![7; 3]));
        assert_eq!(granted(1 << 59, || 7_u64), None);
    }
}
