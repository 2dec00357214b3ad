//! The C side: SQLite's tables of functions, each of which asks the session and passes on.
#![expect(
    unsafe_code,
    reason = "SQLite takes a file system as C functions; this is a test's own, and the only such file"
)]

use super::{Call, How, Op, Session, name_of};
use crate::replay::SECTOR;
use rusqlite::ffi;
use std::{
    ffi::{CStr, c_char, c_int, c_void},
    ptr,
    sync::Once,
};

/// An open file: ours first, then the platform's own in the same piece of memory.
#[repr(C)]
struct File {
    base: ffi::sqlite3_file,
    about: *mut About,
}

struct About {
    name: String,
    session: Option<Session>,
}

static INSTALL: Once = Once::new();

/// Makes this the process's file system for SQLite.
pub(super) fn install() {
    INSTALL.call_once(|| {
        // SAFETY: SQLite's own table lives as long as the process; the copy of it is leaked, and
        // keeps the original in `pAppData` for the functions below.
        let registered = unsafe {
            let platform = ffi::sqlite3_vfs_find(ptr::null());
            assert!(!platform.is_null(), "SQLite has a file system");
            let mut own = *platform;
            own.zName = c"recorder".as_ptr();
            own.pNext = ptr::null_mut();
            own.pAppData = platform.cast();
            own.szOsFile += size_of::<File>() as c_int;
            own.xOpen = Some(open);
            own.xDelete = Some(delete);
            own.xAccess = Some(access);
            ffi::sqlite3_vfs_register(Box::leak(Box::new(own)), 1)
        };
        assert_eq!(registered, ffi::SQLITE_OK, "the file system is registered");
    });
}

static METHODS: ffi::sqlite3_io_methods = ffi::sqlite3_io_methods {
    iVersion: 2,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved_lock),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(device_characteristics),
    xShmMap: Some(shm_map),
    xShmLock: Some(shm_lock),
    xShmBarrier: Some(shm_barrier),
    xShmUnmap: Some(shm_unmap),
    xFetch: None,
    xUnfetch: None,
};

/// The platform's file behind ours.
unsafe fn real(file: *mut ffi::sqlite3_file) -> *mut ffi::sqlite3_file {
    // SAFETY: SQLite gave `szOsFile` bytes: ours and, right behind, the platform's.
    unsafe { file.cast::<File>().add(1).cast() }
}

unsafe fn about<'a>(file: *mut ffi::sqlite3_file) -> &'a About {
    // SAFETY: set by `open` and freed by `close`; SQLite calls nothing in between these.
    unsafe { &*(*file.cast::<File>()).about }
}

unsafe fn strike(file: *mut ffi::sqlite3_file, call: Call) -> Option<How> {
    // SAFETY: as `about`.
    let session = unsafe { &about(file).session };
    session.as_ref().and_then(|session| session.strike(call))
}

unsafe fn record(file: *mut ffi::sqlite3_file, op: impl FnOnce(String) -> Op) {
    // SAFETY: as `about`.
    let about = unsafe { about(file) };
    if let Some(session) = &about.session {
        session.record(op(about.name.clone()));
    }
}

fn code(how: How, own: c_int) -> c_int {
    match how {
        How::Io | How::Half => own,
        How::Full => ffi::SQLITE_FULL,
        How::Busy => ffi::SQLITE_BUSY,
    }
}

/// Calls one of the platform's methods for a file.
macro_rules! pass_on {
    ($file:expr, $method:ident $(, $argument:expr)*) => {{
        // SAFETY: `open` filled the platform's file, and SQLite's arguments are passed on as they came.
        unsafe {
            let real = real($file);
            match (*(*real).pMethods).$method {
                Some(method) => method(real $(, $argument)*),
                None => ffi::SQLITE_IOERR,
            }
        }
    }};
}

unsafe extern "C" fn open(
    vfs: *mut ffi::sqlite3_vfs,
    path: *const c_char,
    file: *mut ffi::sqlite3_file,
    flags: c_int,
    out: *mut c_int,
) -> c_int {
    // SAFETY: SQLite hands in its own table, a piece of memory of `szOsFile` bytes, and a path or null.
    unsafe {
        (*file).pMethods = ptr::null();
        let name = if path.is_null() {
            String::new()
        } else {
            name_of(&CStr::from_ptr(path).to_string_lossy())
        };
        let session = Session::current().filter(|_| !name.is_empty());
        if let Some(how) = session.as_ref().and_then(|on| on.strike(Call::Open)) {
            return code(how, ffi::SQLITE_CANTOPEN);
        }
        let platform: *mut ffi::sqlite3_vfs = (*vfs).pAppData.cast();
        let Some(open) = (*platform).xOpen else {
            return ffi::SQLITE_CANTOPEN;
        };
        let opened = open(platform, path, real(file), flags, out);
        if opened != ffi::SQLITE_OK {
            return opened;
        }
        if let Some(session) = &session {
            session.record(Op::Open { file: name.clone() });
        }
        (*file.cast::<File>()).about = Box::into_raw(Box::new(About { name, session }));
        (*file).pMethods = &METHODS;
        ffi::SQLITE_OK
    }
}

unsafe extern "C" fn delete(vfs: *mut ffi::sqlite3_vfs, path: *const c_char, sync: c_int) -> c_int {
    // SAFETY: SQLite hands in its own table and a path.
    unsafe {
        let session = Session::current();
        if let Some(how) = session.as_ref().and_then(|on| on.strike(Call::Delete)) {
            return code(how, ffi::SQLITE_IOERR_DELETE);
        }
        let platform: *mut ffi::sqlite3_vfs = (*vfs).pAppData.cast();
        let Some(delete) = (*platform).xDelete else {
            return ffi::SQLITE_IOERR_DELETE;
        };
        let deleted = delete(platform, path, sync);
        if let Some(session) = session.filter(|_| deleted == ffi::SQLITE_OK) {
            session.record(Op::Delete {
                file: name_of(&CStr::from_ptr(path).to_string_lossy()),
                durable: sync != 0,
            });
        }
        deleted
    }
}

unsafe extern "C" fn access(
    vfs: *mut ffi::sqlite3_vfs,
    path: *const c_char,
    flags: c_int,
    out: *mut c_int,
) -> c_int {
    // SAFETY: as `delete`.
    unsafe {
        if let Some(how) = Session::current().and_then(|on| on.strike(Call::Access)) {
            return code(how, ffi::SQLITE_IOERR_ACCESS);
        }
        let platform: *mut ffi::sqlite3_vfs = (*vfs).pAppData.cast();
        match (*platform).xAccess {
            Some(access) => access(platform, path, flags, out),
            None => ffi::SQLITE_IOERR_ACCESS,
        }
    }
}

unsafe extern "C" fn close(file: *mut ffi::sqlite3_file) -> c_int {
    let closed = pass_on!(file, xClose);
    // SAFETY: SQLite does not touch a closed file again.
    unsafe {
        drop(Box::from_raw((*file.cast::<File>()).about));
        (*file).pMethods = ptr::null();
    }
    closed
}

unsafe extern "C" fn read(
    file: *mut ffi::sqlite3_file,
    to: *mut c_void,
    len: c_int,
    at: ffi::sqlite3_int64,
) -> c_int {
    // SAFETY: as `about`.
    match unsafe { strike(file, Call::Read) } {
        Some(how) => code(how, ffi::SQLITE_IOERR_READ),
        None => pass_on!(file, xRead, to, len, at),
    }
}

unsafe extern "C" fn write(
    file: *mut ffi::sqlite3_file,
    from: *const c_void,
    len: c_int,
    at: ffi::sqlite3_int64,
) -> c_int {
    // SAFETY: as `about`.
    match unsafe { strike(file, Call::Write) } {
        Some(How::Half) => {
            // A sector is old or new.
            let end = at + ffi::sqlite3_int64::from(len / 2);
            let half = end - end % SECTOR as ffi::sqlite3_int64 - at;
            if half > 0 {
                pass_on!(file, xWrite, from, half as c_int, at);
            }
            ffi::SQLITE_IOERR_WRITE
        }
        Some(how) => code(how, ffi::SQLITE_IOERR_WRITE),
        None => {
            let written = pass_on!(file, xWrite, from, len, at);
            if written == ffi::SQLITE_OK {
                // SAFETY: SQLite wants `len` bytes written from there.
                let bytes = unsafe { std::slice::from_raw_parts(from.cast(), len as usize) };
                let op = |file| Op::Write {
                    file,
                    at: at.unsigned_abs(),
                    bytes: bytes.to_vec(),
                };
                // SAFETY: as `about`.
                unsafe { record(file, op) };
            }
            written
        }
    }
}

unsafe extern "C" fn truncate(file: *mut ffi::sqlite3_file, len: ffi::sqlite3_int64) -> c_int {
    // SAFETY: as `about`.
    if let Some(how) = unsafe { strike(file, Call::Truncate) } {
        return code(how, ffi::SQLITE_IOERR_TRUNCATE);
    }
    let done = pass_on!(file, xTruncate, len);
    if done == ffi::SQLITE_OK {
        let len = len.unsigned_abs();
        // SAFETY: as `about`.
        unsafe { record(file, |file| Op::Truncate { file, len }) };
    }
    done
}

unsafe extern "C" fn sync(file: *mut ffi::sqlite3_file, flags: c_int) -> c_int {
    // SAFETY: as `about`.
    if let Some(how) = unsafe { strike(file, Call::Sync) } {
        return code(how, ffi::SQLITE_IOERR_FSYNC);
    }
    let done = pass_on!(file, xSync, flags);
    if done == ffi::SQLITE_OK {
        // SAFETY: as `about`.
        unsafe { record(file, |file| Op::Sync { file }) };
    }
    done
}

unsafe extern "C" fn file_size(
    file: *mut ffi::sqlite3_file,
    out: *mut ffi::sqlite3_int64,
) -> c_int {
    // SAFETY: as `about`.
    match unsafe { strike(file, Call::Size) } {
        Some(how) => code(how, ffi::SQLITE_IOERR_FSTAT),
        None => pass_on!(file, xFileSize, out),
    }
}

unsafe extern "C" fn lock(file: *mut ffi::sqlite3_file, level: c_int) -> c_int {
    // SAFETY: as `about`.
    match unsafe { strike(file, Call::Lock) } {
        Some(how) => code(how, ffi::SQLITE_IOERR_LOCK),
        None => pass_on!(file, xLock, level),
    }
}

unsafe extern "C" fn unlock(file: *mut ffi::sqlite3_file, level: c_int) -> c_int {
    pass_on!(file, xUnlock, level)
}

unsafe extern "C" fn check_reserved_lock(file: *mut ffi::sqlite3_file, out: *mut c_int) -> c_int {
    // SAFETY: as `about`.
    match unsafe { strike(file, Call::Lock) } {
        Some(how) => code(how, ffi::SQLITE_IOERR_CHECKRESERVEDLOCK),
        None => pass_on!(file, xCheckReservedLock, out),
    }
}

unsafe extern "C" fn file_control(
    file: *mut ffi::sqlite3_file,
    op: c_int,
    argument: *mut c_void,
) -> c_int {
    pass_on!(file, xFileControl, op, argument)
}

unsafe extern "C" fn sector_size(file: *mut ffi::sqlite3_file) -> c_int {
    pass_on!(file, xSectorSize)
}

unsafe extern "C" fn device_characteristics(file: *mut ffi::sqlite3_file) -> c_int {
    pass_on!(file, xDeviceCharacteristics)
}

unsafe extern "C" fn shm_map(
    file: *mut ffi::sqlite3_file,
    page: c_int,
    size: c_int,
    extend: c_int,
    out: *mut *mut c_void,
) -> c_int {
    // SAFETY: as `about`.
    match unsafe { strike(file, Call::Shm) } {
        Some(how) => code(how, ffi::SQLITE_IOERR_SHMMAP),
        None => pass_on!(file, xShmMap, page, size, extend, out),
    }
}

unsafe extern "C" fn shm_lock(
    file: *mut ffi::sqlite3_file,
    offset: c_int,
    count: c_int,
    flags: c_int,
) -> c_int {
    // SAFETY: as `about`.
    match unsafe { strike(file, Call::Shm) } {
        Some(how) => code(how, ffi::SQLITE_IOERR_SHMLOCK),
        None => pass_on!(file, xShmLock, offset, count, flags),
    }
}

unsafe extern "C" fn shm_barrier(file: *mut ffi::sqlite3_file) {
    // SAFETY: as `pass_on`; this method returns nothing.
    unsafe {
        let real = real(file);
        if let Some(barrier) = (*(*real).pMethods).xShmBarrier {
            barrier(real);
        }
    }
}

unsafe extern "C" fn shm_unmap(file: *mut ffi::sqlite3_file, delete: c_int) -> c_int {
    pass_on!(file, xShmUnmap, delete)
}
