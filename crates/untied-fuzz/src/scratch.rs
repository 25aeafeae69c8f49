//! Files for readers that take paths: unlinked at once, so that a crash leaves nothing behind.

use std::fs::{File, OpenOptions};
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// A file without a name.
pub struct Scratch {
    file: File,
    /// How to open it.
    pub path: String,
}

impl Scratch {
    /// A file with this content.
    pub fn new(content: &[u8]) -> Scratch {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() { memory.to_path_buf() } else { std::env::temp_dir() };
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = folder.join(format!("untied-fuzz-{}-{number}", std::process::id()));
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&name).expect("a temporary file");
        std::fs::remove_file(&name).expect("a file of our own");
        file.write_all_at(content, 0).expect("room for a small file");
        let path = format!("/dev/fd/{}", file.as_raw_fd());
        Scratch { file, path }
    }

    /// The same file with other content.
    pub fn rewrite(&self, content: &[u8]) {
        self.file.set_len(0).expect("a file of our own");
        self.file.write_all_at(content, 0).expect("room for a small file");
    }
}

/// What `read` makes of a file with this content.
pub fn with_file<T>(content: &[u8], read: impl FnOnce(&str) -> T) -> T {
    thread_local! {
        static FILE: Scratch = Scratch::new(b"");
    }
    FILE.with(|file| {
        file.rewrite(content);
        read(&file.path)
    })
}
