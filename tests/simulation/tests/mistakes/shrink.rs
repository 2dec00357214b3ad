//! A failing plan is made small, and what is left of it is still the same failure.

use postrider_link::mistake;
use postrider_simulation::{
    plan::{self, Plan},
    run::run,
    shrink::shrink,
    story,
};
use std::sync::Arc;

/// Mistakes, the rule that each breaks, and how few steps show it.
#[rustfmt::skip]
const TABLE: &[(&str, &str, usize)] = &[
    ("hands_over_twice", "no exposure is handed over twice without proof", 1),
    ("sends_the_refused", "what is on the air is never shown as unsent", 1),
    ("tells_of_two", "each incoming message counts once", 1),
    ("misses_its_pause", "nothing is submitted while paused or in quiet hours", 3),
    ("misses_its_unpairing", "a phone that is unpaired hands nothing over", 4),
    ("never_calls_the_radio", "a phone that is whole again sends", 0),
];

/// Returns the plan of the first seed that breaks a rule with the mistake that is planted.
fn failing(rule: &str) -> Arc<Plan> {
    let mut plans = (0..300).map(|seed| Arc::new(plan::draw(seed, 40, false)));
    let breaks = |plan: &Arc<Plan>| broken(plan) == Some(rule);
    plans.find(breaks).expect("a seed comes to it")
}

fn broken(plan: &Arc<Plan>) -> Option<&'static str> {
    run(plan, false).violation.map(|found| found.rule)
}

#[test]
fn a_failing_plan_shrinks_to_the_few_steps_that_break_the_same_rule() {
    for (name, rule, steps_max) in TABLE {
        let (plan, smallest) = mistake::with(name, || {
            let plan = failing(rule);
            let smallest = shrink(&plan);
            assert_eq!(broken(&smallest), Some(*rule), "{name}");
            (plan, smallest)
        });
        let steps = smallest.steps.len();
        assert!(steps <= *steps_max, "{name}: {:#?}", smallest.steps);
        let is_of_plan = |step: &&plan::Step| plan.steps.contains(step);
        assert_eq!(smallest.steps.iter().filter(is_of_plan).count(), steps);
        assert_eq!(smallest.fleet, plan.fleet);
    }
}

#[test]
fn a_plan_shrinks_to_the_same_each_time_and_runs_the_same_each_time() {
    let (name, rule, _) = TABLE[3];
    mistake::with(name, || {
        let plan = failing(rule);
        let smallest = shrink(&plan);
        assert_eq!(shrink(&plan), smallest);
        let (one, other) = (run(&smallest, true), run(&smallest, true));
        assert_eq!(one.violation, other.violation);
        assert_eq!((one.digest, one.lines), (other.digest, other.lines));
    });
}

#[test]
fn a_plan_that_breaks_nothing_stays_as_it_is() {
    let plan = Arc::new(plan::draw(3, 20, false));
    assert_eq!(shrink(&plan), plan);
}

#[test]
fn the_story_says_what_is_left_and_what_happened_in_sentences() {
    let (name, rule, _) = TABLE[3];
    let (plan, story) = mistake::with(name, || {
        let plan = failing(rule);
        let story = story::tell(&plan);
        assert_eq!(story, story::tell(&plan));
        (plan, story)
    });
    let (head, timeline) = story.split_once("what happened:").unwrap();
    assert!(head.starts_with(&format!("seed {}: {rule}", plan.seed)));
    assert!(head.contains("the owner pauses phone "), "{head}");
    assert!(head.contains("the hub is given message "), "{head}");
    assert!(timeline.contains(&format!("BROKEN: {rule}")), "{timeline}");
    for debug in ["Send(", "Wanted {", "Route {"] {
        assert!(!story.contains(debug), "{story}");
    }
}
