//! Progress and interruption of long work.
//!
//! A [`Watch`] belongs to the threads of one pool, and a pool does one thing at a time; so work finds the watch it is
//! under by itself, however deep in the code it is, and work that nobody watches finds none.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{Error, Result};

/// What is being done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stage {
    /// As a phrase: `reading bm25.run`.
    pub what: String,
    /// What is counted: bytes, queries, pairs.
    pub unit: &'static str,
    /// How many there are, where that is known.
    pub total: Option<u64>,
}

/// How far work is, and whether it shall stop.
#[derive(Debug, Default)]
pub struct Watch {
    stage: Mutex<Stage>,
    done: AtomicU64,
    stopped: AtomicBool,
}

thread_local! {
    static MINE: RefCell<Option<Arc<Watch>>> = const { RefCell::new(None) };
}

impl Watch {
    /// From here on what this thread does is under this watch.
    pub fn attend(self: Arc<Watch>) {
        MINE.set(Some(self));
    }

    /// Other work begins.
    pub fn restart(&self) {
        self.begin(Stage::default());
        self.stopped.store(false, Ordering::Relaxed);
    }

    /// Tell the work to stop.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// What is being done, and how much of it is done.
    pub fn look(&self) -> (Stage, u64) {
        let stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        (stage.clone(), self.done.load(Ordering::Relaxed))
    }

    fn begin(&self, stage: Stage) {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = stage;
        self.done.store(0, Ordering::Relaxed);
    }
}

fn with_mine<T: Default>(act: impl FnOnce(&Watch) -> T) -> T {
    MINE.with_borrow(|mine| mine.as_deref().map(act)).unwrap_or_default()
}

/// Something that may take long begins.
pub fn begin(what: impl FnOnce() -> String, unit: &'static str, total: Option<u64>) {
    with_mine(|watch| watch.begin(Stage { what: what(), unit, total }));
}

/// So much more is done.
#[inline]
pub fn count(units: u64) {
    with_mine(|watch| {
        watch.done.fetch_add(units, Ordering::Relaxed);
    });
}

/// Whether work shall stop, where no error can be given: whatever such work gives then is not looked at.
#[inline]
pub fn is_stopped() -> bool {
    with_mine(|watch| watch.stopped.load(Ordering::Relaxed))
}

/// Whether to go on; to be asked every tenth of a second at least.
///
/// # Errors
/// Work shall stop.
#[inline]
pub fn check() -> Result<()> {
    if is_stopped() { Err(Error::Stopped) } else { Ok(()) }
}

/// Steps too short to ask before each whether to go on, until it is time to stop; [`check`] tells whether all were taken.
#[inline]
pub fn until_stopped<S>(steps: impl Iterator<Item = S>) -> impl Iterator<Item = S> {
    const AT_ONCE: usize = 1 << 14;
    steps.enumerate().take_while(|(number, _)| number % AT_ONCE != 0 || !is_stopped()).map(|(_, step)| step)
}

/// [`count`] and [`check`].
///
/// # Errors
/// Work shall stop.
#[inline]
pub fn step(units: u64) -> Result<()> {
    count(units);
    check()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_seen_and_stopped_by_its_own_watch_only() {
        assert!(step(1).is_ok());
        let watch = Arc::new(Watch::default());
        Arc::clone(&watch).attend();
        begin(|| "counting".into(), "sheep", Some(3));
        assert!(step(2).is_ok());
        assert_eq!(watch.look(), (Stage { what: "counting".into(), unit: "sheep", total: Some(3) }, 2));
        watch.stop();
        assert!(matches!(step(1), Err(Error::Stopped)));
        assert!(std::thread::spawn(|| step(1).is_ok()).join().expect("a thread without a watch"));
        watch.restart();
        assert_eq!(watch.look(), (Stage::default(), 0));
        assert!(step(1).is_ok());
        MINE.set(None);
    }

    #[test]
    fn short_steps_end_soon_after_the_stop() {
        let steps = || until_stopped(0..50_000).count();
        assert_eq!(steps(), 50_000);
        let watch = Arc::new(Watch::default());
        Arc::clone(&watch).attend();
        assert_eq!(steps(), 50_000);
        let stopping = (0..50_000).inspect(|&step| {
            if step == 20_000 {
                watch.stop();
            }
        });
        assert_eq!(until_stopped(stopping).count(), 32_768);
        assert_eq!(steps(), 0);
        MINE.set(None);
    }
}
