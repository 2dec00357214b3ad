//! The newest connection of each device: which one a commit is for, and which one ends.

use crate::{frame::InstallId, ownership::hub::Holder, session::hub::DeviceLink};
use postrider_model::{BootMs, DeviceId};
use std::collections::BTreeMap;

/// One connection of one installation of a device.
///
/// The number alone does not tell: another installation counts its connections anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fence {
    /// The device.
    pub device: DeviceId,
    /// Its installation.
    pub install: InstallId,
    /// The connection's number.
    pub conn: u64,
}

impl Fence {
    /// Returns the newest connection of a device by its row.
    pub fn of(device: DeviceId, row: &DeviceLink) -> Self {
        Self {
            device,
            install: row.install.clone(),
            conn: row.conn,
        }
    }

    /// Returns whether this is the newest connection by the device's row.
    pub fn admits(&self, row: &DeviceLink) -> bool {
        row.admits(self.conn) && row.install == self.install
    }

    /// Returns who holds what is exposed on it.
    pub fn holder(&self) -> Holder {
        Holder {
            device: self.device,
            install: self.install.clone(),
        }
    }
}

/// The newest connection of each device in this process. `C` reaches a connection that is open.
#[derive(Debug)]
pub struct Newest<C> {
    of: BTreeMap<DeviceId, Entry<C>>,
}

/// A device's newest connection. It is remembered when it has ended: a hello that was overtaken by
/// it may still arrive.
#[derive(Debug)]
struct Entry<C> {
    fence: Fence,
    admitted_at: BootMs,
    /// The highest downward number that the phone acked on it: the next commit stores it.
    acked: u64,
    /// `None` when it has ended.
    open: Option<C>,
}

/// What an admission means for a device's connections.
#[derive(Debug, PartialEq, Eq)]
pub enum Place<C> {
    /// It is the newest; the one that it replaced, if that is open, must end.
    Newest(Option<C>),
    /// A newer one was admitted meanwhile: this one must end.
    Overtaken,
}

impl<C> Default for Newest<C> {
    fn default() -> Self {
        Self {
            of: BTreeMap::new(),
        }
    }
}

impl<C> Newest<C> {
    /// Returns whether a newer connection was admitted since a socket was accepted, whether or not it
    /// has ended.
    pub fn has_overtaken(&self, device: DeviceId, accepted_at: BootMs) -> bool {
        let entry = self.of.get(&device);
        entry.is_some_and(|entry| entry.admitted_at >= accepted_at)
    }

    /// Returns whether a device is connected.
    pub fn is_connected(&self, device: DeviceId) -> bool {
        let entry = self.of.get(&device);
        entry.is_some_and(|entry| entry.open.is_some())
    }

    /// Makes a connection that was just admitted the device's newest.
    pub fn admit(&mut self, fence: Fence, now: BootMs, open: C) -> Place<C> {
        let newest = self.of.get(&fence.device).map(|entry| &entry.fence);
        if newest.is_some_and(|it| it.install == fence.install && it.conn > fence.conn) {
            return Place::Overtaken;
        }
        let entry = Entry {
            fence,
            admitted_at: now,
            acked: 0,
            open: Some(open),
        };
        let older = self.of.insert(entry.fence.device, entry);
        Place::Newest(older.and_then(|older| older.open))
    }

    /// Notes what a phone acked, before any commit takes it along.
    pub fn acked(&mut self, fence: &Fence, down: u64) {
        if let Some(entry) = self.entry(fence) {
            entry.acked = entry.acked.max(down);
        }
    }

    /// Returns the highest downward number that the phone acked on a connection of this process; 0
    /// when that is not the device's newest.
    pub fn acked_on(&self, fence: &Fence) -> u64 {
        let entry = self.of.get(&fence.device);
        let entry = entry.filter(|newest| newest.fence == *fence);
        entry.map_or(0, |entry| entry.acked)
    }

    /// Returns whether no newer connection took this one's place.
    pub fn is_newest(&self, fence: &Fence) -> bool {
        let entry = self.of.get(&fence.device);
        entry.is_some_and(|newest| newest.fence == *fence)
    }

    /// Notes that a connection ended, unless a newer one took its place; returns whether it was the
    /// device's open one.
    pub fn leave(&mut self, fence: &Fence) -> bool {
        self.entry(fence)
            .is_some_and(|entry| entry.open.take().is_some())
    }

    fn entry(&mut self, fence: &Fence) -> Option<&mut Entry<C>> {
        let entry = self.of.get_mut(&fence.device);
        entry.filter(|newest| newest.fence == *fence)
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
        Fence {
            device: device(),
            install: format!("install-of-test-{install}").parse().unwrap(),
            conn,
        }
    }

    #[test]
    fn a_newer_connection_ends_the_older() {
        let mut newest = Newest::default();
        assert_eq!(
            newest.admit(fence(1, 1), BootMs(10), "older"),
            Place::Newest(None)
        );
        let place = newest.admit(fence(1, 2), BootMs(20), "newer");
        assert_eq!(place, Place::Newest(Some("older")));
        assert!(!newest.leave(&fence(1, 1)) && newest.is_connected(device()));
    }

    #[test]
    fn another_installation_ends_the_older_whatever_their_numbers() {
        for conn in [1, 7] {
            let mut newest = Newest::default();
            newest.admit(fence(1, conn), BootMs(10), "older");
            let place = newest.admit(fence(2, 1), BootMs(20), "newer");
            assert_eq!(place, Place::Newest(Some("older")));
        }
    }

    #[test]
    fn a_connection_overtaken_while_it_was_admitted_ends_itself() {
        let mut newest = Newest::default();
        newest.admit(fence(1, 5), BootMs(10), "newer");
        assert_eq!(
            newest.admit(fence(1, 4), BootMs(20), "older"),
            Place::Overtaken
        );
        assert!(newest.is_newest(&fence(1, 5)));
        assert!(!newest.has_overtaken(device(), BootMs(11)));
    }

    #[test]
    fn a_connection_that_has_ended_still_overtakes_an_older_hello() {
        let mut newest = Newest::default();
        newest.admit(fence(1, 1), BootMs(10), "it");
        assert!(newest.leave(&fence(1, 1)) && !newest.is_connected(device()));
        assert!(newest.has_overtaken(device(), BootMs(10)));
        assert!(!newest.has_overtaken(device(), BootMs(11)));
    }

    #[test]
    fn only_what_was_acked_on_the_newest_connection_counts() {
        let mut newest = Newest::default();
        newest.admit(fence(1, 1), BootMs(10), "older");
        newest.acked(&fence(1, 1), 7);
        newest.acked(&fence(1, 1), 5);
        assert_eq!(newest.acked_on(&fence(1, 1)), 7);
        newest.admit(fence(1, 2), BootMs(20), "newer");
        newest.acked(&fence(1, 1), 9);
        assert_eq!(newest.acked_on(&fence(1, 1)), 0);
        assert_eq!(newest.acked_on(&fence(1, 2)), 0);
    }
}
