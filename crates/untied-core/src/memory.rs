//! Allocation of a known amount of memory, which returns an error instead of ending the process if there is too little.

use crate::error::{Error, Result};

/// Room for a number of values; `what` says what it is for.
///
/// # Errors
/// There is not as much memory.
pub fn room<T>(values: usize, what: &str) -> Result<Vec<T>> {
    let mut room = Vec::new();
    room.try_reserve_exact(values)
        .map_err(|_| Error::Memory { what: what.into(), bytes: values as u128 * size_of::<T>() as u128 })?;
    Ok(room)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_had_is_an_error() {
        assert_eq!(room::<u8>(100, "a test").expect("100 bytes").capacity(), 100);
        let error = room::<u64>(usize::MAX, "a test").expect_err("more than there is").to_string();
        assert!(error.starts_with("not enough memory for a test: 1475739525"), "{error}");
    }
}
