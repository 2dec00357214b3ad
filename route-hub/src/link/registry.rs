//! The links that are open in this process.

use postrider_model::{BootMs, DeviceId};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{Notify, watch};

/// The open links, and the word to all of them to end.
#[derive(Debug)]
pub struct Links {
    open: Mutex<BTreeMap<DeviceId, Entry>>,
    draining: watch::Sender<bool>,
    count: watch::Sender<usize>,
}

#[derive(Debug)]
struct Entry {
    conn: u64,
    admitted_at: BootMs,
    replaced: Arc<Notify>,
}

impl Default for Links {
    fn default() -> Self {
        Self {
            open: Mutex::default(),
            draining: watch::Sender::new(false),
            count: watch::Sender::new(0),
        }
    }
}

impl Links {
    /// Returns when the newest connection of a device was admitted by this process.
    pub fn admitted_at(&self, device: DeviceId) -> Option<BootMs> {
        self.lock().get(&device).map(|entry| entry.admitted_at)
    }

    /// Makes a connection the device's newest; an older one is told, unless it is newer.
    pub fn admit(&self, device: DeviceId, conn: u64, now: BootMs) -> Arc<Notify> {
        let replaced = Arc::new(Notify::new());
        let entry = Entry { conn, admitted_at: now, replaced: Arc::clone(&replaced) };
        let mut open = self.lock();
        match open.get(&device) {
            Some(newer) if newer.conn > conn => replaced.notify_one(),
            _ => {
                if let Some(older) = open.insert(device, entry) {
                    older.replaced.notify_one();
                }
            }
        }
        self.count.send_replace(open.len());
        replaced
    }

    /// Forgets a connection that ended, unless a newer one took its place.
    pub fn leave(&self, device: DeviceId, conn: u64) {
        let mut open = self.lock();
        if open.get(&device).is_some_and(|entry| entry.conn == conn) {
            open.remove(&device);
        }
        self.count.send_replace(open.len());
    }

    /// Returns how many phones are connected.
    pub fn connected(&self) -> usize {
        *self.count.borrow()
    }

    /// Tells every link to end in good order.
    pub fn drain(&self) {
        self.draining.send_replace(true);
    }

    /// Waits until links are told to end.
    pub async fn draining(&self) {
        let mut draining = self.draining.subscribe();
        // The sender lives as long as `self`, so that waiting cannot fail.
        let _ = draining.wait_for(|draining| *draining).await;
    }

    /// Waits until no link is open.
    pub async fn all_ended(&self) {
        let mut count = self.count.subscribe();
        let _ = count.wait_for(|count| *count == 0).await;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<DeviceId, Entry>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_model::Key;

    fn device() -> DeviceId {
        DeviceId::new(Key::new(1).unwrap())
    }

    #[tokio::test]
    async fn a_newer_connection_ends_the_older() {
        let links = Links::default();
        let older = links.admit(device(), 1, BootMs(10));
        let _newer = links.admit(device(), 2, BootMs(20));
        older.notified().await;
        links.leave(device(), 1);
        assert_eq!((links.connected(), links.admitted_at(device())), (1, Some(BootMs(20))));
    }

    #[tokio::test]
    async fn a_connection_overtaken_while_it_was_admitted_ends_itself() {
        let links = Links::default();
        let _newer = links.admit(device(), 5, BootMs(10));
        links.admit(device(), 4, BootMs(20)).notified().await;
        assert_eq!(links.admitted_at(device()), Some(BootMs(10)));
    }

    #[tokio::test]
    async fn the_last_link_to_leave_ends_the_wait() {
        let links = Links::default();
        let _open = links.admit(device(), 1, BootMs(1));
        links.drain();
        links.draining().await;
        links.leave(device(), 1);
        links.all_ended().await;
    }
}
