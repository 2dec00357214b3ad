//! Which hello is admitted, and how every other one is answered.

use super::*;

#[test]
fn a_fitting_hello_is_admitted_and_fences_off_older_connections() {
    let admission = admitted(&hello(), &link(), AROUND);
    assert_eq!((admission.link.conn, admission.link.down_acked), (5, 10));
    assert_eq!(admission.never_received_above, Some(10));
    assert!(admission.resumes);
    assert_eq!(admission.reconcile, None);
    assert!(admission.link.admits(5) && !admission.link.admits(4));
}

#[test]
fn a_conn_that_is_not_above_the_highest_is_a_copied_journal() {
    for conn in [0, 3, 4] {
        let hello = Hello { conn, ..hello() };
        let decision = decide(&hello, &link(), AROUND);
        assert_eq!(decision, Decision::WentBack);
        assert_eq!(decision.close_code(), Some(CloseCode::JournalWentBack));
    }
}

#[test]
fn a_lower_conn_on_an_older_socket_was_only_overtaken() {
    let around = Circumstances {
        overtaken: true,
        ..AROUND
    };
    let late = Hello { conn: 3, ..hello() };
    let replaced = Decision::Refuse(CloseCode::Replaced);
    assert_eq!(decide(&late, &link(), around), replaced);
    let same = Hello { conn: 4, ..hello() };
    assert_eq!(decide(&same, &link(), around), Decision::WentBack);
}

#[test]
fn counters_below_what_the_hub_has_are_a_journal_that_went_back() {
    let down = Hello { down: 8, ..hello() };
    assert_eq!(decide(&down, &link(), AROUND), Decision::WentBack);
    let facts = Hello {
        up_lo: 19,
        up_hi: 19,
        ..hello()
    };
    assert_eq!(decide(&facts, &link(), AROUND), Decision::WentBack);
}

#[test]
fn an_earlier_generation_than_the_phone_acked_in_is_a_journal_that_went_back() {
    let earlier = Hello {
        generation: 2,
        ..hello()
    };
    assert_eq!(decide(&earlier, &link(), AROUND), Decision::WentBack);
    for (down_acked, up, is_back) in [(1, 0, true), (0, 1, true), (0, 0, false)] {
        let link = DeviceLink {
            down_acked,
            up,
            ..link()
        };
        let decision = decide(&earlier, &link, AROUND);
        assert_eq!(decision == Decision::WentBack, is_back, "{down_acked} {up}");
    }
}

#[test]
fn an_installation_whose_place_was_taken_is_an_older_journal_whatever_it_shows() {
    let around = Circumstances {
        install_is_lost: true,
        ..AROUND
    };
    let empty = Hello {
        install: install(2),
        conn: 1,
        down: 0,
        up_lo: 1,
        up_hi: 0,
        ..hello()
    };
    assert!(admitted(&empty, &link(), AROUND).lost_install.is_some());
    assert_eq!(decide(&empty, &link(), around), Decision::WentBack);
    let paired_again = DeviceLink::new(install(2));
    assert_eq!(decide(&empty, &paired_again, around), Decision::WentBack);
}

#[test]
fn counters_above_what_the_hub_has_are_a_hub_that_went_backwards() {
    let down = Hello {
        down: 13,
        ..hello()
    };
    let facts = Hello {
        up_lo: 22,
        ..hello()
    };
    for hello in [down, facts] {
        let admission = admitted(&hello, &link(), AROUND);
        assert_eq!(admission.raise_generation, Some(4));
        assert_eq!(
            admission.reconcile,
            Some(Reconcile {
                generation: 4,
                down_sent: 12,
                up: 20
            })
        );
        assert!(!admission.resumes, "the numbers start over");
    }
}

#[test]
fn a_restore_that_raised_the_generation_reconciles_once() {
    let around = Circumstances {
        generation: 4,
        ..AROUND
    };
    let ahead = Hello {
        down: 13,
        ..hello()
    };
    for hello in [hello(), ahead] {
        let admission = admitted(&hello, &link(), around);
        assert_eq!(admission.raise_generation, None);
        assert_eq!(admission.reconcile.map(|r| r.generation), Some(4));
        assert_eq!(admission.never_received_above, Some(hello.down));
    }
}

#[test]
fn a_phone_of_a_later_generation_proves_that_the_hub_went_backwards() {
    let later = Hello {
        generation: 5,
        down: 0,
        ..hello()
    };
    let admission = admitted(&later, &link(), AROUND);
    assert_eq!(admission.raise_generation, Some(6));
    assert_eq!(
        admission.never_received_above, None,
        "nothing is comparable"
    );
    let again = Reconcile {
        generation: 6,
        down_sent: 0,
        up: 0,
    };
    assert_eq!(admission.reconcile, Some(again));
}

#[test]
fn a_phone_that_missed_the_welcome_reconciles_again_and_resumes() {
    let fresh = DeviceLink {
        down_sent: 2,
        down_acked: 0,
        up: 0,
        ..link()
    };
    let behind = Hello {
        generation: 2,
        ..hello()
    };
    let admission = admitted(&behind, &fresh, AROUND);
    assert_eq!(admission.raise_generation, None);
    assert_eq!(admission.never_received_above, Some(0));
    assert!(admission.resumes);
    let after = admission::reconciled(admission.link.clone(), 3);
    assert_eq!(after, admission.link, "the counters started over already");
}

#[test]
fn a_new_install_is_another_peer_and_the_old_one_is_lost() {
    let fresh = Hello {
        install: install(2),
        conn: 1,
        down: 0,
        up_lo: 1,
        up_hi: 2,
        ..hello()
    };
    let admission = admitted(&fresh, &link(), AROUND);
    assert_eq!(admission.lost_install, Some(install(1)));
    assert_eq!(admission.link.install, install(2));
    assert_eq!((admission.link.conn, admission.link.up), (1, 0));
    assert_eq!(admission.reconcile, None);
    let old = Hello { down: 1, ..fresh };
    assert_eq!(decide(&old, &link(), AROUND), Decision::WentBack);
}

#[test]
fn only_a_common_version_is_spoken() {
    for (v, spoken) in [
        ((1, 1), true),
        ((0, 7), true),
        ((2, 3), false),
        ((0, 0), false),
    ] {
        let decision = decide(&Hello { v, ..hello() }, &link(), AROUND);
        let refused = decision == Decision::Refuse(CloseCode::VersionNotSpoken);
        assert_eq!(refused, !spoken, "{v:?}");
    }
}

#[test]
fn impossible_bounds_of_facts_are_a_protocol_error() {
    for (up_lo, up_hi) in [(0, 22), (24, 22)] {
        let hello = Hello {
            up_lo,
            up_hi,
            ..hello()
        };
        let refused = Decision::Refuse(CloseCode::ProtocolError);
        assert_eq!(decide(&hello, &link(), AROUND), refused);
    }
}

#[test]
fn a_device_with_a_generation_of_its_own_agrees_on_it_with_a_hub_whose_generation_is_lower() {
    let around = Circumstances {
        generation: 1,
        own_generation: 3,
        ..AROUND
    };
    let admission = admitted(&hello(), &link(), around);
    assert_eq!(
        (admission.reconcile, admission.raise_generation),
        (None, None)
    );
    assert_eq!(admission.link.generation, 3);
    let asked = Circumstances {
        own_generation: 4,
        ..around
    };
    let admission = admitted(&hello(), &link(), asked);
    assert_eq!(admission.raise_generation, None);
    assert_eq!(admission.reconcile.map(|it| it.generation), Some(4));
}

#[test]
fn a_phone_that_never_was_here_takes_the_hubs_generation_whatever_its_devices_own_is() {
    let around = Circumstances {
        own_generation: 9,
        ..AROUND
    };
    let new = Hello {
        down: 0,
        up_lo: 1,
        up_hi: 0,
        ..hello()
    };
    let admission = admitted(&new, &DeviceLink::new(install(1)), around);
    assert_eq!(admission.reconcile, None);
    assert_eq!(admission.link.generation, 3);
    assert!(admission.resumes);
}
