//! The largest difference by trying all assignments.

use untied_core::med::solve::Instance;

/// Gains by rank in A and in B; `fill` are those of documents that the rankings lack.
pub fn laid_out(instance: &Instance, gains: &[f64], fill: (f64, f64)) -> (Vec<f64>, Vec<f64>) {
    let mut sides = (vec![0.0; instance.depth], vec![0.0; instance.depth]);
    sides.0[instance.lengths.0..].fill(fill.0);
    sides.1[instance.lengths.1..].fill(fill.1);
    for (document, gain) in instance.documents.iter().zip(gains) {
        if document.a > 0 {
            sides.0[document.a as usize - 1] = *gain;
        }
        if document.b > 0 {
            sides.1[document.b as usize - 1] = *gain;
        }
    }
    sides
}

/// The largest value over all assignments of some gains to what is not known.
pub fn largest(instance: &Instance, gains: &[f64], mut value: impl FnMut(&[f64], (f64, f64)) -> f64) -> f64 {
    let open: Vec<usize> = (0..instance.documents.len()).filter(|&x| instance.documents[x].known.is_none()).collect();
    let mut assigned: Vec<f64> = instance.documents.iter().map(|x| x.known.unwrap_or(gains[0])).collect();
    let mut digits = vec![0; open.len()];
    let mut best = f64::NEG_INFINITY;
    loop {
        for a in gains {
            for b in gains {
                best = best.max(value(&assigned, (*a, *b)));
            }
        }
        let Some(place) = digits.iter().position(|digit| digit + 1 < gains.len()) else { return best };
        digits[..place].fill(0);
        digits[place] += 1;
        for (&x, &digit) in open.iter().zip(&digits).take(place + 1) {
            assigned[x] = gains[digit];
        }
    }
}
