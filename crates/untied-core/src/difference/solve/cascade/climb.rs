//! Local search in a component: documents are turned on or off, one by one, as long as this improves the value.
//!
//! `R_A(i) = sum_{j >= i} A_j Q_A(j)` is the loss of A from position i on, and `R_B(i)` that of B. Document x, at
//! position `a_x` of A and `b_x` of B, multiplies both from there on. So turning x off gains `(R_B(b_x) - R_A(a_x)) (1
//! / q - 1)`, and turning it on gains `(R_B(b_x) - R_A(a_x)) (q - 1)`.

use super::component::CascadeComponent;

/// A change must gain more than this.
const LEAST: f64 = 1e-13;

/// Memory of the local search.
#[derive(Debug, Default)]
pub(super) struct CascadeClimber {
    /// Whether each document of the component is on.
    on: Vec<bool>,
    /// The losses of A and B from each position on: `R_A(i)` and `R_B(i)`.
    rests: Vec<(f64, f64)>,
}

impl CascadeClimber {
    /// Climbs twice: from no relevant document, and from the relevant documents that A ranks higher than B. Keeps the
    /// better result in the component.
    pub(super) fn climb(&mut self, component: &mut CascadeComponent) {
        let mut best = f64::NEG_INFINITY;
        for ahead in [false, true] {
            self.on.clear();
            self.on.extend(component.documents.iter().map(|x| ahead && x.a < x.b));
            let value = self.ascend(component);
            if value > best {
                best = value;
                component.on.clone_from(&self.on);
            }
        }
    }

    fn ascend(&mut self, component: &CascadeComponent) -> f64 {
        let go_on = component.factor(true);
        let gains = (if go_on > 0.0 { 1.0 / go_on - 1.0 } else { 0.0 }, go_on - 1.0);
        loop {
            let value = self.evaluate(component);
            // Find the document whose change gains most.
            let (mut step, mut most) = (None, LEAST);
            for (number, document) in component.documents.iter().enumerate() {
                let gain = (self.rests[document.b].1 - self.rests[document.a].0)
                    * if self.on[number] { gains.0 } else { gains.1 };
                if gain > most {
                    (step, most) = (Some(number), gain);
                }
            }
            let Some(number) = step else { return value };
            self.on[number] ^= true;
        }
    }

    /// The value of the component. Fills in the losses from each position on.
    fn evaluate(&mut self, component: &CascadeComponent) -> f64 {
        let (mut a, mut b) = (1.0, 1.0);
        self.rests.clear();
        self.rests.push((0.0, 0.0));
        for (at_a, at_b) in &component.entries[1..] {
            a *= component.factor(self.on[at_a.open]);
            b *= component.factor(self.on[at_b.open]);
            self.rests.push((at_a.weight * a, at_b.weight * b));
        }
        // Turn the losses at each position into sums from there on.
        let mut rest = (0.0, 0.0);
        for sums in self.rests.iter_mut().rev() {
            rest = (rest.0 + sums.0, rest.1 + sums.1);
            *sums = rest;
        }
        rest.1 - rest.0
    }
}
