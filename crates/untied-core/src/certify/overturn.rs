//! Computes the overturn number: how many more relevant documents, over all queries, the trailing run needs to catch
//! up.
//!
//! With c documents, query q lets it gain at most g_q(c). The overturn number is the smallest number of documents with
//! which the gains g_q(c_q) of all queries can add up to a target. This is a knapsack problem, and is solved in two
//! steps:
//!
//! 1. Relax it: replace each g_q by its concave hull, and take the edges of the hulls, steepest first, until the target
//!    is reached. If the last edge is cut where it reaches the target, the number is a lower bound. If it is taken
//!    whole, it is an upper bound. Mostly they are equal.
//! 2. If they are not, a dynamic program decides. It tries few choices of c_q: at the slope where the hulls reach the
//!    target, a choice that loses more against its hull than the whole sum can spare is in no better solution.

use crate::difference::upper_bounds::UpperBounds;
use crate::watch;

/// The largest number of steps of the dynamic program.
const STEPS: usize = 100_000_000;

/// How many documents overturn a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overturn {
    /// No number of documents does.
    Never,
    /// This number does, and no smaller one.
    Needs(usize),
    /// No smaller number does. This number may not either.
    AtLeast(usize),
}

/// An edge of the concave hull of a query's gains, from one number of documents to another.
struct HullEdge {
    query: u32,
    to: u32,
    documents: u32,
    gain: f64,
}

impl HullEdge {
    fn slope(&self) -> f64 {
        self.gain / f64::from(self.documents)
    }
}

/// The rising edges of the concave hull of the gains with 0, 1, 2, ... documents.
fn hull(query: usize, values: &[f64]) -> Vec<HullEdge> {
    let mut corners: Vec<usize> = vec![0];
    let slope = |from: usize, to: usize| (values[to] - values[from]) / (to - from) as f64;
    for n in 1..values.len() {
        while let [.., before, last] = corners[..] {
            if slope(before, last) > slope(last, n) {
                break;
            }
            corners.pop();
        }
        corners.push(n);
    }
    let parts = corners.windows(2).map(|part| HullEdge {
        query: query as u32,
        to: part[1] as u32,
        documents: (part[1] - part[0]) as u32,
        gain: values[part[1]] - values[part[0]],
    });
    parts.filter(|part| part.gain > 0.0).collect()
}

/// The solution of the relaxed problem: the steepest edges of all hulls, taken until they reach the target.
struct RelaxedOverturn {
    /// A lower bound of the number of documents, and the slope at which the target is reached. None if it is reached
    /// without documents, or never.
    bound: Option<(usize, f64)>,
    /// The sum of the gains of these edges.
    sum: f64,
    chosen: Vec<usize>,
}

fn relaxed(queries: &[UpperBounds], target: f64) -> RelaxedOverturn {
    let mut parts: Vec<HullEdge> =
        queries.iter().enumerate().flat_map(|(number, query)| hull(number, &query.by_count)).collect();
    parts.sort_unstable_by(|one, other| {
        other.slope().total_cmp(&one.slope()).then(one.query.cmp(&other.query)).then(one.to.cmp(&other.to))
    });
    let start = queries.iter().map(|query| query.at_most(0)).sum();
    let mut relaxed = RelaxedOverturn { bound: None, sum: start, chosen: vec![0; queries.len()] };
    let mut documents = 0;
    for part in &parts {
        let missing = target - relaxed.sum;
        if missing <= 0.0 {
            break;
        }
        // Rounding must not raise a lower bound.
        let least = (missing / part.slope() * (1.0 - 1e-12)).ceil().max(1.0) as usize;
        relaxed.bound = Some((documents + least.min(part.documents as usize), part.slope()));
        documents += part.documents as usize;
        relaxed.sum += part.gain;
        relaxed.chosen[part.query as usize] = part.to as usize;
    }
    relaxed
}

/// How many documents of each query the relaxed problem takes. This is an approximate solution.
pub(super) fn first(queries: &[UpperBounds], target: f64) -> Vec<usize> {
    relaxed(queries, target).chosen
}

/// The overturn number, and how many documents of each query are among them. If not all bounds are exact, no number is
/// known to be enough.
pub(super) fn overturn(queries: &[UpperBounds], target: f64) -> (Overturn, Vec<usize>) {
    let none = vec![0; queries.len()];
    if queries.iter().map(|query| query.at_most(0)).sum::<f64>() >= target {
        return (Overturn::Needs(0), none);
    }
    if queries.iter().map(|query| query.at_most(usize::MAX)).sum::<f64>() < target {
        return (Overturn::Never, none);
    }
    let RelaxedOverturn { bound, sum, chosen } = relaxed(queries, target);
    // All hulls together reach the target, unless rounding says otherwise.
    let Some((least, slope)) = bound.filter(|_| sum >= target) else {
        return (Overturn::AtLeast(bound.map_or(1, |(least, _)| least)), chosen);
    };
    let are_attained = |chosen: &[usize]| queries.iter().zip(chosen).all(|(query, &count)| query.is_attained(count));
    if !are_attained(&chosen) {
        return (Overturn::AtLeast(least), chosen); // what is fewer would hardly be reached either
    }
    let documents = chosen.iter().sum::<usize>();
    let chosen = if least == documents {
        chosen
    } else {
        match fewer(queries, target, slope, documents - 1) {
            Some(Some(fewer)) => fewer,
            Some(None) => chosen,
            None => return (Overturn::AtLeast(least), chosen),
        }
    };
    let documents = chosen.iter().sum();
    (if are_attained(&chosen) { Overturn::Needs(documents) } else { Overturn::AtLeast(documents) }, chosen)
}

/// The smallest numbers of documents of each query that reach the target with at most `most` in all, if there are any.
/// None if it takes too long to find out.
fn fewer(queries: &[UpperBounds], target: f64, slope: f64, most: usize) -> Option<Option<Vec<usize>>> {
    let priced = |c: usize, value: f64| value - slope * c as f64;
    let tops: Vec<f64> = queries
        .iter()
        .map(|query| {
            query.by_count.iter().enumerate().map(|(c, &value)| priced(c, value)).fold(f64::NEG_INFINITY, f64::max)
        })
        .collect();
    // How much a solution may lose against the best choices, in total.
    let spare = tops.iter().sum::<f64>() + slope * most as f64 - target;
    let spare = spare + 1e-9 * (1.0 + target.abs());
    let choices: Vec<Vec<usize>> = queries
        .iter()
        .zip(&tops)
        .map(|(query, top)| {
            let near = |&(c, &value): &(usize, &f64)| top - priced(c, value) <= spare && c <= most;
            query.by_count.iter().enumerate().filter(near).map(|(c, _)| c).collect()
        })
        .collect();
    let mut steps = 0;
    // The largest sums of the queries so far with `least`, `least + 1`, ... documents. Only numbers that a solution may
    // have are kept.
    let (mut least, mut sums, mut top) = (0, vec![0.0], 0.0);
    let mut taken: Vec<(usize, Vec<u32>)> = Vec::with_capacity(queries.len());
    for ((query, choices), of_query) in queries.iter().zip(&choices).zip(&tops) {
        let (Some(first), Some(last)) = (choices.first(), choices.last()) else { return Some(None) };
        steps += choices.len() * sums.len();
        if steps > STEPS || watch::is_stopped() {
            return None;
        }
        let mut next = vec![f64::NEG_INFINITY; sums.len() + last - first];
        let mut counts = vec![0; next.len()];
        for &c in choices {
            let value = query.by_count[c];
            for ((next, count), sum) in next[c - first..].iter_mut().zip(&mut counts[c - first..]).zip(&sums) {
                if sum + value > *next {
                    *next = sum + value;
                    *count = c as u32;
                }
            }
        }
        (least, top) = (least + first, top + of_query);
        let is_open = |&i: &usize| least + i <= most && top - priced(least + i, next[i]) <= spare;
        let Some(start) = (0..next.len()).find(is_open) else { return Some(None) };
        let end = (start..next.len()).rfind(is_open).unwrap_or(start);
        sums = next[start..=end].to_vec();
        least += start;
        taken.push((least, counts[start..=end].to_vec()));
    }
    let Some(x) = sums.iter().position(|&sum| sum >= target) else { return Some(None) };
    let mut x = least + x;
    let mut chosen = vec![0; queries.len()];
    for (chosen, (least, counts)) in chosen.iter_mut().zip(&taken).rev() {
        *chosen = counts[x - least] as usize;
        x -= *chosen;
    }
    Some(Some(chosen))
}

/// How many more relevant documents each query may have without the trailing run catching up. It is `usize::MAX` if
/// that run can never catch up, and none if it may be ahead already.
pub(super) fn largest(queries: &[UpperBounds], target: f64) -> Option<usize> {
    let longest = queries.iter().map(|query| query.by_count.len()).max().unwrap_or(0);
    let is_certain = |most: usize| queries.iter().map(|query| query.at_most(most)).sum::<f64>() < target;
    if !is_certain(0) {
        return None;
    }
    if is_certain(longest) {
        return Some(usize::MAX);
    }
    // Sums never fall if queries may have more documents, so bisection finds the number.
    let (mut certain, mut open) = (0, longest);
    while open - certain > 1 {
        let middle = usize::midpoint(certain, open);
        if is_certain(middle) { certain = middle } else { open = middle }
    }
    Some(certain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// The smallest total, from a trial of all choices.
    fn all(queries: &[UpperBounds], target: f64) -> Option<usize> {
        let mut best = vec![0.0f64];
        for query in queries {
            let mut next = vec![f64::NEG_INFINITY; best.len() + query.by_count.len() - 1];
            for (x, sum) in best.iter().enumerate() {
                for (c, value) in query.by_count.iter().enumerate() {
                    next[x + c] = next[x + c].max(sum + value);
                }
            }
            best = next;
        }
        best.iter().position(|&sum| sum >= target)
    }

    /// R-precision is hard, because each document adds a quotient that is close to the hull. Without the relaxation, 50
    /// queries with 400 documents have more choices than the dynamic program could try.
    #[test]
    fn thousands_of_documents_are_counted_exactly() {
        let mut random = Random::new(7);
        let queries: Vec<UpperBounds> = (0..50)
            .map(|_| {
                let relevant = 1 + random.below(100);
                let (ahead, most) = (-(random.below(relevant) as f64), 40 + random.below(200));
                let mut best = f64::NEG_INFINITY;
                let by_count = (0..400).map(|m| {
                    best = best.max((ahead + m.min(most) as f64) / (relevant + m) as f64);
                    best
                });
                UpperBounds::exact(by_count.collect())
            })
            .collect();
        let highest: f64 = queries.iter().map(|query| query.at_most(usize::MAX)).sum();
        for share in [0.6, 0.9] {
            let (found, chosen) = overturn(&queries, share * highest);
            let least = all(&queries, share * highest);
            assert_eq!(Some(found), least.map(Overturn::Needs));
            assert!(
                queries.iter().zip(&chosen).map(|(query, &c)| query.at_most(c)).sum::<f64>() >= share * highest - 1e-9
            );
        }
    }

    #[test]
    fn no_smaller_number_is_enough() {
        let mut random = Random::new(5);
        for _ in 0..2000 {
            let count = 1 + random.below(5) as usize;
            let queries: Vec<UpperBounds> = (0..count)
                .map(|_| {
                    let mut value = -(random.below(20) as f64);
                    let length = 1 + random.below(8) as usize;
                    let by_count = (0..length).map(|_| {
                        value += random.below(4) as f64;
                        value
                    });
                    UpperBounds::exact(by_count.collect())
                })
                .collect();
            let target = -(random.below(3) as f64);
            match (overturn(&queries, target), all(&queries, target)) {
                ((Overturn::Needs(found), chosen), Some(least)) => {
                    assert_eq!(found, least);
                    assert_eq!(chosen.iter().sum::<usize>(), found);
                    assert!(queries.iter().zip(&chosen).map(|(query, &c)| query.at_most(c)).sum::<f64>() >= target);
                }
                ((Overturn::Never, _), None) => {}
                (found, least) => panic!("{found:?} where {least:?} is right"),
            }
            let certain = |most: usize| queries.iter().map(|query| query.at_most(most)).sum::<f64>() < target;
            match largest(&queries, target) {
                None => assert!(!certain(0)),
                Some(usize::MAX) => assert!(certain(100)),
                Some(most) => assert!(certain(most) && !certain(most + 1)),
            }
        }
    }
}
