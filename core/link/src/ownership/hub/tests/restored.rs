//! A hub that went back: held pages restore what it forgot.

use super::*;

impl Message {
    fn page(&mut self, n: i64, ep: u32, state: WireState) -> Outcome {
        self.shows(n, ep, state, Standing::Proven).unwrap()
    }

    fn shows(
        &mut self,
        n: i64,
        ep: u32,
        state: WireState,
        standing: Standing,
    ) -> Result<Outcome, Refused> {
        let by = &phone(n);
        let page = Some(standing);
        let fact = Fact::Shown {
            ep,
            by,
            state,
            page,
        };
        self.row.apply(fact, self.rules)
    }
}

#[test]
fn a_forgotten_exposure_is_taken_over() {
    let mut message = Message::new();
    let outcome = message.page(1, 1, WireState::OnPhone);
    assert_eq!(outcome, Outcome::default());
    assert_eq!(message.state(), HubState::OnPhone);
    assert_eq!(message.row.holder, Some(phone(1)));
    assert_eq!((message.row.ep, message.row.s), (1, None));
    assert!(!message.row.can_expose(true));
}

#[test]
fn a_forgotten_result_is_published() {
    for (state, status) in [
        (WireState::Sent, MessageStatus::Sent),
        (WireState::Delivered, MessageStatus::Delivered),
        (WireState::Failed, MessageStatus::Failed),
        (WireState::Unknown, MessageStatus::Failed),
        (WireState::Cancelled, MessageStatus::Cancelled),
    ] {
        let mut message = Message::new();
        let outcome = message.page(1, 1, state);
        assert_eq!(shown(&outcome).map(|(status, _)| status), Some(status));
        assert!(!message.row.can_expose(true), "{state}");
    }
}

#[test]
fn a_forgotten_revoke_leaves_the_message_in_the_queue() {
    let mut message = Message::new();
    assert!(message.page(1, 1, WireState::Revoked).requeued);
    assert_eq!(message.row.ep, 1, "its number is never given again");
}

#[test]
fn a_forgotten_exposure_replaces_the_one_that_the_hub_remembers() {
    let mut message = Message::exposed();
    let outcome = message.page(2, 3, WireState::Submitting);
    assert_eq!(outcome.replaced, Some((1, phone(1))));
    assert_eq!(message.row.holder, Some(phone(2)));
    assert_eq!(message.state(), HubState::Submitting);
}

#[test]
fn a_forgotten_exposure_of_an_ended_message_is_taken_back() {
    let mut message = Message::new();
    message.apply(Fact::CancelAsked);
    let outcome = message.page(1, 1, WireState::OnPhone);
    assert_eq!(outcome.ask, Some(Ask::Revoke));
    assert_eq!(message.state(), HubState::Cancelled);
    let outcome = message.reports(WireState::Sent);
    assert_eq!(shown(&outcome), Some((MessageStatus::Sent, None)));
}

#[test]
fn what_the_radio_may_have_is_not_shown_as_unsent_until_its_phone_has_answered() {
    let ended = |state| {
        let mut proven = Message::exposed();
        proven.says(1, PROVEN);
        let mut cancelled = Message::new();
        cancelled.apply(Fact::CancelAsked);
        [Message::at(WireState::Expired), proven, cancelled].map(|mut message| {
            let outcome = message.page(1, 2, state);
            assert_eq!(outcome.ask, Some(Ask::Revoke));
            (message, shown(&outcome))
        })
    };
    for (mut message, told) in ended(WireState::Submitting) {
        assert_eq!(told, Some(UNKNOWN));
        message.reports(WireState::Revoked);
        let never_sent = (MessageStatus::Failed, Some(ErrorCode::NeverSent));
        assert_eq!(message.row.shown(), never_sent);
    }
    for (message, told) in ended(WireState::OnPhone) {
        assert_eq!(told, None, "it has not been handed over, and is asked back");
        assert_ne!(message.state(), HubState::Unknown);
    }
}

#[test]
fn the_truth_counts_whoever_was_given_that_number() {
    let mut message = Message::exposed();
    message.page(2, 1, WireState::Sent);
    assert_eq!(message.state(), HubState::Sent);
    assert_eq!(message.row.asks(), Some(Ask::Revoke));
    let mut message = Message::exposed();
    assert_eq!(message.page(2, 1, WireState::OnPhone), Outcome::default());
    assert_eq!(message.state(), HubState::Exposed);
}

#[test]
fn a_row_in_hello_never_makes_an_exposure() {
    let mut message = Message::exposed();
    let by = &phone(1);
    let (ep, state, page) = (2, WireState::OnPhone, None);
    let fact = Fact::Shown {
        ep,
        by,
        state,
        page,
    };
    assert_eq!(message.refuses(fact), Refused::NoSuchExposure);
}

#[test]
fn a_page_ends_what_the_hub_still_holds_open() {
    let mut message = Message::exposed();
    let outcome = message.page(1, 1, WireState::Delivered);
    assert_eq!(shown(&outcome), Some((MessageStatus::Delivered, None)));
}

#[test]
fn what_a_phone_that_is_gone_may_have_been_given_is_unknown() {
    let mut message = Message::new();
    let outcome = message.apply(Fact::ExposureForgotten);
    assert_eq!(shown(&outcome), Some(UNKNOWN));
    assert!(!message.row.can_expose(true));
    let outcome = message.page(1, 1, WireState::Sent);
    assert_eq!(shown(&outcome), Some((MessageStatus::Sent, None)));
}

#[test]
fn what_a_phone_that_is_gone_may_have_been_given_goes_out_again_when_its_sender_chose_that() {
    let mut message = Message::with(Rules {
        on_unknown: OnUnknown::Resend,
        ..REPORT
    });
    assert!(message.apply(Fact::ExposureForgotten).requeued);
    let outcome = message.apply(Fact::ExposureForgotten);
    assert_eq!(shown(&outcome), Some(UNKNOWN), "but once");
}

#[test]
fn nothing_is_forgotten_of_an_exposure_that_the_hub_knows() {
    for state in [WireState::OnPhone, WireState::Sent] {
        let mut message = Message::at(state);
        let before = message.row.clone();
        message.apply(Fact::ExposureForgotten);
        assert_eq!(message.row, before);
    }
}

#[test]
fn a_forgotten_exposure_without_proof_is_never_told_as_not_sent() {
    for state in [WireState::Unknown, WireState::Failed] {
        let mut proven = Message::exposed();
        proven.says(1, PROVEN);
        let mut corrected = Message::at(WireState::Unknown);
        corrected.says(1, PROVEN);
        assert_eq!(
            corrected.row.shown(),
            (MessageStatus::Failed, Some(ErrorCode::NeverSent))
        );
        let mut cancelled = Message::new();
        cancelled.apply(Fact::CancelAsked);
        for mut message in [proven, corrected, cancelled] {
            message.page(1, 2, state);
            let (status, code) = message.row.shown();
            assert_eq!(status, MessageStatus::Failed);
            assert_ne!(code, Some(ErrorCode::NeverSent));
            let no_proof = message.row.flags.has(Flags::NO_PROOF);
            assert!(no_proof || message.state() == HubState::Unknown, "{state}");
        }
    }
}

#[test]
fn an_exposure_that_a_forgotten_one_replaced_is_never_told_as_not_sent() {
    let proofs = [WireState::Revoked, WireState::Cancelled, WireState::Expired];
    for first in [WireState::Unknown, WireState::Failed] {
        for last in proofs {
            let mut message = Message::exposed();
            message.says(1, PROVEN);
            message.rules.life_left = false;
            message.page(1, 2, first);
            message.page(1, 3, WireState::OnPhone);
            message.reports(last);
            let (status, code) = message.row.shown();
            assert_eq!(status, MessageStatus::Failed, "{first} {last}");
            let no_proof = message.row.flags.has(Flags::NO_PROOF);
            let says_unknown = code == Some(ErrorCode::UnknownOutcome);
            assert!(no_proof || says_unknown, "{first} {last}: {code:?}");
        }
    }
}

#[test]
fn what_a_forgotten_exposure_replaced_may_have_gone_out_unless_it_is_proven() {
    let earlier_unknown = |mut message: Message| {
        message.page(2, 3, WireState::OnPhone);
        message.row.flags.has(Flags::EARLIER_UNKNOWN)
    };
    for state in [WireState::OnPhone, WireState::Submitting] {
        assert!(earlier_unknown(Message::at(state)), "{state} was open");
    }
    assert!(earlier_unknown(Message::at(WireState::Unknown)));
    assert!(earlier_unknown(Message::at(WireState::Failed)), "no proof");
    let mut proven = Message::exposed();
    proven.says(1, PROVEN);
    assert!(!earlier_unknown(proven));
    assert!(!earlier_unknown(Message::new()));
    assert!(!earlier_unknown(Message::at(WireState::Cancelled)));
}

#[test]
fn what_went_out_stays_so_whatever_a_forgotten_exposure_says() {
    for state in [WireState::Unknown, WireState::Failed, WireState::Revoked] {
        let mut message = Message::at(WireState::Sent);
        let outcome = message.page(1, 2, state);
        assert_eq!((shown(&outcome), outcome.ask), (None, None), "{state}");
        assert_eq!(message.state(), HubState::Sent);
    }
    let mut message = Message::at(WireState::Sent);
    let outcome = message.page(1, 2, WireState::Retrying);
    assert_eq!(outcome.ask, Some(Ask::Revoke));
    assert_eq!(message.state(), HubState::Sent);
    let mut message = Message::at(WireState::Sent);
    let outcome = message.page(1, 2, WireState::Delivered);
    assert_eq!(shown(&outcome), Some((MessageStatus::Delivered, None)));
}

#[test]
fn a_page_without_standing_or_proof_changes_nothing_of_anothers_message() {
    let makers: [fn() -> Message; 3] = [Message::new, Message::exposed, || {
        Message::at(WireState::Sent)
    }];
    for make in makers {
        for ep in 0..4 {
            for state in WireState::ALL {
                let mut message = make();
                let refused = message.shows(2, ep, *state, Standing::Nothing);
                assert!(refused.is_err(), "{ep} {state}");
                assert_eq!(message.row, make().row);
            }
        }
    }
}

#[test]
fn what_was_routed_to_a_phone_it_may_speak_of_while_nobody_else_holds_it() {
    for standing in [Standing::Concerned, Standing::Held] {
        let mut waiting = Message::new();
        waiting.shows(2, 1, WireState::Sent, standing).unwrap();
        assert_eq!(waiting.state(), HubState::Sent);
    }
    let mut ended = Message::at(WireState::Sent);
    let refused = ended.shows(2, 2, WireState::Failed, Standing::Concerned);
    assert_eq!(refused, Err(Refused::NoSuchExposure));
    assert_eq!(ended.state(), HubState::Sent);
}

#[test]
fn a_claim_of_what_another_phone_holds_casts_doubt_on_what_that_one_gives_back() {
    for state in WireState::ALL {
        let mut message = Message::exposed();
        let said = message.shows(2, 2, *state, Standing::Concerned);
        assert_eq!(said, Ok(Outcome::default()), "{state}");
        assert_eq!(message.row.holder, Some(phone(1)), "{state}");
        let mut sent = Message {
            row: message.row.clone(),
            ..message
        };
        sent.reports(WireState::Sent);
        assert_eq!(sent.state(), HubState::Sent, "what it does counts");
        let outcome = message.reports(WireState::Revoked);
        assert!(!outcome.requeued, "the other one may have it");
        assert_eq!(message.state(), HubState::Unknown);
    }
}

#[test]
fn a_claim_is_forgotten_with_the_exposure_that_it_cast_doubt_on() {
    let mut message = Message::exposed();
    message
        .shows(2, 2, WireState::Sent, Standing::Concerned)
        .unwrap();
    message.reports(WireState::Revoked);
    message.apply(Fact::ResendAsked { new_route: false });
    message.apply(Fact::Exposed {
        holder: phone(1),
        s: 9,
    });
    assert!(message.reports(WireState::Revoked).requeued);
}

#[test]
fn an_earlier_exposure_is_spoken_of_by_whom_it_was_given_to_alone() {
    let mut message = Message::exposed();
    for standing in [Standing::Nothing, Standing::Concerned] {
        let refused = message.shows(2, 1, WireState::Sent, standing);
        assert_eq!(refused, Err(Refused::NotHolder));
    }
    message
        .shows(2, 1, WireState::Sent, Standing::Held)
        .unwrap();
    assert_eq!(message.state(), HubState::Sent);
}
