//! Names of measures as papers print them, where these are not names or aliases of ours: `indAP`, `bpref-10`,
//! `MED-nDCG@20`.

use crate::error::{Error, Result};

/// Printed names, and the measures that the papers mean by them.
const MEANT: &[(&str, &str)] = &[
    ("indAP", "AP(judged_only=True)"),
    ("induced AP", "AP(judged_only=True)"),
    ("bpref-10", "Bpref(variant='paper', extra=10)"),
];

/// Names that nothing has, and what may be meant by them.
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
        "MED-ERR has the grades 0 to 2 in the paper, and ERR those from 0 to 4 here: in untied compare, write MED(ERR(max_grade=2)) \
         for the paper's, or MED(ERR)",
    ),
    (
        "U",
        "MED-U is of passages: run untied compare --passages, or call untied.compare_passages; of whole documents it is \
         MED(U(L=12000)), which needs their lengths",
    ),
];

/// Whether two names are the same but for case, and for `_`, `-` or a blank between words.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    let fold = |byte: u8| if matches!(byte, b' ' | b'-') { b'_' } else { byte.to_ascii_lowercase() };
    one.bytes().map(fold).eq(other.bytes().map(fold))
}

/// Printed names that are not names or aliases of ours.
pub(super) fn printed() -> impl Iterator<Item = &'static str> {
    MEANT.iter().map(|(printed, _)| *printed)
}

/// What may be meant by a name that nothing has.
pub(super) fn near(name: &str) -> Option<&'static str> {
    NEAR.iter().find(|(other, _)| is_same(other, name)).map(|(_, ours)| *ours)
}

/// What the papers mean by a name, in our grammar.
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

#[cfg(test)]
mod tests {
    use crate::registry::parse;

    #[test]
    fn names_of_papers() {
        for (text, ours) in [
            ("indAP", "AP(judged_only=True)"),
            ("induced AP", "AP(judged_only=True)"),
            ("indAP(rel=2)@100", "AP(rel=2, judged_only=True)@100"),
            ("bpref-10", "Bpref(variant='paper', extra=10)"),
            ("bpref_10", "Bpref(variant='paper', extra=10)"),
            ("bpref-10(rel=2)", "Bpref(rel=2, variant='paper', extra=10)"),
            ("subcollection AP", "subAP"),
            ("inferred AP", "infAP"),
            ("normalised recall", "Rnorm"),
            ("Normalized Recall", "Rnorm"),
            ("hit rate", "Success"),
            ("hit rate@10", "Success@10"),
            ("hit-rate @ 10", "Success@10"),
            ("average precision", "AP"),
            ("rank-biased precision", "RBP"),
            ("R-Precision", "Rprec"),
            ("α-nDCG@10", "alpha_nDCG@10"),
            ("MAP", "AP"),
            ("MRR", "RR"),
            ("NDCG@10", "nDCG@10"),
            ("ADR", "ADR"),
            ("MED-MAP@100", "MED(AP@100)"),
            ("MED-nDCG@20", "MED(nDCG@20)"),
            ("MED-nDCG(gain=exp2)@20", "MED(nDCG(gain='exp2')@20)"),
            ("MED-precision@10", "MED(P@10)"),
            ("MED-average precision@100", "MED(AP@100)"),
            ("MED-RBP(p=0.9)", "MED(RBP(p=0.9))"),
            ("MED-ERR(max_grade=2)@30", "MED(ERR(max_grade=2)@30)"),
        ] {
            let found = parse(text).map_or_else(|error| error.to_string(), |spec| spec.to_string());
            assert_eq!(found, ours, "{text}");
        }
    }

    #[test]
    fn what_papers_leave_open() {
        for (text, part) in [
            ("MED-RBP", "MED-RBP has p=0.9 in the paper"),
            ("MED-ERR@30", "write MED(ERR(max_grade=2)) for the paper's"),
            ("MED-U@12000", "MED-U is of passages: run untied compare --passages"),
            ("MED-MED-AP", "unknown measure \"MED-AP\""),
            ("MED-MAP", "AP needs a cutoff, for instance AP@100"),
            ("MED-", "MED needs a measure, for instance MED(nDCG@20)"),
            ("bpref-10(extra=5)", "parameter extra is given twice"),
            ("AP nDCG@10", "name one measure at a time"),
        ] {
            let found = parse(text).map_or_else(|error| error.to_string(), |spec| format!("read as {spec}"));
            assert!(found.contains(part), "{text}: {found}");
        }
    }
}
