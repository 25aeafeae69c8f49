//! The subtopics of a query, in a ranking whose documents have profiles (see [`crate::table::subtopics`]).

use std::collections::{BTreeMap, HashMap};

use super::novel_ideal::Sets;
use super::orders::sampling::{Classes, PlacedDocument};
use crate::elementary::powi;
use crate::ranking::{Group, Ranking};
use crate::table::Judgments;
use crate::table::profiles::Profile;

/// The subtopics of a query.
pub(super) struct Topic<'a> {
    truth: &'a Judgments<'a>,
    profiles: &'a [Profile],
    rel: f64,
    /// For each subtopic, the number of relevant documents in the qrels, R_j.
    pub relevant: Vec<usize>,
    /// The number M of subtopics with relevant documents. The others do not count.
    pub covered: usize,
}

/// The documents of a ranking that are relevant to any subtopic, with the set of their subtopics.
pub(super) struct Arranged {
    /// The sets of subtopics. All other fields have their indexes here.
    pub sets: Vec<Vec<usize>>,
    /// Documents whose position is known or does not matter.
    pub fixed: Vec<PlacedDocument>,
    /// Tie groups whose documents differ.
    pub mixed: Vec<Classes>,
}

impl<'a> Topic<'a> {
    /// Reads the judgments of a query; none if nothing is relevant.
    pub fn new(truth: &'a Judgments<'a>, rel: f64) -> Option<Self> {
        let mut topic = Topic { truth, profiles: truth.profiles(), rel, relevant: Vec::new(), covered: 0 };
        for level in truth.levels {
            for subtopic in topic.of(level.grade) {
                topic.relevant.resize(topic.relevant.len().max(subtopic + 1), 0);
                topic.relevant[subtopic] += level.count as usize;
            }
        }
        topic.covered = topic.relevant.iter().filter(|&&relevant| relevant > 0).count();
        (topic.covered > 0).then_some(topic)
    }

    /// The subtopics that a document of this profile is relevant to.
    fn of(&self, profile: f64) -> impl Iterator<Item = usize> + use<'a> {
        let (profile, rel) = (if profile > 0.0 { &self.profiles[profile as usize][..] } else { &[] }, self.rel);
        profile.iter().filter(move |(_, grade)| *grade >= rel).map(|&(subtopic, _)| subtopic as usize)
    }

    /// Counts a group's relevant documents by subtopic.
    pub fn count(&self, group: &Group<'_>, counts: &mut Vec<usize>) {
        counts.clear();
        counts.resize(self.relevant.len(), 0);
        for level in group.levels {
            self.of(level.grade).for_each(|subtopic| counts[subtopic] += level.count as usize);
        }
    }

    /// Arranges the groups that begin within a cutoff. `flat` says that positions within it do not matter.
    pub fn arrange(&self, ranking: &Ranking, cutoff: usize, flat: bool) -> Arranged {
        let mut arranged = Arranged { sets: Vec::new(), fixed: Vec::new(), mixed: Vec::new() };
        let mut numbers = HashMap::new();
        for group in ranking.groups_to(cutoff) {
            let mut counts: Vec<(u32, u32)> = Vec::new();
            for level in group.levels {
                let set: Vec<usize> = self.of(level.grade).collect();
                if set.is_empty() {
                    continue;
                }
                let next = arranged.sets.len() as u32;
                let number = *numbers.entry(set.clone()).or_insert(next);
                if number == next {
                    arranged.sets.push(set);
                }
                match counts.iter_mut().find(|(known, _)| *known == number) {
                    Some((_, count)) => *count += level.count,
                    None => counts.push((number, level.count)),
                }
            }
            let alike = matches!(counts.as_slice(), [(_, count)] if *count as usize == group.size);
            if alike || flat && group.slots(cutoff) == group.size {
                let documents = counts.iter().flat_map(|&(set, count)| std::iter::repeat_n(set, count as usize));
                arranged.fixed.extend(documents.enumerate().map(|(i, set)| (group.start + i, set)));
            } else if !counts.is_empty() {
                arranged.mixed.push(Classes {
                    start: group.start,
                    size: group.size,
                    slots: group.slots(cutoff),
                    counts,
                });
            }
        }
        arranged
    }

    /// The sets of subtopics that judged documents are relevant to, with their numbers of documents, in a fixed order.
    pub fn sets(&self) -> Sets {
        let mut sets = BTreeMap::new();
        for level in self.truth.levels {
            let mut set: Vec<usize> = self.of(level.grade).collect();
            if !set.is_empty() {
                set.sort_unstable();
                *sets.entry(set).or_insert(0) += level.count as usize;
            }
        }
        sets.into_iter().collect()
    }

    /// The gains of ndeval's greedy ideal ranking, rank by rank. Each rank has the document that gains most:
    /// (1-alpha)^c for each of its subtopics, to which c documents before are relevant. Of equal gains, it is the last
    /// document by id.
    pub fn greedy(&self, go_on: f64, depth: usize) -> Vec<f64> {
        // Documents that are relevant to the same subtopics are sorted by id.
        let mut sets: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
        let mut numbers = HashMap::new();
        for (row, profile) in self.truth.judgments().enumerate() {
            let set: Vec<usize> = self.of(profile).collect();
            if !set.is_empty() {
                let next = sets.len();
                let number = *numbers.entry(set.clone()).or_insert(next);
                if number == next {
                    sets.push((set, Vec::new()));
                }
                sets[number].1.push(row);
            }
        }
        let mut hits = vec![0; self.relevant.len()];
        let mut gains = Vec::new();
        let mut before = Vec::new();
        while gains.len() < depth {
            let candidates = sets.iter().enumerate().filter_map(|(number, (set, rows))| {
                let last = *rows.last()?;
                before.clear();
                before.extend(set.iter().map(|&subtopic| hits[subtopic]));
                before.sort_unstable(); // so that equal gains are equal to the last bit
                Some((before.iter().map(|&before| powi(go_on, before)).sum::<f64>(), last, number))
            });
            let Some((gain, _, number)) = candidates.max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))) else {
                break;
            };
            sets[number].1.pop();
            sets[number].0.iter().for_each(|&subtopic| hits[subtopic] += 1);
            gains.push(gain);
        }
        gains
    }
}

impl Arranged {
    /// Whether the documents of each group have nested sets of subtopics. The order from the largest set to the
    /// smallest is then the best for every subtopic, and its reverse the worst.
    pub fn is_nested(&self) -> bool {
        self.mixed.iter().all(|group| {
            let mut sets: Vec<&[usize]> = group.counts.iter().map(|&(set, _)| &self.sets[set as usize][..]).collect();
            sets.sort_unstable_by_key(|set| std::cmp::Reverse(set.len()));
            sets.windows(2).all(|pair| pair[1].iter().all(|subtopic| pair[0].contains(subtopic)))
        })
    }

    /// The order in which documents that are relevant to more subtopics come first, or in which they come last.
    pub fn by_size(&self, largest_first: bool) -> Vec<PlacedDocument> {
        let mut placed = self.fixed.clone();
        for group in &self.mixed {
            let mut counts = group.counts.clone();
            counts.sort_by_key(|&(set, _)| std::cmp::Reverse(self.sets[set as usize].len()));
            let documents =
                counts.iter().flat_map(|&(set, count)| std::iter::repeat_n(set, count as usize)).enumerate();
            let last = group.start + group.size - 1;
            let place = |i: usize| if largest_first { group.start + i } else { last - i };
            placed.extend(documents.map(|(i, set)| (place(i), set)));
        }
        placed.sort_unstable();
        placed
    }
}
