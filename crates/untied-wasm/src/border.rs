//! Functions that a page calls, and those of the page that are called here.
//!
//! A request is written to the memory that [`room`] gives; [`call`] answers it, and gives the place of the answer, whose
//! length is [`length`]. There is one thread.

use std::cell::RefCell;
use std::io::{self, Read};

use crate::Session;

// The page's own functions.
#[link(wasm_import_module = "page")]
#[allow(unsafe_code)]
unsafe extern "C" {
    /// Write the next bytes of a file, at most `room`, and give their number; below 0 if it cannot be read.
    safe fn read(file: u32, into: *mut u8, room: usize) -> isize;
    /// Read a file from its beginning.
    safe fn rewind(file: u32);
    /// The core is about to end the module, for this reason.
    safe fn fail(text: *const u8, length: usize);
}

thread_local! {
    static REQUEST: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ANSWER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static SESSION: RefCell<Session> = RefCell::new(Session::new(Box::new(open)));
}

/// A file of the page, which is one that this reads from alone.
struct File(u32);

impl Read for File {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let found = read(self.0, into.as_mut_ptr(), into.len());
        usize::try_from(found).map_err(|_| io::Error::other("the browser could not read it"))
    }
}

fn open(file: u32) -> Box<dyn Read + Send> {
    rewind(file);
    Box::new(File(file))
}

/// Where to write a request of this length.
#[unsafe(no_mangle)]
#[allow(unsafe_code)]
pub extern "C" fn room(length: usize) -> *mut u8 {
    std::panic::set_hook(Box::new(|panic| {
        let text = panic.to_string();
        fail(text.as_ptr(), text.len());
    }));
    REQUEST.with_borrow_mut(|request| {
        request.clear();
        request.resize(length, 0);
        request.as_mut_ptr()
    })
}

/// Answer the request; where the answer begins.
#[unsafe(no_mangle)]
#[allow(unsafe_code)]
pub extern "C" fn call() -> *const u8 {
    let request = REQUEST.take();
    let answer = SESSION.with_borrow_mut(|session| session.answer(&request));
    ANSWER.with_borrow_mut(|held| {
        *held = answer;
        held.as_ptr()
    })
}

/// The length of the answer.
#[unsafe(no_mangle)]
#[allow(unsafe_code)]
pub extern "C" fn length() -> usize {
    ANSWER.with_borrow(Vec::len)
}
