//! trec_eval's preference measures, `prefs_*`: how many of the judges' preferences does a ranking fulfil?
//!
//! With f of p preferences fulfilled (see [`crate::prefs_group`]):
//!
//! - `simp` = sum over groups f / sum over groups p
//! - `avgjg` = mean over groups f / p, 0 where p = 0
//! - `avgjg_Rnonrel` = the same with as many non-relevant documents as relevant ones in every group
//! - `pair` = mean over pairs of documents: of the groups that have a preference there, the part that is fulfilled
//!
//! `_ret` leaves out preferences unless both documents are retrieved, `_imp` unless one of them is.

use untied_core::error::{Error, Result, quote};

use crate::prefs_group::{Counts, Group, Placed, Share};
use crate::prefs_read::Preference;

/// A retrieved document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Retrieved<'a> {
    /// Its id.
    pub document: &'a [u8],
    /// Its score.
    pub score: f64,
}

/// The measures in trec_eval's order, and what they are.
const MEASURES: [(&str, &str); 14] = [
    ("prefs_num_prefs_poss", "number of preferences; summed over topics"),
    ("prefs_num_prefs_ful", "number of preferences fulfilled, implied ones included; summed over topics"),
    ("prefs_num_prefs_ful_ret", "number of preferences fulfilled between retrieved documents; summed over topics"),
    ("prefs_simp", "share of preferences fulfilled"),
    ("prefs_pair", "mean over pairs of documents of the share of their preferences that is fulfilled"),
    ("prefs_avgjg", "mean over judgment groups of the share of preferences fulfilled"),
    (
        "prefs_avgjg_Rnonrel",
        "prefs_avgjg with as many non-relevant documents (level 0) as relevant ones in every group",
    ),
    ("prefs_simp_ret", "prefs_simp of preferences between retrieved documents"),
    ("prefs_pair_ret", "prefs_pair over pairs of retrieved documents"),
    ("prefs_avgjg_ret", "prefs_avgjg of preferences between retrieved documents"),
    ("prefs_avgjg_Rnonrel_ret", "prefs_avgjg_Rnonrel of preferences between retrieved documents"),
    ("prefs_simp_imp", "prefs_simp without preferences of which no document is retrieved"),
    ("prefs_pair_imp", "prefs_pair without pairs of which no document is retrieved"),
    ("prefs_avgjg_imp", "prefs_avgjg without preferences of which no document is retrieved"),
];

/// The index of a measure's value among those of [`measure`].
pub fn find(name: &str) -> Option<usize> {
    MEASURES.iter().position(|(known, _)| *known == name)
}

/// What a measure is.
pub fn title(name: &str) -> &'static str {
    find(name).map_or("", |at| MEASURES[at].1)
}

/// Whether a measure is a whole number, to be summed over topics.
pub fn is_count(name: &str) -> bool {
    find(name).is_some_and(|at| at < 3)
}

/// The values of all measures on one query: its preferences sorted by document, its run in any order, of which the first
/// `depth` documents count.
///
/// trec_eval orders documents of equal score by *ascending* id here, and by descending id for all other measures. Its
/// options `-l` and `-J` change nothing: a document is relevant if its level is above 0.
///
/// # Errors
/// A document retrieved twice; a group's judgments that contradict each other.
pub fn measure(preferences: &[Preference], run: &[Retrieved], depth: usize) -> Result<[f64; 14]> {
    let (placed, retrieved, judged) = place(preferences, run, depth)?;
    let groups = placed
        .chunk_by(|a, b| a.preference.group == b.preference.group)
        .map(|judgments| Group::new(judgments, retrieved))
        .collect::<Result<Vec<_>>>()?;
    let counts: Vec<Counts> = groups.iter().map(Group::counts).collect();
    let pairs = DocumentPairs::of(&groups, &counts, retrieved, judged);
    let all = |c: &Counts| c.all;
    let ret = |c: &Counts| c.retrieved;
    let imp = |c: &Counts| Share { fulfilled: c.all.fulfilled, possible: c.all.possible - c.neither };
    Ok([
        sum(&counts, all).possible as f64,
        sum(&counts, all).fulfilled as f64,
        sum(&counts, ret).fulfilled as f64,
        or_zero(sum(&counts, all).ratio()),
        pairs.all,
        average(&counts, |c| or_zero(all(c).ratio())),
        average(&counts, |c| c.balanced.ratio()),
        or_zero(sum(&counts, ret).ratio()),
        pairs.retrieved,
        average(&counts, |c| or_zero(ret(c).ratio())),
        average(&counts, |c| c.balanced_retrieved.ratio()),
        or_zero(sum(&counts, imp).ratio()),
        pairs.implied,
        average(&counts, |c| or_zero(imp(c).ratio())),
    ])
}

fn sum(counts: &[Counts], share: impl Fn(&Counts) -> Share) -> Share {
    counts.iter().map(share).fold(Share::default(), |sum, share| Share {
        fulfilled: sum.fulfilled + share.fulfilled,
        possible: sum.possible + share.possible,
    })
}

/// The mean over groups. Rnonrel's ratios are not a number where a group has no preference, and one such group makes
/// the whole query 0.
fn average(counts: &[Counts], ratio: impl Fn(&Counts) -> f64) -> f64 {
    or_zero(counts.iter().map(ratio).fold(0.0, |sum, ratio| sum + ratio) / counts.len() as f64)
}

fn or_zero(value: f64) -> f64 {
    if value.is_nan() { 0.0 } else { value }
}

/// Place the judged documents, the retrieved ones as ranked, then the others by id. Judgments come sorted by group and
/// subgroup; also the number of judged documents that are retrieved, and of all judged documents.
fn place<'a>(
    preferences: &'a [Preference<'a>],
    run: &[Retrieved<'a>],
    depth: usize,
) -> Result<(Vec<Placed<'a>>, usize, usize)> {
    let mut run = run.to_vec();
    run.sort_by(|a, b| (b.score + 0.0).total_cmp(&(a.score + 0.0)).then_with(|| a.document.cmp(b.document)));
    run.truncate(depth);
    let mut ranked: Vec<(&[u8], usize)> = run.iter().enumerate().map(|(rank, doc)| (doc.document, rank)).collect();
    ranked.sort_unstable();
    if let Some(twice) = ranked.windows(2).find(|two| two[0].0 == two[1].0) {
        return Err(Error::Value(format!("document {} is retrieved twice", quote(twice[0].0))));
    }

    // The judged documents by id, each with its judgments; then by rank, or after all ranks where it has none.
    let mut documents: Vec<(usize, &[Preference])> = Vec::new();
    let mut retrieved = 0;
    for judgments in preferences.chunk_by(|a, b| a.document == b.document) {
        let found = ranked.binary_search_by(|(id, _)| (*id).cmp(judgments[0].document));
        retrieved += usize::from(found.is_ok());
        documents.push((found.map_or(usize::MAX, |at| ranked[at].1), judgments));
    }
    documents.sort_by_key(|(rank, _)| *rank);
    let mut placed: Vec<Placed> = documents
        .iter()
        .enumerate()
        .flat_map(|(place, (_, judgments))| judgments.iter().map(move |preference| Placed { preference, place }))
        .collect();
    placed.sort_by_key(|judgment| (judgment.preference.group, judgment.preference.subgroup));
    Ok((placed, retrieved, documents.len()))
}

/// Means over pairs of documents.
struct DocumentPairs {
    all: f64,
    retrieved: f64,
    implied: f64,
}

impl DocumentPairs {
    fn of(groups: &[Group], counts: &[Counts], retrieved: usize, judged: usize) -> DocumentPairs {
        let (sums, numbers) = match (groups, counts) {
            // With one group and no document twice a pair is fulfilled or not, and all are counted already.
            ([group], [c]) if group.places.len() == judged => (
                [c.retrieved.fulfilled as f64, c.all.fulfilled as f64],
                [c.retrieved.possible, c.all.possible - c.neither, c.all.possible],
            ),
            _ => Self::add_up(groups, retrieved, judged),
        };
        let mean = |sum: f64, number: u64| or_zero(sum / number as f64);
        DocumentPairs {
            retrieved: mean(sums[0], numbers[0]),
            implied: mean(sums[1], numbers[1]),
            all: mean(sums[1], numbers[2]),
        }
    }

    /// Pair by pair, in trec_eval's order as sums of fractions depend on it: sums of the shares over pairs of retrieved
    /// documents, and with the implied ones; the numbers of these pairs, and of all.
    fn add_up(groups: &[Group], retrieved: usize, judged: usize) -> ([f64; 2], [u64; 3]) {
        // The groups of every document, with its entry in each.
        let mut entries = vec![Vec::new(); judged];
        for group in groups {
            group.places.iter().enumerate().for_each(|(entry, &place)| entries[place].push((group, entry)));
        }
        let (mut for_it, mut against) = (vec![0u32; judged], vec![0u32; judged]);
        let mut rows = |firsts: std::ops::Range<usize>, seconds: std::ops::Range<usize>, sum: &mut f64| {
            let mut number = 0;
            for first in firsts {
                let seconds = seconds.start.max(first + 1)..seconds.end;
                for &(group, entry) in &entries[first] {
                    let from = group.places.partition_point(|&place| place < seconds.start);
                    for (other, &place) in group.places.iter().enumerate().skip(from) {
                        if place >= seconds.end {
                            break;
                        }
                        for_it[place] += u32::from(group.prefers(entry, other));
                        against[place] += u32::from(group.prefers(other, entry));
                    }
                }
                for second in seconds {
                    let (fulfilled, not) = (std::mem::take(&mut for_it[second]), std::mem::take(&mut against[second]));
                    if fulfilled + not > 0 {
                        number += 1;
                        *sum += f64::from(fulfilled) / f64::from(fulfilled + not);
                    }
                }
            }
            number
        };
        let mut sum = 0.0;
        let both = rows(0..retrieved, 0..retrieved, &mut sum);
        let sum_both = sum;
        let one = rows(0..retrieved, retrieved..judged, &mut sum);
        let none = rows(retrieved..judged, retrieved..judged, &mut 0.0);
        ([sum_both, sum], [both, both + one, both + one + none])
    }
}

#[cfg(test)]
#[path = "prefs_tests.rs"]
mod tests;
