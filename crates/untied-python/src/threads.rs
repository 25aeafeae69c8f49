//! Running native work on a given number of threads, without Python's lock.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use untied_core::Error;

use crate::errors::to_python;

/// More threads than this only wait for each other.
const MOST: usize = 256;

/// Run `work` on `threads` threads, or on as many as there are processors.
pub fn run<T: Send>(
    py: Python<'_>,
    threads: Option<i64>,
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> PyResult<T> {
    py.detach(|| pool(threads)?.install(work)).map_err(to_python)
}

/// A pool, made once for every number of threads: an evaluator may be called a thousand times a second.
///
/// A forked process has none of its parent's threads, so pools belong to a process; and rayon's global pool, which
/// would wait for threads that do not exist there, is never used.
fn pool(threads: Option<i64>) -> Result<Arc<ThreadPool>, Error> {
    static POOLS: Mutex<Vec<(u32, usize, Arc<ThreadPool>)>> = Mutex::new(Vec::new());
    let threads = match threads {
        None => 0, // as rayon chooses
        Some(threads) => match usize::try_from(threads) {
            Ok(threads) if threads > 0 => threads.min(MOST),
            _ => return Err(Error::Value(format!("threads must be at least 1, not {threads}"))),
        },
    };
    let process = std::process::id();
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((.., pool)) = pools.iter().find(|(owner, size, _)| (*owner, *size) == (process, threads)) {
        return Ok(Arc::clone(pool));
    }
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = Arc::new(pool.map_err(|error| Error::Value(format!("cannot start threads: {error}")))?);
    pools.push((process, threads, Arc::clone(&pool)));
    Ok(pool)
}
