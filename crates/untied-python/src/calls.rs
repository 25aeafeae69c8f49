//! Remembers which measures of users have started work, because a measure that evaluates itself would never end.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;

use crate::errors::refused_measure;

/// Measures nested deeper than this are taken to call each other for ever.
const DEEPEST: usize = 32;

/// The measures of users whose functions have called for work, outermost first.
pub type Calls = Arc<Mutex<Vec<String>>>;

thread_local! {
    /// The measures that started the work of this thread's pool.
    static CALLERS: RefCell<Calls> = RefCell::default();
    /// The other measures whose functions this thread is running.
    static ENTERED: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// This thread belongs to a pool that works for these.
pub fn attend(callers: Calls) {
    CALLERS.set(callers);
}

/// All measures whose functions started the work that this thread does now.
pub fn calls() -> Vec<String> {
    let callers = CALLERS.with_borrow(Arc::clone);
    let mut calls = callers.lock().unwrap_or_else(PoisonError::into_inner).clone();
    ENTERED.with_borrow(|entered| calls.extend_from_slice(entered));
    calls
}

/// This thread waits for another pool until the result is dropped. Meanwhile it may do other work of its own pool, which
/// the function that it is in has not called for.
pub fn wait() -> Waiting {
    Waiting(ENTERED.take())
}

/// See [`wait`].
pub struct Waiting(Vec<String>);

impl Drop for Waiting {
    fn drop(&mut self) {
        ENTERED.set(std::mem::take(&mut self.0));
    }
}

/// Call a measure's function until the result is dropped: an error where that is called already, as a measure that
/// evaluates itself never ends.
pub fn enter(measure: &str) -> PyResult<Entered> {
    let mut calls = calls();
    let itself = calls.iter().any(|call| call == measure);
    calls.push(measure.into());
    if itself || calls.len() > DEEPEST {
        const SHOWN: usize = 8;
        let shown = calls[calls.len().saturating_sub(SHOWN)..].join(", which evaluates ");
        let what = if itself { "itself" } else { "measures that evaluate measures without end" };
        return Err(refused_measure(format!("{measure} evaluates {what}: {shown}")));
    }
    ENTERED.with_borrow_mut(|entered| entered.push(measure.into()));
    Ok(Entered)
}

/// See [`enter`].
pub struct Entered;

impl Drop for Entered {
    fn drop(&mut self) {
        ENTERED.with_borrow_mut(Vec::pop);
    }
}
