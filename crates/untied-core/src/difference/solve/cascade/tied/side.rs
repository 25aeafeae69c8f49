//! One ranking with ties: the loss of each tie group, by the number of its unknown documents that are relevant.
//!
//! A user goes beyond rank t with the probability `Q(t)`, the product of the *factors* of the documents down to t: a
//! document's factor is the probability that the user goes on after it. With the weight `w_t` of rank t, the score is
//! `S = const - sum_t w_t Q(t)`; the sum is the ranking's *loss*, here its mean over all orders of ties. Documents
//! whose factor is known are *fixed*; those to decide are *open*. An open document has the factor q if it is relevant
//! (*on*), and the factor 1 if it is not (*off*).

use crate::difference::solve::budget::Budget;

/// If fewer users than this share reach a group, the losses from this group on are left out.
const NEGLIGIBLE: f64 = 1e-20;

/// The losses of one ranking by tie group. Only groups with open documents are listed.
#[derive(Debug, Default)]
pub(super) struct GroupLosses {
    /// The losses of each group, group by group, with 0, 1, 2, ... relevant open documents. They are multiplied by the
    /// factors of all fixed documents above the group, and include the loss of unlisted groups directly above it.
    losses: Vec<f64>,
    /// The index in `losses` at which each group begins, and at the end the length of `losses`.
    starts: Vec<usize>,
    /// The loss of the ranks below the last listed group, times the factors of all fixed documents above these ranks.
    pub rest: f64,
    /// The loss of the ranks down to which there are n = 0, 1, 2, ... open documents, if all of these are off. It is a
    /// mean over tie orders, and includes the factors of fixed documents.
    pub weights: Vec<f64>,
    /// `q^n` for n = 0, 1, 2, ...: the probability of going on after n documents that are on.
    powers: Vec<f64>,
    /// Memory for [`CascadeGroup::weigh`].
    of_group: Vec<f64>,
}

/// A tie group as [`GroupLosses`] reads it.
#[derive(Debug, Default, Clone)]
pub(super) struct CascadeGroup<'f> {
    /// The factors of the fixed documents.
    pub fixed: &'f [f64],
    /// The number of open documents.
    pub open: usize,
}

impl CascadeGroup<'_> {
    /// The groups of a ranking. `factors` lists the factors of fixed documents, group by group, and `sizes` has the
    /// numbers of fixed and of open documents in each group.
    pub fn all<'f>(factors: &'f [f64], sizes: &[(usize, usize)]) -> impl Iterator<Item = CascadeGroup<'f>> + Clone {
        let mut rest = factors;
        sizes.iter().map(move |&(fixed, open)| {
            let (own, below) = rest.split_at(fixed);
            rest = below;
            CascadeGroup { fixed: own, open }
        })
    }

    /// The weights `W_l` of the group's ranks, for l = 0, 1, 2, ... open documents down to a rank. They are means over
    /// the group's orders, and include the factors of its fixed documents. `weights` has the weights of the ranks.
    ///
    /// The first l + j documents are l open and j fixed ones in a share of the orders. The weight of rank l + j counts
    /// by this share, times the mean product of j of the fixed factors.
    fn weigh(&self, weights: &[f64], by_read: &mut Vec<f64>) {
        let (open, fixed) = (self.open, self.fixed.len());
        let weight = |read: usize| if read == 0 { 0.0 } else { weights.get(read - 1).copied().unwrap_or(0.0) };
        by_read.clear();
        match *self.fixed {
            [] => return by_read.extend((0..=open).map(weight)),
            [factor] if open == 0 => return by_read.push(weight(1) * factor),
            _ => by_read.resize(open + 1, 0.0),
        }
        let products = mean_products(self.fixed);
        // For the current l and each j: the share of orders that begin with l open and j fixed documents.
        let mut shares = vec![0.0; fixed + 1];
        for (l, weight_sum) in by_read.iter_mut().enumerate().take(weights.len() + 1) {
            for j in 0..=fixed.min(weights.len() - l) {
                // The last of these l + j documents is an open or a fixed one, drawn from those that were left.
                let left = (open - l) + (fixed - j);
                let stays = if l == 0 { 0.0 } else { shares[j] * (open - l + 1) as f64 / (left + 1) as f64 };
                let grows = if j == 0 { 0.0 } else { shares[j - 1] * (fixed - j + 1) as f64 / (left + 1) as f64 };
                shares[j] = if l + j == 0 { 1.0 } else { stays + grows };
                *weight_sum += weight(l + j) * shares[j] * products[j];
            }
        }
    }
}

/// The mean product of i factors, over all choices of them, for i = 0, 1, 2, ...
fn mean_products(factors: &[f64]) -> Vec<f64> {
    let mut products = vec![1.0];
    for (n, factor) in (1..).zip(factors) {
        products.push(0.0);
        for i in (1..=n).rev() {
            // The n-th factor is among i chosen ones of n in a share i / n of the choices.
            let drawn = i as f64 / n as f64;
            products[i] = (1.0 - drawn) * products[i] + drawn * factor * products[i - 1];
        }
    }
    products
}

/// Writes the loss `D(s)` of a group into `losses`, with s = 0, 1, 2, ... of its n open documents on. `weights` has the
/// group's `W_l` (see [`CascadeGroup::weigh`]), and `go_on` is q, the factor of a document that is on.
///
/// Let `V(l, r)` be the loss after l open documents, if r of the others are on. The next one is on with the probability
/// `r / (n - l)`, so that
///
/// `V(l, r) = r / (n - l) q (W_{l+1} + V(l + 1, r - 1)) + (1 - r / (n - l)) (W_{l+1} + V(l + 1, r))`,
///
/// and `D(s) = W_0 + V(0, s)`. No term is negative, so nothing cancels.
fn walk(weights: &[f64], go_on: f64, losses: &mut [f64]) {
    let open = weights.len() - 1;
    let last = weights.iter().rposition(|&weight| weight != 0.0).unwrap_or(0);
    for l in (0..last).rev() {
        // Before this, `losses[r]` is V(l + 1, r); after it, V(l, r).
        let left = (open - l) as f64;
        for r in (0..=open - l).rev() {
            let share = r as f64 / left;
            let on = if r > 0 { share * go_on * (weights[l + 1] + losses[r - 1]) } else { 0.0 };
            let off = if r < open - l { (1.0 - share) * (weights[l + 1] + losses[r]) } else { 0.0 };
            losses[r] = on + off;
        }
    }
    losses.iter_mut().for_each(|loss| *loss += weights[0]);
}

/// Visits the groups of a ranking. `visit` gets the number of open documents of a group, and its weights `W_l` (see
/// [`CascadeGroup::weigh`]) times the factors of all fixed documents above it. `weights` has the weights of the ranks.
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

/// The loss of a ranking without relevant open documents, and with all of them relevant.
pub(super) fn ends<'f>(groups: impl Iterator<Item = CascadeGroup<'f>>, weights: &[f64], go_on: f64) -> (f64, f64) {
    let (mut none, mut all, mut factor) = (0.0, 0.0, 1.0);
    each(groups, weights, &mut Vec::new(), |open, of_group| {
        none += of_group.iter().sum::<f64>();
        // If all open documents are relevant, `factor` is the share of users who go on after those read so far.
        for weight in &of_group[..open] {
            all += factor * weight;
            factor *= go_on;
        }
        all += factor * of_group[open];
    });
    (none, all)
}

impl GroupLosses {
    /// Replaces this ranking by one with these groups and weights, as for [`each`]; `go_on` is q. Returns false, and
    /// reads nothing, if there is too little work left.
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
            // A group without open documents is not listed. Its loss is carried to the next listed group.
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

    /// The number of listed groups.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The losses of a listed group with 0, 1, 2, ... relevant open documents.
    pub fn group(&self, number: usize) -> &[f64] {
        &self.losses[self.starts[number]..self.starts[number + 1]]
    }

    /// The losses of each listed group; see [`GroupLosses::group`].
    fn groups(&self) -> impl DoubleEndedIterator<Item = &[f64]> + ExactSizeIterator {
        self.starts.windows(2).map(|ends| &self.losses[ends[0]..ends[1]])
    }

    /// The number of open documents in the ranking.
    pub fn total(&self) -> usize {
        self.powers.len() - 1
    }

    /// `q^n`, the probability of going on after n documents that are on.
    pub fn power(&self, n: usize) -> f64 {
        self.powers[n]
    }

    /// The ranking's loss, `1 - S`. `counts` has the number of relevant open documents in each listed group.
    pub fn loss(&self, counts: &[usize]) -> f64 {
        let (mut before, mut sum) = (0, 0.0);
        for (group, &count) in self.groups().zip(counts) {
            // The share q^before of users reaches this group.
            sum += self.powers[before] * group[count];
            before += count;
            if self.powers[before] < NEGLIGIBLE {
                return sum;
            }
        }
        sum + self.powers[before] * self.rest
    }

    /// Writes two numbers into `changes` for each group: by how much the loss falls with one more relevant document,
    /// and by how much it rises with one fewer. They are 0 if this is not possible.
    pub fn marginals(&self, counts: &[usize], changes: &mut Vec<(f64, f64)>) {
        changes.clear();
        changes.resize(self.len(), (0.0, 0.0));
        let go_on = self.powers.get(1).copied().unwrap_or(1.0);
        let power = |n: usize| self.powers[n.saturating_sub(1)];
        let mut before: usize = counts.iter().sum();
        // The loss of all ranks below the current group: as it is, and with one relevant document fewer above them.
        let (mut below, mut lifted) = (self.powers[before] * self.rest, power(before) * self.rest);
        for (number, (group, &count)) in self.groups().zip(counts).enumerate().rev() {
            before -= count;
            let above = self.powers[before];
            // The group's own loss falls, and the share 1 - q of the losses below it goes away.
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

    /// The loss of a group, from a list of all orders.
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
