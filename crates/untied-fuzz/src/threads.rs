//! Parallel work of the core: on this thread, so that executions are quick and repeatable, or on several.

use std::cell::OnceCell;
use std::sync::{LazyLock, Mutex, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};

/// From here on the core's parallel work stays on this thread.
pub fn alone() {
    thread_local! {
        static POOL: OnceCell<ThreadPool> = const { OnceCell::new() };
    }
    POOL.with(|pool| {
        pool.get_or_init(|| {
            ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().expect("a pool of this thread")
        });
    });
}

/// Do something on several threads; one at a time, as a thread that waits would take up other work in between.
pub fn many<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    static POOL: LazyLock<ThreadPool> =
        LazyLock::new(|| ThreadPoolBuilder::new().num_threads(3).build().expect("a pool of three threads"));
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    POOL.install(work)
}
