//! Sums that are rounded once.

/// The mean, from a sum that is rounded once.
pub fn mean(values: &[f64]) -> f64 {
    sum(values.iter().copied()) / values.len() as f64
}

/// A sum that is rounded once (Shewchuk 1997): parts that do not overlap, each smaller than all before it can tell.
pub fn sum(values: impl Iterator<Item = f64>) -> f64 {
    let (mut parts, mut infinite): (Vec<f64>, f64) = (Vec::new(), 0.0);
    for mut value in values {
        if !value.is_finite() {
            infinite += value;
            continue;
        }
        let mut kept = 0;
        for place in 0..parts.len() {
            let (large, small) =
                if value.abs() < parts[place].abs() { (parts[place], value) } else { (value, parts[place]) };
            value = large + small;
            let rest = small - (value - large);
            if rest != 0.0 {
                parts[kept] = rest;
                kept += 1;
            }
        }
        parts.truncate(kept);
        parts.push(value);
    }
    if infinite != 0.0 {
        return infinite;
    }
    let mut left = parts.iter().rev().copied();
    let mut total = left.next().unwrap_or(0.0);
    while let Some(part) = left.next() {
        let before = total;
        total = before + part;
        let rest = part - (total - before);
        if rest != 0.0 {
            // Half of a last digit: the next part decides.
            let next = left.next().unwrap_or(0.0);
            let doubled = 2.0 * rest;
            if next != 0.0 && (rest < 0.0) == (next < 0.0) && (total + doubled) - total == doubled {
                total += doubled;
            }
            break;
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_rounded_once() {
        assert_eq!(sum([0.1; 10].into_iter()), 1.0);
        assert_eq!(sum([1e100, 1.0, -1e100, 1e-20].into_iter()), 1.0);
        assert_eq!(sum([1.0, 2f64.powi(-53), 2f64.powi(-110)].into_iter()), 1.0 + f64::EPSILON);
        assert_eq!(sum(std::iter::empty()), 0.0);
        assert_eq!(sum([f64::INFINITY, 1e100, 1.0].into_iter()), f64::INFINITY);
    }
}
