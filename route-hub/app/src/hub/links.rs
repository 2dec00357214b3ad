//! The links that are open in this process.

use hub_domain::Device;
use postrider_link::frame::InstallId;
use postrider_model::{BootMs, DeviceId, ProjectId};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{Notify, watch};

/// One connection of one installation of a device.
///
/// The number alone does not tell: another installation counts its connections anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fence {
    /// The device.
    pub device: DeviceId,
    /// Its project, whose share of the store its commits take.
    pub project: ProjectId,
    /// Its installation.
    pub install: InstallId,
    /// The connection's number.
    pub conn: u64,
}

impl Fence {
    /// Says whether this is the newest connection of the device as it is stored.
    pub fn admits(&self, stored: &Device) -> bool {
        stored.id == self.device
            && stored.conn == self.conn
            && stored.install == self.install.as_str()
    }
}

/// The open links, and the word to all of them to end.
#[derive(Debug)]
pub struct Links {
    newest: Mutex<BTreeMap<DeviceId, Entry>>,
    draining: watch::Sender<bool>,
    count: watch::Sender<usize>,
}

/// A device's newest connection. It is remembered when it has ended: a hello that was overtaken by
/// it may still arrive.
#[derive(Debug)]
struct Entry {
    fence: Fence,
    admitted_at: BootMs,
    /// The highest downward number that the phone acked on it: the next commit stores it.
    acked: u64,
    /// Tells the connection that it was replaced; `None` when it has ended.
    replaced: Option<Arc<Notify>>,
}

impl Default for Links {
    fn default() -> Self {
        Self {
            newest: Mutex::default(),
            draining: watch::Sender::new(false),
            count: watch::Sender::new(0),
        }
    }
}

impl Links {
    /// Returns when the newest connection of a device was admitted by this process, whether or not
    /// it has ended.
    pub fn admitted_at(&self, device: DeviceId) -> Option<BootMs> {
        self.lock().get(&device).map(|entry| entry.admitted_at)
    }

    /// Says whether a device is connected.
    pub fn is_connected(&self, device: DeviceId) -> bool {
        self.lock()
            .get(&device)
            .is_some_and(|entry| entry.replaced.is_some())
    }

    /// Makes a connection the device's newest and lets it `listen`, so that no older one can listen
    /// after it; the older one is told. One that was overtaken is told at once instead.
    pub fn admit(&self, fence: &Fence, now: BootMs, listen: impl FnOnce()) -> Arc<Notify> {
        let replaced = Arc::new(Notify::new());
        let mut known = self.lock();
        let newest = known.get(&fence.device).map(|newest| &newest.fence);
        if newest.is_some_and(|newest| newest.install == fence.install && newest.conn > fence.conn)
        {
            replaced.notify_one();
            return replaced;
        }
        let entry = Entry {
            fence: fence.clone(),
            admitted_at: now,
            acked: 0,
            replaced: Some(Arc::clone(&replaced)),
        };
        match known
            .insert(fence.device, entry)
            .and_then(|older| older.replaced)
        {
            Some(older) => older.notify_one(),
            None => self.count.send_modify(|count| *count += 1),
        }
        listen();
        replaced
    }

    /// Notes what a phone acked, before any commit takes it along.
    pub fn acked(&self, fence: &Fence, down: u64) {
        let mut known = self.lock();
        let entry = known.get_mut(&fence.device);
        if let Some(entry) = entry.filter(|newest| newest.fence == *fence) {
            entry.acked = entry.acked.max(down);
        }
    }

    /// Returns the highest downward number that the phone acked on a connection of this process; 0
    /// when that is not the device's newest.
    pub fn acked_on(&self, fence: &Fence) -> u64 {
        let known = self.lock();
        let entry = known.get(&fence.device);
        let entry = entry.filter(|newest| newest.fence == *fence);
        entry.map_or(0, |entry| entry.acked)
    }

    /// Does something for a connection, unless a newer one took its place; says whether it did.
    pub fn while_newest(&self, fence: &Fence, act: impl FnOnce()) -> bool {
        let known = self.lock();
        let is_newest = known
            .get(&fence.device)
            .is_some_and(|newest| newest.fence == *fence);
        if is_newest {
            act();
        }
        is_newest
    }

    /// Notes that a connection ended, unless a newer one took its place.
    pub fn leave(&self, fence: &Fence) {
        let mut known = self.lock();
        let entry = known
            .get_mut(&fence.device)
            .filter(|newest| newest.fence == *fence);
        if entry.is_some_and(|entry| entry.replaced.take().is_some()) {
            self.count.send_modify(|count| *count -= 1);
        }
    }

    /// Returns how many phones are connected.
    pub fn connected(&self) -> usize {
        *self.count.borrow()
    }

    /// Tells every link to end in good order.
    pub fn drain(&self) {
        self.draining.send_replace(true);
    }

    /// Says whether links were told to end.
    pub fn is_draining(&self) -> bool {
        *self.draining.borrow()
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

    fn fence(install: u64, conn: u64) -> Fence {
        let install = format!("install-of-test-{install}").parse().unwrap();
        Fence {
            device: device(),
            project: ProjectId::new(Key::new(2).unwrap()),
            install,
            conn,
        }
    }

    #[tokio::test]
    async fn a_newer_connection_ends_the_older() {
        let links = Links::default();
        let older = links.admit(&fence(1, 1), BootMs(10), || ());
        let _newer = links.admit(&fence(1, 2), BootMs(20), || ());
        older.notified().await;
        links.leave(&fence(1, 1));
        assert_eq!(
            (links.connected(), links.admitted_at(device())),
            (1, Some(BootMs(20)))
        );
    }

    #[tokio::test]
    async fn another_installation_ends_the_older_whatever_their_numbers() {
        let links = Links::default();
        for conn in [1, 7] {
            let older = links.admit(&fence(1, conn), BootMs(10), || ());
            let _newer = links.admit(&fence(2, 1), BootMs(20), || ());
            older.notified().await;
            links.leave(&fence(1, conn));
            assert!(links.is_connected(device()));
            links.leave(&fence(2, 1));
            assert_eq!(links.connected(), 0);
        }
    }

    #[tokio::test]
    async fn a_connection_overtaken_while_it_was_admitted_ends_itself() {
        let links = Links::default();
        let _newer = links.admit(&fence(1, 5), BootMs(10), || ());
        let deaf = || panic!("it listens in place of the newer one");
        links.admit(&fence(1, 4), BootMs(20), deaf).notified().await;
        assert_eq!(links.admitted_at(device()), Some(BootMs(10)));
    }

    #[tokio::test]
    async fn the_last_link_to_leave_ends_the_wait() {
        let links = Links::default();
        let _open = links.admit(&fence(1, 1), BootMs(1), || ());
        links.drain();
        links.draining().await;
        assert!(links.is_connected(device()));
        links.leave(&fence(1, 1));
        links.all_ended().await;
        assert!(!links.is_connected(device()));
        assert_eq!(
            links.admitted_at(device()),
            Some(BootMs(1)),
            "it may have overtaken a hello"
        );
    }
}
