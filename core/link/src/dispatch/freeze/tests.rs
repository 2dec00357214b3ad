//! What a freeze concerns, on a project in memory.

use super::*;
use postrider_model::Key;
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

#[derive(Default)]
struct Project {
    freeze: Option<Freeze>,
    devices: BTreeMap<DeviceId, Device>,
    alone: BTreeSet<DeviceId>,
    newest: i64,
    forgotten: Vec<(Queues, i64)>,
}

impl Rows for Project {
    type Error = Infallible;

    fn generation(&mut self) -> Result<u64, Infallible> {
        Ok(5)
    }

    fn newest_key(&mut self) -> Result<i64, Infallible> {
        Ok(self.newest)
    }

    fn freeze(&mut self) -> Result<Option<Freeze>, Infallible> {
        Ok(self.freeze)
    }

    fn put_freeze(&mut self, freeze: Option<Freeze>) -> Result<(), Infallible> {
        self.freeze = freeze;
        Ok(())
    }

    fn devices(&mut self) -> Result<Vec<Device>, Infallible> {
        Ok(self.devices.values().copied().collect())
    }

    fn frozen(&mut self) -> Result<Frozen, Infallible> {
        let frozen = || self.devices.values().filter(|device| device.frozen);
        Ok(Frozen {
            waits: frozen().any(|device| device.in_service),
            any: frozen().next().is_some(),
        })
    }

    fn freeze_device(&mut self, id: DeviceId, gen_own: u64) -> Result<(), Infallible> {
        let device = self.devices.get_mut(&id).unwrap();
        (device.frozen, device.gen_own) = (true, gen_own);
        Ok(())
    }

    fn thaw_device(&mut self, id: DeviceId) -> Result<(), Infallible> {
        self.devices.get_mut(&id).unwrap().frozen = false;
        Ok(())
    }

    fn put_alone(&mut self, id: DeviceId, alone: bool) -> Result<(), Infallible> {
        if alone {
            self.alone.insert(id)
        } else {
            self.alone.remove(&id)
        };
        Ok(())
    }

    fn forget_exposures(&mut self, of: Queues, up_to: i64) -> Result<(), Infallible> {
        self.forgotten.push((of, up_to));
        Ok(())
    }
}

fn id(n: i64) -> DeviceId {
    DeviceId::new(Key::new(n).unwrap())
}

/// A project of devices 1 and 2 in service, and 3 out of it, with keys up to 77.
fn project() -> Project {
    let device = |n| Device {
        id: id(n),
        frozen: false,
        in_service: n != 3,
        gen_seen: 5,
        gen_own: 0,
    };
    Project {
        devices: (1..=3).map(|n| (id(n), device(n))).collect(),
        newest: 77,
        ..Project::default()
    }
}

fn all_frozen() -> Project {
    let mut project = project();
    let Ok(waits) = freeze_all(&mut project);
    assert!(waits);
    project
}

impl Project {
    fn answers(&mut self, n: i64) -> bool {
        let device = self.devices[&id(n)];
        let Ok(ended) = answered(self, device);
        ended
    }

    fn is_gone(&mut self, n: i64) -> bool {
        let device = self.devices[&id(n)];
        let Ok(ended) = gone(self, device);
        ended
    }

    fn scope(&self) -> Option<Scope> {
        self.freeze.map(|freeze| freeze.scope)
    }
}

fn may_be_out(freeze: Freeze, key: i64, own: bool) -> bool {
    let Ok(may_be) = freeze.may_be_out::<Infallible>(key, || Ok(own));
    may_be
}

#[test]
fn a_frozen_project_waits_for_each_phone_in_service_and_no_other() {
    let mut project = all_frozen();
    assert_eq!(project.freeze.unwrap().holds_up_to(), Some(77));
    assert!(!project.answers(1));
    assert_eq!(project.scope(), Some(Scope::All));
    assert!(project.answers(2));
    assert_eq!(
        project.scope(),
        Some(Scope::Own),
        "device 3 is still frozen"
    );
    assert_eq!(project.freeze.unwrap().holds_up_to(), None);
    assert!(project.answers(3));
    assert_eq!(project.freeze, None);
}

#[test]
fn a_device_is_asked_under_a_new_generation_unless_it_has_not_answered_the_last() {
    let mut project = all_frozen();
    assert_eq!(project.devices[&id(1)].gen_own, 6);
    assert!(project.devices[&id(1)].must_come_again(5));
    let Ok(_) = freeze_all(&mut project);
    assert_eq!(project.devices[&id(1)].gen_own, 6);
    project.devices.get_mut(&id(1)).unwrap().gen_seen = 6;
    assert!(!project.devices[&id(1)].must_come_again(5));
    let Ok(_) = freeze_all(&mut project);
    assert_eq!(project.devices[&id(1)].gen_own, 7);
}

#[test]
fn one_phones_numbers_freeze_nobody_else() {
    let mut project = project();
    let device = project.devices[&id(1)];
    let Ok(()) = freeze_alone(&mut project, device);
    assert_eq!(project.scope(), Some(Scope::Own));
    assert!(!project.devices[&id(2)].frozen);
    assert!(project.alone.contains(&id(1)));
    let freeze = project.freeze.unwrap();
    assert!(may_be_out(freeze, 77, true) && !may_be_out(freeze, 77, false));
    let Ok(_) = freeze_all(&mut project);
    assert_eq!(
        (project.scope(), project.alone.len()),
        (Some(Scope::All), 0)
    );
}

#[test]
fn a_project_without_a_phone_in_service_holds_nothing_for_all() {
    let mut project = project();
    project.devices.retain(|_, device| !device.in_service);
    let Ok(waits) = freeze_all(&mut project);
    assert!(!waits);
    assert_eq!(project.scope(), Some(Scope::Own));
    project.devices.clear();
    project.freeze = None;
    let Ok(_) = freeze_all(&mut project);
    assert_eq!(project.freeze, None);
}

#[test]
fn what_is_newer_than_the_freeze_waits_for_nobody() {
    let freeze = all_frozen().freeze.unwrap();
    assert!(may_be_out(freeze, 77, false));
    assert!(!may_be_out(freeze, 78, true));
}

#[test]
fn a_phone_that_all_wait_for_takes_the_whole_queue_with_it() {
    let mut project = all_frozen();
    assert!(!project.is_gone(1));
    assert_eq!(project.forgotten, [(Queues::OfProject, 77)]);
    assert_eq!(project.scope(), Some(Scope::AllButLost));
    let freeze = project.freeze.unwrap();
    assert!(freeze.may_be_with_a_lost_phone(77) && !freeze.may_be_with_a_lost_phone(78));
    let Ok(_) = freeze_all(&mut project);
    assert_eq!(project.scope(), Some(Scope::AllButLost), "a loss stays");
}

#[test]
fn a_phone_that_nobody_waits_for_takes_its_own_queue_alone() {
    let mut frozen = all_frozen();
    assert!(!frozen.is_gone(3));
    assert_eq!(frozen.forgotten, [(Queues::OfDevice(id(3)), 77)]);
    assert_eq!(frozen.scope(), Some(Scope::All));
    let mut sound = project();
    assert!(!sound.is_gone(1));
    assert_eq!(sound.forgotten, []);
}

#[test]
fn a_message_may_be_with_its_own_phone_when_nobody_else_waits_for_it() {
    let mut project = all_frozen();
    let freeze = project.freeze.unwrap();
    let device = |project: &Project, n| project.devices[&id(n)];
    assert!(freeze.may_be_with_its_phone(77, device(&project, 3)));
    assert!(!freeze.may_be_with_its_phone(77, device(&project, 1)));
    assert!(!freeze.may_be_with_its_phone(78, device(&project, 3)));
    assert!(!project.answers(3));
    assert!(!freeze.may_be_with_its_phone(77, device(&project, 3)));
}

#[test]
fn a_scope_reads_back_by_its_code_and_says_what_waits() {
    for (scope, holds) in [
        (Scope::Own, None),
        (Scope::All, Some(77)),
        (Scope::AllButLost, Some(77)),
    ] {
        assert_eq!(Scope::from_code(scope.code()), Some(scope));
        assert_eq!(Freeze { scope, up_to: 77 }.holds_up_to(), holds);
    }
    assert_eq!(Scope::from_code(0), None);
}
