//! A failing run as a person can read it.

use crate::{
    log::{Clock, Line},
    plan::Plan,
    run::run,
    shrink::shrink,
};
use std::{fmt::Write, sync::Arc};

/// Lines that a story shows at most: the last ones, folded.
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
        let _written = writeln!(story, "  {step}");
    }
    let _written = writeln!(story, "what happened:");
    let is_shown = |line: &&Line| match line.message {
        Some(message) => violation.message.is_none_or(|about| about == message),
        None => true,
    };
    let told = fold(outcome.lines.iter().filter(is_shown));
    let skipped = told.len().saturating_sub(LINES_MAX);
    if skipped > 0 {
        let _written = writeln!(story, "  ({skipped} lines before these)");
    }
    for line in told.into_iter().skip(skipped) {
        let _written = writeln!(story, "  {line}");
    }
    story
}

/// Tells lines, those in a row that say the same as one.
fn fold<'a>(lines: impl Iterator<Item = &'a Line>) -> Vec<String> {
    let mut runs: Vec<(Line, Line, usize)> = Vec::new();
    for line in lines {
        match runs.last_mut() {
            Some((first, last, count))
                if Line {
                    at: first.at,
                    ..*line
                } == *first =>
            {
                (*last, *count) = (*line, *count + 1);
            }
            _ => runs.push((*line, *line, 1)),
        }
    }
    let told = runs.iter().map(|(first, last, count)| match count {
        1 => first.to_string(),
        count => format!("{first} ({count} times, the last at {})", Clock(last.at)),
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::Who;

    fn line(at: u64, what: &'static str) -> Line {
        Line {
            at,
            ..Line::new(Who::Phone(0), what)
        }
    }

    #[test]
    fn lines_in_a_row_that_say_the_same_are_one() {
        let lines = [
            line(1_000, "stray result"),
            line(1_000, "stray result"),
            line(62_000, "stray result"),
            line(63_000, "link up"),
            line(64_000, "stray result"),
        ];
        assert_eq!(
            fold(lines.iter()),
            [
                "000:00:01.000  phone 0   stray result (3 times, the last at 000:01:02.000)",
                "000:01:03.000  phone 0   link up",
                "000:01:04.000  phone 0   stray result",
            ]
        );
    }
}
