//! Ranks, late results, and whose reports count.

use super::*;

#[test]
fn within_an_exposure_states_only_rise() {
    let ranked: Vec<_> = WireState::ALL
        .iter()
        .copied()
        .filter(|state| state.rank().is_some())
        .collect();
    for first in &ranked {
        for second in &ranked {
            let mut message = Message::at(*first);
            let before = message.state();
            message.reports(*second);
            assert!(message.state() >= before, "{first} then {second}");
        }
    }
}

#[test]
fn every_pair_of_reports_leaves_a_state_that_no_third_can_lower() {
    let reports: Vec<Report> = WireState::ALL
        .iter()
        .map(|state| plain(*state))
        .chain([PROVEN, PARTIAL])
        .collect();
    for first in &reports {
        for second in &reports {
            let mut message = Message::exposed();
            message.says(1, *first);
            let after_first = message.state();
            message.says(1, *second);
            if after_first.went_out() {
                assert!(message.state() >= after_first, "{first:?} {second:?}");
            }
            if second.state == WireState::Delivered {
                assert_eq!(message.state(), HubState::Delivered, "{first:?}");
            }
        }
    }
}

#[test]
fn submitting_and_on_phone_are_queued_to_the_sender() {
    let mut message = Message::exposed();
    assert_eq!(message.reports(WireState::OnPhone), Outcome::default());
    assert_eq!(message.reports(WireState::Submitting), Outcome::default());
    let publish = message.reports(WireState::Sent).publish.unwrap();
    assert_eq!(publish.status, MessageStatus::Sent);
    assert!(publish.sets_time_sent && publish.webhook);
    let publish = message.reports(WireState::Delivered).publish.unwrap();
    assert_eq!(publish.status, MessageStatus::Delivered);
    assert!(!publish.sets_time_sent, "it is set already");
}

#[test]
fn a_report_counts_once() {
    let mut message = Message::at(WireState::Sent);
    assert_eq!(message.reports(WireState::Sent), Outcome::default());
}

#[test]
fn a_delivery_report_may_follow_an_ambiguous_failure() {
    let mut message = Message::at(WireState::Failed);
    let outcome = message.reports(WireState::Delivered);
    assert_eq!(shown(&outcome), Some((MessageStatus::Delivered, None)));
}

#[test]
fn only_the_holders_word_counts() {
    let mut message = Message::exposed();
    let report = plain(WireState::Sent);
    for by in [&phone(2), &reinstalled(1)] {
        let fact = Fact::Reported { ep: 1, by, report };
        assert_eq!(message.refuses(fact), Refused::NotHolder);
    }
    let by = &phone(1);
    let fact = Fact::Reported { ep: 2, by, report };
    assert_eq!(message.refuses(fact), Refused::NoSuchExposure);
    assert_eq!(message.row.whose(1, &phone(1)), Whose::Present);
    assert_eq!(message.row.whose(1, &phone(2)), Whose::LookUpPast);
    assert_eq!(message.row.whose(2, &phone(1)), Whose::Stranger);
}

/// A message that phone 1 lost (R4) and phone 2 has now.
fn resent() -> Message {
    let mut message = Message::exposed();
    message.rules.on_unknown = OnUnknown::Resend;
    message.reports(WireState::Unknown);
    message.exposed_to(2, 1)
}

#[test]
fn sent_of_an_earlier_exposure_wins_and_takes_the_newer_one_back() {
    let mut message = resent();
    let outcome = message.earlier_says(1, WireState::Sent);
    assert_eq!(shown(&outcome), Some((MessageStatus::Sent, None)));
    assert_eq!(outcome.ask, Some(Ask::Revoke));
    assert_eq!(message.row.asks(), Some(Ask::Revoke), "until answered");
    assert!(!message.row.can_expose(true));
    message.says(2, plain(WireState::Revoked));
    assert_eq!(message.row.asks(), None);
    assert_eq!(message.state(), HubState::Sent);
}

#[test]
fn a_revoke_that_was_cut_off_is_asked_again_when_hello_shows_the_exposure() {
    let mut message = resent();
    message.earlier_says(1, WireState::Delivered);
    let by = &phone(2);
    let (ep, state, page) = (2, WireState::OnPhone, None);
    let fact = Fact::Shown {
        ep,
        by,
        state,
        page,
    };
    assert_eq!(message.apply(fact).ask, Some(Ask::Revoke));
    assert_eq!(message.state(), HubState::Delivered);
    message.hello_without_it(2, 0);
    assert_eq!(message.row.asks(), None, "it never got there");
}

#[test]
fn nothing_less_than_sent_of_an_earlier_exposure_matters() {
    for state in WireState::ALL {
        let rank = state.rank().unwrap_or(0);
        if rank >= 60 && *state != WireState::Failed {
            continue;
        }
        let mut message = resent();
        assert_eq!(message.earlier_says(1, *state), Outcome::default());
        assert_eq!(message.state(), HubState::Exposed, "{state}");
    }
    let mut message = resent();
    let report = plain(WireState::Sent);
    let fact = Fact::PastReported { ep: 3, report };
    assert_eq!(message.refuses(fact), Refused::NoSuchExposure);
}

#[test]
fn sent_of_a_freed_exposure_takes_the_message_out_of_the_queue() {
    let mut message = Message::exposed();
    message.reports(WireState::Revoked);
    let outcome = message.reports(WireState::Sent);
    assert_eq!(shown(&outcome), Some((MessageStatus::Sent, None)));
    assert!(!message.row.can_expose(true));
}

#[test]
fn the_result_of_an_earlier_exposure_is_not_lowered_by_the_newer_one() {
    let mut message = resent();
    message.earlier_says(1, WireState::Sent);
    for state in [
        WireState::Submitting,
        WireState::Failed,
        WireState::NotDelivered,
        WireState::Unknown,
    ] {
        assert_eq!(message.says(2, plain(state)).publish, None, "{state}");
    }
    let outcome = message.says(2, plain(WireState::Delivered));
    assert_eq!(shown(&outcome), Some((MessageStatus::Delivered, None)));
}

#[test]
fn an_earlier_exposure_raises_only_its_own_result() {
    let mut message = resent();
    message.says(2, plain(WireState::Sent));
    let outcome = message.earlier_says(1, WireState::NotDelivered);
    assert_eq!(outcome, Outcome::default(), "the newer one may arrive");
    let outcome = message.earlier_says(1, WireState::Delivered);
    assert_eq!(shown(&outcome), Some((MessageStatus::Delivered, None)));
    let mut message = resent();
    message.earlier_says(1, WireState::Sent);
    let outcome = message.earlier_says(1, WireState::NotDelivered);
    assert_eq!(shown(&outcome), Some((MessageStatus::NotDelivered, None)));
}

#[test]
fn after_r4_a_failure_that_was_unknown_before_ends_the_message() {
    let mut message = Message::exposed();
    message.rules.on_unknown = OnUnknown::Resend;
    message.reports(WireState::Unknown);
    let outcome = message.says(1, PARTIAL);
    let partial = (MessageStatus::Failed, Some(ErrorCode::Partial));
    assert_eq!(shown(&outcome), Some(partial));
    assert!(!message.row.can_expose(true), "some of it went out");
}

#[test]
fn the_truth_corrects_a_cancelled_or_expired_message() {
    for end in [WireState::Cancelled, WireState::Expired] {
        let mut message = Message::at(end);
        let outcome = message.reports(WireState::Sent);
        assert_eq!(shown(&outcome), Some((MessageStatus::Sent, None)));
    }
}

#[test]
fn a_result_rises_to_the_later_one_and_keeps_what_it_says() {
    let mut message = Message::at(WireState::Sent);
    let outcome = message.reports(WireState::NotDelivered);
    assert_eq!(shown(&outcome), Some((MessageStatus::NotDelivered, None)));
    let mut message = Message::at(WireState::Sent);
    let partial = (MessageStatus::Failed, Some(ErrorCode::Partial));
    assert_eq!(shown(&message.says(1, PARTIAL)), Some(partial));
    let mut message = Message::at(WireState::Sent);
    let failed = (MessageStatus::Failed, Some(ErrorCode::FromEvent));
    let outcome = message.reports(WireState::Failed);
    assert_eq!(shown(&outcome), Some(failed));
    assert!(message.row.flags.has(Flags::NO_PROOF));
}

#[test]
fn the_truth_takes_back_all_that_it_disproves() {
    let disproved = [Flags::NEVER_SENT, Flags::PARTIAL, Flags::NO_PROOF];
    for state in [WireState::Sent, WireState::Delivered] {
        let mut message = Message::at(WireState::Unknown);
        message.says(1, PARTIAL);
        for flag in disproved {
            message.row.flags.set(flag);
        }
        message.row.state = HubState::Unknown;
        message.reports(state);
        assert!(disproved.iter().all(|flag| !message.row.flags.has(*flag)));
        let mut message = resent();
        for flag in disproved {
            message.row.flags.set(flag);
        }
        message.earlier_says(1, state);
        assert!(disproved.iter().all(|flag| !message.row.flags.has(*flag)));
    }
}

#[test]
fn what_waits_to_go_out_again_is_ended_by_nothing_less_than_an_end() {
    let waiting = || {
        let mut message = Message::exposed();
        message.rules.on_unknown = OnUnknown::Resend;
        message.reports(WireState::Unknown);
        message
    };
    let harmless = [
        plain(WireState::OnPhone),
        plain(WireState::Retrying),
        plain(WireState::Submitting),
        plain(WireState::Unknown),
        plain(WireState::Revoked),
        PROVEN,
    ];
    for report in harmless {
        let mut message = waiting();
        assert_eq!(message.says(1, report), Outcome::default(), "{report:?}");
        assert_eq!(message.state(), HubState::Waiting);
    }
    let mut freed = Message::exposed();
    freed.reports(WireState::Revoked);
    assert_eq!(freed.reports(WireState::Failed), Outcome::default());
    assert_eq!(freed.state(), HubState::Waiting, "it was proven");
}
