//! The largest difference of two rankings where the normaliser moves with the judgments, for verdicts.
//!
//! A measure tells by [`question::Ceiling`] what S(A) - S(B) cannot exceed with at most 0, 1, 2, ... unknown documents
//! relevant; one file each or one for a close family, listed in [`catalogue`]. The other direction is the same with A and
//! B exchanged.

mod any_order;
pub(crate) mod apart;
mod average_precision;
mod cascade;
pub(crate) mod catalogue;
mod first;
pub(crate) mod given;
pub(crate) mod known;
mod preference;
pub(crate) mod question;
mod r_precision;
mod sums;
