//! Phones are made and changed by requests and by the operator, under the same rules.

use crate::failure::NotDone;
use crate::phones::{
    AccountPatch, NewPhone, PhonePatch, PhoneRefused, QuietPatch, WaitsPatch, add_test_phone,
    confirm_sim, create, release_by_operator, release_quiet_hours, set_window,
};
use crate::stored_caps::Cap;
use crate::testing::{Office, wait};
use hub_domain::{Permission, Phone, PhoneType, QuietMode, Zone};
use hub_store::phones;
use hub_view::RefusalCode;
use postrider_model::{Id, Key, UnixMs};

fn phone() -> Phone {
    let (id, project) = (Key::new(3).unwrap(), Key::new(1).unwrap());
    let (id, project) = (Id::new(id), Id::new(project));
    Phone::new(id, project, "Front desk", PhoneType::Android, UnixMs(0))
}

fn limited(limit: Option<u32>) -> PhonePatch {
    PhonePatch {
        sent_message_limit: Some(limit),
        ..PhonePatch::default()
    }
}

#[test]
fn a_limit_pauses_when_reached_and_lets_go_when_raised() {
    let mut phone = phone();
    phone.count_sent(5);
    limited(Some(5)).apply(&mut phone).unwrap();
    assert!(phone.send_paused && phone.auto_paused);
    limited(None).apply(&mut phone).unwrap();
    assert!(!phone.send_paused && phone.sent_message_limit.is_none());
}

#[test]
fn a_persons_pause_outlives_a_limit() {
    let mut phone = phone();
    let paused = PhonePatch {
        send_paused: Some(true),
        ..PhonePatch::default()
    };
    for patch in [paused, limited(Some(5)), limited(None)] {
        patch.apply(&mut phone).unwrap();
    }
    assert!(phone.send_paused);
}

#[test]
fn a_night_is_set_and_taken_away() {
    let mut phone = phone();
    let night = QuietPatch {
        mode: Some(QuietMode::Delay),
        start: Some("22:00".parse().ok()),
        end: Some("07:30".parse().ok()),
        zone: Some(Zone::find("africa/nairobi")),
    };
    night.apply(&mut phone).unwrap();
    assert_eq!(phone.quiet_mode, QuietMode::Delay);
    assert_eq!(phone.quiet_start.as_deref(), Some("22:00"));
    assert_eq!(phone.timezone_id.as_deref(), Some("Africa/Nairobi"));
    phone.quiet_released_until = Some(UnixMs(1));
    QuietPatch::default().apply(&mut phone).unwrap();
    assert!(phone.quiet_released_until.is_some());
    let off = QuietPatch {
        mode: Some(QuietMode::Off),
        start: Some(None),
        end: None,
        zone: Some(None),
    };
    off.apply(&mut phone).unwrap();
    assert_eq!((phone.quiet_start, phone.timezone_id), (None, None));
    assert_eq!(phone.quiet_end.as_deref(), Some("07:30"));
    assert_eq!(phone.quiet_released_until, None);
}

#[test]
fn settings_that_cannot_be_are_refused_by_name() {
    let quiet = |mode, start: &str, end: &str| PhonePatch {
        quiet: QuietPatch {
            mode: Some(mode),
            start: Some(start.parse().ok()),
            end: Some(end.parse().ok()),
            zone: None,
        },
        ..PhonePatch::default()
    };
    let foreign = PhonePatch {
        account: AccountPatch {
            id: Some(Some("a".to_owned())),
            ..AccountPatch::default()
        },
        ..PhonePatch::default()
    };
    let late = PhonePatch {
        waits: WaitsPatch {
            silent_after: Some(Some(600)),
            unknown_after: Some(Some(300)),
            report_window: None,
        },
        ..PhonePatch::default()
    };
    for (patch, named) in [
        (quiet(QuietMode::Delay, "", ""), "quiet_start"),
        (quiet(QuietMode::Delay, "22:00", ""), "quiet_end"),
        (quiet(QuietMode::Confirm, "22:00", "22:00"), "quiet_end"),
        (foreign, "external_id"),
        (late, "silent_after"),
    ] {
        let refused = patch.apply(&mut phone()).unwrap_err();
        assert!(
            matches!(refused, PhoneRefused::Setting { param, .. } if param == named),
            "{refused}"
        );
    }
}

#[test]
fn a_full_project_takes_no_test_phone_of_the_operator_and_none_of_a_request() {
    let office = Office::new();
    let project = office.project.id;
    office.rows(|work| Cap::Phones.put(work.tx, Some(1)));
    let add = || office.operate(move |work| add_test_phone(work, project, "Test", None));
    add().unwrap();
    assert!(matches!(
        add(),
        Err(NotDone::Refused(PhoneRefused::Full(_)))
    ));
    let command = NewPhone {
        phone_type: PhoneType::Simulated,
        name: "Test".to_owned(),
        country: None,
        settings: PhonePatch::default(),
    };
    let actor = office.actor(office.holder(&[Permission::EditRoutes]));
    let made = wait(create(&actor, command));
    let refusal = made.map(drop).unwrap_err().into_refusal();
    assert_eq!(refusal.code(), RefusalCode::InvalidParam);
    assert_eq!(refusal.param(), Some("phone_type"));
}

#[test]
fn the_operators_words_for_a_phone_are_stored_once_and_written_down_once() {
    let office = Office::new();
    let project = office.project.id;
    let added = office.operate(move |work| add_test_phone(work, project, "Test", None));
    let id = added.unwrap().id;
    office.rows(move |work| {
        let mut phone = phones::by_key(work.tx, id)?.unwrap();
        phone.sim_changed = true;
        phones::update(work.tx, &phone).map(drop)
    });
    for _ in 0..2 {
        let confirmed = office.operate(move |work| confirm_sim(work, id)).unwrap();
        assert!(!confirmed.sim_changed);
        let set = office.operate(move |work| set_window(work, id, 9)).unwrap();
        assert_eq!(set.window_size, Some(9));
    }
    let log = office.log();
    let actions: Vec<_> = log.iter().map(|(_, action)| action.as_str()).collect();
    assert_eq!(
        actions[..3],
        ["phone.set", "phone.confirm_sim", "phone.add_test"]
    );
}

#[test]
fn quiet_hours_that_wait_for_nobodys_word_are_not_released() {
    let office = Office::new();
    let project = office.project.id;
    let added = office.operate(move |work| add_test_phone(work, project, "Test", None));
    let id = added.unwrap().id;
    let refused = office.operate(move |work| release_by_operator(work, id));
    assert!(matches!(
        refused,
        Err(NotDone::Refused(PhoneRefused::NotConfirm))
    ));
    let actor = office.actor(office.holder(&[Permission::EditRoutes]));
    let asked = wait(release_quiet_hours(&actor, id));
    let refusal = asked.unwrap_err().into_refusal();
    assert_eq!(refusal.param(), Some("quiet_mode"));
}
