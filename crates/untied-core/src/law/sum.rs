//! The law of a sum of independent values.
//!
//! Laws with few values are convolved exactly, one after the other. If m laws are left, their sum is enclosed on a grid:
//! each law is rounded down and up to the grid, and the rounded laws are convolved by Fourier transforms. The two laws that
//! enclose the sum are then at most m cells apart.
//!
//! With very many laws, rounding each would be too coarse. Their sum S stays within a few standard deviations of its mean,
//! so the grid needs to cover only these (Hoeffding 1963). S plus a normal variable with a standard deviation of 2.5 cells,
//! rounded to the grid, has a transform that is the product of the laws' characteristic functions and a normal curve. The
//! added variable is smaller than [`REACH`] cells, so the result minus and plus as many cells encloses S. Most products
//! vanish after a few hundred laws.

use rayon::prelude::*;

use super::fourier::{Complex, Fourier, times};
use super::{Atom, Law, Limits, collapse};
use crate::elementary::{exp, sin_cos};
use crate::error::Result;
use crate::watch;

/// How far rounding may move a whole number of cells.
const WHOLE: f64 = 1e-9;
/// Probabilities below this are rounding errors of the transforms.
const NOISE: f64 = 1e-16;

/// The standard deviation, in cells, of the normal variable that is added to a sum of many laws. Its transform vanishes
/// within the grid.
const DEVIATION: f64 = 2.5;
/// The size of the added variable is below this number of cells, except with a probability of 1e-13.
const REACH: usize = 19;
/// A sum exceeds its mean by more than this times the root of the sum of its terms' squared spans with a probability
/// below 1e-12.
const FAR: f64 = 3.72;
/// If more laws are left after exact convolution, they are not rounded one by one.
const MOST_JOINED: usize = 2 * REACH;
/// The largest number of products in exact convolution.
const MOST_CONVOLVED: usize = 1 << 28;
/// A product whose square is smaller than this changes no probability.
const VANISHED: f64 = 1e-40;

/// The law of the sum of independent values.
///
/// # Errors
/// The user interrupts.
pub fn sum(laws: Vec<Law>, limits: Limits) -> Result<Law> {
    let mut offset = 0.0;
    let (mut exact, mut enclosed) = (Vec::new(), Vec::new());
    for law in laws {
        match law {
            Law { lower, upper: None } if lower.len() == 1 => offset += lower[0].0,
            Law { lower, upper: None } => exact.push(lower),
            law => enclosed.push(law),
        }
    }
    // The smallest laws come first, so that as many as possible are convolved exactly.
    exact.sort_by_key(Vec::len);
    let law = match joined(&exact, limits)? {
        Some(joined) => match (joined.len(), enclosed.len()) {
            (0, 0) => return Ok(Law::certain(offset)),
            (1, 0) => joined.into_iter().next().map_or_else(|| Law::certain(0.0), |lower| Law { lower, upper: None }),
            (0, 1) => enclosed.swap_remove(0),
            (all, others) => {
                enclosed.extend(joined.into_iter().map(|lower| Law { lower, upper: None }));
                if all + others > MOST_JOINED {
                    smoothed(&enclosed, limits.cells)?
                } else {
                    on_grid(&enclosed, limits.cells)?
                }
            }
        },
        None => {
            enclosed.extend(exact.into_iter().map(|lower| Law { lower, upper: None }));
            smoothed(&enclosed, limits.cells)?
        }
    };
    Ok(law.map(|value| value + offset))
}

/// Convolves consecutive laws exactly as long as their sums have few values, and returns the laws of these sums. None
/// if too many are left, or if it would take too long.
fn joined(laws: &[Vec<Atom>], limits: Limits) -> Result<Option<Vec<Vec<Atom>>>> {
    let (mut joined, mut values): (Vec<Vec<Atom>>, usize) = (Vec::new(), 0);
    for law in laws {
        match joined.last_mut() {
            Some(last) if last.len() * law.len() <= limits.states / 8 => {
                values += last.len() * law.len();
                *last = convolved(last, law);
            }
            _ => joined.push(law.clone()),
        }
        if joined.len() > MOST_JOINED || values > MOST_CONVOLVED {
            return Ok(None);
        }
        watch::check()?;
    }
    Ok(Some(joined))
}

/// The law of the sum of two independent values.
fn convolved(a: &[Atom], b: &[Atom]) -> Vec<Atom> {
    let (few, many) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let shifted = |&(x, p): &Atom| many.iter().map(move |&(y, q)| (x + y, p * q));
    let mut atoms: Vec<Atom> = few.iter().flat_map(shifted).collect();
    collapse(&mut atoms);
    atoms
}

/// Encloses the sum of very many laws; see the head of this file.
fn smoothed(laws: &[Law], cells: usize) -> Result<Law> {
    let cells = cells.max(16 * REACH).next_power_of_two();
    let base = |law: &Law| law.lower()[0].0;
    let span = |law: &Law| law.upper()[law.upper().len() - 1].0 - base(law);
    let mean = |atoms: &[Atom]| atoms.iter().map(|(value, probability)| value * probability).sum::<f64>();
    let low: f64 = laws.iter().map(base).sum();
    let high = low + laws.iter().map(span).sum::<f64>();
    let far = FAR * laws.iter().map(|law| span(law) * span(law)).sum::<f64>().sqrt();
    let first = (laws.iter().map(|law| mean(law.lower())).sum::<f64>() - far).max(low);
    let last = (laws.iter().map(|law| mean(law.upper())).sum::<f64>() + far).min(high);
    let step = (last - first) / (cells - 2 * REACH - 2) as f64;
    if step <= 0.0 {
        return Ok(Law::certain(low));
    }
    let origin = first - (REACH + 1) as f64 * step;
    let fourier = Fourier::new(cells);
    let probabilities = |atoms: fn(&Law) -> &[Atom]| -> Result<Vec<f64>> {
        let turn = |k: usize| -2.0 * std::f64::consts::PI * k as f64 / cells as f64;
        let product = |k: usize| {
            watch::check()?;
            let (turn, width) = (turn(k), DEVIATION * turn(k));
            let (sine, cosine) = sin_cos(turn * ((low - origin) / step));
            let height = exp(-width * width / 2.0);
            let mut product = (height * cosine, height * sine);
            for law in laws {
                let base = base(law);
                let factor = atoms(law).iter().fold((0.0, 0.0), |sum, &(value, probability)| {
                    let (sine, cosine) = sin_cos(turn * ((value - base) / step));
                    (sum.0 + probability * cosine, sum.1 + probability * sine)
                });
                product = times(product, factor);
                if product.0 * product.0 + product.1 * product.1 < VANISHED {
                    return Ok((0.0, 0.0));
                }
            }
            Ok(product)
        };
        let half: Vec<Complex> = (0..=cells / 2).into_par_iter().map(product).collect::<Result<_>>()?;
        // The inverse transform is the transform of the conjugates. Its result is real.
        let conjugate = |k: usize| if k <= cells / 2 { (half[k].0, -half[k].1) } else { half[cells - k] };
        let mut buffer: Vec<Complex> = (0..cells).map(conjugate).collect();
        fourier.transform(&mut buffer);
        Ok(buffer.iter().map(|cell| cell.0 / cells as f64).collect())
    };
    let placed = |probabilities: &[f64], shift: f64| -> Vec<Atom> {
        let all: f64 = probabilities.iter().filter(|&&p| p > NOISE).sum();
        let atoms = probabilities.iter().enumerate().filter(|&(_, &p)| p > NOISE);
        atoms.map(|(cell, p)| ((origin + (cell as f64 + shift) * step).clamp(low, high), p / all)).collect()
    };
    let down = probabilities(Law::lower)?;
    let reach = REACH as f64;
    let (mut lower, mut upper) = (placed(&down, -reach), Vec::new());
    if laws.iter().all(Law::is_exact) {
        upper.extend(placed(&down, reach));
    } else {
        upper.extend(placed(&probabilities(Law::upper)?, reach));
    }
    // The smallest and the largest value are possible, however improbable.
    lower.insert(0, (low, 0.0));
    upper.push((high, 0.0));
    Ok(Law::enclosed(lower, upper))
}

/// Encloses the sum of laws on a grid. Each law is rounded down and up.
fn on_grid(laws: &[Law], cells: usize) -> Result<Law> {
    // Rounding up may extend each law by a cell.
    let cells = cells.max(4 * laws.len()).next_power_of_two();
    let ends = |law: &Law| (law.lower()[0].0, law.upper()[law.upper().len() - 1].0);
    let low: f64 = laws.iter().map(|law| ends(law).0).sum();
    let span: f64 = laws.iter().map(|law| ends(law).1 - ends(law).0).sum();
    let step = span / (cells - laws.len() - 1) as f64;
    if step == 0.0 {
        return Ok(Law::certain(low));
    }
    let fourier = Fourier::new(cells);
    // The sequences are real. So the first half of a transform determines the rest, and two sequences can be
    // transformed at once as down + i up.
    let mut product = vec![((1.0, 0.0), (1.0, 0.0)); cells / 2 + 1];
    let mut buffer: Vec<Complex> = Vec::new();
    for law in laws {
        buffer.clear();
        buffer.resize(cells, (0.0, 0.0));
        let base = ends(law).0;
        for &(value, probability) in law.lower() {
            buffer[((value - base) / step + WHOLE).floor() as usize].0 += probability;
        }
        for &(value, probability) in law.upper() {
            buffer[((value - base) / step - WHOLE).ceil() as usize].1 += probability;
        }
        fourier.transform(&mut buffer);
        for (k, (down, up)) in product.iter_mut().enumerate() {
            let (cell, mirrored) = (buffer[k], buffer[(cells - k) % cells]);
            *down = times(*down, ((cell.0 + mirrored.0) / 2.0, (cell.1 - mirrored.1) / 2.0));
            *up = times(*up, ((cell.1 + mirrored.1) / 2.0, (mirrored.0 - cell.0) / 2.0));
        }
        watch::check()?;
    }
    // The inverse transform is the conjugate of the transform of the conjugates.
    for k in 0..cells {
        let (down, up) = product[k.min(cells - k)];
        let sign = if k <= cells / 2 { 1.0 } else { -1.0 };
        buffer[k] = (down.0 - sign * up.1, -(sign * down.1 + up.0));
    }
    fourier.transform(&mut buffer);
    let atoms_of = |part: fn(&Complex) -> f64| -> Vec<Atom> {
        let probabilities: Vec<f64> = buffer.iter().map(|cell| part(cell) / cells as f64).collect();
        let all: f64 = probabilities.iter().filter(|&&p| p > NOISE).sum();
        let atoms = probabilities.iter().enumerate().filter(|&(_, &p)| p > NOISE);
        // Laws that were rounded up may exceed the largest possible sum.
        atoms.map(|(cell, p)| ((low + cell as f64 * step).min(low + span), p / all)).collect()
    };
    let (mut lower, mut upper) = (atoms_of(|cell| cell.0), atoms_of(|cell| -cell.1));
    // The smallest and the largest value are possible, however improbable.
    lower.insert(0, (low, 0.0));
    upper.push((low + span, 0.0));
    Ok(Law::enclosed(lower, upper))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_dice_exactly_and_on_a_grid() {
        let die = |sides: i32| Law::new((1..=sides).map(|i| (f64::from(i) / 7.0, 1.0 / f64::from(sides))).collect());
        let dice = || vec![die(6), die(4), die(6), die(20), Law::certain(0.25), die(3), die(9), die(6)];
        let exact = sum(dice(), Limits::default()).expect("not interrupted");
        assert!(exact.is_exact());
        for (values, cells) in [(1, 64), (1, 256), (40, 1024), (1, 1 << 14)] {
            let grid = sum(dice(), Limits { states: 8 * values, cells }).expect("not interrupted");
            assert!(!grid.is_exact());
            for x in (0..500).map(|i| f64::from(i) / 50.0 + 1e-4) {
                let (low, high) = grid.at_most(x);
                let (truth, _) = exact.at_most(x);
                assert!(low - 1e-11 <= truth && truth <= high + 1e-11, "{values} {cells} {x}: {low} {truth} {high}");
            }
            assert!((grid.quantile(0.0).0 - exact.quantile(0.0).0).abs() < 1e-12);
            assert!((grid.quantile(1.0).1 - exact.quantile(1.0).1).abs() < 1e-12);
            let widest = (1..20).map(|i| grid.quantile(f64::from(i) / 20.0)).fold(0.0, |w, (l, h)| f64::max(w, h - l));
            let most = 8.0 * 47.0 / 7.0 / (cells - 8) as f64 + 1.0 / 7.0; // cells, and a step of the lattice
            assert!(widest <= most, "{values} {cells}: {widest}");
        }
    }

    #[test]
    fn sums_of_many_coins_are_enclosed_closely() {
        let coins = |count: usize| -> Vec<Law> {
            let coin =
                |i: usize| Law::new(vec![(0.1, 1.0 - 0.001 * (i % 900) as f64), (0.3, 0.001 * (i % 900) as f64)]);
            (0..count).map(coin).collect()
        };
        for (count, cells) in [(60, 1 << 10), (400, 1 << 12), (3000, 1 << 16)] {
            // The sum of coins has few values, so it is known exactly.
            let exact = sum(coins(count), Limits::default()).expect("not interrupted");
            assert!(exact.is_exact());
            let enclosed = smoothed(&coins(count), cells).expect("not interrupted");
            let (first, last) = (exact.quantile(0.0).0, exact.quantile(1.0).1);
            for i in 0..=1000 {
                let x = first + (last - first) * f64::from(i) / 1000.0 + 1e-7;
                let ((low, high), (truth, _)) = (enclosed.at_most(x), exact.at_most(x));
                assert!(low - 1e-11 <= truth && truth <= high + 1e-11, "{count} {cells} {x}: {low} {truth} {high}");
            }
            let deviations = 2.0 * FAR * 0.2 * (count as f64).sqrt();
            for i in 1..20 {
                let (low, high) = enclosed.quantile(f64::from(i) / 20.0);
                let width = 2.0 * REACH as f64 * deviations / (cells - 2 * REACH - 2) as f64;
                assert!(high - low <= width + 0.2 + 1e-9, "{count} {cells}: {low} to {high}"); // and a step of the lattice
            }
            assert!((enclosed.quantile(0.0).0 - first).abs() < 1e-9 && (enclosed.quantile(1.0).1 - last).abs() < 1e-9);
        }
    }

    #[test]
    fn very_many_laws_are_summed_in_time() {
        let thirds = |i: usize| Law::new(vec![(0.0, 0.5), (1.0 / (2.0 + (i as f64).sqrt()), 0.3), (1.0, 0.2)]);
        let laws: Vec<Law> = (0..40_000).map(thirds).collect();
        let mean: f64 = laws.iter().flat_map(|law| law.lower().iter().map(|(x, p)| x * p)).sum();
        let variance = |law: &Law| {
            let moment = |n: i32| law.lower().iter().map(|(x, p)| crate::elementary::powi(*x, n) * p).sum::<f64>();
            moment(2) - moment(1) * moment(1)
        };
        let deviation = laws.iter().map(variance).sum::<f64>().sqrt();
        let law = sum(laws, Limits::default()).expect("not interrupted");
        // By the central limit theorem, a sum of 40,000 laws is nearly normal.
        for (share, normal) in [(0.05, -1.644_854), (0.5, 0.0), (0.95, 1.644_854)] {
            let (low, high) = law.quantile(share);
            assert!(high - low < 0.02 * deviation, "{share}: {low} to {high}");
            assert!((f64::midpoint(low, high) - mean - normal * deviation).abs() < 0.02 * deviation, "{share}");
        }
    }
}
