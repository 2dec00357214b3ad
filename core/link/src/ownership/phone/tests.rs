//! What the phone accepts, gives back and never does twice.

use super::*;

fn claim(ep: u32, state: WireState) -> Claim {
    Claim::at(ep, state)
}

fn failed(ep: u32, unsent: bool) -> Claim {
    Claim {
        unsent,
        ..claim(ep, WireState::Failed)
    }
}

fn accepted(ep: u32, supersedes: Option<u32>) -> Offer {
    Offer::Accepted {
        claim: claim(ep, WireState::OnPhone),
        supersedes,
    }
}

fn refused(ep: u32, code: &'static str) -> Offer {
    let claim = failed(ep, true);
    Offer::Refused { claim, code }
}

#[test]
fn a_new_message_is_accepted() {
    assert_eq!(Claim::offer(&[], 1, true), accepted(1, None));
}

#[test]
fn a_send_that_is_here_already_is_only_answered() {
    for state in WireState::ALL {
        let row = claim(3, *state);
        assert_eq!(Claim::offer(&[row], 3, true), Offer::Known(row));
        assert_eq!(Claim::offer(&[row], 3, false), Offer::Known(row));
    }
}

#[test]
fn a_higher_exposure_is_accepted_once_the_own_attempt_has_ended() {
    for state in [
        WireState::Unknown,
        WireState::Failed,
        WireState::Revoked,
        WireState::Cancelled,
        WireState::Expired,
    ] {
        let rows = [claim(1, state)];
        assert_eq!(Claim::offer(&rows, 2, true), accepted(2, None), "{state}");
    }
}

#[test]
fn a_higher_exposure_replaces_one_that_still_waits() {
    for state in [WireState::OnPhone, WireState::Retrying] {
        let rows = [claim(1, state)];
        assert_eq!(Claim::offer(&rows, 2, true), accepted(2, Some(1)));
    }
}

#[test]
fn a_higher_exposure_is_refused_while_the_radio_has_one_or_after_it_went_out() {
    let rows = [claim(1, WireState::Submitting)];
    assert_eq!(Claim::offer(&rows, 2, true), refused(2, CODE_ATTEMPT_OPEN));
    for state in [
        WireState::Sent,
        WireState::NotDelivered,
        WireState::Delivered,
    ] {
        let rows = [claim(1, state), claim(2, WireState::Revoked)];
        assert_eq!(Claim::offer(&rows, 3, true), refused(3, CODE_ALREADY_SENT));
    }
}

#[test]
fn a_lower_exposure_than_the_newest_is_refused() {
    let rows = [claim(4, WireState::Revoked)];
    assert_eq!(Claim::offer(&rows, 3, true), refused(3, CODE_SUPERSEDED));
}

#[test]
fn what_the_phone_cannot_do_fails_with_proof() {
    assert_eq!(Claim::offer(&[], 1, false), refused(1, CODE_UNSUPPORTED));
}

#[test]
fn what_waits_is_given_back_and_what_was_submitted_is_not() {
    for state in WireState::ALL {
        let row = claim(1, *state);
        let waits = matches!(state, WireState::OnPhone | WireState::Retrying);
        let end = if waits { WireState::Revoked } else { *state };
        let answer = Claim::revoke(Some(row), 1);
        assert_eq!((answer.claim.state, answer.changed), (end, waits));
        let end = if waits { WireState::Cancelled } else { *state };
        let answer = Claim::cancel(Some(row), 1);
        assert_eq!((answer.claim.state, answer.changed), (end, waits));
    }
}

#[test]
fn a_revoke_of_what_never_came_leaves_a_tombstone() {
    let answer = Claim::revoke(None, 2);
    assert!(answer.changed);
    let offer = Claim::offer(&[answer.claim], 2, true);
    assert_eq!(offer, Offer::Known(claim(2, WireState::Revoked)));
}

#[test]
fn nothing_is_submitted_but_from_the_queue() {
    for state in WireState::ALL {
        let row = claim(1, *state);
        let allowed = matches!(state, WireState::OnPhone | WireState::Retrying);
        assert_eq!(row.after(Step::Submit).is_ok(), allowed, "{state}");
    }
}

#[test]
fn only_proof_leads_back_from_submitting_to_the_queue() {
    let row = claim(1, WireState::Submitting);
    assert_eq!(row.after(Step::HeldBack), Ok(claim(1, WireState::OnPhone)));
    assert_eq!(row.after(Step::Retry), Ok(claim(1, WireState::Retrying)));
    for state in WireState::ALL {
        if *state == WireState::Submitting {
            continue;
        }
        let row = claim(1, *state);
        assert!(row.after(Step::HeldBack).is_err(), "{state}");
        assert!(row.after(Step::Retry).is_err(), "{state}");
    }
}

#[test]
fn every_other_step_raises_the_rank_or_ends_without_the_air() {
    let steps = [
        Step::Submit,
        Step::Lost,
        Step::Sent,
        Step::Failed {
            partial: false,
            unsent: true,
        },
        Step::Failed {
            partial: true,
            unsent: false,
        },
        Step::NotDelivered,
        Step::Delivered,
        Step::Expire,
    ];
    for state in WireState::ALL {
        for step in steps {
            let Ok(after) = claim(1, *state).after(step) else {
                continue;
            };
            assert!(state.rank().is_some(), "{state} has ended, then {step:?}");
            let rises = after.state.rank().is_none_or(|to| Some(to) > state.rank());
            assert!(rises, "{state} then {step:?}");
        }
    }
}

#[test]
fn what_was_never_submitted_fails_only_with_proof() {
    let row = claim(1, WireState::OnPhone);
    let ambiguous = Step::Failed {
        partial: false,
        unsent: false,
    };
    assert!(row.after(ambiguous).is_err());
    let proven = Step::Failed {
        partial: false,
        unsent: true,
    };
    assert_eq!(row.after(proven), Ok(failed(1, true)));
}

#[test]
fn a_partial_failure_is_never_called_unsent() {
    let step = Step::Failed {
        partial: true,
        unsent: true,
    };
    let after = claim(1, WireState::Submitting).after(step).unwrap();
    assert!(after.partial && !after.unsent);
}

#[test]
fn a_late_intent_or_report_raises_an_unknown() {
    let row = claim(1, WireState::Unknown);
    for (step, state) in [
        (Step::Sent, WireState::Sent),
        (Step::Delivered, WireState::Delivered),
        (Step::NotDelivered, WireState::NotDelivered),
    ] {
        assert_eq!(row.after(step), Ok(claim(1, state)));
    }
}

#[test]
fn a_delivery_report_disproves_an_ambiguous_failure_but_not_a_proven_one() {
    assert!(failed(1, false).after(Step::Delivered).is_ok());
    assert!(failed(1, true).after(Step::Delivered).is_err());
    let row = claim(1, WireState::Revoked);
    assert!(row.after(Step::Delivered).is_err());
}

#[test]
fn a_life_ends_only_what_was_not_submitted() {
    for state in WireState::ALL {
        let waits = claim(1, *state).is_waiting();
        let expired = claim(1, *state).after(Step::Expire).is_ok();
        assert_eq!(expired, waits, "{state}");
    }
}

#[test]
fn hello_lists_what_may_still_be_handed_over_and_what_is_not_acked() {
    for state in WireState::ALL {
        let row = claim(1, *state);
        assert!(row.is_held(false), "{state}");
        let open = matches!(
            state,
            WireState::OnPhone | WireState::Retrying | WireState::Submitting
        );
        assert_eq!(row.is_held(true), open, "{state}");
    }
}

/// Where each step leads from each state; missing ones are not allowed.
#[test]
fn every_step_from_every_state_leads_where_it_should() {
    use WireState::*;
    let proven = Step::Failed {
        partial: false,
        unsent: true,
    };
    let partial = Step::Failed {
        partial: true,
        unsent: false,
    };
    let allowed: [(Step, &[WireState], WireState); 11] = [
        (Step::Submit, &[OnPhone, Retrying], Submitting),
        (Step::HeldBack, &[Submitting], OnPhone),
        (Step::Retry, &[Submitting], Retrying),
        (Step::Lost, &[Submitting], Unknown),
        (Step::Expire, &[OnPhone, Retrying], Expired),
        (Step::Sent, &[Submitting, Unknown], Sent),
        (proven, &[OnPhone, Retrying, Submitting, Unknown], Failed),
        (partial, &[Submitting, Unknown], Failed),
        (
            Step::Failed {
                partial: false,
                unsent: false,
            },
            &[Submitting, Unknown],
            Failed,
        ),
        (
            Step::NotDelivered,
            &[Submitting, Unknown, Sent, Failed],
            NotDelivered,
        ),
        (
            Step::Delivered,
            &[Submitting, Unknown, Sent, Failed, NotDelivered],
            Delivered,
        ),
    ];
    for (step, from, to) in allowed {
        for state in WireState::ALL {
            let after = claim(3, *state).after(step).map(|claim| claim.state);
            let refused = NotAllowed {
                state: *state,
                step,
            };
            let expected = from.contains(state).then_some(to).ok_or(refused);
            assert_eq!(after, expected, "{step:?} from {state}");
        }
    }
}

#[test]
fn what_waits_never_fails_by_halves() {
    let step = Step::Failed {
        partial: true,
        unsent: true,
    };
    assert!(claim(1, WireState::OnPhone).after(step).is_err());
}

#[test]
fn a_step_that_is_not_allowed_says_from_where() {
    let refused = claim(1, WireState::Sent).after(Step::Submit).unwrap_err();
    assert_eq!(refused.to_string(), "Submit is not allowed from `sent`");
}

#[test]
fn what_has_ended_is_a_tombstone() {
    for state in WireState::ALL {
        let open = matches!(
            state,
            WireState::OnPhone
                | WireState::Retrying
                | WireState::Submitting
                | WireState::Unknown
                | WireState::Sent
        );
        assert_eq!(claim(1, *state).has_ended(), !open, "{state}");
    }
}
