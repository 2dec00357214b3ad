//! The links that are open in this process.

use postrider_link::dispatch::newest::{Fence, Newest, Place};
use postrider_model::{BootMs, DeviceId};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Notify, watch};

/// Within how long the phones of a hub that ends come back: so long for each of them, and at most this
/// long. All at once would be a storm for whoever takes them.
const SPREAD_MS_MAX: u64 = 30_000;
const SPREAD_MS_PER_PHONE: u64 = 2;

/// The open links, and whether they are told to end.
#[derive(Debug)]
pub struct Links {
    /// Each open one is told through its bell when it was replaced.
    newest: Mutex<Newest<Arc<Notify>>>,
    /// Once they are: within how many milliseconds their phones come back.
    draining: watch::Sender<Option<u64>>,
    count: watch::Sender<usize>,
}

impl Default for Links {
    fn default() -> Self {
        Self {
            newest: Mutex::default(),
            draining: watch::Sender::new(None),
            count: watch::Sender::new(0),
        }
    }
}

impl Links {
    /// Takes in which connection a device's row names, and says whether it overtook a hello on its way;
    /// see [`Newest::has_overtaken`]. `now` is a moment after the row was read. A connection of this
    /// process that is another one is told to end.
    pub fn has_overtaken(&self, row: &Fence, accepted_at: BootMs, now: BootMs) -> bool {
        let mut newest = self.lock();
        if let Some(outdated) = newest.learn(row, now) {
            outdated.notify_one();
        }
        newest.has_overtaken(row, accepted_at)
    }

    /// Says whether a device is connected.
    pub fn is_connected(&self, device: DeviceId) -> bool {
        self.lock().is_connected(device)
    }

    /// Makes a connection the device's newest and lets it `listen`, so that no older one can listen
    /// after it. The older one is told to end; so is this one, at once, when a newer one overtook it.
    pub fn admit(&self, fence: &Fence, now: BootMs, listen: impl FnOnce()) -> Arc<Notify> {
        let replaced = Arc::new(Notify::new());
        let mut newest = self.lock();
        match newest.admit(fence.clone(), now, Arc::clone(&replaced)) {
            Place::Overtaken => {
                replaced.notify_one();
                return replaced;
            }
            Place::Newest(Some(older)) => older.notify_one(),
            Place::Newest(None) => self.count.send_modify(|count| *count += 1),
        }
        listen();
        replaced
    }

    /// Notes what a phone acked, before any commit takes it along.
    pub fn acked(&self, fence: &Fence, down: u64) {
        self.lock().acked(fence, down);
    }

    /// Returns the highest downward number that the phone acked on a connection of this process; 0
    /// when the device has a newer one.
    pub fn acked_on(&self, fence: &Fence) -> u64 {
        self.lock().acked_on(fence)
    }

    /// Does something for a connection, unless a newer one took its place; says whether it did.
    pub fn while_newest(&self, fence: &Fence, act: impl FnOnce()) -> bool {
        let newest = self.lock();
        let is_newest = newest.is_newest(fence);
        if is_newest {
            act();
        }
        is_newest
    }

    /// Notes that a connection ended, unless a newer one took its place.
    pub fn leave(&self, fence: &Fence) {
        if self.lock().leave(fence) {
            self.count.send_modify(|count| *count -= 1);
        }
    }

    /// Returns how many phones are connected.
    pub fn connected(&self) -> usize {
        *self.count.borrow()
    }

    /// Tells every link to end in good order.
    pub fn drain(&self) {
        let phones = u64::try_from(self.connected()).unwrap_or(u64::MAX);
        let spread_ms = phones.saturating_mul(SPREAD_MS_PER_PHONE);
        self.draining
            .send_replace(Some(spread_ms.min(SPREAD_MS_MAX)));
    }

    /// Says whether links were told to end.
    pub fn is_draining(&self) -> bool {
        self.draining.borrow().is_some()
    }

    /// Waits until links are told to end, and returns within how many milliseconds their phones come back.
    pub async fn draining(&self) -> u64 {
        let mut draining = self.draining.subscribe();
        // The sender lives as long as `self`, so that waiting cannot fail.
        let told = draining.wait_for(Option::is_some).await;
        told.ok()
            .and_then(|spread_ms| *spread_ms)
            .unwrap_or(SPREAD_MS_MAX)
    }

    /// Waits until no link is open.
    pub async fn all_ended(&self) {
        let mut count = self.count.subscribe();
        let _ = count.wait_for(|count| *count == 0).await;
    }

    fn lock(&self) -> MutexGuard<'_, Newest<Arc<Notify>>> {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_model::Key;

    fn device() -> DeviceId {
        DeviceId::new(Key::new(1).unwrap())
    }

    fn fence(conn: u64) -> Fence {
        Fence {
            device: device(),
            install: "install-of-a-test".parse().unwrap(),
            conn,
        }
    }

    #[tokio::test]
    async fn an_older_connection_is_told_and_no_link_is_counted_twice() {
        let links = Links::default();
        let older = links.admit(&fence(1), BootMs(10), || ());
        let _newer = links.admit(&fence(2), BootMs(20), || ());
        older.notified().await;
        links.leave(&fence(1));
        assert_eq!(links.connected(), 1);
        links.leave(&fence(2));
        assert_eq!(links.connected(), 0);
    }

    #[tokio::test]
    async fn a_connection_overtaken_while_it_was_admitted_ends_itself() {
        let links = Links::default();
        let _newer = links.admit(&fence(5), BootMs(10), || ());
        let deaf = || panic!("it listens in place of the newer one");
        links.admit(&fence(4), BootMs(20), deaf).notified().await;
        assert!(links.while_newest(&fence(5), || ()));
        assert!(!links.while_newest(&fence(4), || panic!("it is not the newest")));
    }

    #[tokio::test]
    async fn the_phones_of_a_hub_that_ends_come_back_spread_by_their_number() {
        for (phones, spread_ms) in [(0, 0), (1, 2), (12, 24), (15_000, 30_000), (20_000, 30_000)] {
            let links = Links::default();
            links.count.send_replace(phones);
            links.drain();
            links.count.send_replace(0);
            assert_eq!(links.draining().await, spread_ms, "{phones}");
        }
    }

    #[tokio::test]
    async fn the_last_link_to_leave_ends_the_wait() {
        let links = Links::default();
        let _open = links.admit(&fence(1), BootMs(1), || ());
        links.drain();
        links.draining().await;
        assert!(links.is_connected(device()));
        links.leave(&fence(1));
        links.all_ended().await;
        assert!(!links.is_connected(device()));
    }
}
