//! Logarithms, exponentials, powers, sines: the same bits on every machine and in browsers, whose own libraries round these
//! in different ways.

/// The natural logarithm.
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// The natural logarithm of `1 + x`.
pub fn ln_1p(x: f64) -> f64 {
    libm::log1p(x)
}

/// The logarithm to base 2.
pub fn log2(x: f64) -> f64 {
    libm::log2(x)
}

/// The logarithm to base 10.
pub fn log10(x: f64) -> f64 {
    libm::log10(x)
}

/// The exponential.
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// The exponential, less 1.
pub fn exp_m1(x: f64) -> f64 {
    libm::expm1(x)
}

/// 2 to a power.
pub fn exp2(x: f64) -> f64 {
    libm::exp2(x)
}

/// A number to a whole power, by squaring. `f64::powi` does the same on most machines, but on Windows it is the power of
/// the system's library; where the exponent stands in the code, it is these products everywhere.
#[inline]
pub fn powi(x: f64, power: i32) -> f64 {
    let (mut square, mut product) = (x, 1.0);
    let mut left = power.unsigned_abs();
    loop {
        if left & 1 == 1 {
            product *= square;
        }
        left >>= 1;
        if left == 0 {
            return if power < 0 { 1.0 / product } else { product };
        }
        square *= square;
    }
}

/// The sine and the cosine.
pub fn sin_cos(x: f64) -> (f64, f64) {
    libm::sincos(x)
}

/// A number to a power.
pub fn powf(x: f64, power: f64) -> f64 {
    libm::pow(x, power)
}

/// The share of the normal distribution below a number of standard deviations.
pub fn normal_below(deviations: f64) -> f64 {
    0.5 * libm::erfc(-deviations / std::f64::consts::SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_results_are_exact() {
        for n in -300..300 {
            let power = exp2(f64::from(n));
            assert_eq!(power, 2f64.powi(n));
            assert_eq!(log2(power), f64::from(n));
            assert_eq!(powf(2.0, f64::from(n)), power);
            assert_eq!(powf(0.5, f64::from(n)), 1.0 / power);
        }
        for n in 0..16 {
            assert_eq!(powf(10.0, f64::from(n)), 10f64.powi(n));
        }
        assert_eq!((ln(1.0), exp(0.0), ln_1p(0.0), exp_m1(0.0)), (0.0, 1.0, 0.0, 0.0));
        assert_eq!((powf(0.0, 0.0), powf(0.3, 1.0), ln(0.0)), (1.0, 0.3, f64::NEG_INFINITY));
    }

    #[test]
    fn whole_powers_are_products() {
        for x in [0.0, -0.7, 0.35, 0.95, 1.0, 1.7, 2.0, f64::INFINITY, f64::MIN_POSITIVE] {
            for n in (-70..70).chain([-1100, 1023, i32::MAX, i32::MIN]) {
                assert_eq!(powi(x, n).to_bits(), x.powi(std::hint::black_box(n)).to_bits(), "{x}^{n}");
            }
        }
    }

    #[test]
    fn others_are_within_a_bit_of_this_machines_own() {
        let close = |ours: f64, theirs: f64| (ours - theirs).abs() <= f64::EPSILON * theirs.abs();
        for n in 1..5000 {
            let x = f64::from(n) * 0.37;
            let small = f64::from(n) * 1e-5;
            assert!(close(ln(x), x.ln()) && close(log2(x), x.log2()) && close(log10(x), x.log10()), "{x}");
            assert!(close(exp(-small), (-small).exp()) && close(exp2(-small), (-small).exp2()), "{small}");
            assert!(close(ln_1p(-small), (-small).ln_1p()) && close(exp_m1(-small), (-small).exp_m1()), "{small}");
            let (sine, cosine) = sin_cos(small);
            assert!(close(sine, small.sin()) && close(cosine, small.cos()), "{small}");
            assert!(close(powf(0.95, x), 0.95f64.powf(x)) && close(powf(0.5, small), 0.5f64.powf(small)), "{x}");
        }
    }
}
