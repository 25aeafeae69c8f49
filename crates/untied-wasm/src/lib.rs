//! The border between untied's core and pages in a browser: requests and answers in JSON, conversion and nothing else.
//!
//! [`Session`] holds the files of a page and answers one request after the other; [`border`] gives it bytes in the memory
//! of a WebAssembly module.

#![deny(unsafe_code)]

mod answers;
#[cfg(target_arch = "wasm32")]
mod border;
mod measures;
mod request;
mod session;
mod significance;
mod values;

pub use session::{Open, Session};
