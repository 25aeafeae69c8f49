//! Pseudo-random numbers that are the same on every machine: SplitMix64 (Steele, Lea & Flood 2014).

/// What the state grows by with each call.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A generator; it starts from its seed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Random {
    state: u64,
}

impl Random {
    pub fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    /// The generator of a seed after this many calls of [`Random::bits`].
    pub fn after(seed: u64, calls: u64) -> Random {
        Random { state: seed.wrapping_add(STEP.wrapping_mul(calls)) }
    }

    /// The generator of one of several samples, which does not depend on who draws the others.
    pub fn of_sample(seed: u64, sample: usize) -> Random {
        Random::new(Random::new(seed ^ (sample as u64).rotate_left(32)).bits())
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(STEP);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`; the bias of scaling is below n / 2^64.
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(n)) >> 64) as u64
    }

    /// A number from 0 up to 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_place_of_the_sequence_can_be_reached() {
        let mut random = Random::new(7);
        let drawn: Vec<u64> = (0..9).map(|_| random.bits()).collect();
        (0..9).for_each(|calls| assert_eq!(Random::after(7, calls).bits(), drawn[calls as usize]));
    }
}
