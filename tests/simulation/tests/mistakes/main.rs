//! Each rule is seen when it is broken: small mistakes, planted one at a time in ordinary runs.

#![cfg(debug_assertions)]

mod shrink;

use postrider_link::mistake;
use postrider_simulation::{
    plan::{self, Action, Plan, Step},
    run::{Outcome, run},
};
use std::sync::Arc;

/// Seeds among which one must come to the mistake.
const SEEDS: std::ops::Range<u64> = 0..300;
/// Seeds of what few plans come to.
const MORE_SEEDS: u64 = 1_000;
const MESSAGES: u64 = 60;

/// Mistakes around the rules, each with the promise that it breaks.
#[rustfmt::skip]
const AROUND_THE_RULES: &[(&str, &str)] = &[
    ("hands_over_twice", "no exposure is handed over twice without proof"),
    ("says_revoked", "no message is handed over again without proof or its sender's choice"),
    ("forgets_its_limits", "the pace is kept, whatever restarts and clocks do"),
    ("sends_the_retried", "at most once on the air, and once for each choice of the sender"),
    ("sends_the_refused_later", "what is shown as unsent never goes on the air"),
    ("hears_sent", "the hub shows as sent only what is on the air"),
    ("sends_the_refused", "what is on the air is never shown as unsent"),
    ("hears_refused", "what is shown as unsent is proven"),
    ("hub_is_ahead", "no time is before its message or in the future"),
    ("hub_turns_the_order", "incoming messages keep their order"),
    ("tells_of_two", "each incoming message counts once"),
    ("hub_ignores_proofs", "no message is handed over again without proof or its sender's choice"),
    ("hub_loses_incoming", "each incoming message counts once"),
    ("hub_forgets_messages", "what the hub accepted it keeps"),
    ("never_calls_the_radio", "a phone that is whole again sends"),
    ("hub_ignores_facts", "every message comes to an end"),
    ("misses_acks", "every fact comes to the hub"),
    ("writes_huge_numbers", "a frame reads back as it was written"),
    ("finds_an_older_journal", "a sound journal is never refused"),
    ("loses_incoming", "an incoming message is on disk before it is confirmed"),
    ("loses_decisions", "a hand-over is on disk before it is made"),
    ("misses_its_pause", "nothing is submitted while paused or in quiet hours"),
    ("misses_that_it_is_not_known", "a phone that its hub does not know hands nothing over"),
    ("misses_its_unpairing", "a phone that is unpaired hands nothing over"),
    ("says_it_keeps", "a phone that is unpaired leaves nothing open"),
    ("dials_twice", "one USSD code at a time on a SIM"),
    ("misses_the_line", "one call at a time on a phone"),
];

/// Mistakes in the rules themselves, each with the promise that it breaks.
#[rustfmt::skip]
const IN_THE_RULES: &[(&str, &str)] = &[
    ("phone_acks_early", "a phone writes only what is on its disk"),
    ("hub_acks_early", "the hub writes only what is on its disk"),
    ("pages_believed", "the hub shows as sent only what is on the air"),
    ("give_back_unseen", "a phone that is unpaired is not offered the same again and again"),
    ("facts_not_taken_in", "a phone that is whole again sends"),
    ("facts_lost", "each incoming message counts once"),
    ("first_answer_thaws", "no message is handed over again without proof or its sender's choice"),
    ("freeze_holds_nothing", "no message is handed over again without proof or its sender's choice"),
    ("frozen_may_stay", "a phone that is whole again sends"),
    ("old_places_kept", "what is shown as unsent is proven"),
    ("exposed_expires", "what is on the air is never shown as unsent"),
    ("absence_is_proof", "what is shown as unsent is proven"),
];

fn run_with(seed: u64, name: &'static str) -> Outcome {
    let plan = Arc::new(plan::draw(seed, MESSAGES, false));
    mistake::with(name, || run(&plan, false))
}

#[test]
fn each_planted_mistake_is_reported_as_a_breach_of_its_rule() {
    for (name, rule) in AROUND_THE_RULES.iter().chain(IN_THE_RULES) {
        let broken = SEEDS.filter_map(|seed| run_with(seed, name).violation);
        let mut others = Vec::new();
        let is_seen = broken.map(|found| found.rule).any(|found| {
            others.push(found);
            found == *rule
        });
        assert!(is_seen, "{name} was never found, but {others:?}");
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
        let plan = Arc::new(plan);
        let found = mistake::with("misses_that_it_is_not_known", || run(&plan, false)).violation;
        found.is_some_and(|found| found.rule == rule)
    });
    assert!(is_seen);
}

#[test]
fn a_run_that_does_not_follow_from_its_seed_is_told_from_its_repetition() {
    let digest = || run_with(5, "takes_its_own_time").digest;
    assert_ne!(digest(), digest());
}
