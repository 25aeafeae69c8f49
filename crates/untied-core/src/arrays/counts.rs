//! How many documents of a query have which level.

use super::codes::Code;

/// With more distinct grades than this, levels are counted as they are met.
const FEW: usize = 32;
/// With more documents than this and few grades, they are counted level by level.
const LONG: usize = 256;

/// How many documents of a query have which level.
pub(super) struct Counts {
    pub by_level: Vec<u32>,
    /// Levels that have been met, where all of them are too many to go through.
    met: Option<Vec<u32>>,
}

impl Counts {
    pub fn of(levels: usize) -> Counts {
        Counts { by_level: vec![0; levels], met: (levels > FEW).then(Vec::new) }
    }

    /// Count the documents of a query; whether any is judged.
    pub fn count<C: Code>(&mut self, codes: &[C]) -> bool {
        let Counts { by_level, met } = self;
        if met.is_none() && codes.len() > LONG {
            by_level.iter_mut().enumerate().for_each(|(level, count)| *count = of(codes, C::of(level)));
            return by_level.iter().any(|&count| count > 0);
        }
        let mut any = false;
        for level in codes.iter().filter(|&&code| code != C::ABSENT).filter_map(|&code| code.into().checked_sub(1)) {
            by_level[level as usize] += 1;
            any = true;
            met.iter_mut().for_each(|met| met.push(level));
        }
        any
    }

    /// Counts that were packed, of levels that are not too many.
    pub fn unpack(&mut self, packed: u64) {
        self.by_level
            .iter_mut()
            .zip(packed.to_le_bytes().into_iter().skip(1))
            .for_each(|(to, count)| *to = count.into());
    }

    pub fn set(&mut self, level: usize, count: u32) {
        self.by_level[level] = count;
        if let Some(met) = &mut self.met {
            met.push(level as u32);
        }
    }

    /// Take all counts, highest grade first.
    pub fn drain(&mut self, mut take: impl FnMut(usize, u32)) {
        let mut take = |level: usize, count: &mut u32| {
            if *count > 0 {
                take(level, std::mem::take(count));
            }
        };
        match &mut self.met {
            None => self.by_level.iter_mut().enumerate().for_each(|(level, count)| take(level, count)),
            Some(met) => {
                met.sort_unstable();
                met.drain(..).for_each(|level| take(level as usize, &mut self.by_level[level as usize]));
            }
        }
    }
}

/// How many codes are this one: in narrow counters, which the compiler turns into vectors.
fn of<C: Code>(codes: &[C], code: C) -> u32 {
    let in_part = |codes: &[C]| codes.iter().fold(0_u8, |count, &other| count + u8::from(other == code));
    codes.chunks(255).map(|codes| u32::from(in_part(codes))).sum()
}
