//! Shares of R, such as recall levels, computed exactly from the decimal numbers that users write.

/// A number of documents that depends on R.
pub type Target = Box<dyn Fn(usize) -> usize + Send + Sync>;

/// ceil(x R), exactly: 0.7 means 7/10, not the double next to it.
pub(crate) fn ceiling(x: f64) -> Target {
    // This is the shortest decimal that reads back as x. If it has more than 30 places, x is smaller than 1 / R.
    let text = x.to_string();
    let (whole, places) = text.split_once('.').unwrap_or((&text, ""));
    let places = &places[..places.len().min(30)];
    let digits: u128 = format!("{whole}{places}").parse().unwrap_or(u128::MAX);
    let unit = 10_u128.pow(places.len() as u32);
    let cut = places.len() == 30 && x > 0.0;
    Box::new(move |relevant| {
        let product = digits.saturating_mul(relevant as u128).div_ceil(unit);
        usize::try_from(product).unwrap_or(usize::MAX).max(usize::from(cut && relevant > 0))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_exact() {
        for (x, relevant, expected) in [
            (0.0, 5, 0),
            (0.1, 30, 3),
            (0.1, 31, 4),
            (0.7, 10, 7),
            (0.55, 100, 55),
            (0.3333, 3, 1),
            (0.33333333333333337, 3, 2),
            (1.0, 7, 7),
            (1e-40, 7, 1),
            (1e-40, 0, 0),
            (1e300, 7, usize::MAX),
        ] {
            assert_eq!(ceiling(x)(relevant), expected, "{x} of {relevant}");
        }
    }
}
