//! One judgment group of a preference file: which of its documents are preferred to which, and how many of these
//! preferences a ranking fulfils.
//!
//! A preference a > b is *fulfilled* if a stands before b, *implied* if only one of the two is retrieved (and fulfilled
//! if that is a), not fulfilled if neither is.
//!
//! A group with one subgroup is a sequence of classes of equal level: every document is preferred to all of later
//! classes. Pairs are then counted in O(n log c), c the number of classes. A group with several is a partial order: the
//! transitive closure of all its subgroups', kept as rows of bits.

use untied_core::error::{Error, Result, quote};

use crate::prefs_read::Preference;

/// Preferences fulfilled, of how many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Share {
    /// Fulfilled.
    pub fulfilled: u64,
    /// The number of all preferences.
    pub possible: u64,
}

impl Share {
    /// NaN where nothing is possible.
    pub fn ratio(self) -> f64 {
        self.fulfilled as f64 / self.possible as f64
    }
}

/// The counts of a group's preferences in a ranking.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Every preference.
    pub all: Share,
    /// The preferences between two retrieved documents.
    pub retrieved: Share,
    /// The number of preferences between two documents that are not retrieved.
    pub neither: u64,
    /// As `all`, with as many non-relevant documents as relevant ones; see [`Group::counts`].
    pub balanced: Share,
    /// As `retrieved`, balanced.
    pub balanced_retrieved: Share,
}

/// A judgment with its document's place among the judged documents of the query: the retrieved ones first, as ranked.
#[derive(Debug, Clone, Copy)]
pub struct Placed<'a> {
    /// The judgment.
    pub preference: &'a Preference<'a>,
    /// Place, from 0.
    pub place: usize,
}

/// A judgment group. Its entries are sorted by place; the same document may be among them twice, as in the file.
#[derive(Debug)]
pub struct Group {
    /// Places of the entries, ascending.
    pub places: Vec<usize>,
    /// How many entries are retrieved. These come first.
    retrieved: usize,
    order: Order,
}

#[derive(Debug)]
enum Order {
    /// The entries' classes, 0 the best; the number of classes, and of those above level zero.
    Classes { class: Vec<usize>, classes: usize, relevant: usize },
    /// Row i has bit j where i is preferred to j; and the entries' levels.
    Partial { closure: Vec<Bits>, level: Vec<f64> },
}

impl Group {
    /// From the judgments of one group, of which any subgroup's are together; places below `retrieved` are retrieved.
    ///
    /// # Errors
    /// Judgments that contradict each other.
    pub fn new(judgments: &[Placed], retrieved: usize) -> Result<Group> {
        let subgroups: Vec<_> = judgments.chunk_by(|a, b| a.preference.subgroup == b.preference.subgroup).collect();
        let mut entries: Vec<(usize, f64)> = judgments.iter().map(|j| (j.place, j.preference.level)).collect();
        entries.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        let order = if subgroups.len() == 1 {
            if let Some(two) = entries.windows(2).find(|two| two[0].0 == two[1].0 && two[0].1 != two[1].1) {
                return Err(contradiction(judgments, two[0].0, "has two levels in one subgroup"));
            }
            let mut levels: Vec<f64> = entries.iter().map(|entry| entry.1).collect();
            levels.sort_by(|a, b| b.total_cmp(a));
            levels.dedup();
            let class = entries.iter().map(|(_, level)| levels.partition_point(|l| l.total_cmp(level).is_gt()));
            let relevant = levels.iter().filter(|&&level| level > 0.0).count();
            Order::Classes { class: class.collect(), classes: levels.len(), relevant }
        } else {
            entries.dedup_by_key(|entry| entry.0);
            partial_order(&entries, &subgroups)?
        };
        let places: Vec<usize> = entries.into_iter().map(|entry| entry.0).collect();
        Ok(Group { retrieved: places.partition_point(|&place| place < retrieved), places, order })
    }

    /// Whether entry `a` is preferred to entry `b`.
    pub fn prefers(&self, a: usize, b: usize) -> bool {
        match &self.order {
            Order::Classes { class, .. } => class[a] < class[b],
            Order::Partial { closure, .. } => closure[a].has(b),
        }
    }

    /// Count the preferences.
    ///
    /// The balanced counts are those of Rnonrel measures: with R relevant documents (level above 0) and N others, if
    /// R >= N, R - N non-relevant documents are added behind the ranking; else only the first R non-relevant ones stay.
    pub fn counts(&self) -> Counts {
        let (mut counts, whole, head) = match &self.order {
            Order::Classes { class, classes, relevant } => self.count_classes(class, *classes, *relevant),
            Order::Partial { closure, level } => self.count_partial(closure, level),
        };
        // As coded in trec_eval, the possible preferences grow by all relevant documents also among the retrieved ones.
        if whole.relevant >= whole.others {
            counts.balanced = whole.add_to(counts.all, whole.relevant, head.relevant);
        }
        if head.relevant >= head.others {
            counts.balanced_retrieved = head.add_to(counts.retrieved, whole.relevant, head.relevant);
        }
        counts
    }

    fn count_classes(&self, class: &[usize], classes: usize, relevant: usize) -> (Counts, Kinds, Kinds) {
        let last = classes - 1;
        let head = &class[..self.retrieved];
        let (sizes, head_sizes) = (sizes(class, classes), sizes(head, classes));
        let (kinds, head_kinds) = (Kinds::of(&sizes, relevant), Kinds::of(&head_sizes, relevant));
        let mut counts = Counts::default();

        // Fulfilled preferences against documents of the last class and of the others; those that stay of the last.
        let (mut better, mut to_last, mut to_others) = (Tree::new(classes), 0, 0);
        let (mut kept, mut head_kept) = (Kept::default(), Kept::default());
        for entry in 0..=class.len() {
            if entry == self.retrieved {
                counts.retrieved.fulfilled = to_last + to_others;
                counts.balanced_retrieved.fulfilled = to_others + head_kept.fulfilled;
            }
            let Some(&c) = class.get(entry) else { break };
            if c == last {
                to_last += better.before(c);
                // Against the last class, trec_eval compares all documents, those of the class itself included.
                let before = self.places[..entry.min(self.retrieved)].partition_point(|&p| p < self.places[entry]);
                kept.add(before as u64, kinds.relevant);
                if entry < self.retrieved {
                    head_kept.add(before as u64, head_kinds.relevant);
                }
            } else {
                to_others += better.before(c);
            }
            if entry < self.retrieved {
                better.add(c);
            }
        }
        counts.all = Share { fulfilled: to_last + to_others, possible: pairs(&sizes) };
        counts.retrieved.possible = pairs(&head_sizes);
        let tail_sizes: Vec<u64> = sizes.iter().zip(&head_sizes).map(|(all, head)| all - head).collect();
        counts.neither = pairs(&tail_sizes);
        counts.balanced = Share {
            fulfilled: to_others + kept.fulfilled,
            possible: pairs(&sizes[..last]) + class.len() as u64 * kept.documents,
        };
        counts.balanced_retrieved.possible = pairs(&head_sizes[..last]) + head.len() as u64 * head_kept.documents;
        (counts, kinds, head_kinds)
    }

    fn count_partial(&self, closure: &[Bits], level: &[f64]) -> (Counts, Kinds, Kinds) {
        let (n, retrieved) = (level.len(), self.retrieved);
        let kinds = |level: &[f64]| Kinds {
            relevant: level.iter().filter(|&&level| level > 0.0).count() as u64,
            others: level.iter().filter(|&&level| level == 0.0).count() as u64,
        };
        let (whole, head) = (kinds(level), kinds(&level[..retrieved]));
        // Non-relevant documents after the R-th one are left out; R counts all relevant ones also among the retrieved.
        let kept = |end: usize| {
            let mut others = 0;
            Bits::of(
                n,
                (0..end).filter(|&entry| {
                    others += u64::from(level[entry] == 0.0);
                    level[entry] != 0.0 || others <= whole.relevant
                }),
            )
        };
        let share = |among: &Bits| {
            let mut share = Share::default();
            for entry in (0..n).filter(|&entry| among.has(entry)) {
                let (before, after) = closure[entry].count(among, entry);
                share.possible += before + after;
                share.fulfilled += if entry < retrieved { after } else { 0 };
            }
            share
        };
        let counts = Counts {
            all: share(&Bits::of(n, 0..n)),
            retrieved: share(&Bits::of(n, 0..retrieved)),
            neither: share(&Bits::of(n, retrieved..n)).possible,
            balanced: share(&kept(n)),
            balanced_retrieved: share(&kept(retrieved)),
        };
        (counts, whole, head)
    }
}

/// The numbers of relevant documents, and of documents that are judged non-relevant.
struct Kinds {
    relevant: u64,
    others: u64,
}

impl Kinds {
    fn of(sizes: &[u64], relevant: usize) -> Kinds {
        Kinds { relevant: sizes[..relevant].iter().sum(), others: sizes[relevant..].iter().sum() }
    }

    /// Add the missing non-relevant documents behind everything: only `retrieved` relevant documents are before them.
    fn add_to(&self, share: Share, relevant: u64, retrieved: u64) -> Share {
        let missing = self.relevant - self.others;
        Share { fulfilled: share.fulfilled + retrieved * missing, possible: share.possible + relevant * missing }
    }
}

/// The first documents of the last class, up to a number, and what they fulfil.
#[derive(Default)]
struct Kept {
    documents: u64,
    fulfilled: u64,
}

impl Kept {
    fn add(&mut self, before: u64, most: u64) {
        if self.documents < most {
            self.documents += 1;
            self.fulfilled += before;
        }
    }
}

fn sizes(class: &[usize], classes: usize) -> Vec<u64> {
    let mut sizes = vec![0; classes];
    class.iter().for_each(|&c| sizes[c] += 1);
    sizes
}

/// Pairs of documents of different classes.
fn pairs(sizes: &[u64]) -> u64 {
    let all: u64 = sizes.iter().sum();
    (all * all - sizes.iter().map(|size| size * size).sum::<u64>()) / 2
}

/// Counts of classes with sums of their beginnings, both in O(log classes) (Fenwick's tree).
struct Tree(Vec<u64>);

impl Tree {
    fn new(classes: usize) -> Tree {
        Tree(vec![0; classes + 1])
    }

    fn add(&mut self, class: usize) {
        let mut at = class + 1;
        while at < self.0.len() {
            self.0[at] += 1;
            at += at & at.wrapping_neg();
        }
    }

    /// How many were added of the classes before this one.
    fn before(&self, class: usize) -> u64 {
        let (mut at, mut sum) = (class, 0);
        while at > 0 {
            sum += self.0[at];
            at &= at - 1;
        }
        sum
    }
}

/// A set of small numbers.
#[derive(Debug, Clone)]
struct Bits(Vec<u64>);

impl Bits {
    fn of(size: usize, members: impl IntoIterator<Item = usize>) -> Bits {
        let mut bits = Bits(vec![0; size.div_ceil(64)]);
        members.into_iter().for_each(|member| bits.set(member));
        bits
    }

    fn set(&mut self, member: usize) {
        self.0[member / 64] |= 1 << (member % 64);
    }

    fn clear(&mut self, member: usize) {
        self.0[member / 64] &= !(1 << (member % 64));
    }

    fn has(&self, member: usize) -> bool {
        self.0[member / 64] >> (member % 64) & 1 == 1
    }

    fn add(&mut self, other: &Bits) {
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| *mine |= theirs);
    }

    /// How many members are in `among` too, below and above `pivot`; which is no member.
    fn count(&self, among: &Bits, pivot: usize) -> (u64, u64) {
        let (mut below, mut above) = (0, 0);
        for (word, (mine, theirs)) in self.0.iter().zip(&among.0).enumerate() {
            let both = mine & theirs;
            let low = match word.cmp(&(pivot / 64)) {
                std::cmp::Ordering::Less => both,
                std::cmp::Ordering::Equal => both & ((1 << (pivot % 64)) - 1),
                std::cmp::Ordering::Greater => 0,
            };
            below += u64::from(low.count_ones());
            above += u64::from((both & !low).count_ones());
        }
        (below, above)
    }
}

/// The preferences of all subgroups and what follows from them.
fn partial_order(entries: &[(usize, f64)], subgroups: &[&[Placed]]) -> Result<Order> {
    let n = entries.len();
    let entry = |place: usize| entries.partition_point(|&(p, _)| p < place);
    let mut closure = vec![Bits::of(n, []); n];
    let mut level = vec![f64::NAN; n];
    for subgroup in subgroups {
        let mut sorted: Vec<(usize, f64)> =
            subgroup.iter().map(|judgment| (entry(judgment.place), judgment.preference.level)).collect();
        sorted.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        for &(e, l) in &sorted {
            if level[e] > 0.0 && l == 0.0 || level[e] == 0.0 && l > 0.0 {
                let all = subgroups.concat();
                return Err(contradiction(&all, entries[e].0, "has a level of 0 and a higher one in one group"));
            }
            level[e] = l;
        }
        let mut lower = Bits::of(n, []);
        for class in sorted.chunk_by(|a, b| a.1 == b.1).rev() {
            class.iter().for_each(|&(e, _)| closure[e].add(&lower));
            class.iter().for_each(|&(e, _)| lower.set(e));
        }
    }
    for through in 0..n {
        let onward = closure[through].clone();
        closure.iter_mut().filter(|row| row.has(through)).for_each(|row| row.add(&onward));
    }
    for (e, row) in closure.iter_mut().enumerate() {
        row.clear(e);
    }
    let conflict = (0..n).find(|&a| (0..a).any(|b| closure[a].has(b) && closure[b].has(a)));
    if let Some(e) = conflict {
        return Err(contradiction(
            &subgroups.concat(),
            entries[e].0,
            "is both preferred to a document and less liked than it",
        ));
    }
    Ok(Order::Partial { closure, level })
}

#[cold]
fn contradiction(judgments: &[Placed], place: usize, what: &str) -> Error {
    let document = judgments.iter().find(|judgment| judgment.place == place).map(|judgment| judgment.preference);
    let (document, group) = document.map_or((&b""[..], &b""[..]), |d| (d.document, d.group));
    Error::Value(format!("judgment group {}: document {} {what}", quote(group), quote(document)))
}
