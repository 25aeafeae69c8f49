//! Reads the requests of a page, which are JSON objects.

use serde_json::Value;
use untied_core::settings::{Purpose, Settings};
use untied_core::{Error, Result};

/// An object of JSON.
pub struct Request(Value);

impl Request {
    /// Read a request.
    ///
    /// # Errors
    /// It is no JSON.
    pub fn parse(text: &[u8]) -> Result<Request> {
        serde_json::from_slice(text).map(Request).map_err(|error| Error::Value(format!("a request is JSON: {error}")))
    }

    /// A member that is text.
    ///
    /// # Errors
    /// There is none, or it is something else.
    pub fn text(&self, member: &str) -> Result<&str> {
        self.0[member].as_str().ok_or_else(|| self.wrong(member, "text"))
    }

    /// A list of texts.
    ///
    /// # Errors
    /// See [`Request::text`].
    pub fn texts(&self, member: &str) -> Result<Vec<&str>> {
        let texts = self.0[member].as_array().and_then(|list| list.iter().map(Value::as_str).collect());
        texts.ok_or_else(|| self.wrong(member, "a list of texts"))
    }

    /// A whole number.
    ///
    /// # Errors
    /// See [`Request::text`].
    pub fn number(&self, member: &str) -> Result<u64> {
        self.0[member].as_u64().ok_or_else(|| self.wrong(member, "a whole number"))
    }

    /// A number.
    ///
    /// # Errors
    /// See [`Request::text`].
    pub fn float(&self, member: &str) -> Result<f64> {
        self.0[member].as_f64().ok_or_else(|| self.wrong(member, "a number"))
    }

    /// A list of whole numbers.
    ///
    /// # Errors
    /// See [`Request::text`].
    pub fn numbers(&self, member: &str) -> Result<Vec<u64>> {
        let numbers = self.0[member].as_array().and_then(|list| list.iter().map(Value::as_u64).collect());
        numbers.ok_or_else(|| self.wrong(member, "a list of whole numbers"))
    }

    /// Lists of numbers.
    ///
    /// # Errors
    /// See [`Request::text`].
    pub fn columns(&self, member: &str) -> Result<Vec<Vec<f64>>> {
        let columns = self.0[member].as_array().and_then(|list| list.iter().map(column).collect());
        columns.ok_or_else(|| self.wrong(member, "lists of numbers"))
    }

    /// Whether there is a member, and it is not null.
    pub fn has(&self, member: &str) -> bool {
        !self.0[member].is_null()
    }

    fn wrong(&self, member: &str, expected: &str) -> Error {
        Error::Value(format!("{member} of a request must be {expected}, not {}", self.0[member]))
    }
}

fn column(list: &Value) -> Option<Vec<f64>> {
    list.as_array()?.iter().map(cell).collect()
}

/// A number as [`crate::values::number`] writes it.
fn cell(number: &Value) -> Option<f64> {
    match number {
        Value::Null => Some(f64::NAN),
        Value::String(text) if text == "inf" => Some(f64::INFINITY),
        Value::String(text) if text == "-inf" => Some(f64::NEG_INFINITY),
        _ => number.as_f64(),
    }
}

/// A number of a file.
///
/// # Errors
/// There is none, or it is something else.
pub fn file(request: &Request, member: &str) -> Result<u32> {
    small(request.number(member)?)
}

/// A number of a file, in a list.
///
/// # Errors
/// It is too large.
pub fn small(number: u64) -> Result<u32> {
    u32::try_from(number).map_err(|_| Error::Value(format!("no file {number}")))
}

/// A seed, as text: numbers of a page are exact to 2^53 only.
///
/// # Errors
/// There is none, or it is something else.
pub fn seed(request: &Request) -> Result<u64> {
    request.text("seed")?.parse().map_err(|_| request.wrong("seed", "a whole number below 2^64, as text"))
}

/// A number that counts things in memory.
///
/// # Errors
/// There is none, or it is something else.
pub fn index(request: &Request, member: &str) -> Result<usize> {
    let found = request.number(member)?;
    usize::try_from(found).map_err(|_| Error::Value(format!("{member} must be smaller, not {found}")))
}

/// Settings by the policies that a request names.
///
/// # Errors
/// There is none of this name, or it has no such value for the purpose.
pub fn settings(request: &Request, on: Purpose, policies: &[&str]) -> Result<Settings> {
    let chosen = policies.iter().map(|&name| Ok((name, request.text(name)?))).collect::<Result<Vec<_>>>()?;
    Settings::new(on, &chosen)
}
