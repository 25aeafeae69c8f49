//! Corrects p-values for the number of comparisons, and decides which differences are significant.

use crate::error::{Error, Result};

/// Corrects p-values for their number; NaN stays NaN and does not count.
///
/// With p_(1) <= ... <= p_(n), the corrected p_(i) is min(1, n p_(i)) by Bonferroni, the largest min(1, (n - j + 1) p_(j))
/// of all j <= i by Holm (1979), and the smallest n p_(j) / j of all j >= i by Benjamini and Hochberg (1995).
///
/// # Errors
/// No correction has this name.
pub fn adjust(p: &[f64], correction: &str) -> Result<Vec<f64>> {
    let mut order: Vec<usize> = (0..p.len()).filter(|&place| !p[place].is_nan()).collect();
    order.sort_by(|&x, &y| p[x].total_cmp(&p[y]));
    let (mut adjusted, n) = (p.to_vec(), order.len() as f64);
    let (mut largest, mut smallest) = (0f64, 1f64);
    let ranked = order.iter().enumerate().map(|(before, &place)| (place, before as f64 + 1.0));
    match correction {
        "none" => {}
        "bonferroni" => ranked.for_each(|(place, _)| adjusted[place] = (n * p[place]).min(1.0)),
        "holm" => ranked.for_each(|(place, rank)| {
            largest = largest.max(((n - rank + 1.0) * p[place]).min(1.0));
            adjusted[place] = largest;
        }),
        "bh" => ranked.rev().for_each(|(place, rank)| {
            smallest = smallest.min(n * p[place] / rank);
            adjusted[place] = smallest;
        }),
        _ => return Err(Error::Value(format!("correction must be holm, bonferroni, bh or none, not {correction}"))),
    }
    Ok(adjusted)
}

/// Corrected p-values; their upper bounds, if known; which differences are significant; and whether this holds for all
/// orders of ties and all grades of unjudged documents: `yes`, `no` or `unknown`.
pub type Decided = (Vec<f64>, Vec<f64>, Vec<bool>, Vec<&'static str>);

/// Corrects p-values, and decides at a level of confidence. If ties or unjudged documents leave differences open,
/// `ends` has the smallest and the largest difference, and `p_most` the upper bound of each p if the test has one.
///
/// # Errors
/// See [`adjust`].
pub fn decide(p: &[f64], p_most: &[f64], ends: &[[f64; 2]], correction: &str, level: f64) -> Result<Decided> {
    let is_small = |&p: &f64| p <= 1.0 - level + 1e-12;
    let (p, p_most) = (adjust(p, correction)?, adjust(p_most, correction)?);
    let significant: Vec<bool> = p.iter().map(is_small).collect();
    let survives = |place: usize| match (p_most.get(place), ends.get(place)) {
        (Some(p_most), _) if is_small(p_most) => "yes",
        (None, None) => "yes",
        (None, Some(&[low, high])) if significant[place] && !(low <= 0.0 && 0.0 <= high) => "unknown",
        _ => "no",
    };
    let survives = (0..p.len()).map(survives).collect();
    Ok((p, p_most, significant, survives))
}
