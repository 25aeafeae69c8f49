//! Rankings of passages: text of documents, from an offset on.
//!
//! A user reads one passage after the other; the i-th character read counts c_i D(i), c_i being what it gains (Tan &
//! Clarke, equation 25, as one of equation 26). A character of the collection gains the same wherever it is read, and
//! counts as often as it is read. So this is a dot product over characters: an unknown one gains r_G where D adds up
//! to more in A than in B.
//!
//! Documents are cut where a passage or a judgment begins or ends. Within such a piece characters are read in the same
//! order, in A and in B. If each reads it once at most, all its characters lie earlier in the same ranking, or in
//! neither, and their sum has a closed form; a piece that one of them reads again is summed character by character.

use std::collections::BTreeMap;

use super::decay::Decay;

/// Text of a document; offsets and lengths in bytes or in characters, whichever all of them are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Passage {
    /// The number of the document.
    pub document: u32,
    /// Where it starts, from 0 on.
    pub start: u64,
    /// How long it is.
    pub length: u64,
}

/// Two rankings of passages for one query.
#[derive(Debug, Clone, PartialEq)]
pub struct Passages {
    /// What A shows, in order.
    pub a: Vec<Passage>,
    /// What B shows, in order.
    pub b: Vec<Passage>,
    /// What is known of text: its gain. Of several gains of a character the highest counts, so a judged document is all
    /// of its text with gain 0, and its relevant passages with theirs.
    pub known: Vec<(Passage, f64)>,
    /// The most that unknown text may gain, r_G.
    pub top: f64,
    /// How much a character counts, by how many were read.
    pub decay: Decay,
    /// How long a passage takes beside its text, in characters, before it is read.
    pub overhead: f64,
    /// Whether unknown text of its own follows each ranking's end, for as long as D is above 0 (then exponential decay puts
    /// equal rankings apart too). Otherwise nothing does.
    pub filled: bool,
}

/// The largest S(A) - S(B), exactly.
#[derive(Debug, Clone, PartialEq)]
pub struct Marked {
    /// The value.
    pub value: f64,
    /// All text that either ranking shows, with its gain.
    pub gains: Vec<(Passage, f64)>,
}

/// Where a document's text is read: from start to end, the character at the start after `time`.
struct ReadText {
    start: u64,
    end: u64,
    time: f64,
}

/// All that concerns one document.
#[derive(Default)]
struct DocumentText {
    a: Vec<ReadText>,
    b: Vec<ReadText>,
    known: Vec<(u64, u64, f64)>,
}

/// The largest S(A) - S(B).
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

/// When every passage is read; the time at the end.
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
    /// Choose the gains of a piece from one offset to another, which begins or ends no passage within.
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

    /// Give text a gain, together with what stands before it if that has the same.
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
