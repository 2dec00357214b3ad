//! Who may come in, and what an admission stores, in which order.

use super::*;
use crate::{
    dispatch::held::tests::{Memory, phone},
    frame::{Bytes, Send},
    ownership::hub::{Fact, Outcome, Ownership},
    session::hub::Reconcile,
};
use postrider_model::MessageId;
use std::convert::Infallible;

const AROUND: Circumstances = Circumstances {
    generation: 3,
    own_generation: 0,
    overtaken: false,
    install_is_lost: false,
};

/// The row of a phone that was connected four times.
fn row() -> DeviceLink {
    DeviceLink {
        conn: 4,
        generation: 3,
        down_sent: 12,
        down_acked: 9,
        up: 20,
        ..DeviceLink::new(phone(1).install)
    }
}

fn hello() -> Hello {
    Hello {
        v: (1, 1),
        features: vec![],
        phone: phone(1).device,
        install: phone(1).install,
        conn: 5,
        sig: Bytes::default(),
        generation: 3,
        down: 10,
        up_lo: 20,
        up_hi: 22,
        limit: 14,
        boot: "boot-1".into(),
        wall: 1_600_000_000_000,
        mono: 50_000,
        sims: vec![],
        held: vec![],
    }
}

fn device() -> Device {
    Device {
        id: phone(1).device,
        frozen: false,
        in_service: true,
        gen_seen: 3,
        gen_own: 0,
    }
}

#[test]
fn a_device_out_of_service_may_not_come_in_nor_go_on() {
    let fence = Fence::of(phone(1).device, &row());
    for (service, code) in [
        (Service::NeedsPairing, CloseCode::JournalWentBack),
        (Service::Ended, CloseCode::NotPaired),
    ] {
        let decision = decide(&hello(), service, &row(), 0, AROUND);
        assert_eq!(decision, Decision::Refuse(code));
        let never = || -> Result<u64, Infallible> { panic!("nobody asks for it") };
        let ended = must_end(&fence, service, (device(), &row()), never);
        assert_eq!(ended, Ok(Some(code)));
    }
}

#[test]
fn what_was_acked_and_not_stored_shows_a_journal_that_went_back() {
    let decide = |acked| decide(&hello(), Service::Open, &row(), acked, AROUND);
    assert!(matches!(decide(10), Decision::Admit(_)));
    assert_eq!(decide(11), Decision::WentBack);
}

#[test]
fn an_older_connection_and_a_phone_that_has_to_answer_commit_nothing() {
    let fence = Fence::of(phone(1).device, &row());
    let ended = |fence: &Fence, device| {
        let Ok(code) = must_end(fence, Service::Open, (device, &row()), || {
            Ok::<_, Infallible>(4)
        });
        code
    };
    assert_eq!(ended(&fence, device()), None);
    let older = Fence {
        conn: 3,
        ..fence.clone()
    };
    let of_other = Fence {
        install: phone(2).install,
        ..fence.clone()
    };
    assert_eq!(ended(&older, device()), Some(CloseCode::Replaced));
    assert_eq!(ended(&of_other, device()), Some(CloseCode::Replaced));
    let frozen = Device {
        frozen: true,
        ..device()
    };
    assert_eq!(ended(&fence, frozen), Some(CloseCode::GoingAway));
    let answered = Device {
        gen_seen: 4,
        ..frozen
    };
    assert_eq!(ended(&fence, answered), None);
}

/// Rows that write down what an admission does.
#[derive(Default)]
struct Stored {
    held: Memory,
    did: Vec<&'static str>,
    gen_own: u64,
}

impl held::Rows for Stored {
    type Error = Infallible;
    type Message = i64;

    fn message(&mut self, id: MessageId) -> Result<Option<i64>, Infallible> {
        self.held.message(id)
    }

    fn placed_above(&mut self, down: u64) -> Result<Vec<i64>, Infallible> {
        self.did.push("exposures");
        self.held.placed_above(down)
    }

    fn owned(&self, no: &i64) -> Result<Ownership, Infallible> {
        self.held.owned(no)
    }

    fn is_alive(&self, no: &i64) -> bool {
        self.held.is_alive(no)
    }

    fn apply(&mut self, no: &mut i64, fact: Fact<'_>) -> Result<Option<Outcome>, Infallible> {
        self.held.apply(no, fact)
    }

    fn frame_again(&mut self, no: &i64, s: u64) -> Result<Option<Send>, Infallible> {
        self.held.frame_again(no, s)
    }

    fn freeze(&mut self) -> Result<Option<crate::dispatch::freeze::Freeze>, Infallible> {
        self.held.freeze()
    }

    fn key(&self, no: &i64) -> i64 {
        *no
    }
}

impl Rows for Stored {
    fn lose(&mut self, _: &InstallId) -> Result<(), Infallible> {
        self.did.push("lost");
        Ok(())
    }

    fn answered(&mut self) -> Result<(), Infallible> {
        self.did.push("answered");
        Ok(())
    }

    fn went_backwards(&mut self) -> Result<(), Infallible> {
        self.did.push("went backwards");
        Ok(())
    }

    fn admit(&mut self, _: &DeviceLink, gen_own: u64) -> Result<(), Infallible> {
        self.did.push("row");
        self.gen_own = gen_own;
        Ok(())
    }

    fn sync_sims(&mut self, _: &[SimInfo]) -> Result<(), Infallible> {
        self.did.push("sims");
        Ok(())
    }
}

fn admission() -> Admission {
    match decide(&hello(), Service::Open, &row(), 0, AROUND) {
        Decision::Admit(admission) => *admission,
        other => panic!("{other:?}"),
    }
}

fn done(device: Device, admission: &Admission) -> (Vec<&'static str>, u64) {
    let mut rows = Stored::default();
    let Ok(_) = admit(&mut rows, device, &hello(), admission);
    (rows.did, rows.gen_own)
}

#[test]
fn an_admission_stores_its_row_before_it_looks_for_exposures() {
    let (did, gen_own) = done(device(), &admission());
    assert_eq!(did, ["row", "sims", "exposures"]);
    assert_eq!(gen_own, 3);
}

#[test]
fn an_installation_that_never_was_here_has_answered() {
    let new = Device {
        gen_seen: 0,
        ..device()
    };
    let (did, _) = done(new, &admission());
    assert_eq!(did, ["answered", "row", "sims", "exposures"]);
    let asked = Admission {
        reconcile: Some(Reconcile {
            generation: 3,
            down_sent: 0,
            up: 0,
        }),
        ..admission()
    };
    let (did, gen_own) = done(new, &asked);
    assert_eq!((did[0], gen_own), ("row", 0));
}

#[test]
fn another_installation_ends_the_one_before_it() {
    let lost = Admission {
        lost_install: Some(phone(2).install),
        raise_generation: Some(9),
        ..admission()
    };
    let new = Device {
        gen_seen: 0,
        ..device()
    };
    let (did, gen_own) = done(new, &lost);
    assert_eq!(did, ["lost", "row", "sims", "exposures"]);
    assert_eq!(gen_own, 9);
}

#[test]
fn numbers_that_no_freeze_expects_show_that_the_hub_went_backwards() {
    let ahead = Admission {
        raise_generation: Some(4),
        ..admission()
    };
    assert_eq!(done(device(), &ahead).0[0], "went backwards");
    let frozen = Device {
        frozen: true,
        ..device()
    };
    assert_eq!(done(frozen, &ahead).0[0], "row");
}
