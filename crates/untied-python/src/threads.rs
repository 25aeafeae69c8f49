//! Running native work on a given number of threads, without Python's lock.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use untied_core::Error;

use crate::errors::to_python;

/// Run `work` on `threads` threads, or on as many as there are processors.
pub fn run<T: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> PyResult<T> {
    py.detach(|| match threads {
        None => work(),
        Some(threads) => pool(threads)?.install(work),
    })
    .map_err(to_python)
}

/// Pools are made once for every number of threads: an evaluator may be called a thousand times a second.
fn pool(threads: usize) -> Result<Arc<ThreadPool>, Error> {
    static POOLS: OnceLock<Mutex<HashMap<usize, Arc<ThreadPool>>>> = OnceLock::new();
    if threads == 0 {
        return Err(Error::Value("threads must be at least 1, not 0".into()));
    }
    let mut pools = POOLS.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(pool) = pools.get(&threads) {
        return Ok(Arc::clone(pool));
    }
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = Arc::new(pool.map_err(|error| Error::Value(format!("cannot start {threads} threads: {error}")))?);
    pools.insert(threads, Arc::clone(&pool));
    Ok(pool)
}
