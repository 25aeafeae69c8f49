//! Bpref: the sum of the ranks of the first d non-relevant documents in A, minus that sum in B, for each number m of
//! relevant unknown documents. d depends on m.
//!
//! Let p_t be the rank of the t-th non-relevant document of A. Every rank after the end of the ranking has one. Write
//! a(y) and b(y) for the ranks of document y in A and B. For any number L, the *level*,
//!
//!   sum_{t <= d} p_t >= d L - sum over non-relevant y of (L - a(y))^+,
//!
//! with equality for L = p_d and for L = p_d + 1. So the largest right side over all even L is the sum. Let q_t be the
//! ranks of non-relevant documents in B. Then `-sum_{t <= d} q_t` is the largest `-sum over y in T of b(y)` over all
//! sets T of d non-relevant documents. So both parts of the difference are maxima. For given L and m, each unknown
//! document is relevant, in T (*taken*), or neither, and gains
//!
//!   (L - a)^+,    -b,    or    0    (up to a constant).
//!
//! m of these documents are relevant, and T has d documents, including judged ones and those beyond the end of B. This
//! is a transport problem. From one m to the next, one more document is relevant, and T has one document more or fewer.
//! Each such change is a best path through the three states, of at most two moves (Ahuja, Magnanti & Orlin 1993,
//! chapter 9). So all m of one L take O(u log u) for u unknown documents. Ranks and sums are whole numbers, so nothing
//! is rounded.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The problem of a query.
pub struct Transport {
    /// The ranks of each unknown document in A and in B; 0 if a ranking lacks it.
    pub open: Vec<(u32, u32)>,
    /// The ranks of the documents judged non-relevant, in A and in B, in ascending order.
    pub judged: (Vec<u32>, Vec<u32>),
    /// The numbers of documents of A and of B.
    pub lengths: (usize, usize),
    /// For m = 0, 1, 2, ... relevant unknown documents: d, the number of non-relevant documents whose ranks are added
    /// up.
    pub counted: Vec<usize>,
}

/// The state of an unknown document: relevant, in the set T of non-relevant documents of B whose ranks are added up, or
/// neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TransportState {
    Relevant,
    Taken,
    Neither,
}

/// A move of one document to another state: the gain of the sum, and the index of the unknown document. None stands for
/// a judged document, or for one beyond the end of B.
type TransportMove = (i64, Option<usize>);

impl Transport {
    /// For each m, the largest sum over t <= d of p_t - q_t, and the level L at which it was found. p_t and q_t are the
    /// ranks of the t-th non-relevant documents of A and of B.
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

    /// The indices of the m unknown documents that make the sum largest if they are the relevant ones. `level` is the L
    /// that [`Self::largest`] found for this m.
    pub fn relevant(&self, m: usize, level: i64) -> Vec<usize> {
        let mut states = TransportStates::new(self, level);
        (0..=m).for_each(|m| states.go_to(m));
        (0..self.open.len()).filter(|&x| states.at[x] == TransportState::Relevant).collect()
    }

    /// The number of even levels L to try.
    fn levels(&self) -> usize {
        self.counted.iter().max().map_or(0, |most| (self.lengths.0 + most) / 2 + 1)
    }

    /// About how many moves of documents the problem takes.
    pub fn work(&self) -> usize {
        self.levels().saturating_mul(self.open.len() + 1)
    }

    /// The rank in B of the i-th non-relevant document that is not unknown: first the judged ones, then those beyond
    /// the end of B.
    fn filler(&self, i: usize) -> i64 {
        let judged = &self.judged.1;
        judged.get(i).map_or_else(|| (self.lengths.1 + 1 + i - judged.len()) as i64, |&rank| i64::from(rank))
    }
}

/// The best states of all unknown documents for one level L and one number m of relevant documents. They are changed
/// from m to m + 1.
struct TransportStates<'t> {
    transport: &'t Transport,
    /// The level L.
    level: i64,
    /// The state of each unknown document.
    at: Vec<TransportState>,
    /// For each unknown document, (L - a)^+: what the sum gains if it is relevant.
    gains: Vec<i64>,
    /// The number of documents in T that are judged or beyond the end of B.
    filled: usize,
    /// The number of all documents in T.
    taken: usize,
    /// The number m of relevant unknown documents.
    relevant: usize,
    /// The part of the sum that depends on the states of documents.
    value: i64,
    /// The part of the sum that depends on L alone.
    constant: i64,
    /// Six queues of moves, highest gain first. Each lists unknown documents by what the sum gains if they change their
    /// state: in this queue they become relevant, and in the others as the name says. A document that has left the old
    /// state in the meantime is skipped.
    to_relevant: BinaryHeap<(i64, Reverse<usize>)>,
    to_taken: BinaryHeap<(i64, Reverse<usize>)>,
    taken_to_relevant: BinaryHeap<(i64, Reverse<usize>)>,
    relevant_to_taken: BinaryHeap<(i64, Reverse<usize>)>,
    from_relevant: BinaryHeap<(i64, Reverse<usize>)>,
    from_taken: BinaryHeap<(i64, Reverse<usize>)>,
}

impl<'t> TransportStates<'t> {
    /// The states without relevant unknown documents, and with an empty T.
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

    /// The sum over t of p_t - q_t at this level, in the current states.
    fn value(&self) -> i64 {
        self.value + self.constant + self.taken as i64 * self.level
    }

    /// Moves to m relevant documents, from m - 1 or from none, and to the d documents in T that go with m.
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

    /// Puts an unknown document into a state, and into the queues of the moves out of it.
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

    /// The best move of a queue whose document is still in `state`.
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

    /// The cheapest move of a document into T: an unknown one, the next judged one, or one beyond the end of B.
    fn cheapest(&mut self) -> TransportMove {
        let filler = (-self.transport.filler(self.filled), None);
        let open = Self::best(&self.at, &mut self.to_taken, TransportState::Neither);
        open.filter(|open| open.0 >= filler.0).unwrap_or(filler)
    }

    /// The move of a document out of T that gains most; none if T is empty.
    fn dearest(&mut self) -> Option<TransportMove> {
        let filler = self.filled.checked_sub(1).map(|last| (self.transport.filler(last), None));
        let open = Self::best(&self.at, &mut self.from_taken, TransportState::Taken);
        [open, filler].into_iter().flatten().max_by_key(|one| one.0)
    }

    /// Makes a move, and counts it.
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

    /// Makes one more document relevant: directly, or by taking one out of T, which then gets another.
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

    /// Adds a document to T: directly, or by moving a relevant one there and making another one relevant.
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

    /// Removes a document from T: directly, or by making it relevant in place of another one.
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
