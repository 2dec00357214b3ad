//! Pairing through its steps, on a real database, with the clock in the caller's hand.

use crate::actor::Who;
use crate::data_folder;
use crate::digest::sha256;
use crate::failure::NotDone;
use crate::hub::Hub;
use crate::hub_work::HubWork;
use crate::organizations;
use crate::pairing::claim::{Circumstances, Claim, WRONG_TRIES_MAX, claim};
use crate::pairing::code::{GivenCode, NewCode};
use crate::pairing::confirm::{ConfirmRefused, Joined, confirm, refuse};
use crate::pairing::open::{self, CODE_LIFE_MS, KEPT_MS, OpenRefused, Purpose};
use crate::pairing::request::{
    DeviceDescription, KeyAlgorithm, OpenRequest, PairRequest, SimDescription, Step,
};
use crate::projects::{self, NewProject, ProjectPatch};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hub_domain::{Device, DeviceState, Pairing, PairingState, Phone, Project};
use hub_store::{StoreError, audit, devices, pairings, phones, projects as rows};
use postrider_link::frame::InstallId;
use postrider_link::pairing::{Number, PhoneSide};
use postrider_model::{DeviceId, Now, Secret, SimSlot};
use tempfile::TempDir;

const ED25519: [u8; 32] = [7; 32];
const FIRST: &str = "install-0000-0001";

struct World {
    hub: Hub,
    project: Project,
    now: Now,
    _folder: TempDir,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = data_folder::open(folder.path(), 0).unwrap();
        let names = vec!["hub.example".to_owned()];
        let url = "https://hub.example".to_owned();
        let hub = Hub::new(data_folder::parts(store, url, names).unwrap());
        let now = hub.now();
        let maker = hub.clone();
        let made = hub.store.write_blocking(move |tx| {
            let mut work = HubWork::new(&maker, tx, Who::Operator, now);
            let organization = organizations::create(&mut work, "Clinic")?;
            let command = NewProject {
                organization_id: organization.id,
                name: "Reminders".to_owned(),
                settings: ProjectPatch {
                    country: Some(Some("KE".to_owned())),
                    ..ProjectPatch::default()
                },
            };
            projects::make(&mut work, &command)
        });
        let project = made.unwrap();
        Self {
            hub,
            project,
            now,
            _folder: folder,
        }
    }

    fn write<T: Send + 'static, E: From<StoreError> + Send + 'static>(
        &self,
        mut job: impl FnMut(&mut HubWork<'_, '_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E> {
        let (hub, now) = (self.hub.clone(), self.now);
        let store = &self.hub.store;
        store.write_blocking(move |tx| job(&mut HubWork::new(&hub, tx, Who::Operator, now)))
    }

    fn done<T: Send + 'static>(
        &self,
        job: impl FnMut(&mut HubWork<'_, '_>) -> Result<T, StoreError> + Send + 'static,
    ) -> T {
        self.write(job).unwrap()
    }

    fn pass(&mut self, ms: i64) {
        self.now = self.now.plus_ms(ms.unsigned_abs());
    }

    fn open(&self, purpose: Purpose) -> (Pairing, NewCode) {
        let opened = self.write(move |work| open::open(work, &purpose, ""));
        opened.unwrap()
    }

    fn join(&self) -> (Pairing, NewCode) {
        self.open(Purpose::Join(self.project.id))
    }

    /// Sends one request of a phone.
    fn send(&self, request: &PairRequest) -> Claim {
        let request = request.clone();
        let with = Circumstances {
            fresh: Number(self.hub.random.bytes()),
            is_link_plain: false,
            now: self.now.unix,
        };
        self.done(move |work| {
            let given = GivenCode::read(request.code.as_str()).unwrap();
            claim(work.tx, &given, &request, with)
        })
    }

    /// Sends both requests of a phone, the second one if the first was taken.
    fn claim(&self, opening: &PairRequest) -> Claim {
        match self.send(&commit_of(opening)) {
            Claim::Committed { .. } => self.send(opening),
            refused => refused,
        }
    }

    fn confirm(&self, pairing: &Pairing) -> Result<Joined, ConfirmRefused> {
        let id = pairing.id;
        match self.write(move |work| confirm(work, id)) {
            Ok(joined) => Ok(joined),
            Err(NotDone::Refused(reason)) => Err(reason),
            Err(NotDone::Store(error)) => panic!("{error}"),
        }
    }

    fn joined(&self, purpose: Purpose, install: &str) -> Joined {
        let (pairing, code) = self.open(purpose);
        let request = changed(&code.full(), |open| open.install = installed(install));
        assert!(matches!(self.claim(&request), Claim::Pending { .. }));
        self.confirm(&pairing).unwrap()
    }

    fn device(&self, id: DeviceId) -> Device {
        self.done(move |work| devices::get(work.tx, id)).unwrap()
    }

    fn phones(&self, id: DeviceId) -> Vec<Phone> {
        self.done(move |work| phones::of_device(work.tx, id))
    }

    fn pairing(&self, pairing: &Pairing) -> Pairing {
        let id = pairing.id;
        self.done(move |work| pairings::get(work.tx, id)).unwrap()
    }
}

/// The first request of a phone, from its second.
fn commit_of(opening: &PairRequest) -> PairRequest {
    let Step::Open(open) = &opening.step else {
        panic!("not an opening");
    };
    let commitment = open.joiner(&opening.code).commitment(&open.number, sha256);
    PairRequest {
        step: Step::Commit(commitment),
        ..opening.clone()
    }
}

fn installed(install: &str) -> InstallId {
    install.parse().unwrap()
}

/// The second request of a phone, with the code as it was given.
fn request(code: &str) -> PairRequest {
    let sim = |slot, number: Option<&str>| SimDescription {
        slot: SimSlot::new(slot).unwrap(),
        number: number.map(Secret::new),
        carrier: None,
        mccmnc: number.map(|_| "310260".to_owned()),
        country: number.map(|_| "us".to_owned()),
    };
    let opening = OpenRequest {
        number: Number([5; 32]),
        public_key: ED25519.to_vec(),
        key_algorithm: KeyAlgorithm::Ed25519,
        install: installed(FIRST),
        device: DeviceDescription {
            name: "Desk".to_owned(),
            manufacturer: "Maker".to_owned(),
            model: "M1".to_owned(),
            app_version: "1.0".to_owned(),
            android_sdk: Some(34),
            sims: vec![sim(0, Some("+15005550101")), sim(1, None)],
        },
    };
    PairRequest {
        code: Secret::new(code),
        is_over_https: true,
        step: Step::Open(Box::new(opening)),
    }
}

/// As [`request`], of a phone that differs.
fn changed(code: &str, change: impl FnOnce(&mut OpenRequest)) -> PairRequest {
    let mut request = request(code);
    if let Step::Open(opening) = &mut request.step {
        change(opening);
    }
    request
}

fn with(code: &NewCode) -> PairRequest {
    request(&code.typed())
}

#[test]
fn a_device_joins_with_its_key_and_one_phone_for_each_slot() {
    let world = World::new();
    let joined = world.joined(Purpose::Join(world.project.id), "install-0000-0001");
    let device = world.device(joined.device.id);
    assert_eq!((&*device.name, device.state), ("Desk", DeviceState::Active));
    assert_eq!(device.public_key, STANDARD.encode(ED25519));
    assert_eq!(
        (&*device.key_algorithm, &*device.install),
        ("ed25519", "install-0000-0001")
    );
    let phones = world.phones(device.id);
    let names: Vec<_> = phones.iter().map(|phone| phone.name.as_str()).collect();
    assert_eq!(names, ["Desk", "Desk (SIM 2)"]);
    assert_eq!(phones[0].country.as_deref(), Some("US"), "the SIM's own");
    assert_eq!(phones[1].country.as_deref(), Some("KE"), "the project's");
    assert_eq!(phones[0].mccmnc.as_deref(), Some("310260"));
    assert_eq!(
        (phones[0].android_sdk, phones[0].model.as_deref()),
        (Some(34), Some("M1"))
    );

    let id = world.project.id;
    let project = world.done(move |work| rows::get(work.tx, id)).unwrap();
    assert_eq!(project.default_route_id, Some(phones[0].id.into()));
    let organization = world.project.organization_id;
    let lines = world.done(move |work| audit::latest(work.tx, organization, 10));
    let actions: Vec<_> = lines.iter().map(|line| line.action.as_str()).collect();
    assert_eq!(actions[..2], ["device.pair", "pairing.open"]);

    world.joined(Purpose::Join(world.project.id), "install-0000-0002");
    let project = world.done(move |work| rows::get(work.tx, id)).unwrap();
    assert_eq!(
        project.default_route_id,
        Some(phones[0].id.into()),
        "the first one stays"
    );
}

#[test]
fn a_code_is_one_phones_only() {
    let world = World::new();
    let (pairing, code) = world.join();
    assert!(matches!(world.claim(&with(&code)), Claim::Pending { .. }));
    let full = code.full();
    let others = [
        changed(&full, |open| open.install = installed("install-0000-0009")),
        changed(&full, |open| open.public_key = vec![8; 32]),
    ];
    for other in &others {
        assert_eq!(world.claim(other), Claim::UsedUp);
    }
    world.confirm(&pairing).unwrap();
    for other in others {
        assert_eq!(world.claim(&other), Claim::UsedUp);
    }
    assert!(matches!(world.claim(&with(&code)), Claim::Confirmed(_)));
}

#[test]
fn phone_and_hub_come_to_the_same_digits_and_repeats_get_the_same_answers() {
    let world = World::new();
    let (pairing, code) = world.join();
    let opening = with(&code);
    let Step::Open(open) = &opening.step else {
        panic!("not an opening");
    };
    let side = PhoneSide::new(&open.joiner(&opening.code), open.number, sha256);
    let first = world.send(&commit_of(&opening));
    let Claim::Committed { number } = first else {
        panic!("the code is good: {first:?}");
    };
    assert_eq!(world.send(&commit_of(&opening)), first);
    assert_eq!(world.pairing(&pairing).public_key, None);
    assert_eq!(
        world.confirm(&pairing).unwrap_err(),
        ConfirmRefused::NotClaimed
    );
    let told = side.told(&open.joiner(&opening.code), &number, sha256);
    let pending = Claim::Pending {
        digits: told.digits,
    };
    for _ in 0..2 {
        assert_eq!(world.send(&opening), pending);
        assert_eq!(world.send(&commit_of(&opening)), first);
    }
}

#[test]
fn two_codes_have_two_numbers_of_the_hub() {
    let world = World::new();
    let told = [(); 2].map(|()| world.send(&commit_of(&with(&world.join().1))));
    assert_ne!(told[0], told[1]);
}

#[test]
fn a_second_commitment_for_a_code_is_refused_and_costs_the_first_one_nothing() {
    let world = World::new();
    let (pairing, code) = world.join();
    let opening = with(&code);
    let other = changed(&code.full(), |open| open.number = Number([6; 32]));
    world.send(&commit_of(&opening));
    assert_eq!(world.send(&commit_of(&other)), Claim::UsedUp);
    assert!(matches!(world.send(&opening), Claim::Pending { .. }));
    assert_eq!(world.send(&commit_of(&other)), Claim::UsedUp);
    assert_eq!(world.send(&other), Claim::UsedUp);
    assert!(world.confirm(&pairing).is_ok());
}

#[test]
fn an_opening_that_does_not_fit_ends_the_code() {
    let changes: [fn(&mut OpenRequest); 3] = [
        |open| open.number = Number([6; 32]),
        |open| open.public_key = vec![8; 32],
        |open| open.install = installed("install-0000-0009"),
    ];
    for change in changes {
        let world = World::new();
        let (pairing, code) = world.join();
        let opening = with(&code);
        assert!(matches!(
            world.send(&commit_of(&opening)),
            Claim::Committed { .. }
        ));
        assert_eq!(world.send(&changed(&code.full(), change)), Claim::UsedUp);
        assert_eq!(world.pairing(&pairing).state, PairingState::Ended);
        assert_eq!(world.claim(&opening), Claim::UsedUp);
        assert_eq!(world.confirm(&pairing).unwrap_err(), ConfirmRefused::Ended);
    }
}

#[test]
fn an_opening_without_a_commitment_is_refused() {
    let world = World::new();
    let (_, code) = world.join();
    assert_eq!(world.send(&with(&code)), Claim::UsedUp);
    assert!(matches!(world.claim(&with(&code)), Claim::Pending { .. }));
}

#[test]
fn five_wrong_tries_end_a_code() {
    let world = World::new();
    let (pairing, code) = world.join();
    let wrong = request(&format!("{}-0000-0000", code.name));
    for tries in 1..WRONG_TRIES_MAX {
        assert_eq!(world.claim(&wrong), Claim::Wrong);
        assert_eq!(world.pairing(&pairing).wrong_tries, tries);
    }
    let (_, spare) = world.join();
    assert_eq!(world.claim(&wrong), Claim::Wrong);
    assert_eq!(world.pairing(&pairing).state, PairingState::Ended);
    assert_eq!(world.claim(&with(&code)), Claim::UsedUp);
    assert_eq!(world.confirm(&pairing).unwrap_err(), ConfirmRefused::Ended);
    assert!(
        matches!(world.claim(&with(&spare)), Claim::Pending { .. }),
        "others go on"
    );
}

#[test]
fn wrong_tries_do_not_end_a_code_that_a_phone_has_used() {
    let world = World::new();
    let (pairing, code) = world.join();
    world.claim(&with(&code));
    let wrong = request(&format!("{}-0000-0000", code.name));
    for _ in 0..=WRONG_TRIES_MAX {
        assert_eq!(world.claim(&wrong), Claim::Wrong);
    }
    assert!(world.confirm(&pairing).is_ok());
}

#[test]
fn a_code_runs_out_for_phone_and_operator() {
    let mut world = World::new();
    let (unused, late) = world.join();
    let (claimed, in_time) = world.join();
    world.claim(&with(&in_time));
    let (confirmed, told) = world.join();
    world.claim(&changed(&told.typed(), |open| {
        open.install = installed("install-0000-0003");
    }));
    world.confirm(&confirmed).unwrap();

    world.pass(CODE_LIFE_MS);
    assert_eq!(world.claim(&with(&late)), Claim::Expired);
    assert_eq!(world.claim(&with(&in_time)), Claim::Expired);
    assert_eq!(
        world.confirm(&claimed).unwrap_err(),
        ConfirmRefused::Expired
    );
    assert_eq!(
        world.confirm(&unused).unwrap_err(),
        ConfirmRefused::NotClaimed
    );
    let repeat = changed(&told.typed(), |open| {
        open.install = installed("install-0000-0003");
    });
    assert!(
        matches!(world.claim(&repeat), Claim::Confirmed(_)),
        "a lost answer is given again"
    );

    world.pass(KEPT_MS);
    world.join();
    assert_eq!(
        world.claim(&with(&late)),
        Claim::Wrong,
        "nothing is known of it any more"
    );
}

#[test]
fn a_refused_pairing_stays_refused() {
    let world = World::new();
    let (pairing, code) = world.join();
    world.claim(&with(&code));
    let id = pairing.id;
    assert!(world.done(move |work| refuse(work.tx, id)));
    assert!(!world.done(move |work| refuse(work.tx, id)));
    assert_eq!(world.claim(&with(&code)), Claim::UsedUp);
    assert_eq!(world.confirm(&pairing).unwrap_err(), ConfirmRefused::Ended);
    assert!(world.done(|work| devices::all(work.tx)).is_empty());
}

#[test]
fn a_replacement_keeps_the_phones_and_begins_its_counters_anew() {
    let world = World::new();
    let first = world.joined(Purpose::Join(world.project.id), "install-0000-0001");
    let id = first.device.id;
    world.done(move |work| {
        let mut device = devices::get(work.tx, id)?.unwrap();
        (device.conn, device.down_sent, device.down_acked, device.up) = (9, 8, 7, 6);
        device.gen_seen = 1;
        device.state = DeviceState::NeedsPairing;
        devices::update(work.tx, &device)
    });
    let second = world.joined(Purpose::Replace(id), "install-0000-0002");
    assert_eq!(second.device.id, id);
    let ids = |joined: &Joined| joined.phones.iter().map(|it| it.id).collect::<Vec<_>>();
    assert_eq!(ids(&second), ids(&first));
    let device = world.device(id);
    assert_eq!(
        (&*device.install, device.state),
        ("install-0000-0002", DeviceState::Active)
    );
    let counters = (
        device.conn,
        device.gen_seen,
        device.down_sent,
        device.down_acked,
        device.up,
    );
    assert_eq!(counters, (0, 0, 0, 0, 0));
}

#[test]
fn the_same_installation_that_pairs_again_keeps_its_counters() {
    let world = World::new();
    let id = world
        .joined(Purpose::Join(world.project.id), "install-0000-0001")
        .device
        .id;
    world.done(move |work| {
        let mut device = devices::get(work.tx, id)?.unwrap();
        (device.conn, device.down_sent, device.up) = (9, 8, 6);
        devices::update(work.tx, &device)
    });
    world.joined(Purpose::Replace(id), "install-0000-0001");
    let device = world.device(id);
    assert_eq!((device.conn, device.down_sent, device.up), (9, 8, 6));
}

#[test]
fn a_code_for_nothing_is_not_drawn() {
    let world = World::new();
    let nobody = "DV0000000000000001".parse().unwrap();
    let opened = world.write(move |work| open::open(work, &Purpose::Replace(nobody), ""));
    let refused = opened.map(drop);
    assert!(matches!(
        refused,
        Err(NotDone::Refused(OpenRefused::NoSuchDevice))
    ));
}

#[test]
fn a_number_that_is_none_keeps_no_phone_from_joining() {
    let world = World::new();
    let (pairing, code) = world.join();
    let nameless = |open: &mut OpenRequest| {
        open.device.name.clear();
        open.device.sims.truncate(1);
        open.device.sims[0].number = Some(Secret::new("????"));
    };
    world.claim(&changed(&code.full(), nameless));
    let joined = world.confirm(&pairing).unwrap();
    assert_eq!(joined.device.name, "Phone");
    assert_eq!(joined.phones[0].phone_number, None);
}
