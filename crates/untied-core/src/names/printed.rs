//! Names of measures as papers print them, where these are not names or aliases of ours: `indAP`, `bpref-10`,
//! `MED-nDCG@20`.

use crate::error::{Error, Result};

/// Printed names, and the measures that the papers mean by them.
const MEANT: &[(&str, &str)] = &[
    ("indAP", "AP(judged_only=True)"),
    ("induced AP", "AP(judged_only=True)"),
    ("bpref-10", "Bpref(variant='paper', extra=10)"),
];

/// Names that no measure has, and the measures that may be meant.
const NEAR: &[(&str, &str)] =
    &[("hit", "Success"), ("HR", "Success"), ("Succ", "Success"), ("prec", "P"), ("condAP", "AP(judged_only=True)")];

/// Printed names that leave open what must be said, and what to write instead. What follows `MED-` is the second.
const OPEN: &[(&str, &str)] = &[
    (
        "RBP",
        "MED-RBP has p=0.9 in the paper, and RBP has p=0.8 here: in untied compare, write MED(RBP(p=0.9), tail='upper') for the paper's, \
         or MED(RBP)",
    ),
    (
        "ERR",
        "MED-ERR has the grades 0 to 2 in the paper, and ERR has the grades 0 to 4 here: in untied compare, write MED(ERR(max_grade=2)) \
         for the paper's, or MED(ERR)",
    ),
    (
        "nDCG",
        "MED-nDCG has exponential gains in the paper, and nDCG has the grades as gains here: in untied compare, write \
         MED(nDCG(gain='exp2')@20) for the paper's, or MED(nDCG@20)",
    ),
    (
        "U",
        "MED-U compares passages: run untied passages, or call untied.compare_passages; for whole documents, \
         write MED(U(L=12000)), which needs their lengths",
    ),
];

/// Whether two names differ only in case and in what joins their words (`_`, `-` or a blank).
pub(super) fn is_same(one: &str, other: &str) -> bool {
    let fold = |byte: u8| if matches!(byte, b' ' | b'-') { b'_' } else { byte.to_ascii_lowercase() };
    one.bytes().map(fold).eq(other.bytes().map(fold))
}

/// All printed names that are neither names nor aliases here.
pub(super) fn printed() -> impl Iterator<Item = &'static str> {
    MEANT.iter().map(|(printed, _)| *printed)
}

/// The measures that may be meant by a name that no measure has.
pub(super) fn near(name: &str) -> Option<&'static str> {
    NEAR.iter().find(|(other, _)| is_same(other, name)).map(|(_, ours)| *ours)
}

/// Translates a name that papers print into the grammar of this module.
pub(super) fn meant(name: &str) -> Option<&'static str> {
    MEANT.iter().find(|(printed, _)| is_same(printed, name)).map(|(_, ours)| *ours)
}

/// The measure in `MED-nDCG`, as studies of rankings of two runs print it; `rest` follows it.
///
/// # Errors
/// The paper's settings are others than ours, or it is of passages.
pub(super) fn maximized<'n>(name: &'n str, rest: &str) -> Result<Option<&'n str>> {
    let Some(of) = name.get(..4).filter(|prefix| is_same(prefix, "MED-")).and_then(|_| name.get(4..)) else {
        return Ok(None);
    };
    let open = OPEN.iter().find(|(open, _)| is_same(open, of) && !rest.starts_with('('));
    open.map_or(Ok(Some(of)), |(_, why)| Err(Error::Measure((*why).into())))
}
