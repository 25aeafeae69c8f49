//! Intentwise rank-biased utility: a user who walks down as ERR's does, and whose utility falls by p with each rank.
//!
//!   iRBU@k = sum over ranks i <= k of p^i c_i (1-c_1) .. (1-c_{i-1}),    c = G(grade) / (G(max_grade) + 1).
//!
//! This is a cascade ([`super::orders::walk`]) with the weights p^i, and the order by grade is the best one.

use super::Definition;
use super::cascade::{Cascade, MAX_GRADE, max_grade};
use super::orders::walk::{self, Kind};
use crate::elementary::{exp2, powf};
use crate::names::{Cutoff, Info, JUDGED_ONLY, Parameter};

const PERSISTENCE: Parameter = Parameter {
    name: "p",
    default: "0.99",
    help: "utility of stopping at a rank, relative to the rank before, 0 < p < 1",
};
const GAIN: Parameter = Parameter {
    name: "gain",
    default: "'linear'",
    help: "gain G of a grade g: 'linear' (g), as usual in NTCIREVAL, or 'exp2' (2^g - 1), as in ERR",
};

/// iRBU, iRBU@k.
pub static INTENTWISE_UTILITY: Definition = Info {
    name: "iRBU",
    title: "intentwise rank-biased utility",
    cutoff: Cutoff::Optional,
    parameters: &[
        PERSISTENCE,
        GAIN,
        Parameter {
            help: "highest grade of the scale: a document of grade g satisfies with probability G(g) / (G(max_grade) + 1)",
            ..MAX_GRADE
        },
        JUDGED_ONLY,
    ],
    range: "0 to p",
    equation: "iRBU@k = sum over ranks i <= k of p^i c_i times the product of (1 - c_j) over ranks j < i, c = \
        G(grade) / \
               (G(max_grade) + 1)",
    tex: r"\mathrm{iRBU}@k = \sum_{i=1}^{k} p^i\, c_i \prod_{j < i} (1 - c_j), \quad c_i = \frac{G(g_i)}{G(g_{\max}) + 1}",
    reference: "Sakai & Zeng 2019, of Amigó, Spina & Carrillo-de-Albornoz 2018; probabilities as NTCIREVAL; ties: as ERR",
    sampled: &[walk::SAMPLED],
    ..Info::DEFAULT
}
.built_by(|spec, scope| {
    let p = spec.number(PERSISTENCE.name, 0.99, "a number between 0 and 1", |p| 0.0 < p && p < 1.0)?;
    let most = max_grade(spec, scope)?;
    let linear = spec.choice(GAIN.name, &[("linear", true), ("exp2", false)])?;
    let gain = move |grade: f64| if linear { grade } else { exp2(grade) - 1.0 };
    let kind = move |grade: f64| {
        let stop = gain(grade) / (gain(most) + 1.0);
        Kind { gain: stop, go_on: 1.0 - stop, count: 1 }
    };
    let depth = spec.cutoff_or(usize::MAX).min(scope.depth);
    let weights = (1..=depth).map(|i| powf(p, i as f64)).collect();
    let cutoff = spec.cutoff;
    // Like ERR, it grows with every c, because what comes after a rank is at most p times as useful.
    let beyond = move |reach: f64, stop: f64, n: usize| {
        let (n, go_on) = (n as f64, p * (1.0 - stop));
        let seen = cutoff.map_or(0.0, |cutoff| powf(go_on, (cutoff as f64 - n).max(0.0)));
        reach * powf(p, n + 1.0) * stop * (1.0 - seen) / (1.0 - go_on)
    };
    Ok(Box::new(Cascade::new(scope, weights, false, kind).growing(beyond)))
});
