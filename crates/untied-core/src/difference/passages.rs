//! Rankings of passages: pieces of documents, from an offset on.
//!
//! A user reads one passage after the other. The i-th character that is read adds c_i D(i) to the score: its gain c_i
//! times the decay D(i) (Tan & Clarke, equations 25 and 26). A character gains the same wherever it is read, and counts
//! each time. So the score is a dot product over characters. An unknown character has the highest gain r_G if its
//! decays add up to more in A than in B; otherwise it gains nothing.
//!
//! Documents are cut into pieces where a passage or a judgment begins or ends. The characters of a piece are read in
//! the same order in A and in B. If each ranking reads the piece at most once, the same ranking reads all its
//! characters earlier, and their sum has a closed form. If a ranking reads the piece again, its characters are added up
//! one by one.

use std::collections::BTreeMap;

use super::decay::Decay;

/// A piece of a document. Offsets and lengths are in bytes or in characters throughout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Passage {
    /// The number of the document.
    pub document: u32,
    /// The offset at which the passage starts, from 0.
    pub start: u64,
    /// The length of the passage.
    pub length: u64,
}

/// Two rankings of passages for one query.
#[derive(Debug, Clone, PartialEq)]
pub struct Passages {
    /// The passages of ranking A, in order.
    pub a: Vec<Passage>,
    /// The passages of ranking B, in order.
    pub b: Vec<Passage>,
    /// Text whose gain is known, with its gain. If a character has several gains, the highest counts. A judged document
    /// is its whole text with the gain 0, and its relevant passages with their gains.
    pub known: Vec<(Passage, f64)>,
    /// The highest gain of unknown text, r_G in the paper.
    pub top: f64,
    /// How much a gain counts, by the number of characters read before.
    pub decay: Decay,
    /// What it costs to get to a passage, in characters.
    pub overhead: f64,
    /// Whether further unknown text follows the end of each ranking. With exponential decay, even equal rankings then
    /// differ.
    pub filled: bool,
}

/// The largest difference S(A) - S(B), which is exact.
#[derive(Debug, Clone, PartialEq)]
pub struct Marked {
    /// The largest difference.
    pub value: f64,
    /// All text of A and B, with the gains that give this difference.
    pub gains: Vec<(Passage, f64)>,
}

/// A reading of the text from `start` to `end`, beginning at `time`.
struct ReadText {
    start: u64,
    end: u64,
    time: f64,
}

/// The readings of one document in A and in B, and its text with known gains: start, end and gain.
#[derive(Default)]
struct DocumentText {
    a: Vec<ReadText>,
    b: Vec<ReadText>,
    known: Vec<(u64, u64, f64)>,
}

/// The largest difference S(A) - S(B), with the gains of all text.
pub fn solve(passages: &Passages) -> Marked {
    let mut texts: BTreeMap<u32, DocumentText> = BTreeMap::new();
    let end = read(&passages.a, passages.overhead, |document, reading| {
        texts.entry(document).or_default().a.push(reading);
    });
    read(&passages.b, passages.overhead, |document, reading| {
        texts.entry(document).or_default().b.push(reading);
    });
    for (x, gain) in &passages.known {
        if let Some(text) = texts.get_mut(&x.document) {
            text.known.push((x.start, x.start + x.length, *gain));
        }
    }
    let rest = if passages.filled { passages.top * passages.decay.sum(end, f64::INFINITY) } else { 0.0 };
    let mut marked = Marked { value: rest, gains: Vec::new() };
    for (&document, text) in &texts {
        let mut cuts: Vec<u64> = text.a.iter().chain(&text.b).flat_map(|x| [x.start, x.end]).collect();
        cuts.extend(text.known.iter().flat_map(|x| [x.0, x.1]));
        cuts.sort_unstable();
        cuts.dedup();
        for piece in cuts.windows(2) {
            marked.add(passages, document, text, piece[0], piece[1]);
        }
    }
    marked
}

/// Calls `visit` with the document and the time of each passage. Returns the time at the end.
fn read(ranking: &[Passage], overhead: f64, mut visit: impl FnMut(u32, ReadText)) -> f64 {
    let mut time = 0.0;
    for x in ranking.iter().filter(|x| x.length > 0) {
        time += overhead;
        visit(x.document, ReadText { start: x.start, end: x.start + x.length, time });
        time += x.length as f64;
    }
    time
}

impl Marked {
    /// Chooses the gains of a piece of a document, from one offset to another.
    fn add(&mut self, passages: &Passages, document: u32, text: &DocumentText, from: u64, to: u64) {
        let times = |readings: &[ReadText]| -> Vec<f64> {
            let those = readings.iter().filter(|x| x.start <= from && to <= x.end);
            those.map(|x| x.time + (from - x.start) as f64).collect()
        };
        let (a, b) = (times(&text.a), times(&text.b));
        if a.is_empty() && b.is_empty() {
            return;
        }
        let n = (to - from) as f64;
        let all = |times: &[f64]| times.iter().map(|&time| passages.decay.sum(time, n)).sum::<f64>();
        let known = text.known.iter().filter(|x| x.0 <= from && to <= x.1).map(|x| x.2).reduce(f64::max);
        if let Some(gain) = known {
            self.mark(document, from, to, gain, all(&a) - all(&b));
        } else if a.len() <= 1 && b.len() <= 1 {
            let ahead = b.is_empty() || !a.is_empty() && a[0] < b[0];
            self.mark(document, from, to, if ahead { passages.top } else { 0.0 }, all(&a) - all(&b));
        } else {
            for i in 0..to - from {
                let at = |times: &[f64]| times.iter().map(|time| passages.decay.at(time + (i + 1) as f64)).sum::<f64>();
                let difference = at(&a) - at(&b);
                let gain = if difference > 0.0 { passages.top } else { 0.0 };
                self.mark(document, from + i, from + i + 1, gain, difference);
            }
        }
    }

    /// Adds a piece with a gain. If the piece before it has the same gain, the two become one. `difference` is the
    /// piece's decay in A minus its decay in B.
    fn mark(&mut self, document: u32, from: u64, to: u64, gain: f64, difference: f64) {
        self.value += gain * difference;
        match self.gains.last_mut() {
            Some((last, same)) if last.document == document && last.start + last.length == from && *same == gain => {
                last.length += to - from;
            }
            _ => self.gains.push((Passage { document, start: from, length: to - from }, gain)),
        }
    }
}
