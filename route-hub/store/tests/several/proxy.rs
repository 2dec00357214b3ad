//! A connection to a server in which COMMITs go wrong, as on a bad network.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

/// COMMIT as a client sends it.
pub(crate) const COMMIT: &[u8] = b"Q\0\0\0\x0bCOMMIT\0";
/// How a group begins.
const BEGIN: &[u8] = b"BEGIN ISOLATION LEVEL READ COMMITTED\0";

/// What is yet to happen to COMMITs.
#[derive(Default)]
pub(crate) struct Orders {
    /// So many reach the server, and their answer is lost with the connection.
    pub(crate) lose_answers: AtomicU32,
    /// So many are lost themselves, with the connection.
    pub(crate) lose_commits: AtomicU32,
    /// The next group is held up on its way, up to what ends so; the client is cut off.
    pub(crate) hold_up_to: Mutex<Option<&'static [u8]>>,
    /// From the next COMMIT on, which is held up too, nothing reaches the server.
    pub(crate) stall_at_commit: AtomicBool,
    /// Whether what clients say stays on its way.
    stalls: Mutex<bool>,
    goes_on: Condvar,
    held: Mutex<Option<Held>>,
    came: Condvar,
    open: Mutex<Vec<TcpStream>>,
}

/// What is still on its way to the server.
struct Held {
    said: Vec<u8>,
    server: TcpStream,
}

impl Orders {
    /// Takes one of so many.
    fn take(count: &AtomicU32) -> bool {
        let less = |count: u32| count.checked_sub(1);
        count
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, less)
            .is_ok()
    }

    /// Keeps all that clients say from the server, or lets it arrive from now on.
    pub(crate) fn stall(&self, stalls: bool) {
        *self.stalls.lock().unwrap() = stalls;
        self.goes_on.notify_all();
    }

    pub(crate) fn is_stalled(&self) -> bool {
        *self.stalls.lock().unwrap()
    }

    fn wait_while_stalled(&self) {
        let stalls = self.stalls.lock().unwrap();
        drop(self.goes_on.wait_while(stalls, |stalls| *stalls).unwrap());
    }

    /// Cuts all connections that are open.
    pub(crate) fn cut(&self) {
        for stream in self.open.lock().unwrap().drain(..) {
            drop(stream.shutdown(Shutdown::Both));
        }
    }

    /// Waits until a group is held up, and lets it arrive after all.
    pub(crate) fn let_arrive(&self) {
        let none = |held: &mut Option<Held>| held.is_none();
        let held = self.came.wait_while(self.held.lock().unwrap(), none);
        let Held { said, mut server } = held.unwrap().take().unwrap();
        server.write_all(&said).unwrap();
        // The server ends its side once it has done all that was said.
        server.shutdown(Shutdown::Write).unwrap();
        std::io::copy(&mut server, &mut std::io::sink()).unwrap();
    }

    pub(crate) fn are_done(&self) -> bool {
        let left = [&self.lose_answers, &self.lose_commits];
        left.iter().all(|count| count.load(Ordering::Acquire) == 0)
    }
}

/// Listens on a port of its own and leads to `target`.
pub(crate) fn start(target: String) -> (u16, Arc<Orders>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let orders = Arc::new(Orders::default());
    let all = Arc::clone(&orders);
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let Ok(server) = TcpStream::connect(&target) else {
                continue;
            };
            serve(client, server, &all);
        }
    });
    (port, orders)
}

fn serve(client: TcpStream, server: TcpStream, orders: &Arc<Orders>) {
    for stream in [&client, &server] {
        stream.set_nodelay(true).unwrap();
        let stream = stream.try_clone().unwrap();
        orders.open.lock().unwrap().push(stream);
    }
    let (mut from, mut to) = (server.try_clone().unwrap(), client.try_clone().unwrap());
    thread::spawn(move || {
        drop(std::io::copy(&mut from, &mut to));
        drop(to.shutdown(Shutdown::Both));
    });
    let orders = Arc::clone(orders);
    thread::spawn(move || up(client, server, &orders));
}

/// Passes on what a client says, until a COMMIT of it is to go wrong.
fn up(mut client: TcpStream, mut server: TcpStream, orders: &Orders) {
    let mut bytes = vec![0; 64 * 1024];
    while let Ok(count @ 1..) = client.read(&mut bytes) {
        let said = &bytes[..count];
        let begins = said.windows(BEGIN.len()).any(|part| part == BEGIN);
        let hold = if begins {
            orders.hold_up_to.lock().unwrap().take()
        } else {
            None
        };
        if let Some(end) = hold {
            return hold_up(said.to_vec(), (client, server), end, orders);
        }
        let commits = said.ends_with(COMMIT);
        if commits && orders.stall_at_commit.swap(false, Ordering::AcqRel) {
            orders.stall(true);
        }
        orders.wait_while_stalled();
        if commits && Orders::take(&orders.lose_commits) {
            break;
        }
        if commits && Orders::take(&orders.lose_answers) {
            drop(client.shutdown(Shutdown::Both));
            drop(server.write_all(said));
            // The server ends its side once it has done all that was said.
            drop(server.shutdown(Shutdown::Write));
            drop(std::io::copy(&mut server, &mut std::io::sink()));
            return;
        }
        if server.write_all(said).is_err() {
            break;
        }
    }
    drop(client.shutdown(Shutdown::Both));
    drop(server.shutdown(Shutdown::Both));
}

/// Keeps what a client says from the server until it ends so, and cuts the client off.
fn hold_up(
    mut said: Vec<u8>,
    (mut client, server): (TcpStream, TcpStream),
    end: &[u8],
    orders: &Orders,
) {
    let mut bytes = vec![0; 64 * 1024];
    while !said.ends_with(end) {
        let count = client.read(&mut bytes).unwrap();
        said.extend_from_slice(&bytes[..count]);
    }
    *orders.held.lock().unwrap() = Some(Held { said, server });
    orders.came.notify_all();
    drop(client.shutdown(Shutdown::Both));
}
