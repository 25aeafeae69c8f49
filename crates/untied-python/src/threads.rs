//! Native work on a given number of threads, without Python's lock, while Python watches it.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use untied_core::Error;
use untied_core::watch::Watch;

use crate::calls::{self, Calls};
use crate::errors::{refused, to_python};

/// More threads than this only wait for each other.
const MOST: usize = 256;

/// How often the waiting thread checks for signals (Ctrl-C) and reports progress.
const LOOK: Duration = Duration::from_millis(100);

/// A number of threads; the error for anything else names the option.
#[derive(Clone, Copy, IntoPyObject)]
#[pyo3(transparent)]
pub struct Threads(pub i64);

impl<'py> FromPyObject<'_, 'py> for Threads {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Threads> {
        given.extract().map(Threads).map_err(|error| match given.repr() {
            Ok(found) if error.is_instance_of::<PyTypeError>(given.py()) => {
                PyTypeError::new_err(format!("threads must be a whole number, not {found}"))
            }
            _ => error,
        })
    }
}

/// Run `work` on `threads` threads, or on as many as there are processors.
///
/// The calling thread waits, and looks in on the work: where Python has a signal for it, an interrupt say, work is told
/// to stop and the signal's exception raised.
pub fn run<T: Send>(
    py: Python<'_>,
    threads: Option<Threads>,
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> PyResult<T> {
    let size = size(threads)?;
    let kept = take(size);
    let calls = calls::calls();
    let (outcome, pool) = py.detach(|| {
        let pool = kept.map_or_else(|| start(size), Ok)?;
        *lock(&pool.callers) = calls;
        let _waiting = calls::wait();
        let end = End::default();
        let mut outcome = None;
        let raised = pool.threads.in_place_scope(|scope| {
            scope.spawn(|_| {
                let _ring = Ring(&end);
                outcome = Some(work());
            });
            let (mut raised, mut observed) = (None, false);
            while !end.wait(LOOK) {
                if raised.is_none() {
                    match Python::attach(|py| look(py, &pool.watch)) {
                        Ok(is_observed) => observed |= is_observed,
                        Err(error) => {
                            pool.watch.stop();
                            raised = Some(error);
                        }
                    }
                }
            }
            if observed && raised.is_none() {
                raised = Python::attach(|py| tell(py, ("", "", 0, None))).err();
            }
            raised
        });
        let outcome = match raised {
            Some(error) => Err(error),
            None => outcome.expect("a panic of work goes on from the scope's end").map_err(to_python),
        };
        Ok::<_, PyErr>((outcome, pool))
    })?;
    if let Some(mut idle) = idle() {
        idle.push(pool);
    }
    outcome
}

/// [`run`] for work that may call formulas in Python. They run on one thread: more would only wait for each other.
pub fn run_formulas<T: Send>(
    py: Python<'_>,
    threads: Option<Threads>,
    has_formulas: bool,
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> PyResult<T> {
    if !has_formulas {
        return run(py, threads, work);
    }
    // Python knows the thread from here on, and takes and gives its lock far faster than to one that it meets anew.
    run(py, Some(Threads(1)), || Python::attach(|py| py.detach(work)))
}

/// Look for Python's signals, and tell how far the work is; whether anyone wanted to know.
fn look(py: Python<'_>, watch: &Watch) -> PyResult<bool> {
    py.check_signals()?;
    let (stage, done) = watch.look();
    if stage.unit.is_empty() { Ok(false) } else { tell(py, (&stage.what, stage.unit, done, stage.total)) }
}

fn tell(py: Python<'_>, news: (&str, &str, u64, Option<u64>)) -> PyResult<bool> {
    let observer = lock(&OBSERVER).as_ref().map(|observer| observer.clone_ref(py));
    let Some(observer) = observer else { return Ok(false) };
    observer.call1(py, news)?;
    Ok(true)
}

static OBSERVER: Mutex<Option<Py<PyAny>>> = Mutex::new(None);

/// Have a function called ten times a second during native work, in the thread that waits for it, with what is done, the
/// unit in which it is counted, how much is done, and of how much, where that is known; and with nothing in the end. Or,
/// with None, no longer.
#[pyfunction]
pub fn observe(observer: Option<Py<PyAny>>) {
    let before = std::mem::replace(&mut *lock(&OBSERVER), observer);
    drop(before); // not locked while code runs that is not ours
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether work has ended.
#[derive(Default)]
struct End {
    ended: Mutex<bool>,
    bell: Condvar,
}

impl End {
    /// Whether it ends within this time.
    fn wait(&self, time: Duration) -> bool {
        let waited = self.bell.wait_timeout_while(lock(&self.ended), time, |ended| !*ended);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// Tells the end when it is dropped, after a panic too.
struct Ring<'a>(&'a End);

impl Drop for Ring<'_> {
    fn drop(&mut self) {
        *lock(&self.0.ended) = true;
        self.0.bell.notify_all();
    }
}

/// Threads, and the watch that they are under.
struct Pool {
    process: u32,
    size: usize,
    threads: ThreadPool,
    watch: Arc<Watch>,
    callers: Calls,
}

/// Pools that do nothing now. They are kept, as an evaluator may be called a thousand times a second.
static IDLE: Mutex<Vec<Pool>> = Mutex::new(Vec::new());

/// The idle pools, unless another thread looks at them just now. In a process that was forked in that moment, which a
/// Python without a global lock allows, they would be locked for ever; new pools are started there.
fn idle() -> Option<MutexGuard<'static, Vec<Pool>>> {
    match IDLE.try_lock() {
        Ok(idle) => Some(idle),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// The number of threads asked for; 0 is as many as there are processors.
fn size(threads: Option<Threads>) -> PyResult<usize> {
    let Some(Threads(number)) = threads else { return Ok(0) };
    match usize::try_from(number) {
        Ok(threads) if threads > 0 => Ok(threads.min(MOST)),
        _ => Err(refused(format!("threads must be at least 1, not {number}"))),
    }
}

/// An idle pool of this size, lent exclusively to one call. A forked process has none of its parent's threads, so pools
/// belong to a process.
fn take(size: usize) -> Option<Pool> {
    let process = std::process::id();
    let mut idle = idle()?;
    let found = idle.iter().position(|pool| (pool.process, pool.size) == (process, size))?;
    let pool = idle.swap_remove(found);
    pool.watch.restart();
    Some(pool)
}

/// A new pool.
fn start(size: usize) -> PyResult<Pool> {
    let watch = Arc::new(Watch::default());
    let callers = Calls::default();
    let (under, of) = (Arc::clone(&watch), Arc::clone(&callers));
    let attend = move |_| {
        Arc::clone(&under).attend();
        calls::attend(Arc::clone(&of));
    };
    match ThreadPoolBuilder::new().num_threads(size).start_handler(attend).build() {
        Ok(threads) => Ok(Pool { process: std::process::id(), size, threads, watch, callers }),
        Err(error) => Err(refused(format!("cannot start threads: {error}"))),
    }
}

/// Leave rayon without its global pool, for good: a parallel loop outside the pools of this file then fails at once.
/// With a global pool it would work, until it waits for ever in a forked process, which has none of that pool's threads.
pub fn forbid_global_pool() {
    let none =
        ThreadPoolBuilder::new().num_threads(1).spawn_handler(|_| Err(std::io::Error::other("only our own pools")));
    let _refused = none.build_global();
}
