//! Each rule is seen when it is broken: small wrongs, planted one at a time in ordinary runs.

use postrider_simulation::{
    coverage::Coverage,
    plan::{self, Action, Plan, Step},
    range::{Settings, Total},
    required::{CI_MESSAGES, CI_SEEDS, REQUIRED},
    run::{Outcome, run},
    wrong::Wrong,
};
use std::sync::Arc;

/// Seeds among which one must come to the wrong.
const SEEDS: std::ops::Range<u64> = 0..300;
/// Seeds of what few plans come to.
const MORE_SEEDS: u64 = 1_000;
const MESSAGES: u64 = 60;

/// Each wrong with the rule that it breaks.
#[rustfmt::skip]
const TABLE: &[(Wrong, &str)] = &[
    (Wrong::HandsOverTwice, "no exposure is handed over twice without proof"),
    (Wrong::SaysRevoked, "no message is handed over again without proof or its sender's choice"),
    (Wrong::ForgetsItsLimits, "the pace is kept, whatever restarts and clocks do"),
    (Wrong::SendsTheRetried, "at most once on the air, and once for each choice of the sender"),
    (Wrong::SendsTheRefusedLater, "what is shown as unsent never goes on the air"),
    (Wrong::HearsSent, "the hub shows as sent only what is on the air"),
    (Wrong::SendsTheRefused, "what is on the air is never shown as unsent"),
    (Wrong::HearsRefused, "what is shown as unsent is proven"),
    (Wrong::HubIsAhead, "no time is before its message or in the future"),
    (Wrong::HubTurnsTheOrder, "incoming messages keep their order"),
    (Wrong::TellsOfTwo, "each incoming message counts once"),
    (Wrong::HubBelievesPages, "the hub shows as sent only what is on the air"),
    (Wrong::HubIgnoresProofs, "no message is handed over again without proof or its sender's choice"),
    (Wrong::HubLosesIncoming, "each incoming message counts once"),
    (Wrong::HubForgetsMessages, "what the hub accepted it keeps"),
    (Wrong::NeverCallsTheRadio, "a phone that is whole again sends"),
    (Wrong::HubIgnoresFacts, "every message comes to an end"),
    (Wrong::MissesAcks, "every fact comes to the hub"),
    (Wrong::WritesHugeNumbers, "a frame reads back as it was written"),
    (Wrong::FindsAnOlderJournal, "a sound journal is never refused"),
    (Wrong::HubAcksTooEarly, "the hub writes only what is on its disk"),
    (Wrong::LosesIncoming, "an incoming message is on disk before it is confirmed"),
    (Wrong::AcksTooEarly, "a phone writes only what is on its disk"),
    (Wrong::LosesDecisions, "a hand-over is on disk before it is made"),
    (Wrong::MissesItsPause, "nothing is submitted while paused or in quiet hours"),
    (Wrong::MissesThatItIsNotKnown, "a phone that its hub does not know hands nothing over"),
    (Wrong::MissesItsUnpairing, "a phone that is unpaired hands nothing over"),
    (Wrong::SaysItKeeps, "a phone that is unpaired leaves nothing open"),
    (Wrong::HubOffersAgain, "a phone that is unpaired is not offered the same again and again"),
    (Wrong::DialsTwice, "one USSD code at a time on a SIM"),
    (Wrong::MissesTheLine, "one call at a time on a phone"),
];

fn run_with(seed: u64, wrong: Wrong) -> Outcome {
    let drawn = plan::draw(seed, MESSAGES, false);
    let wrong = Some(wrong);
    run(&Arc::new(Plan { wrong, ..drawn }), false)
}

#[test]
fn each_planted_wrong_is_reported_as_a_breach_of_its_rule() {
    for (wrong, rule) in TABLE {
        let broken = SEEDS.filter_map(|seed| run_with(seed, *wrong).violation);
        let mut others = Vec::new();
        let is_seen = broken.map(|found| found.rule).any(|found| {
            others.push(found);
            found == *rule
        });
        assert!(is_seen, "{wrong:?} was never found, but {others:?}");
    }
}

/// Takes every slip but a backup that is older than a pairing out of a plan; `None` where there is
/// no such one.
fn only_goes_back(mut plan: Plan) -> Option<Plan> {
    let goes_back = |step: &Step| matches!(step.action, Action::RestoreOlder(_));
    let is_other = |step: &Step| matches!(step.action, Action::WrongName(_) | Action::Restore(_));
    plan.steps.retain(|step| !is_other(step));
    plan.steps.iter().any(goes_back).then_some(plan)
}

#[test]
fn a_phone_that_goes_on_beside_a_hub_older_than_its_pairing_is_found_out() {
    let rule = "a phone that its hub does not know hands nothing over";
    let plans = (0..MORE_SEEDS).map(|seed| plan::draw(seed, MESSAGES, false));
    let is_seen = plans.filter_map(only_goes_back).any(|plan| {
        let wrong = Some(Wrong::MissesThatItIsNotKnown);
        let found = run(&Arc::new(Plan { wrong, ..plan }), false).violation;
        found.is_some_and(|found| found.rule == rule)
    });
    assert!(is_seen);
}

#[test]
fn a_run_that_does_not_follow_from_its_seed_is_told_from_its_repetition() {
    let digest = || run_with(5, Wrong::TakesItsOwnTime).digest;
    assert_ne!(digest(), digest());
}

#[test]
fn what_the_range_of_ci_never_reached_is_named() {
    let settings = Settings {
        seeds: CI_SEEDS,
        messages: CI_MESSAGES,
        real_journal: false,
        threads: 1,
        failures_max: 1,
    };
    let mut coverage = Coverage::default();
    let (last, others) = REQUIRED.split_last().unwrap();
    for (group, one, other) in others {
        coverage.mark(group, one, other);
    }
    let total = Total {
        coverage,
        ..Total::default()
    };
    assert_eq!(total.missing(&settings), [*last]);
}
