//! What becomes of tied documents.

use super::policy::Purpose::{Arrays, Distributions, OneValue, Pairs, Runs, Samples, Verdicts};
use super::policy::{Choice, Policy, PolicyInfo, Purpose};
use super::{ONE_VALUE, Take};
use crate::ranking::{Layout, Precision};

/// How tied documents are laid out, and which value over their orders is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ties {
    /// The order of tied documents, or that they stay tied.
    pub layout: Layout,
    /// The value over all orders, if they stay tied.
    pub take: Take,
    /// The precision at which scores are read, if the policy says so.
    pub precision: Option<Precision>,
}

const NO_IDS: (Purpose, &str) = (Arrays, "documents have no ids here");
const NO_BEST_ORDER: &str = "a comparison of two rankings has no best or worst order";
const NO_SAMPLES: (Purpose, &str) =
    (Samples, "verdicts from a sample are about means over all orders of tied documents, or about one order by id");

const fn tied(take: Take) -> Ties {
    Ties { layout: Layout::Tied, take, precision: None }
}

const fn by_document(precision: Option<Precision>) -> Ties {
    Ties { layout: Layout::ByDocument, take: Take::Mean, precision }
}

/// The policy `ties`.
pub static TIES: Policy<Ties> = Policy {
    info: PolicyInfo {
        name: "ties",
        label: "Tied documents",
        about: "choose what to do with tied documents",
        placeholder: "POLICY",
    },
    pattern: None,
    choices: &[
        Choice {
            name: "expected",
            value: tied(Take::Mean),
            meaning: "give each measure's average over all orders of tied documents",
            phrase: "",
            on: &[Runs, Arrays, Pairs, Verdicts, OneValue, Distributions, Samples],
            refused: &[],
        },
        Choice {
            name: "range",
            value: tied(Take::Range),
            meaning: "also show each measure's lowest and highest value over all orders of tied documents",
            phrase: "",
            on: &[Runs, Arrays],
            refused: &[(Pairs, NO_BEST_ORDER), (OneValue, ONE_VALUE), NO_SAMPLES],
        },
        Choice {
            name: "range",
            value: tied(Take::Range),
            meaning: "give only verdicts that are true for every order of tied documents",
            phrase: "",
            on: &[Verdicts],
            refused: &[],
        },
        Choice {
            name: "best",
            value: tied(Take::Best),
            meaning: "give each measure's best value over all orders of tied documents",
            phrase: "with tied documents in their best order",
            on: &[Runs, Arrays, OneValue],
            refused: &[(Pairs, NO_BEST_ORDER), (Verdicts, NO_BEST_ORDER), NO_SAMPLES],
        },
        Choice {
            name: "worst",
            value: tied(Take::Worst),
            meaning: "give each measure's worst value over all orders of tied documents",
            phrase: "with tied documents in their worst order",
            on: &[Runs, Arrays, OneValue],
            refused: &[(Pairs, NO_BEST_ORDER), (Verdicts, NO_BEST_ORDER), NO_SAMPLES],
        },
        Choice {
            name: "docid",
            value: by_document(None),
            meaning: "sort tied documents by descending id, as trec_eval 10 does",
            phrase: "with tied documents in descending order of id",
            on: &[Runs, Pairs, Verdicts, OneValue, Samples],
            refused: &[NO_IDS],
        },
        Choice {
            name: "trec",
            value: by_document(Some(Precision::Float32)),
            meaning: "round scores to 32 bits, then sort tied documents by descending id, as trec_eval 9 does",
            phrase: "with scores rounded to 32 bits and tied documents in descending order of id",
            on: &[Runs, Pairs, Verdicts, OneValue],
            refused: &[NO_IDS, NO_SAMPLES],
        },
        Choice {
            name: "given",
            value: Ties { layout: Layout::AsGiven, take: Take::Mean, precision: None },
            meaning: "keep tied documents in the order that they have in the input",
            phrase: "with tied documents in the order of the input",
            on: &[Runs, Arrays, Pairs, Verdicts, OneValue],
            refused: &[NO_SAMPLES],
        },
    ],
};
