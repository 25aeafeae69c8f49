//! The law of a sum of independent values.
//!
//! Laws with few values are convolved one by one, exactly. Beyond that the sum is enclosed on a grid: every law is rounded
//! down and up to it once, and these are convolved by Fourier transforms. With m laws left, the two laws that enclose
//! the sum are at most m cells apart.

use super::fourier::{Complex, Fourier, times};
use super::{Atom, Law, Limits, collapse};
use crate::error::Result;
use crate::watch;

/// What rounding may have taken from a number of cells that is whole.
const WHOLE: f64 = 1e-9;
/// Probabilities below this are rounding errors of the transforms.
const NOISE: f64 = 1e-16;

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
    // The smallest first: the more of them go together, the fewer are rounded.
    exact.sort_by_key(Vec::len);
    let mut joined: Vec<Vec<Atom>> = Vec::new();
    for law in exact {
        match joined.last_mut() {
            Some(last) if last.len() * law.len() <= limits.states / 8 => *last = convolved(last, &law),
            _ => joined.push(law),
        }
        watch::check()?;
    }
    let law = match (joined.len(), enclosed.len()) {
        (0, 0) => return Ok(Law::certain(offset)),
        (1, 0) => Law { lower: joined.swap_remove(0), upper: None },
        (0, 1) => enclosed.swap_remove(0),
        _ => {
            enclosed.extend(joined.into_iter().map(|lower| Law { lower, upper: None }));
            on_grid(&enclosed, limits.cells)?
        }
    };
    Ok(law.map(|value| value + offset))
}

fn convolved(a: &[Atom], b: &[Atom]) -> Vec<Atom> {
    let (few, many) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let shifted = |&(x, p): &Atom| many.iter().map(move |&(y, q)| (x + y, p * q));
    let mut atoms: Vec<Atom> = few.iter().flat_map(shifted).collect();
    collapse(&mut atoms);
    atoms
}

fn on_grid(laws: &[Law], cells: usize) -> Result<Law> {
    // Rounded up, each law can reach one cell further.
    let cells = cells.max(4 * laws.len()).next_power_of_two();
    let ends = |law: &Law| (law.lower()[0].0, law.upper()[law.upper().len() - 1].0);
    let low: f64 = laws.iter().map(|law| ends(law).0).sum();
    let span: f64 = laws.iter().map(|law| ends(law).1 - ends(law).0).sum();
    let step = span / (cells - laws.len() - 1) as f64;
    if step == 0.0 {
        return Ok(Law::certain(low));
    }
    let fourier = Fourier::new(cells);
    // The sequences are real, so the first half of each transform determines it. Two are transformed at once, as
    // down + i up.
    let mut product = vec![((1.0, 0.0), (1.0, 0.0)); cells / 2 + 1];
    let mut room: Vec<Complex> = Vec::new();
    for law in laws {
        room.clear();
        room.resize(cells, (0.0, 0.0));
        let base = ends(law).0;
        for &(value, probability) in law.lower() {
            room[((value - base) / step + WHOLE).floor() as usize].0 += probability;
        }
        for &(value, probability) in law.upper() {
            room[((value - base) / step - WHOLE).ceil() as usize].1 += probability;
        }
        fourier.transform(&mut room);
        for (k, (down, up)) in product.iter_mut().enumerate() {
            let (here, there) = (room[k], room[(cells - k) % cells]);
            *down = times(*down, ((here.0 + there.0) / 2.0, (here.1 - there.1) / 2.0));
            *up = times(*up, ((here.1 + there.1) / 2.0, (there.0 - here.0) / 2.0));
        }
        watch::check()?;
    }
    // Back: conjugate what is transformed, and the outcome.
    for k in 0..cells {
        let (down, up) = product[k.min(cells - k)];
        let sign = if k <= cells / 2 { 1.0 } else { -1.0 };
        room[k] = (down.0 - sign * up.1, -(sign * down.1 + up.0));
    }
    fourier.transform(&mut room);
    let found = |part: fn(&Complex) -> f64| -> Vec<Atom> {
        let probabilities: Vec<f64> = room.iter().map(|cell| part(cell) / cells as f64).collect();
        let all: f64 = probabilities.iter().filter(|&&p| p > NOISE).sum();
        let atoms = probabilities.iter().enumerate().filter(|&(_, &p)| p > NOISE);
        // No sum is above the highest, though every law rounded up may reach a cell further.
        atoms.map(|(cell, p)| ((low + cell as f64 * step).min(low + span), p / all)).collect()
    };
    let (mut lower, mut upper) = (found(|cell| cell.0), found(|cell| -cell.1));
    // The ends are possible, however improbable.
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
}
