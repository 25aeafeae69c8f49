//! One ranking with ties: the loss of each group, by the number of its unknown documents that are relevant.

use crate::difference::solve::budget::Budget;

/// Below this a probability is not worth a step.
const NEGLIGIBLE: f64 = 1e-20;

/// A ranking: of its groups those that have documents to decide, from the first.
#[derive(Debug, Default)]
pub(super) struct GroupLosses {
    /// For every group `D_g(s)`, times the factors of all documents before it that are not to be decided; one group after
    /// the other.
    losses: Vec<f64>,
    /// Where each group begins in them; then their number.
    starts: Vec<usize>,
    /// What is left below the last of them, times such factors.
    pub rest: f64,
    /// What is lost after each number of documents to decide, in any order of ties, times such factors.
    pub weights: Vec<f64>,
    /// `q^n`.
    powers: Vec<f64>,
    /// Memory for W of one group.
    of_group: Vec<f64>,
}

/// A tie group before it is put into a side.
#[derive(Debug, Default, Clone)]
pub(super) struct CascadeGroup<'f> {
    /// Factors of documents that are not to be decided.
    pub fixed: &'f [f64],
    /// How many are to be decided.
    pub open: usize,
}

impl CascadeGroup<'_> {
    /// The groups of a ranking: factors one group after the other, with the numbers of those and of documents to decide.
    pub fn all<'f>(factors: &'f [f64], sizes: &[(usize, usize)]) -> impl Iterator<Item = CascadeGroup<'f>> + Clone {
        let mut rest = factors;
        sizes.iter().map(move |&(fixed, open)| {
            let (own, below) = rest.split_at(fixed);
            rest = below;
            CascadeGroup { fixed: own, open }
        })
    }

    /// What a group weighs by the number l of its documents to decide that were read: `W_l`. `weights` are those of its
    /// ranks.
    ///
    /// After l documents to decide and j others, weigh by the share of orders that begin so; `k_j` is the mean product of j
    /// of the fixed factors.
    fn weigh(&self, weights: &[f64], by_read: &mut Vec<f64>) {
        let (open, fixed) = (self.open, self.fixed.len());
        let weight = |read: usize| if read == 0 { 0.0 } else { weights.get(read - 1).copied().unwrap_or(0.0) };
        by_read.clear();
        match *self.fixed {
            [] => return by_read.extend((0..=open).map(weight)),
            [factor] if open == 0 => return by_read.push(weight(1) * factor),
            _ => by_read.resize(open + 1, 0.0),
        }
        let means = means(self.fixed);
        let mut shares = vec![0.0; fixed + 1]; // of l, by j
        for (l, sum) in by_read.iter_mut().enumerate().take(weights.len() + 1) {
            for j in 0..=fixed.min(weights.len() - l) {
                let left = (open - l) + (fixed - j);
                let stays = if l == 0 { 0.0 } else { shares[j] * (open - l + 1) as f64 / (left + 1) as f64 };
                let grows = if j == 0 { 0.0 } else { shares[j - 1] * (fixed - j + 1) as f64 / (left + 1) as f64 };
                shares[j] = if l + j == 0 { 1.0 } else { stays + grows };
                *sum += weight(l + j) * shares[j] * means[j];
            }
        }
    }
}

/// Mean products of 0, 1, 2, .. factors drawn without replacement: the i-th of n factors joins with probability i / n.
fn means(factors: &[f64]) -> Vec<f64> {
    let mut means = vec![1.0];
    for (n, factor) in (1..).zip(factors) {
        means.push(0.0);
        for i in (1..=n).rev() {
            let drawn = i as f64 / n as f64;
            means[i] = (1.0 - drawn) * means[i] + drawn * factor * means[i - 1];
        }
    }
    means
}

/// `D(s)` of a group with W: a walk over the documents to decide, of which s are on.
///
/// `V(l, r) = r / (n - l) q (W_{l+1} + V(l + 1, r - 1)) + (1 - r / (n - l)) (W_{l+1} + V(l + 1, r))`, r being on of those
/// that are left after l, and `D(s) = W_0 + V(0, s)`. All terms are positive.
fn walk(weights: &[f64], go_on: f64, values: &mut [f64]) {
    let open = weights.len() - 1;
    let last = weights.iter().rposition(|&weight| weight != 0.0).unwrap_or(0);
    for l in (0..last).rev() {
        let left = (open - l) as f64;
        for r in (0..=open - l).rev() {
            let share = r as f64 / left;
            let on = if r > 0 { share * go_on * (weights[l + 1] + values[r - 1]) } else { 0.0 };
            let off = if r < open - l { (1.0 - share) * (weights[l + 1] + values[r]) } else { 0.0 };
            values[r] = on + off;
        }
    }
    values.iter_mut().for_each(|value| *value += weights[0]);
}

/// Go through the groups of a ranking where each rank down to the depth weighs `weights`: how many documents each has to
/// decide, and its W times the factors of all documents before it that are not.
fn each<'f>(
    groups: impl Iterator<Item = CascadeGroup<'f>>,
    weights: &[f64],
    of_group: &mut Vec<f64>,
    mut visit: impl FnMut(usize, &mut [f64]),
) {
    let (mut factor, mut start) = (1.0, 0);
    for group in groups {
        let size = group.open + group.fixed.len();
        group.weigh(&weights[start..(start + size).min(weights.len())], of_group);
        of_group.iter_mut().for_each(|weight| *weight *= factor);
        visit(group.open, of_group);
        factor *= group.fixed.iter().product::<f64>();
        start = (start + size).min(weights.len());
    }
}

/// `1 - S`, but for what is the same in any case, where no document to decide is on, and where all are.
pub(super) fn ends<'f>(groups: impl Iterator<Item = CascadeGroup<'f>>, weights: &[f64], go_on: f64) -> (f64, f64) {
    let (mut none, mut all, mut factor) = (0.0, 0.0, 1.0);
    each(groups, weights, &mut Vec::new(), |open, of_group| {
        none += of_group.iter().sum::<f64>();
        for weight in &of_group[..open] {
            all += factor * weight;
            factor *= go_on;
        }
        all += factor * of_group[open];
    });
    (none, all)
}

impl GroupLosses {
    /// Take in a ranking, as in [`each`]; false if that takes more work than there is.
    pub fn read<'f>(
        &mut self,
        groups: impl Iterator<Item = CascadeGroup<'f>> + Clone,
        weights: &[f64],
        go_on: f64,
        work: &mut Budget,
    ) -> bool {
        let steps = |group: CascadeGroup<'_>| 4 * group.open.min(weights.len()) * group.open;
        if !work.take(groups.clone().map(steps).sum()) {
            return false;
        }
        let GroupLosses { losses, starts, rest, weights: by_place, powers, of_group } = self;
        losses.clear();
        starts.clear();
        by_place.clear();
        by_place.resize(1 + groups.clone().map(|group| group.open).sum::<usize>(), 0.0);
        let (mut carried, mut total) = (0.0, 0);
        each(groups, weights, of_group, |open, of_group| {
            by_place[total..].iter_mut().zip(&*of_group).for_each(|(sum, weight)| *sum += weight);
            of_group[0] += carried;
            total += open;
            if open == 0 {
                carried = of_group[0];
            } else {
                carried = 0.0;
                let start = losses.len();
                starts.push(start);
                losses.resize(start + open + 1, 0.0);
                walk(of_group, go_on, &mut losses[start..]);
            }
        });
        starts.push(losses.len());
        *rest = carried;
        powers.clear();
        powers.extend((0..=total).scan(1.0, |power, _| Some(std::mem::replace(power, *power * go_on))));
        true
    }

    /// The number of groups.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The losses of a group by the number of its documents that are on.
    pub fn group(&self, number: usize) -> &[f64] {
        &self.losses[self.starts[number]..self.starts[number + 1]]
    }

    /// The losses of each group.
    fn groups(&self) -> impl DoubleEndedIterator<Item = &[f64]> + ExactSizeIterator {
        self.starts.windows(2).map(|ends| &self.losses[ends[0]..ends[1]])
    }

    /// How many documents are to be decided.
    pub fn total(&self) -> usize {
        self.powers.len() - 1
    }

    /// `q^n`.
    pub fn power(&self, n: usize) -> f64 {
        self.powers[n]
    }

    /// `1 - S` for these numbers of relevant documents a group, without the terms that do not depend on them.
    pub fn loss(&self, counts: &[usize]) -> f64 {
        let (mut before, mut sum) = (0, 0.0);
        for (group, &count) in self.groups().zip(counts) {
            sum += self.powers[before] * group[count];
            before += count;
            if self.powers[before] < NEGLIGIBLE {
                return sum;
            }
        }
        sum + self.powers[before] * self.rest
    }

    /// By how much the loss falls with one more document on in each group, and by how much it fell with the last one; 0 where
    /// there is no such document.
    pub fn marginals(&self, counts: &[usize], changes: &mut Vec<(f64, f64)>) {
        changes.clear();
        changes.resize(self.len(), (0.0, 0.0));
        let go_on = self.powers.get(1).copied().unwrap_or(1.0);
        let power = |n: usize| self.powers[n.saturating_sub(1)];
        let mut before: usize = counts.iter().sum();
        // What is lost below, as it is and with one document less above.
        let (mut below, mut lifted) = (self.powers[before] * self.rest, power(before) * self.rest);
        for (number, (group, &count)) in self.groups().zip(counts).enumerate().rev() {
            before -= count;
            let above = self.powers[before];
            if let Some(next) = group.get(count + 1) {
                changes[number].0 = above * (group[count] - next) + (1.0 - go_on) * below;
            }
            if count > 0 {
                changes[number].1 = above * (group[count - 1] - group[count]) + (lifted - below);
            }
            below += above * group[count];
            lifted += power(before) * group[count];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// The loss of a group by listing all orders: sum of weights times products.
    fn enumerated(factors: &mut Vec<f64>, at: usize, product: f64, weights: &[f64]) -> f64 {
        let count = factors.len() - at;
        let mut sum = 0.0;
        for i in at..factors.len() {
            factors.swap(at, i);
            let product = product * factors[at];
            sum += (product * weights.get(at).unwrap_or(&0.0) + enumerated(factors, at + 1, product, weights))
                / count as f64;
            factors.swap(at, i);
        }
        sum
    }

    #[test]
    fn losses_are_means_over_all_orders() {
        let mut random = Random::new(1);
        for _ in 0..300 {
            let (open, fixed) = (random.below(5) as usize, random.below(4) as usize);
            let go_on = [0.0, 0.5, 1.0 / 16.0][random.below(3) as usize];
            let fixed: Vec<f64> = (0..fixed).map(|_| [1.0, 0.25, 0.5, 0.0][random.below(4) as usize]).collect();
            let weights: Vec<f64> = (0..1 + random.below(8)).map(|_| random.unit()).collect();
            let (mut side, group) = (GroupLosses::default(), CascadeGroup { fixed: &fixed, open });
            assert!(side.read(std::iter::once(group), &weights, go_on, &mut Budget::new(1_000_000)));
            for on in 0..=open {
                let mut factors = fixed.clone();
                factors.resize(fixed.len() + on, go_on);
                factors.resize(fixed.len() + open, 1.0);
                let expected = enumerated(&mut factors, 0, 1.0, &weights);
                let counts: Vec<usize> = side.groups().map(|_| on).collect();
                assert!((side.loss(&counts) - expected).abs() < 1e-14, "{open} {fixed:?} {on}");
            }
        }
    }
}
