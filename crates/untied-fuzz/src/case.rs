//! Small runs and judgments made of bytes.

use arbitrary::{Result, Unstructured};
use untied_core::read;
use untied_core::read::format::qrels_format;
use untied_core::table::profiles::Detail;
use untied_core::table::{Lengths, Qrels, Run};

use crate::scratch::with_file;

/// A retrieved document: query, document, score.
pub type Retrieved = (u8, u8, f64);
/// A judged document: query, document, stratum or subtopic, grade, probability.
pub type Judged = (u8, u8, u8, f64, f64);

/// A run, judgments and lengths of all documents.
#[derive(Debug, Clone)]
pub struct Case {
    /// What judgments say.
    pub detail: Option<Detail>,
    /// The run.
    pub run: Vec<Retrieved>,
    /// The judgments.
    pub qrels: Vec<Judged>,
}

/// Documents that there are.
const DOCUMENTS: u8 = 14;

/// How large cases get.
pub struct Size {
    /// Queries.
    pub queries: u8,
    /// Documents of a ranking.
    pub retrieved: usize,
    /// Documents of a tie group.
    pub tied: usize,
}

impl Case {
    /// A case of this detail.
    pub fn new(u: &mut Unstructured<'_>, detail: Option<Detail>, size: &Size) -> Result<Case> {
        let grades: &[f64] = match u.int_in_range(0..=3)? {
            0 => &[0.0, 1.0],
            1 => &[-1.0, 0.0, 1.0, 2.0],
            2 => &[0.0, 0.5, 1.0, 1.5],
            _ => &[-2.0, 0.0, 1.0, 2.0, 3.0, 4.0],
        };
        let mut case = Case { detail, run: Vec::new(), qrels: Vec::new() };
        let queries = u.int_in_range(1..=size.queries)?;
        for query in 0..queries {
            let retrieved = u.int_in_range(0..=size.retrieved)?;
            let (mut score, mut in_group) = (8.0, 0);
            for document in shuffled(u, retrieved)? {
                in_group += 1;
                if in_group >= size.tied || u.ratio(1, 3)? {
                    (score, in_group) = (score - 1.0, 0);
                }
                case.run.push((query, document, score));
            }
            let subtopics = if detail == Some(Detail::Subtopics) { u.int_in_range(1..=3)? } else { 1 };
            for document in 0..DOCUMENTS {
                let stratum = u.int_in_range(0..=2)?;
                for subtopic in 0..subtopics {
                    if u.ratio(2, 3)? {
                        let other = if subtopics > 1 { subtopic } else { stratum };
                        let probability = *u.choose(&[1.0, 0.5, 0.1])?;
                        case.qrels.push((query, document, other, *u.choose(grades)?, probability));
                    }
                }
            }
        }
        if case.qrels.is_empty() {
            case.qrels.push((0, 0, 0, 1.0, 1.0));
        }
        Ok(case)
    }

    /// The run, unless it is empty.
    pub fn run(&self) -> Option<Run> {
        let line = |(query, document, score): &Retrieved| format!("q{query} 0 d{document} 0 {score} t\n");
        let text: String = self.run.iter().map(line).collect();
        if text.is_empty() {
            None
        } else {
            Some(with_file(text.as_bytes(), |path| read::read_run(path, false)).expect("a run"))
        }
    }

    /// The judgments.
    pub fn qrels(&self) -> Qrels {
        let line = |(query, document, other, grade, probability): &Judged| match self.detail {
            None => format!("q{query} 0 d{document} {grade}\n"),
            Some(Detail::Subtopics) => format!("q{query} {other} d{document} {grade}\n"),
            Some(Detail::Strata) => format!("q{query} 0 d{document} {other} {grade}\n"),
            Some(Detail::Inclusion) => format!("q{query} d{document} {grade} 0 {probability}\n"),
            Some(Detail::Preferences | Detail::Probabilities) => unreachable!("no measure needs them"),
        };
        let text: String = self.qrels.iter().map(line).collect();
        let format = qrels_format(self.detail.map_or("trec", Detail::format)).expect("a format");
        with_file(text.as_bytes(), |path| format.read_qrels(path, None, &[])).expect("judgments")
    }

    /// Lengths of all documents.
    pub fn lengths() -> Lengths {
        let lengths = [0, 100, 100, 300, 1000, 2500, 300];
        let line = |document: u8| format!("d{document} {}\n", lengths[usize::from(document) % lengths.len()]);
        let text: String = (0..DOCUMENTS).map(line).collect();
        with_file(text.as_bytes(), read::read_lengths).expect("lengths")
    }

    /// The documents of a query, group by group.
    pub fn groups(&self, query: u8) -> Vec<Vec<u8>> {
        let mut rows: Vec<(f64, u8)> =
            self.run.iter().filter(|row| row.0 == query).map(|&(_, document, score)| (score, document)).collect();
        rows.sort_by(|a, b| b.0.total_cmp(&a.0));
        rows.chunk_by(|a, b| a.0 == b.0).map(|group| group.iter().map(|row| row.1).collect()).collect()
    }

    /// The grade of a document, if it has one.
    pub fn grade(&self, query: u8, document: u8) -> Option<f64> {
        self.qrels.iter().find(|row| (row.0, row.1) == (query, document)).map(|row| row.3)
    }
}

/// The first so many documents in any order.
pub fn shuffled(u: &mut Unstructured<'_>, count: usize) -> Result<Vec<u8>> {
    let mut all: Vec<u8> = (0..DOCUMENTS).collect();
    for i in 0..count.min(all.len()) {
        let other = u.int_in_range(i..=all.len() - 1)?;
        all.swap(i, other);
    }
    all.truncate(count);
    Ok(all)
}

/// All orders of some things.
pub fn permutations(items: &[u8]) -> Vec<Vec<u8>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let first = |i: usize| {
        let mut rest = items.to_vec();
        let item = rest.remove(i);
        permutations(&rest).into_iter().map(move |order| [&[item], order.as_slice()].concat())
    };
    (0..items.len()).flat_map(first).collect()
}

/// All orders of a ranking with ties.
pub fn orders(groups: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut all = vec![Vec::new()];
    for group in groups {
        let of_group = permutations(group);
        all = all.iter().flat_map(|start| of_group.iter().map(move |end| [start.as_slice(), end].concat())).collect();
    }
    all
}
