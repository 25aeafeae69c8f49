//! The number of documents of a query by level.

use super::codes::Code;

/// If there are more distinct grades than this, only the levels that occur are visited.
const FEW: usize = 32;
/// If there are more documents than this and few grades, documents are counted level by level.
const LONG: usize = 256;

/// The number of documents of each level, for one query after the other.
pub(super) struct LevelCounts {
    pub by_level: Vec<u32>,
    /// The levels that occurred, if there are too many to visit all.
    occurring: Option<Vec<u32>>,
}

impl LevelCounts {
    pub fn new(levels: usize) -> LevelCounts {
        LevelCounts { by_level: vec![0; levels], occurring: (levels > FEW).then(Vec::new) }
    }

    /// Counts the documents of a query. Returns whether any is judged.
    pub fn count<C: Code>(&mut self, codes: &[C]) -> bool {
        let LevelCounts { by_level, occurring } = self;
        if occurring.is_none() && codes.len() > LONG {
            by_level
                .iter_mut()
                .enumerate()
                .for_each(|(level, count)| *count = occurrences(codes, |code| code == C::of(level)));
            return by_level.iter().any(|&count| count > 0);
        }
        let mut any = false;
        for level in codes.iter().filter(|&&code| code != C::ABSENT).filter_map(|&code| code.into().checked_sub(1)) {
            by_level[level as usize] += 1;
            any = true;
            occurring.iter_mut().for_each(|occurring| occurring.push(level));
        }
        any
    }

    /// Sets all counts from packed ones; see `packed` in `block`.
    pub fn unpack(&mut self, packed: u64) {
        self.by_level
            .iter_mut()
            .zip(packed.to_le_bytes().into_iter().skip(1))
            .for_each(|(to, count)| *to = count.into());
    }

    pub fn set(&mut self, level: usize, count: u32) {
        self.by_level[level] = count;
        if let Some(occurring) = &mut self.occurring {
            occurring.push(level as u32);
        }
    }

    /// Calls `take` with each level and its count, highest grade first, and sets the counts to 0.
    pub fn drain(&mut self, mut take: impl FnMut(usize, u32)) {
        let mut take = |level: usize, count: &mut u32| {
            if *count > 0 {
                take(level, std::mem::take(count));
            }
        };
        match &mut self.occurring {
            None => self.by_level.iter_mut().enumerate().for_each(|(level, count)| take(level, count)),
            Some(occurring) => {
                occurring.sort_unstable();
                occurring.drain(..).for_each(|level| take(level as usize, &mut self.by_level[level as usize]));
            }
        }
    }
}

/// How many codes are counted. Counters of one byte let the compiler use vector instructions.
pub(super) fn occurrences<C: Code>(codes: &[C], is_counted: impl Fn(C) -> bool) -> u32 {
    let in_chunk = |codes: &[C]| codes.iter().fold(0_u8, |count, &code| count + u8::from(is_counted(code)));
    codes.chunks(255).map(|codes| u32::from(in_chunk(codes))).sum()
}
