//! Bpref: the sum of the ranks of the first d non-relevant documents in A minus that in B, for each number m of
//! relevant unknown documents, on which d depends.
//!
//! With p_t the rank of A's t-th non-relevant document (ranks go on after the end with non-relevant ones), for any L
//!
//!   sum_{t <= d} p_t >= d L - sum over non-relevant y of (L - a(y))^+,
//!
//! and equal for L = p_d and for L = p_d + 1, so that the largest over all even L is the sum. With q_t the ranks in B,
//! `-sum_{t <= d} q_t` is the largest of `-sum over T of b` over sets T of d non-relevant documents. So both are maxima,
//! and for given L and m every unknown document is relevant, in T, or neither, and gains
//!
//!   (L - a)^+,    -b,    0    (up to a constant),
//!
//! with m documents relevant and d in T, which judged ones and those beyond the end of B fill up. That is a transport
//! problem. From one m to the next one document more is relevant, and one more or fewer is in T: each such change is a
//! best path through the three states, of at most two moves (Ahuja, Magnanti & Orlin 1993, chapter 9), so that all m of
//! one L take O(u log u). Ranks are whole numbers, and so are all sums: nothing is rounded.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The problem of a query.
pub struct Transport {
    /// Ranks of unknown documents in A and in B, 0 where one lacks them.
    pub open: Vec<(u32, u32)>,
    /// Ranks of judged non-relevant documents in A and in B, in ascending order.
    pub judged: (Vec<u32>, Vec<u32>),
    /// Documents of A and of B.
    pub lengths: (usize, usize),
    /// d for 0, 1, 2, ... unknown documents relevant.
    pub counted: Vec<usize>,
}

/// Where an unknown document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TransportState {
    Relevant,
    Taken,
    Neither,
}

/// The best of a kind of move: what it gains and which document moves (none: a judged one, or one beyond the end).
type TransportMove = (i64, Option<usize>);

impl Transport {
    /// Sum_{t <= d} p_t - q_t at its largest, for every m; and the L at which it is so.
    pub fn largest(&self) -> Vec<(i64, i64)> {
        let mut best = vec![(i64::MIN, 0); self.counted.len()];
        for level in (1..=self.levels() as i64).map(|half| 2 * half) {
            let mut states = TransportStates::new(self, level);
            for (m, best) in best.iter_mut().enumerate() {
                states.go_to(m);
                if states.value() > best.0 {
                    *best = (states.value(), level);
                }
            }
        }
        best
    }

    /// The unknown documents that are relevant where the sum is largest for m of them, at a level that [`Self::largest`]
    /// found.
    pub fn relevant(&self, m: usize, level: i64) -> Vec<usize> {
        let mut states = TransportStates::new(self, level);
        (0..=m).for_each(|m| states.go_to(m));
        (0..self.open.len()).filter(|&x| states.at[x] == TransportState::Relevant).collect()
    }

    /// How many L count.
    fn levels(&self) -> usize {
        self.counted.iter().max().map_or(0, |most| (self.lengths.0 + most) / 2 + 1)
    }

    /// About how many moves it takes.
    pub fn work(&self) -> usize {
        self.levels().saturating_mul(self.open.len() + 1)
    }

    /// The rank in B of the judged or further non-relevant document number i.
    fn filler(&self, i: usize) -> i64 {
        let judged = &self.judged.1;
        judged.get(i).map_or_else(|| (self.lengths.1 + 1 + i - judged.len()) as i64, |&rank| i64::from(rank))
    }
}

/// The states of all unknown documents for one L, going from m to m + 1.
struct TransportStates<'t> {
    transport: &'t Transport,
    level: i64,
    at: Vec<TransportState>,
    /// (L - a)^+ of each.
    gains: Vec<i64>,
    /// Judged documents in T.
    filled: usize,
    /// All documents in T.
    taken: usize,
    relevant: usize,
    /// The value, without what depends on L and d alone.
    value: i64,
    /// What does, of L alone.
    constant: i64,
    /// Documents by what they gain with a move. Those that are in another state by now are passed over.
    to_relevant: BinaryHeap<(i64, Reverse<usize>)>,
    to_taken: BinaryHeap<(i64, Reverse<usize>)>,
    taken_to_relevant: BinaryHeap<(i64, Reverse<usize>)>,
    relevant_to_taken: BinaryHeap<(i64, Reverse<usize>)>,
    from_relevant: BinaryHeap<(i64, Reverse<usize>)>,
    from_taken: BinaryHeap<(i64, Reverse<usize>)>,
}

impl<'t> TransportStates<'t> {
    /// Nothing is relevant, and T is empty.
    fn new(transport: &'t Transport, level: i64) -> TransportStates<'t> {
        let gain = |rank: u32| if rank == 0 { 0 } else { (level - i64::from(rank)).max(0) };
        let gains: Vec<i64> = transport.open.iter().map(|&(a, _)| gain(a)).collect();
        let judged: i64 = transport.judged.0.iter().map(|&rank| gain(rank)).sum();
        let beyond = (level - 1 - transport.lengths.0 as i64).max(0);
        let mut states = TransportStates {
            transport,
            level,
            at: vec![TransportState::Neither; transport.open.len()],
            constant: -judged - gains.iter().sum::<i64>() - beyond * (beyond + 1) / 2,
            gains,
            filled: 0,
            taken: 0,
            relevant: 0,
            value: 0,
            to_relevant: BinaryHeap::new(),
            to_taken: BinaryHeap::new(),
            taken_to_relevant: BinaryHeap::new(),
            relevant_to_taken: BinaryHeap::new(),
            from_relevant: BinaryHeap::new(),
            from_taken: BinaryHeap::new(),
        };
        (0..transport.open.len()).for_each(|x| states.enter(x, TransportState::Neither));
        states
    }

    /// The sum with what is relevant and in T now.
    fn value(&self) -> i64 {
        self.value + self.constant + self.taken as i64 * self.level
    }

    /// Have m documents relevant and d in T; one after the other.
    fn go_to(&mut self, m: usize) {
        if m > self.relevant {
            self.add_relevant();
        }
        while self.taken < self.transport.counted[m] {
            self.add_taken();
        }
        while self.taken > self.transport.counted[m] {
            self.drop_taken();
        }
    }

    fn enter(&mut self, x: usize, state: TransportState) {
        self.at[x] = state;
        let (gain, rank, key) = (self.gains[x], i64::from(self.transport.open[x].1), Reverse(x));
        match state {
            TransportState::Neither => {
                self.to_relevant.push((gain, key));
                if rank > 0 {
                    self.to_taken.push((-rank, key));
                }
            }
            TransportState::Relevant => {
                self.from_relevant.push((-gain, key));
                if rank > 0 {
                    self.relevant_to_taken.push((-gain - rank, key));
                }
            }
            TransportState::Taken => {
                self.from_taken.push((rank, key));
                self.taken_to_relevant.push((gain + rank, key));
            }
        }
    }

    fn best(
        at: &[TransportState],
        heap: &mut BinaryHeap<(i64, Reverse<usize>)>,
        state: TransportState,
    ) -> Option<TransportMove> {
        while let Some(&(gain, Reverse(x))) = heap.peek() {
            if at[x] == state {
                return Some((gain, Some(x)));
            }
            heap.pop();
        }
        None
    }

    /// What costs least to take into T: an unknown document, or the next of the others.
    fn cheapest(&mut self) -> TransportMove {
        let filler = (-self.transport.filler(self.filled), None);
        let open = Self::best(&self.at, &mut self.to_taken, TransportState::Neither);
        open.filter(|open| open.0 >= filler.0).unwrap_or(filler)
    }

    /// What gains most out of T.
    fn dearest(&mut self) -> Option<TransportMove> {
        let filler = self.filled.checked_sub(1).map(|last| (self.transport.filler(last), None));
        let open = Self::best(&self.at, &mut self.from_taken, TransportState::Taken);
        [open, filler].into_iter().flatten().max_by_key(|one| one.0)
    }

    fn make(&mut self, (gain, document): TransportMove, from: TransportState, to: TransportState) {
        self.value += gain;
        match document {
            Some(x) => self.enter(x, to),
            None if to == TransportState::Taken => self.filled += 1,
            None => self.filled -= 1,
        }
        for (state, by) in [(from, -1), (to, 1)] {
            match state {
                TransportState::Taken => self.taken = self.taken.wrapping_add_signed(by),
                TransportState::Relevant => self.relevant = self.relevant.wrapping_add_signed(by),
                TransportState::Neither => {}
            }
        }
    }

    fn add_relevant(&mut self) {
        let direct = Self::best(&self.at, &mut self.to_relevant, TransportState::Neither);
        let across = Self::best(&self.at, &mut self.taken_to_relevant, TransportState::Taken);
        let refill = self.cheapest();
        match (direct, across) {
            (direct, Some(across)) if direct.is_none_or(|direct| across.0 + refill.0 > direct.0) => {
                self.make(across, TransportState::Taken, TransportState::Relevant);
                self.make(refill, TransportState::Neither, TransportState::Taken);
            }
            (Some(direct), _) => self.make(direct, TransportState::Neither, TransportState::Relevant),
            (None, _) => unreachable!("there are no more relevant documents than unknown ones"),
        }
    }

    fn add_taken(&mut self) {
        let direct = self.cheapest();
        let across = Self::best(&self.at, &mut self.relevant_to_taken, TransportState::Relevant);
        let refill = Self::best(&self.at, &mut self.to_relevant, TransportState::Neither);
        match across.zip(refill).filter(|(across, refill)| across.0 + refill.0 > direct.0) {
            Some((across, refill)) => {
                self.make(across, TransportState::Relevant, TransportState::Taken);
                self.make(refill, TransportState::Neither, TransportState::Relevant);
            }
            None => self.make(direct, TransportState::Neither, TransportState::Taken),
        }
    }

    fn drop_taken(&mut self) {
        let direct = self.dearest();
        let across = Self::best(&self.at, &mut self.taken_to_relevant, TransportState::Taken);
        let release = Self::best(&self.at, &mut self.from_relevant, TransportState::Relevant);
        let detour = across.zip(release).map(|(across, release)| (across.0 + release.0, across, release));
        match (direct, detour) {
            (direct, Some((gain, across, release))) if direct.is_none_or(|direct| gain > direct.0) => {
                self.make(across, TransportState::Taken, TransportState::Relevant);
                self.make(release, TransportState::Relevant, TransportState::Neither);
            }
            (Some(direct), _) => self.make(direct, TransportState::Taken, TransportState::Neither),
            (None, _) => unreachable!("T is not empty"),
        }
    }
}
