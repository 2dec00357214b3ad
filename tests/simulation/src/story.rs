//! A failing run as a person can read it.

use crate::{log::Line, plan::Plan, run::run, shrink::shrink};
use std::{fmt::Write, sync::Arc};

/// Lines of other things than the message that a story shows at most.
const LINES_MAX: usize = 400;

/// Makes the run of a seed smaller and tells it: what was left of the plan, and the timeline of the
/// message that the broken rule is about.
pub fn tell(plan: &Arc<Plan>) -> String {
    let smallest = shrink(plan);
    let outcome = run(&smallest, true);
    let mut story = String::new();
    let Some(violation) = &outcome.violation else {
        return format!("seed {} breaks no rule", plan.seed);
    };
    // Writing to a string does not fail.
    let _written = writeln!(
        story,
        "seed {}: {}\n{}\nleft of {} steps: {}",
        plan.seed,
        violation.rule,
        violation.text,
        plan.steps.len(),
        smallest.steps.len()
    );
    for step in &smallest.steps {
        let _written = writeln!(story, "  at {:>9} ms: {:?}", step.at, step.action);
    }
    let _written = writeln!(story, "what happened:");
    let is_shown = |line: &&Line| match line.message {
        Some(message) => violation.message.is_none_or(|about| about == message),
        None => true,
    };
    let lines: Vec<&Line> = outcome.lines.iter().filter(is_shown).collect();
    let skipped = lines.len().saturating_sub(LINES_MAX);
    if skipped > 0 {
        let _written = writeln!(story, "  ({skipped} lines before these)");
    }
    for line in lines.into_iter().skip(skipped) {
        let _written = writeln!(story, "  {line}");
    }
    story
}
