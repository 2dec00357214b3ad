//! The newest connection of each device: which one a commit is for, and which one ends.

use crate::{frame::InstallId, mistake, ownership::hub::Holder, session::hub::DeviceLink};
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

/// The newest connection of each device, as far as this process knows, and the one that is open here.
/// `C` reaches a connection that is open.
#[derive(Debug)]
pub struct Newest<C> {
    of: BTreeMap<DeviceId, Entry<C>>,
}

/// What is known of a device's connections. The newest is remembered when it has ended: a hello that
/// was overtaken by it may still arrive.
#[derive(Debug)]
struct Entry<C> {
    newest: Fence,
    known_at: BootMs,
    /// The highest downward number that the phone acked on the newest: a later commit stores it.
    acked: u64,
    /// This process's open connection: the newest, or an older one that is to end.
    open: Option<(Fence, C)>,
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
    /// Takes in which connection a device's row names, at a moment after the row was read. Returns this
    /// process's open connection if that is another one: it must end.
    pub fn learn(&mut self, row: &Fence, now: BootMs) -> Option<&C> {
        if mistake::is("rows_teach_nothing") {
            return None;
        }
        let entry = self.of.entry(row.device).or_insert_with(|| Entry {
            newest: row.clone(),
            known_at: now,
            acked: 0,
            open: None,
        });
        if entry.newest != *row {
            (entry.newest, entry.known_at, entry.acked) = (row.clone(), now, 0);
        }
        let open = entry.open.as_ref().filter(|(open, _)| open != row);
        open.map(|(_, open)| open)
    }

    /// Returns whether the connection that a device's row names overtook a hello: this process did not
    /// know it yet when it accepted the hello's socket. A phone raises its number with each connection,
    /// so a lower one on a socket accepted later is a copy's.
    pub fn has_overtaken(&self, row: &Fence, accepted_at: BootMs) -> bool {
        let entry = self.of.get(&row.device);
        entry.is_some_and(|entry| entry.newest == *row && entry.known_at >= accepted_at)
    }

    /// Returns whether a device is connected to this process.
    pub fn is_connected(&self, device: DeviceId) -> bool {
        let entry = self.of.get(&device);
        entry.is_some_and(|entry| entry.open.is_some())
    }

    /// Makes a connection that was just admitted the device's newest.
    pub fn admit(&mut self, fence: Fence, now: BootMs, open: C) -> Place<C> {
        let before = self.of.remove(&fence.device);
        let is_newer = |it: &Fence| it.install == fence.install && it.conn > fence.conn;
        let (known_at, older) = match before {
            Some(before) if is_newer(&before.newest) => {
                self.of.insert(fence.device, before);
                return Place::Overtaken;
            }
            Some(before) if before.newest == fence => (before.known_at, before.open),
            Some(before) => (now, before.open),
            None => (now, None),
        };
        let entry = Entry {
            newest: fence.clone(),
            known_at,
            acked: 0,
            open: Some((fence, open)),
        };
        self.of.insert(entry.newest.device, entry);
        Place::Newest(older.map(|(_, older)| older))
    }

    /// Notes what a phone acked, before any commit takes it along.
    pub fn acked(&mut self, fence: &Fence, down: u64) {
        let entry = self.of.get_mut(&fence.device);
        if let Some(entry) = entry.filter(|entry| entry.newest == *fence) {
            entry.acked = entry.acked.max(down);
        }
    }

    /// Returns the highest downward number that the phone acked on a connection of this process; 0
    /// when that is not the device's newest.
    pub fn acked_on(&self, fence: &Fence) -> u64 {
        let entry = self.of.get(&fence.device);
        let entry = entry.filter(|entry| entry.newest == *fence);
        entry.map_or(0, |entry| entry.acked)
    }

    /// Returns whether no newer connection took this one's place.
    pub fn is_newest(&self, fence: &Fence) -> bool {
        let entry = self.of.get(&fence.device);
        entry.is_some_and(|entry| entry.newest == *fence)
    }

    /// Notes that a connection ended, unless a newer one of this process took its place; returns
    /// whether it was the device's open one.
    pub fn leave(&mut self, fence: &Fence) -> bool {
        let entry = self.of.get_mut(&fence.device);
        let of_it = |(open, _): &mut (Fence, C)| open == fence;
        entry.is_some_and(|entry| entry.open.take_if(of_it).is_some())
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
        assert!(!newest.has_overtaken(&fence(1, 5), BootMs(11)));
    }

    #[test]
    fn a_connection_that_has_ended_still_overtakes_an_older_hello() {
        let mut newest = Newest::default();
        newest.admit(fence(1, 1), BootMs(10), "it");
        assert!(newest.leave(&fence(1, 1)) && !newest.is_connected(device()));
        assert!(newest.has_overtaken(&fence(1, 1), BootMs(10)));
        assert!(!newest.has_overtaken(&fence(1, 1), BootMs(11)));
    }

    #[test]
    fn a_connection_admitted_elsewhere_counts_from_when_it_was_first_read() {
        let mut newest = Newest::default();
        newest.admit(fence(1, 1), BootMs(10), "here");
        assert_eq!(newest.learn(&fence(1, 1), BootMs(15)), None);
        assert_eq!(newest.learn(&fence(1, 3), BootMs(20)), Some(&"here"));
        assert_eq!(newest.learn(&fence(1, 3), BootMs(30)), Some(&"here"));
        assert!(newest.has_overtaken(&fence(1, 3), BootMs(20)));
        assert!(!newest.has_overtaken(&fence(1, 3), BootMs(21)));
        assert_eq!(
            newest.admit(fence(1, 2), BootMs(40), "late"),
            Place::Overtaken
        );
        assert!(newest.leave(&fence(1, 1)) && !newest.leave(&fence(1, 1)));
        assert_eq!(newest.learn(&fence(1, 3), BootMs(50)), None);
    }

    #[test]
    fn one_that_was_read_before_it_was_told_of_counts_from_the_reading() {
        let mut newest = Newest::default();
        newest.admit(fence(1, 1), BootMs(10), "older");
        newest.learn(&fence(1, 2), BootMs(20));
        let place = newest.admit(fence(1, 2), BootMs(30), "newer");
        assert_eq!(place, Place::Newest(Some("older")));
        assert!(!newest.has_overtaken(&fence(1, 2), BootMs(21)));
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
