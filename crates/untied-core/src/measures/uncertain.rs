//! Expected values if only the probability of each grade is known, for each document independently of all others.
//!
//! Orders of tie groups are uniform and independent of grades, so a group of n documents of which c are relevant has every
//! set of c places equally often. All means are exact, and variances are over grades and orders together. Where a measure
//! is undefined for some grades (usually because nothing is relevant), it counts as 0 there; it is undefined only if it is
//! so for all grades.
//!
//! A ranking has the numbers of profiles as grades here, and a profile has (grade, probability) for each possible grade
//! above 0. The probability of grade 0 is 1 minus their sum.
//!
//! - [`LinearGain`]: a sum of weights times gains needs only the mean and the variance of each document's gain.
//! - [`Counted`]: a sum over relevant documents of a(rank) + b(rank) (relevant ones above), divided by a function of R.
//!   The state is the number C of relevant documents so far, with E\[1; C\], E\[S; C\] and E\[S^2; C\], in O(n^2).
//! - [`FirstStop`]: a user stops at each document with a probability. Over a tie group, elementary symmetric means of the
//!   probabilities of going on say how probable it is to pass any k of its documents.
//! - [`IdealGain`]: nDCG. The state is how many documents there are of each gain among the best k, in n C(k+G, G) steps
//!   for G gains.

use super::gain::{Gain, squared_deviations};
use super::{Measure, RecallBase};
use crate::grade::{Level, merge};
use crate::ranking::{Group, Ranking};
use crate::table::Judgments;
use crate::table::profiles::Profile;
use crate::watch;

/// Mean and second moment of a value, and the probability that it is defined.
#[derive(Default)]
struct Moments {
    mean: f64,
    second: f64,
    defined: f64,
}

impl Moments {
    /// Adds the part of outcomes in which a sum has these moments and is divided by a number.
    fn add(&mut self, [chance, mean, second]: [f64; 3], divisor: f64) {
        if !divisor.is_nan() {
            self.defined += chance;
            self.mean += mean / divisor;
            self.second += second / (divisor * divisor);
        }
    }

    fn mean(&self) -> f64 {
        if self.defined > 0.0 { self.mean } else { f64::NAN }
    }

    /// The variance; what rounding alone may leave counts as 0.
    fn variance(&self) -> f64 {
        let variance = self.second - self.mean * self.mean;
        match self.defined > 0.0 {
            true if variance > 1e-13 * self.second => variance,
            true => 0.0,
            false => f64::NAN,
        }
    }
}

/// The profiles of documents, each with the number of documents that have it. Documents that are not judged have none.
fn profiles<'a>(levels: &'a [Level], truth: &Judgments<'a>) -> impl Iterator<Item = (&'a Profile, usize)> {
    let all = truth.profiles();
    levels.iter().filter(|level| level.grade >= 0.0).map(|level| (&all[level.grade as usize], level.count as usize))
}

/// The judged documents that are not in the ranking.
fn others(ranking: &Ranking, truth: &Judgments<'_>) -> Vec<Level> {
    let mut retrieved = ranking.levels().to_vec();
    merge(&mut retrieved);
    let left = truth.levels.iter().map(|&level| {
        let place = retrieved.binary_search_by(|other| level.grade.total_cmp(&other.grade));
        Level { count: level.count - place.map_or(0, |place| retrieved[place].count), ..level }
    });
    left.filter(|level| level.count > 0).collect()
}

/// The probability that a document's grade fulfils a condition, which grade 0 does not.
fn chance(profile: &Profile, holds: impl Fn(f64) -> bool) -> f64 {
    let chances = profile.iter().filter(|&&(grade, _)| holds(f64::from(grade)));
    chances.map(|&(_, probability)| probability).sum::<f64>().min(1.0)
}

/// The mean and the variance of a gain.
fn gain_moments(profile: &Profile, gain: impl Fn(f64) -> f64) -> (f64, f64) {
    let of_zero = gain(0.0);
    let above = |&(grade, probability): &(u32, f64)| (gain(f64::from(grade)) - of_zero, probability);
    let shift: f64 = profile.iter().map(above).map(|(gain, probability)| probability * gain).sum();
    let zero = 1.0 - chance(profile, |_| true);
    let squares = profile.iter().map(above).map(|(gain, probability)| probability * (gain - shift).powi(2));
    (of_zero + shift, squares.sum::<f64>() + zero * shift * shift)
}

/// The weights of a group's places, as far as they are within the cutoff.
fn weights_of<'a>(group: &Group<'_>, weights: &'a [f64]) -> &'a [f64] {
    let start = group.start.min(weights.len());
    &weights[start..start + group.slots(weights.len())]
}

/// Sums over the places of a group: the mean weight, the mean square, and the mean product of two different places.
fn place_means(weights: &[f64], size: usize) -> [f64; 3] {
    let n = size as f64;
    let (sum, squares) = weights.iter().fold((0.0, 0.0), |(sum, squares), w| (sum + w, squares + w * w));
    let product = if size > 1 { (sum * sum - squares) / (n * (n - 1.0)) } else { 0.0 };
    [sum / n, squares / n, product]
}

/// A sum over ranks of weight times gain, such as DCG.
pub(super) struct LinearGain {
    pub gain: Gain,
    /// The weights of the ranks within the cutoff.
    pub weights: Vec<f64>,
}

impl Measure for LinearGain {
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let groups = ranking.groups_to(self.weights.len());
        groups
            .map(|group| {
                let [weight, ..] = place_means(weights_of(&group, &self.weights), group.size);
                let means = profiles(group.levels, truth)
                    .map(|(profile, count)| count as f64 * gain_moments(profile, |grade| self.gain.of(grade)).0);
                weight * means.sum::<f64>()
            })
            .sum()
    }

    /// With places drawn at random, the variance of mean gains is that of Hoeffding, and each document adds its own.
    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let groups = ranking.groups_to(self.weights.len());
        groups
            .map(|group| {
                let weights = weights_of(&group, &self.weights);
                let [_, square, _] = place_means(weights, group.size);
                let gains: Vec<(f64, f64, f64)> = profiles(group.levels, truth)
                    .map(|(profile, count)| {
                        let (mean, variance) = gain_moments(profile, |grade| self.gain.of(grade));
                        (mean, count as f64, variance)
                    })
                    .collect();
                let own: f64 = gains.iter().map(|(_, count, variance)| count * variance).sum();
                let unjudged = group.size as f64 - gains.iter().map(|gain| gain.1).sum::<f64>();
                let means = gains.iter().map(|&(mean, count, _)| (mean, count)).chain([(0.0, unjudged)]);
                let beyond = (group.size - weights.len()) as f64;
                let places = weights.iter().map(|&weight| (weight, 1.0)).chain([(0.0, beyond)]);
                let of_orders = match group.size {
                    1 => 0.0,
                    size => squared_deviations(means) * squared_deviations(places) / (size as f64 - 1.0),
                };
                square * own + of_orders
            })
            .sum()
    }

    fn varies_in_one_order(&self) -> bool {
        true
    }
}

type OfRank = Box<dyn Fn(usize) -> f64 + Send + Sync>;

/// A sum over relevant documents of a(rank) + b(rank) (the relevant ones above it), divided by a function of R.
pub(super) struct Counted {
    is_relevant: Box<dyn Fn(f64) -> bool + Send + Sync>,
    base: RecallBase,
    cutoff: usize,
    a: OfRank,
    b: OfRank,
    divisor: Box<dyn Fn(f64) -> f64 + Send + Sync>,
}

/// A polynomial of degree up to 4, lowest power first.
type Polynomial = [f64; 5];

fn plus(terms: &[(f64, &Polynomial)]) -> Polynomial {
    std::array::from_fn(|power| terms.iter().map(|(factor, polynomial)| factor * polynomial[power]).sum())
}

/// Adds `x` times a polynomial to another one.
fn add_shifted(to: &mut Polynomial, polynomial: Polynomial) {
    (1..5).for_each(|power| to[power] += polynomial[power - 1]);
}

/// Moments within a tie group whose places are relevant with probability x each, as polynomials in x: of the sums T of b
/// and U of a + b (relevant places above) over relevant places, and of their number c. If c is fixed, x^k becomes
/// (c)_k / (n)_k, with falling factorials.
#[derive(Default)]
struct PlaceMoments {
    t: Polynomial,
    u: Polynomial,
    tt: Polynomial,
    tu: Polynomial,
    uu: Polynomial,
}

impl PlaceMoments {
    fn new(places: impl Iterator<Item = (f64, f64)>) -> PlaceMoments {
        const ONE: Polynomial = [1.0, 0.0, 0.0, 0.0, 0.0];
        let mut all = PlaceMoments::default();
        let [mut c, mut cc, mut tc, mut uc] = [[0.0; 5]; 4];
        for (a, b) in places {
            let PlaceMoments { t, u, tt, tu, uu } = &mut all;
            let step = plus(&[(a, &ONE), (b, &c)]);
            add_shifted(uu, plus(&[(2.0 * a, u), (2.0 * b, &uc), (a * a, &ONE), (2.0 * a * b, &c), (b * b, &cc)]));
            add_shifted(tu, plus(&[(a, t), (b, &tc), (b, u), (b, &step)]));
            add_shifted(&mut uc, plus(&[(1.0, u), (a, &ONE), (a + b, &c), (b, &cc)]));
            add_shifted(u, step);
            add_shifted(tt, plus(&[(2.0 * b, t), (b * b, &ONE)]));
            add_shifted(&mut tc, plus(&[(1.0, t), (b, &c), (b, &ONE)]));
            add_shifted(t, plus(&[(b, &ONE)]));
            add_shifted(&mut cc, plus(&[(2.0, &c), (1.0, &ONE)]));
            add_shifted(&mut c, ONE);
        }
        all
    }
}

/// The distribution of the number of successes, given their probabilities.
fn number_of(chances: &[f64]) -> Vec<f64> {
    let mut law = vec![1.0];
    for chance in chances {
        law.push(0.0);
        for count in watch::until_stopped((0..law.len()).rev()) {
            let before = if count > 0 { law[count - 1] } else { 0.0 };
            law[count] = law[count] * (1.0 - chance) + before * chance;
        }
    }
    law
}

impl Counted {
    pub(super) fn new(
        rel: f64,
        base: RecallBase,
        cutoff: usize,
        a: impl Fn(usize) -> f64 + Send + Sync + 'static,
        b: impl Fn(usize) -> f64 + Send + Sync + 'static,
        divisor: impl Fn(f64) -> f64 + Send + Sync + 'static,
    ) -> Counted {
        let divisor = move |relevant: f64| match divisor(relevant) {
            0.0 => f64::NAN,
            divisor => divisor,
        };
        Counted {
            is_relevant: Box::new(move |grade| grade >= rel),
            base,
            cutoff,
            a: Box::new(a),
            b: Box::new(b),
            divisor: Box::new(divisor),
        }
    }

    /// A sum of the weights of documents that gain something.
    pub(super) fn gaining(
        gains: impl Fn(f64) -> bool + Send + Sync + 'static,
        base: RecallBase,
        cutoff: usize,
        weight: impl Fn(usize) -> f64 + Send + Sync + 'static,
        divisor: impl Fn(f64) -> f64 + Send + Sync + 'static,
    ) -> Counted {
        Counted { is_relevant: Box::new(gains), ..Counted::new(0.0, base, cutoff, weight, |_| 0.0, divisor) }
    }

    /// The probabilities of being relevant, of the documents for which it is possible.
    fn chances(&self, levels: &[Level], truth: &Judgments<'_>) -> Vec<f64> {
        let chances = profiles(levels, truth)
            .flat_map(|(profile, count)| std::iter::repeat_n(chance(profile, &self.is_relevant), count));
        chances.filter(|&chance| chance > 0.0).collect()
    }

    fn moments(&self, ranking: &Ranking, truth: &Judgments<'_>) -> Moments {
        // For each number of relevant documents so far: its probability, and with it E[S] and E[S^2].
        let mut states = vec![[1.0, 0.0, 0.0]];
        for group in ranking.groups() {
            let chances = self.chances(group.levels, truth);
            if !chances.is_empty() {
                states = self.with_group(&states, &group, &number_of(&chances));
            }
        }
        let others = match self.base {
            RecallBase::Qrels => number_of(&self.chances(&others(ranking, truth), truth)),
            RecallBase::Ranking | RecallBase::Number(_) => vec![1.0],
        };
        let mut moments = Moments::default();
        for (retrieved, state) in states.iter().enumerate() {
            for (count, chance) in watch::until_stopped(others.iter().enumerate()) {
                let relevant = match self.base {
                    RecallBase::Number(number) => number,
                    _ => retrieved + count,
                };
                moments.add(state.map(|moment| moment * chance), (self.divisor)(relevant as f64));
            }
        }
        moments
    }

    /// The states after a tie group; `law` is the distribution of its number of relevant documents.
    fn with_group(&self, states: &[[f64; 3]], group: &Group<'_>, law: &[f64]) -> Vec<[f64; 3]> {
        let rank = |place: usize| group.start + place + 1;
        let places = PlaceMoments::new((0..group.size).map(|place| match rank(place) {
            rank if rank > self.cutoff => (0.0, 0.0),
            rank => ((self.a)(rank), (self.b)(rank)),
        }));
        let mut next = vec![[0.0; 3]; states.len() + law.len() - 1];
        for (count, &chance) in law.iter().enumerate().filter(|&(_, &chance)| chance > 0.0) {
            let mut powers = [1.0; 5];
            for power in 1..5 {
                let (left, size) = ((count + 1).saturating_sub(power), (group.size + 1).saturating_sub(power));
                powers[power] = if size > 0 { powers[power - 1] * left as f64 / size as f64 } else { 0.0 };
            }
            let mean = |of: &Polynomial| -> f64 { of.iter().zip(powers).map(|(factor, power)| factor * power).sum() };
            let [t, u, tt, tu, uu] = [places.t, places.u, places.tt, places.tu, places.uu].map(|of| mean(&of));
            for (before, &[zero, one, two]) in watch::until_stopped(states.iter().enumerate()) {
                let c = before as f64;
                let (step, square) = (u + c * t, uu + 2.0 * c * tu + c * c * tt);
                let state = &mut next[before + count];
                state[0] += chance * zero;
                state[1] += chance * (one + zero * step);
                state[2] += chance * (two + 2.0 * one * step + zero * square);
            }
        }
        next
    }
}

impl Measure for Counted {
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        self.moments(ranking, truth).mean()
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        self.moments(ranking, truth).variance()
    }

    fn varies_in_one_order(&self) -> bool {
        true
    }
}

/// The weight of the rank at which a user stops, 0 if there is none. The user stops at a document with a probability that
/// depends on its grade.
pub(super) struct FirstStop {
    /// The probability of stopping at a document of a grade; at grade 0 it is 0.
    stop: Box<dyn Fn(f64) -> f64 + Send + Sync>,
    cutoff: usize,
    weight: OfRank,
    /// The lowest relevant grade, if a grade alone decides who stops, and the value is undefined if nothing is relevant.
    rel: Option<f64>,
}

impl FirstStop {
    /// A user who stops at the first relevant document.
    pub(super) fn at_relevant(
        rel: f64,
        cutoff: usize,
        weight: impl Fn(usize) -> f64 + Send + Sync + 'static,
    ) -> FirstStop {
        let stop = move |grade: f64| f64::from(u8::from(grade >= rel));
        FirstStop { stop: Box::new(stop), cutoff, weight: Box::new(weight), rel: Some(rel) }
    }

    /// A user who stops with a probability, such as that of ERR. The weights are those of the ranks within the cutoff.
    pub(super) fn with_chance(stop: impl Fn(f64) -> f64 + Send + Sync + 'static, weights: Vec<f64>) -> FirstStop {
        let cutoff = weights.len();
        FirstStop { stop: Box::new(stop), cutoff, weight: Box::new(move |rank| weights[rank - 1]), rel: None }
    }

    fn moments(&self, ranking: &Ranking, truth: &Judgments<'_>) -> Moments {
        let mut moments = Moments::default();
        let mut going = 1.0;
        for group in ranking.groups_to(self.cutoff) {
            let passed = self.passed(&group, truth);
            for (place, pair) in passed.windows(2).enumerate() {
                let weight = (self.weight)(group.start + place + 1);
                let stopped = going * (pair[0] - pair[1]);
                moments.mean += stopped * weight;
                moments.second += stopped * weight * weight;
            }
            going *= passed[passed.len() - 1];
        }
        let is_possible =
            |rel: f64| profiles(truth.levels, truth).any(|(profile, _)| chance(profile, |grade| grade >= rel) > 0.0);
        moments.defined = f64::from(u8::from(self.rel.is_none_or(is_possible)));
        moments
    }

    /// For each k up to the group's places within the cutoff, the probability of passing its first k documents: the mean
    /// over all sets of k documents of the product of their probabilities of going on.
    fn passed(&self, group: &Group<'_>, truth: &Judgments<'_>) -> Vec<f64> {
        let stops = profiles(group.levels, truth).flat_map(|(profile, count)| {
            let stop: f64 = profile.iter().map(|&(grade, chance)| chance * (self.stop)(f64::from(grade))).sum();
            std::iter::repeat_n(stop.min(1.0), count)
        });
        let stops: Vec<f64> = stops.filter(|&stop| stop > 0.0).collect();
        let slots = group.slots(self.cutoff);
        let mut documents = group.size - stops.len();
        let mut passed: Vec<f64> = (0..=slots).map(|k| f64::from(u8::from(k <= documents))).collect();
        for stop in stops {
            documents += 1;
            let n = documents as f64;
            for k in watch::until_stopped((1..=slots.min(documents)).rev()) {
                passed[k] = (n - k as f64) / n * passed[k] + k as f64 / n * (1.0 - stop) * passed[k - 1];
            }
        }
        passed
    }
}

impl Measure for FirstStop {
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        self.moments(ranking, truth).mean()
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        // A user who stops by chance makes a mean over stops of each labelling, whose variance is not that of the stops.
        if self.rel.is_some() { self.moments(ranking, truth).variance() } else { f64::NAN }
    }

    fn varies_in_one_order(&self) -> bool {
        true
    }
}

/// With more states, nDCG would take too long.
const MOST_STATES: usize = 50_000;

/// nDCG of several gains: DCG divided by that of the ideal ranking.
pub(super) struct IdealGain {
    gain: Gain,
    /// The gains above 0, highest first.
    gains: Vec<f64>,
    discounts: Vec<f64>,
    /// Whether only retrieved documents can be in the ideal ranking.
    of_ranking: bool,
    /// For each state and each gain, the state with one more document of this gain.
    next: Vec<u32>,
    /// The DCG of the ideal ranking in each state.
    ideals: Vec<f64>,
    /// The number of states with at most 0, 1, .. documents.
    reached: Vec<usize>,
}

/// E\[1\], E\[D\] and E\[D^2\] of the DCG of earlier groups; E\[s\], E\[s D\] and E\[s^2\] of the sum s of gains of this
/// group; and E of the sum of their squares.
type GainSums = [f64; 7];

impl IdealGain {
    /// None if there are too many states.
    pub(super) fn new(gain: Gain, gains: Vec<f64>, discounts: Vec<f64>, of_ranking: bool) -> Option<IdealGain> {
        let (k, kinds) = (discounts.len(), gains.len());
        let states = (1..=kinds).try_fold(1_usize, |states, i| Some(states.checked_mul(k + i)? / i))?;
        if states > MOST_STATES {
            return None;
        }
        let mut measure = IdealGain {
            gain,
            gains,
            discounts,
            of_ranking,
            next: vec![0; states * kinds],
            ideals: Vec::with_capacity(states),
            reached: Vec::with_capacity(k + 1),
        };
        measure.list_states(states, k, kinds);
        Some(measure)
    }

    /// Lists the states by their number of documents. A state is how many documents of each gain there are.
    fn list_states(&mut self, states: usize, k: usize, kinds: usize) {
        let mut index = std::collections::HashMap::with_capacity(states);
        let mut all: Vec<Vec<u32>> = vec![vec![0; kinds]];
        index.insert(all[0].clone(), 0_u32);
        let mut at = 0;
        for documents in 0..=k {
            let end = all.len();
            self.reached.push(end);
            while at < end {
                for kind in 0..kinds {
                    let mut counts = all[at].clone();
                    counts[kind] += 1;
                    if documents == k {
                        // One of the lowest gain leaves the best k.
                        let lowest = counts.iter().rposition(|&count| count > 0).unwrap_or(kind);
                        counts[lowest] -= 1;
                    }
                    let number = *index.entry(counts).or_insert_with_key(|counts| {
                        all.push(counts.clone());
                        all.len() as u32 - 1
                    });
                    self.next[at * kinds + kind] = number;
                }
                at += 1;
            }
        }
        self.ideals = all.iter().map(|counts| self.ideal(counts)).collect();
    }

    fn ideal(&self, counts: &[u32]) -> f64 {
        let gains =
            counts.iter().zip(&self.gains).flat_map(|(&count, &gain)| std::iter::repeat_n(gain, count as usize));
        gains.zip(&self.discounts).map(|(gain, discount)| gain * discount).sum()
    }

    /// The probability of each gain, and of gaining nothing.
    fn chances(&self, profile: &Profile) -> (Vec<f64>, f64) {
        let chances = self.gains.iter().map(|&gain| chance(profile, |grade| self.gain.of(grade) == gain));
        (chances.collect(), 1.0 - chance(profile, |grade| self.gain.of(grade) > 0.0))
    }

    fn moments(&self, ranking: &Ranking, truth: &Judgments<'_>) -> Moments {
        let mut states: Vec<GainSums> = vec![[0.0; 7]; self.ideals.len()];
        states[0][0] = 1.0;
        let mut documents = 0;
        for group in ranking.groups() {
            let weights = weights_of(&group, &self.discounts);
            self.add(&mut states, &mut documents, group.levels, truth);
            let [mean, square, product] = place_means(weights, group.size);
            for [_, d, dd, s, sd, ss, squares] in &mut states {
                *dd += 2.0 * mean * *sd + square * *squares + product * (*ss - *squares);
                *d += mean * *s;
                [*s, *sd, *ss, *squares] = [0.0; 4];
            }
        }
        if !self.of_ranking {
            self.add(&mut states, &mut documents, &others(ranking, truth), truth);
        }
        let mut moments = Moments::default();
        for (&[zero, one, two, ..], &ideal) in states.iter().zip(&self.ideals) {
            moments.add([zero, one, two], if ideal > 0.0 { ideal } else { f64::NAN });
        }
        moments
    }

    /// Adds documents to the states.
    fn add(&self, states: &mut Vec<GainSums>, documents: &mut usize, levels: &[Level], truth: &Judgments<'_>) {
        let mut next = vec![[0.0; 7]; states.len()];
        for (profile, count) in profiles(levels, truth) {
            let (chances, nothing) = self.chances(profile);
            if nothing >= 1.0 {
                continue;
            }
            for _ in 0..count {
                let reached = self.reached[(*documents).min(self.reached.len() - 1)];
                *documents += 1;
                let then = self.reached[(*documents).min(self.reached.len() - 1)];
                next[..then].fill([0.0; 7]);
                let possible = states[..reached].iter().enumerate().filter(|(_, sums)| sums[0] > 0.0);
                for (state, sums) in watch::until_stopped(possible) {
                    add_to(&mut next[state], sums, 0.0, nothing);
                    for (kind, &chance) in chances.iter().enumerate() {
                        let to = self.next[state * self.gains.len() + kind] as usize;
                        add_to(&mut next[to], sums, self.gains[kind], chance);
                    }
                }
                std::mem::swap(states, &mut next);
            }
        }
    }
}

/// Adds the outcomes of a state in which one more document of its group has a gain, with the probability of this gain.
fn add_to(to: &mut GainSums, &[one, d, dd, s, sd, ss, squares]: &GainSums, gain: f64, chance: f64) {
    let with_one = [
        one,
        d,
        dd,
        s + gain * one,
        sd + gain * d,
        ss + 2.0 * gain * s + gain * gain * one,
        squares + gain * gain * one,
    ];
    to.iter_mut().zip(with_one).for_each(|(to, sum)| *to += chance * sum);
}

impl Measure for IdealGain {
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        self.moments(ranking, truth).mean()
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        self.moments(ranking, truth).variance()
    }

    fn varies_in_one_order(&self) -> bool {
        true
    }
}
