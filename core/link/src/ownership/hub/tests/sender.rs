//! Cancel, resend and delete.

use super::*;

#[test]
fn a_message_in_the_queue_is_cancelled_at_once() {
    let mut message = Message::new();
    let outcome = message.apply(Fact::CancelAsked);
    assert_eq!(outcome.verdict, Some(Verdict::Cancelled));
    assert_eq!(shown(&outcome), Some((MessageStatus::Cancelled, None)));
    let again = message.apply(Fact::CancelAsked);
    assert_eq!(again.verdict, Some(Verdict::Cancelled));
    assert_eq!(again.publish, None);
}

#[test]
fn the_holder_of_an_exposed_message_is_asked_to_cancel() {
    let mut message = Message::at(WireState::OnPhone);
    let outcome = message.apply(Fact::CancelAsked);
    assert_eq!(outcome.verdict, Some(Verdict::Asked));
    assert_eq!(outcome.ask, Some(Ask::Cancel));
    assert_eq!(outcome.publish, None);
    assert_eq!(message.row.asks(), Some(Ask::Cancel));
    let outcome = message.reports(WireState::Cancelled);
    assert_eq!(outcome.verdict, Some(Verdict::Cancelled));
    assert_eq!(shown(&outcome), Some((MessageStatus::Cancelled, None)));
    assert_eq!(message.row.asks(), None);
}

#[test]
fn a_phone_past_submitting_answers_that_it_cannot_be_cancelled() {
    let answers = [
        plain(WireState::Submitting),
        plain(WireState::Unknown),
        plain(WireState::Sent),
        plain(WireState::Failed),
        plain(WireState::Expired),
    ];
    for report in answers {
        let mut message = Message::exposed();
        message.apply(Fact::CancelAsked);
        let outcome = message.says(1, report);
        assert_eq!(outcome.verdict, Some(Verdict::NotCancellable), "{report:?}");
    }
    let mut message = Message::exposed();
    message.apply(Fact::CancelAsked);
    assert_eq!(message.reports(WireState::Retrying).verdict, None);
}

#[test]
fn what_has_a_result_cannot_be_cancelled() {
    for state in [WireState::Unknown, WireState::Sent, WireState::Failed] {
        let mut message = Message::at(state);
        let outcome = message.apply(Fact::CancelAsked);
        assert_eq!(outcome.verdict, Some(Verdict::NotCancellable));
        assert_eq!(outcome.ask, None);
    }
}

#[test]
fn after_r1_r2_or_r3_a_recorded_cancel_wins_over_another_exposure() {
    let cancelled = || {
        let mut message = Message::exposed();
        message.rules.other_route = true;
        message.apply(Fact::CancelAsked);
        message
    };
    let mut message = cancelled();
    let r1 = message.reports(WireState::Revoked);
    let r2 = cancelled().hello_without_it(1, 4);
    let r3 = cancelled().says(1, PROVEN);
    for outcome in [r1, r2, r3] {
        assert_eq!(shown(&outcome), Some((MessageStatus::Cancelled, None)));
        assert_eq!(outcome.verdict, Some(Verdict::Cancelled));
        assert!(!outcome.requeued);
    }
    assert!(!message.row.can_expose(true));
}

#[test]
fn a_cancel_on_the_phone_itself_cancels() {
    let outcome = Message::exposed().reports(WireState::Cancelled);
    assert_eq!(shown(&outcome), Some((MessageStatus::Cancelled, None)));
}

#[test]
fn resending_a_message_in_the_queue_changes_only_its_route() {
    for new_route in [false, true] {
        let mut message = Message::new();
        let outcome = message.apply(Fact::ResendAsked { new_route });
        assert_eq!(outcome.verdict, Some(Verdict::RouteOnly));
        assert_eq!(message.row, Ownership::new());
    }
}

#[test]
fn resending_an_exposed_message_makes_no_new_exposure_but_a_new_route_revokes() {
    let mut message = Message::exposed();
    let fact = Fact::ResendAsked { new_route: false };
    assert_eq!(message.apply(fact).ask, None);
    let fact = Fact::ResendAsked { new_route: true };
    let outcome = message.apply(fact);
    assert_eq!(outcome.ask, Some(Ask::Revoke));
    assert_eq!(outcome.verdict, Some(Verdict::RouteOnly));
    assert_eq!(message.state(), HubState::Exposed);
    assert!(message.reports(WireState::Revoked).requeued);
    assert_eq!(message.row.asks(), None);
}

#[test]
fn failed_unknown_and_cancelled_messages_are_sent_again_under_a_new_exposure() {
    for state in [
        WireState::Failed,
        WireState::Unknown,
        WireState::Cancelled,
        WireState::Expired,
    ] {
        let mut message = Message::at(state);
        let outcome = message.apply(Fact::ResendAsked { new_route: false });
        assert_eq!(outcome.verdict, Some(Verdict::Requeued), "{state}");
        assert!(outcome.requeued);
        assert_eq!(shown(&outcome), Some((MessageStatus::Queued, None)));
        assert!(message.row.can_expose(true), "{state}");
        assert_eq!(message.expose(1, 9).replaced, Some((1, phone(1))));
        assert_eq!((message.row.ep, message.row.send_attempts), (2, 2));
    }
}

#[test]
fn what_went_out_is_resent_as_a_new_message() {
    for state in [
        WireState::Sent,
        WireState::NotDelivered,
        WireState::Delivered,
    ] {
        let mut message = Message::at(state);
        let outcome = message.apply(Fact::ResendAsked { new_route: true });
        assert_eq!(outcome.verdict, Some(Verdict::NewMessage));
        assert!(!outcome.requeued);
    }
}

#[test]
fn a_deleted_message_is_cancelled_and_tells_no_webhook() {
    let mut message = Message::new();
    let publish = message.apply(Fact::DeleteAsked).publish.unwrap();
    assert_eq!(publish.status, MessageStatus::Cancelled);
    assert!(!publish.webhook);
    let mut message = Message::exposed();
    let outcome = message.apply(Fact::DeleteAsked);
    assert_eq!((outcome.ask, outcome.verdict), (Some(Ask::Cancel), None));
    let publish = message.reports(WireState::Revoked).publish.unwrap();
    assert_eq!(publish.status, MessageStatus::Cancelled);
    assert!(!publish.webhook);
    let mut message = Message::at(WireState::Sent);
    message.apply(Fact::DeleteAsked);
    let publish = message.reports(WireState::Delivered).publish.unwrap();
    assert!(!publish.webhook);
}

#[test]
fn after_a_resend_of_a_failure_without_proof_no_end_says_that_nothing_went() {
    for failure in [plain(WireState::Failed), PARTIAL] {
        let mut message = Message::exposed();
        message.says(1, failure);
        let verdict = message
            .apply(Fact::ResendAsked { new_route: false })
            .verdict;
        assert_eq!(verdict, Some(Verdict::Requeued));
        let outcome = message.apply(Fact::CancelAsked);
        assert_eq!(
            outcome.verdict,
            Some(Verdict::NotCancellable),
            "{failure:?}"
        );
        assert_eq!(shown(&outcome), Some(UNKNOWN), "{failure:?}");
    }
}

#[test]
fn after_a_resend_of_a_failure_with_proof_a_cancel_is_a_cancel() {
    let mut message = Message::exposed();
    message.says(1, PROVEN);
    message.apply(Fact::ResendAsked { new_route: false });
    let outcome = message.apply(Fact::CancelAsked);
    assert_eq!(outcome.verdict, Some(Verdict::Cancelled));
}

#[test]
fn what_is_cancelled_or_deleted_is_not_exposed_even_while_it_waits() {
    for flag in [Flags::CANCEL_ASKED, Flags::DELETED] {
        let mut message = Message::new();
        message.row.flags.set(flag);
        assert!(!message.row.can_expose(true), "{flag:?}");
    }
    let mut message = Message::at(WireState::Failed);
    message.apply(Fact::DeleteAsked);
    message.apply(Fact::ResendAsked { new_route: false });
    assert!(!message.row.can_expose(true), "it stays deleted");
}

#[test]
fn a_message_that_is_taken_back_is_asked_for_until_it_is_answered() {
    let mut message = Message::at(WireState::OnPhone);
    assert_eq!(message.apply(Fact::RevokeWanted).ask, Some(Ask::Revoke));
    message.apply(Fact::CancelAsked);
    assert_eq!(message.row.asks(), Some(Ask::Revoke), "it says no less");
    message.reports(WireState::Submitting);
    assert_eq!(message.row.asks(), Some(Ask::Revoke), "no answer yet");
    message.reports(WireState::Sent);
    assert_eq!(message.row.asks(), None);
    for mut message in [Message::new(), Message::at(WireState::Sent)] {
        assert_eq!(message.apply(Fact::RevokeWanted), Outcome::default());
    }
}

#[test]
fn a_lost_holder_is_asked_for_nothing_any_more() {
    let mut message = Message::at(WireState::OnPhone);
    message.apply(Fact::RevokeWanted);
    message.apply(Fact::HolderLost);
    assert_eq!(message.row.asks(), None);
}

#[test]
fn errors_and_refusals_have_words_of_their_own() {
    let codes = [
        (ErrorCode::UnknownOutcome, Some("unknown_outcome")),
        (ErrorCode::Expired, Some("expired")),
        (ErrorCode::NeverSent, Some("never_sent")),
        (ErrorCode::Partial, Some("partial")),
        (ErrorCode::FromEvent, None),
    ];
    for (code, word) in codes {
        assert_eq!(code.as_str(), word);
    }
    let refusals = [
        (Refused::NotExposable, "the message may not be exposed"),
        (
            Refused::NotHolder,
            "the reporter does not hold the exposure",
        ),
        (
            Refused::NoSuchExposure,
            "no exposure of that number was made",
        ),
    ];
    for (refused, text) in refusals {
        assert_eq!(refused.to_string(), text);
    }
}
