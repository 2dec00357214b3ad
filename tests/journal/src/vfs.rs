//! A file system for SQLite that passes each call on to the platform's, records what changes
//! the disk, and fails chosen calls.
//!
//! A [`Session`] belongs to the thread that [`Session::enter`]ed it; files that are opened there
//! report to it until they are closed. Outside a session nothing is recorded and nothing fails.

mod shim;

use std::{
    cell::RefCell,
    collections::BTreeMap,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// A change of the disk, in the order of a run. Files are named without their folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Op {
    /// A file was opened, or created.
    Open {
        /// The file.
        file: String,
    },
    /// Bytes were written.
    Write {
        /// The file.
        file: String,
        /// Where.
        at: u64,
        /// What.
        bytes: Vec<u8>,
    },
    /// A file's length was changed.
    Truncate {
        /// The file.
        file: String,
        /// The length.
        len: u64,
    },
    /// Everything written to a file so far became durable.
    Sync {
        /// The file.
        file: String,
    },
    /// A file was deleted.
    Delete {
        /// The file.
        file: String,
        /// Whether its folder was made durable with it.
        durable: bool,
    },
    /// The journal confirmed a commit: from here on it must be there.
    Confirmed,
}

/// Calls that can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Call {
    /// Opening a file.
    Open,
    /// Reading.
    Read,
    /// Writing.
    Write,
    /// Changing a length.
    Truncate,
    /// Making durable.
    Sync,
    /// Asking for a length.
    Size,
    /// Taking a lock.
    Lock,
    /// Deleting a file.
    Delete,
    /// Asking whether a file is there.
    Access,
    /// Anything about shared memory.
    Shm,
}

/// Every call that can fail.
pub const CALLS: [Call; 10] = [
    Call::Open,
    Call::Read,
    Call::Write,
    Call::Truncate,
    Call::Sync,
    Call::Size,
    Call::Lock,
    Call::Delete,
    Call::Access,
    Call::Shm,
];

/// How a call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// With the call's own I/O error; nothing happened.
    Io,
    /// With "disk full"; nothing was written.
    Full,
    /// With an I/O error after about half of the bytes were written, up to the end of a sector.
    Half,
    /// Somebody else has locked it.
    Busy,
}

/// Which call fails.
#[derive(Debug, Clone, Copy)]
pub struct Fault {
    /// The call.
    pub call: Call,
    /// Which call of its kind, from 0.
    pub nth: u64,
    /// How.
    pub how: How,
    /// Whether every later one fails, too.
    pub lasts: bool,
}

#[derive(Debug, Default)]
struct Inner {
    operations: Vec<Op>,
    is_recording: bool,
    counts: BTreeMap<Call, u64>,
    fault: Option<Fault>,
    struck: u64,
}

/// One run's record and faults.
#[derive(Debug, Clone, Default)]
pub struct Session(Arc<Mutex<Inner>>);

thread_local! {
    static CURRENT: RefCell<Option<Session>> = const { RefCell::new(None) };
}

/// Dropping this guard ends the session on its thread.
#[derive(Debug)]
pub struct Entered(());

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.with(|current| current.borrow_mut().take());
    }
}

impl Session {
    /// Makes a session that records.
    pub fn recording() -> Self {
        let session = Self::default();
        session.inner().is_recording = true;
        session
    }

    /// Makes a session in which a call fails.
    pub fn failing(fault: Fault) -> Self {
        let session = Self::default();
        session.inner().fault = Some(fault);
        session
    }

    /// Makes files that this thread opens from now on report here.
    pub fn enter(&self) -> Entered {
        shim::install();
        CURRENT.with(|current| *current.borrow_mut() = Some(self.clone()));
        Entered(())
    }

    /// Records that the journal confirmed a commit.
    pub fn confirmed(&self) {
        self.record(Op::Confirmed);
    }

    /// Returns what was recorded.
    pub fn operations(&self) -> Vec<Op> {
        self.inner().operations.clone()
    }

    /// Returns how often each call was made.
    pub fn counts(&self) -> BTreeMap<Call, u64> {
        self.inner().counts.clone()
    }

    /// Returns how many calls were failed.
    pub fn struck(&self) -> u64 {
        self.inner().struck
    }

    /// Fails nothing from now on.
    pub fn heal(&self) {
        self.inner().fault = None;
    }

    fn current() -> Option<Self> {
        shim::install();
        CURRENT.with(|current| current.borrow().clone())
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn record(&self, op: Op) {
        let mut inner = self.inner();
        if inner.is_recording {
            inner.operations.push(op);
        }
    }

    /// Counts a call, and returns how it fails, if it does.
    fn strike(&self, call: Call) -> Option<How> {
        let mut inner = self.inner();
        let count = inner.counts.entry(call).or_default();
        let place = *count;
        *count += 1;
        let fault = inner.fault.filter(|fault| {
            fault.call == call && (place == fault.nth || fault.lasts && place > fault.nth)
        })?;
        inner.struck += 1;
        Some(fault.how)
    }
}

/// Returns a file's name without its folder.
fn name_of(path: &str) -> String {
    let name = Path::new(path).file_name();
    name.map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}
