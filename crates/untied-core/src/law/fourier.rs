//! The discrete Fourier transform of complex numbers, whose number is a power of two.

use crate::elementary::sin_cos;

/// A complex number: its real and imaginary parts.
pub(super) type Complex = (f64, f64);

/// The product of two complex numbers.
#[inline]
pub(super) fn times(a: Complex, b: Complex) -> Complex {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

/// The transform for one number of values.
pub(super) struct Fourier {
    /// exp(-2 pi i k / n) for k < n / 2.
    roots: Vec<Complex>,
}

impl Fourier {
    /// The transform of `n` numbers, which must be a power of two.
    pub(super) fn new(n: usize) -> Fourier {
        let turn = -2.0 * std::f64::consts::PI / n as f64;
        let root = |k: usize| {
            let (sine, cosine) = sin_cos(turn * k as f64);
            (cosine, sine)
        };
        Fourier { roots: (0..n / 2).map(root).collect() }
    }

    /// Replaces x by X(k) = sum over j of x(j) exp(-2 pi i j k / n) (Cooley & Tukey 1965).
    pub(super) fn transform(&self, x: &mut [Complex]) {
        let n = x.len();
        debug_assert_eq!(n, 2 * self.roots.len());
        let bits = n.trailing_zeros();
        for i in 0..n {
            let j = i.reverse_bits() >> (usize::BITS - bits);
            if i < j {
                x.swap(i, j);
            }
        }
        let mut half = 1;
        while half < n {
            let stride = n / (2 * half);
            for block in x.chunks_exact_mut(2 * half) {
                let (first, second) = block.split_at_mut(half);
                for ((a, b), root) in first.iter_mut().zip(second).zip(self.roots.iter().step_by(stride)) {
                    let turned = times(*b, *root);
                    (*a, *b) = ((a.0 + turned.0, a.1 + turned.1), (a.0 - turned.0, a.1 - turned.1));
                }
            }
            half *= 2;
        }
    }
}
