//! A page's files, and what was found about them.

use std::collections::HashMap;
use std::io::Read;

use serde_json::json;
use untied_core::evaluate::{self, Evaluation, Prepared};
use untied_core::read::{self, Input};
use untied_core::table::{Qrels, Run};
use untied_core::{Error, Result};

use crate::request::Request;

/// Opens a file of the page by its number, at its beginning.
pub type Open = Box<dyn Fn(u32) -> Box<dyn Read + Send>>;

/// Bytes of a run's file that is read query by query, so that it need not fit into a browser's memory.
const LARGE: u64 = 48 << 20;

/// The files of a page.
pub struct Session {
    open: Open,
    files: HashMap<u32, HeldFile>,
    qrels: HashMap<u32, Qrels>,
    runs: HashMap<u32, Run>,
}

/// A file as the page describes it.
struct HeldFile {
    name: String,
    bytes: u64,
    /// Whether it holds what the core stored, as an object of Python is pickled, and not text.
    stored: bool,
}

impl HeldFile {
    /// Whether it is read query by query.
    fn is_large(&self) -> bool {
        self.bytes > LARGE && !self.stored
    }
}

impl Session {
    /// Nothing yet.
    pub fn new(open: Open) -> Session {
        Session { open, files: HashMap::new(), qrels: HashMap::new(), runs: HashMap::new() }
    }

    /// Answer a request in JSON; an error is an answer too: `{"error": ...}`.
    pub fn answer(&mut self, request: &[u8]) -> Vec<u8> {
        let answer = Request::parse(request).and_then(|request| self.answer_to(&request));
        let answer = answer.unwrap_or_else(|error| json!({ "error": error.to_string() }));
        answer.to_string().into_bytes()
    }

    /// A file of the page: its number is used in later requests.
    pub(crate) fn add(&mut self, number: u32, name: &str, bytes: u64, stored: bool) {
        self.forget(number);
        self.files.insert(number, HeldFile { name: name.into(), bytes, stored });
    }

    /// Forget a file and what was found about it.
    pub(crate) fn forget(&mut self, number: u32) {
        self.files.remove(&number);
        self.qrels.remove(&number);
        self.runs.remove(&number);
    }

    pub(crate) fn read_qrels(&mut self, number: u32) -> Result<()> {
        if !self.qrels.contains_key(&number) {
            let qrels = if self.file(number)?.stored {
                self.restored(number, Qrels::restore)?
            } else {
                read::read_qrels(self.input(number)?)?
            };
            self.qrels.insert(number, qrels);
        }
        Ok(())
    }

    pub(crate) fn read_run(&mut self, number: u32) -> Result<()> {
        if !self.runs.contains_key(&number) {
            // One large run at a time.
            let files = &self.files;
            self.runs.retain(|held, _| files.get(held).is_none_or(|file| !file.is_large()));
            let run = if self.file(number)?.stored {
                self.restored(number, Run::restore)?
            } else {
                read::read_run(self.input(number)?, false)?
            };
            self.runs.insert(number, run);
        }
        Ok(())
    }

    /// What the core stored, made again.
    fn restored<T>(&self, number: u32, restore: fn(&[u8]) -> Option<T>) -> Result<T> {
        let file = self.file(number)?;
        let mut bytes = Vec::new();
        (self.open)(number).read_to_end(&mut bytes).map_err(|error| Error::Value(format!("{}: {error}", file.name)))?;
        let other = || Error::Value(format!("{} was not stored by this version of untied", file.name));
        restore(&bytes).ok_or_else(other)
    }

    /// A run with its ranks, which is not kept.
    pub(crate) fn ranked_run(&self, number: u32) -> Result<Run> {
        read::read_run(self.input(number)?, true)
    }

    /// Qrels that were read.
    pub(crate) fn qrels(&self, number: u32) -> Result<&Qrels> {
        self.qrels.get(&number).ok_or_else(|| unknown(number))
    }

    /// A run that was read.
    pub(crate) fn run(&self, number: u32) -> Result<&Run> {
        self.runs.get(&number).ok_or_else(|| unknown(number))
    }

    /// Evaluate a run. A large one is read query by query, unless its rows are not in the order that this needs.
    pub(crate) fn evaluate(&mut self, (qrels, run): (u32, u32), prepared: &Prepared) -> Result<Evaluation> {
        self.read_qrels(qrels)?;
        let large = !self.runs.contains_key(&run) && self.file(run)?.is_large();
        let streamed = if large { self.streamed((qrels, run), prepared)? } else { None };
        if let Some(evaluation) = streamed {
            return Ok(evaluation);
        }
        self.read_run(run)?;
        evaluate::evaluate_held(self.qrels(qrels)?, self.run(run)?, prepared)
    }

    fn streamed(&self, (qrels, run): (u32, u32), prepared: &Prepared) -> Result<Option<Evaluation>> {
        match evaluate::evaluate_stream(read::open_run(self.input(run)?)?, self.qrels(qrels)?, prepared) {
            Err(Error::Ungrouped(_)) => Ok(None),
            found => found.map(Some),
        }
    }

    /// Whether a run is read query by query.
    pub(crate) fn is_large(&self, run: u32) -> Result<bool> {
        Ok(self.file(run)?.is_large())
    }

    fn input(&self, number: u32) -> Result<Input<'_>> {
        let file = self.file(number)?;
        Ok(Input::given(&file.name, (self.open)(number), Some(file.bytes)))
    }

    fn file(&self, number: u32) -> Result<&HeldFile> {
        self.files.get(&number).ok_or_else(|| unknown(number))
    }
}

fn unknown(number: u32) -> Error {
    Error::Value(format!("no file {number}"))
}

#[cfg(test)]
#[path = "session_tests.rs"]
mod tests;
