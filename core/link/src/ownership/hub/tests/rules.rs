//! R0 to R4, the ways into and out of unknown, and the rows of the crash table.

use super::*;

#[test]
fn a_new_message_may_be_exposed() {
    let mut message = Message::new();
    assert!(message.row.can_expose(true));
    let outcome = message.expose(1, 5);
    assert_eq!(outcome, Outcome::default(), "still queued: nothing to tell");
    assert_eq!(message.state(), HubState::Exposed);
    assert_eq!((message.row.ep, message.row.s), (1, Some(5)));
    assert_eq!(message.row.holder, Some(phone(1)));
    assert_eq!(message.row.send_attempts, 1);
}

#[test]
fn an_exposed_message_is_not_exposed_again() {
    let states = [
        WireState::OnPhone,
        WireState::Retrying,
        WireState::Submitting,
        WireState::Unknown,
        WireState::Sent,
        WireState::Failed,
        WireState::NotDelivered,
        WireState::Delivered,
        WireState::Cancelled,
        WireState::Expired,
    ];
    for state in states {
        let mut message = Message::at(state);
        let holder = phone(2);
        let fact = Fact::Exposed { holder, s: 1 };
        assert_eq!(message.refuses(fact), Refused::NotExposable, "{state}");
    }
}

#[test]
fn a_message_whose_life_is_over_is_not_exposed() {
    let mut message = Message::new();
    message.rules.life_left = false;
    let holder = phone(1);
    let fact = Fact::Exposed { holder, s: 1 };
    assert_eq!(message.refuses(fact), Refused::NotExposable);
}

#[test]
fn no_timer_frees_an_exposed_message() {
    let mut message = Message::exposed();
    for ago_ms in [0, 59_999] {
        assert_eq!(message.life_ended(ago_ms), Outcome::default());
        assert_eq!(message.state(), HubState::Exposed);
    }
    let outcome = message.life_ended(60_000);
    assert_eq!(shown(&outcome), Some(UNKNOWN));
    assert!(!outcome.requeued && !message.row.can_expose(true));
}

#[test]
fn r1_a_revoked_exposure_frees_the_message() {
    let mut message = Message::at(WireState::OnPhone);
    let outcome = message.reports(WireState::Revoked);
    assert!(outcome.requeued);
    assert_eq!(outcome.publish, None, "it was queued and is queued");
    assert_eq!(message.state(), HubState::Waiting);
    assert_eq!(message.row.s, None);
}

#[test]
fn r2_an_exposure_that_hello_shows_as_never_received_frees_the_message() {
    let mut message = Message::exposed();
    assert!(message.hello_without_it(1, 4).requeued);
    assert_eq!(message.state(), HubState::Waiting);
}

#[test]
fn r2_needs_the_same_install_and_a_place_above_down() {
    let mut message = Message::exposed();
    let by = &reinstalled(1);
    let fact = Fact::NeverReceived { by, down: 4 };
    assert_eq!(message.refuses(fact), Refused::NotHolder);
    let by = &phone(1);
    let fact = Fact::NeverReceived { by, down: 5 };
    assert_eq!(message.refuses(fact), Refused::NotHolder);
    message.apply(Fact::Renumbered);
    let fact = Fact::NeverReceived { by, down: 4 };
    assert_eq!(message.refuses(fact), Refused::NotHolder);
}

#[test]
fn a_phone_that_denies_what_it_reported_leaves_the_outcome_unknown() {
    let mut message = Message::at(WireState::Submitting);
    let outcome = message.hello_without_it(1, 4);
    assert_eq!(shown(&outcome), Some(UNKNOWN));
}

#[test]
fn r3_a_proven_failure_frees_the_message_for_another_phone() {
    let mut message = Message::at(WireState::Submitting);
    message.rules.other_route = true;
    assert!(message.says(1, PROVEN).requeued);
    let outcome = message.expose(2, 1);
    assert_eq!(outcome.replaced, Some((1, phone(1))));
    assert_eq!((message.row.ep, message.row.send_attempts), (2, 2));
}

#[test]
fn r3_without_another_phone_is_a_failure() {
    let mut message = Message::at(WireState::Submitting);
    let failed = (MessageStatus::Failed, Some(ErrorCode::FromEvent));
    assert_eq!(shown(&message.says(1, PROVEN)), Some(failed));
}

#[test]
fn an_ambiguous_or_partial_failure_is_final() {
    for report in [plain(WireState::Failed), PARTIAL] {
        let mut message = Message::at(WireState::Submitting);
        message.rules.other_route = true;
        let outcome = message.says(1, report);
        assert!(!outcome.requeued);
        assert_eq!(message.state(), HubState::Failed);
        let error = shown(&outcome).and_then(|(_, error)| error);
        let partial = error == Some(ErrorCode::Partial);
        assert_eq!(partial, report.partial);
    }
    let mut message = Message::at(WireState::Submitting);
    message.rules.other_route = true;
    let both = Report {
        partial: true,
        ..PROVEN
    };
    assert!(!message.says(1, both).requeued, "partial disproves unsent");
}

#[test]
fn retrying_is_not_r3() {
    let mut message = Message::exposed();
    message.rules.other_route = true;
    let outcome = message.reports(WireState::Retrying);
    assert!(!outcome.requeued);
    assert_eq!(shown(&outcome), Some((MessageStatus::FailedQueued, None)));
}

#[test]
fn r4_an_unknown_outcome_is_sent_again_once_if_the_sender_chose_that() {
    let mut message = Message::exposed();
    message.rules.on_unknown = OnUnknown::Resend;
    let outcome = message.reports(WireState::Unknown);
    assert!(outcome.requeued);
    assert_eq!(outcome.publish, None);
    message.expose(2, 1);
    let outcome = message.says(2, plain(WireState::Unknown));
    assert!(!outcome.requeued);
    assert_eq!(shown(&outcome), Some(UNKNOWN));
}

#[test]
fn r4_needs_life_and_no_cancel() {
    for broken in [0, 1, 2] {
        let mut message = Message::exposed();
        message.rules.on_unknown = OnUnknown::Resend;
        match broken {
            0 => message.rules.life_left = false,
            1 => drop(message.apply(Fact::CancelAsked)),
            _ => drop(message.apply(Fact::DeleteAsked)),
        }
        let outcome = message.reports(WireState::Unknown);
        assert!(!outcome.requeued, "{broken}");
        assert_eq!(message.state(), HubState::Unknown);
    }
}

#[test]
fn a_lost_holder_makes_the_outcome_unknown_at_once() {
    let mut message = Message::at(WireState::OnPhone);
    let outcome = message.apply(Fact::HolderLost);
    assert_eq!(shown(&outcome), Some(UNKNOWN));
    for state in [WireState::Sent, WireState::Delivered, WireState::Failed] {
        let mut message = Message::at(state);
        assert_eq!(message.apply(Fact::HolderLost), Outcome::default());
    }
    let mut waiting = Message::new();
    assert_eq!(waiting.apply(Fact::HolderLost), Outcome::default());
}

#[test]
fn a_told_unknown_is_corrected_by_the_truth() {
    for (state, status) in [
        (WireState::Sent, MessageStatus::Sent),
        (WireState::NotDelivered, MessageStatus::NotDelivered),
        (WireState::Delivered, MessageStatus::Delivered),
    ] {
        let mut message = Message::at(WireState::Unknown);
        let publish = message.reports(state).publish.unwrap();
        assert_eq!((publish.status, publish.error), (status, None));
        assert!(publish.sets_time_sent);
    }
}

#[test]
fn a_told_unknown_that_was_never_sent_is_not_queued_again() {
    let unsent = [
        plain(WireState::Revoked),
        plain(WireState::Cancelled),
        plain(WireState::Expired),
        PROVEN,
    ];
    for report in unsent {
        let mut message = Message::exposed();
        message.rules.other_route = true;
        message.apply(Fact::HolderLost);
        let outcome = message.says(1, report);
        assert_eq!(shown(&outcome), Some(NEVER_SENT), "{report:?}");
        assert!(!outcome.requeued);
    }
    let mut message = Message::exposed();
    message.apply(Fact::HolderLost);
    assert_eq!(shown(&message.hello_without_it(1, 4)), Some(NEVER_SENT));
}

#[test]
fn a_phone_that_still_holds_it_does_not_untell_an_unknown() {
    let mut message = Message::at(WireState::Unknown);
    for state in [WireState::OnPhone, WireState::Retrying, WireState::Unknown] {
        assert_eq!(message.reports(state), Outcome::default());
    }
    assert_eq!(message.state(), HubState::Unknown);
}

#[test]
fn a_waiting_message_whose_life_ends_expires() {
    let mut message = Message::new();
    assert_eq!(shown(&message.life_ended(0)), Some(EXPIRED));
    let mut message = Message::exposed();
    message.rules.life_left = false;
    let outcome = message.reports(WireState::Revoked);
    assert_eq!(shown(&outcome), Some(EXPIRED), "freed too late");
    let outcome = Message::exposed().reports(WireState::Expired);
    assert_eq!(shown(&outcome), Some(EXPIRED), "ended on the phone");
}

#[test]
fn the_end_of_a_life_is_due_a_minute_later_for_an_exposed_message() {
    let end = UnixMs(1_000_000);
    assert_eq!(Message::new().row.due_at(end), Some(end));
    let later = Some(UnixMs(1_060_000));
    assert_eq!(Message::exposed().row.due_at(end), later);
    assert_eq!(Message::at(WireState::Submitting).row.due_at(end), later);
    assert_eq!(Message::at(WireState::Sent).row.due_at(end), None);
    assert_eq!(Message::at(WireState::Unknown).row.due_at(end), None);
}

#[test]
fn after_r4_no_end_claims_that_nothing_went_out() {
    let resent = || {
        let mut message = Message::exposed();
        message.rules.on_unknown = OnUnknown::Resend;
        message.reports(WireState::Unknown);
        message
    };
    assert_eq!(shown(&resent().life_ended(0)), Some(UNKNOWN));
    assert_eq!(shown(&resent().apply(Fact::CancelAsked)), Some(UNKNOWN));
    for report in [
        PROVEN,
        plain(WireState::Expired),
        plain(WireState::Cancelled),
    ] {
        let mut message = resent().exposed_to(2, 1);
        assert_eq!(shown(&message.says(2, report)), Some(UNKNOWN), "{report:?}");
    }
    let mut message = resent().exposed_to(2, 1);
    message.life_ended(60_000);
    message.says(2, plain(WireState::Revoked));
    assert_eq!(message.state(), HubState::Unknown);
}

#[test]
fn crash_rows_5_to_7_a_phone_that_comes_back_shows_how_far_it_got() {
    for (state, reached) in [
        (WireState::OnPhone, HubState::OnPhone),
        (WireState::Submitting, HubState::Submitting),
    ] {
        let mut message = Message::exposed();
        let by = &phone(1);
        let (ep, page) = (1, None);
        let fact = Fact::Shown {
            ep,
            by,
            state,
            page,
        };
        assert_eq!(message.apply(fact), Outcome::default());
        assert_eq!(message.state(), reached);
    }
}

#[test]
fn crash_row_12_what_hello_shows_as_ended_waits_for_its_fact() {
    let mut message = Message::at(WireState::Submitting);
    let by = &phone(1);
    let (ep, page) = (1, None);
    for state in [WireState::Sent, WireState::Failed, WireState::Revoked] {
        let fact = Fact::Shown {
            ep,
            by,
            state,
            page,
        };
        assert_eq!(message.apply(fact), Outcome::default());
        assert_eq!(message.state(), HubState::Submitting);
    }
}
