//! Making a failing plan smaller while it still fails.

use crate::{plan::Plan, run::run};
use std::sync::Arc;

/// Runs that a shrink takes at most.
const RUNS_MAX: usize = 600;

/// Returns a plan with as few steps as were found that still breaks the same rule.
pub fn shrink(plan: &Arc<Plan>) -> Arc<Plan> {
    let Some(violation) = run(plan, false).violation else {
        return Arc::clone(plan);
    };
    let rule = violation.rule;
    let mut smallest = Plan::clone(plan);
    let mut runs = 0;
    let mut piece = smallest.steps.len().div_ceil(2).max(1);
    loop {
        let mut first = 0;
        let mut is_smaller = false;
        while first < smallest.steps.len() && runs < RUNS_MAX {
            let mut candidate = smallest.clone();
            let end = (first + piece).min(candidate.steps.len());
            candidate.steps.drain(first..end);
            runs += 1;
            let found = run(&Arc::new(candidate.clone()), false).violation;
            if found.is_some_and(|found| found.rule == rule) {
                smallest = candidate;
                is_smaller = true;
            } else {
                first = end;
            }
        }
        if runs >= RUNS_MAX || (piece == 1 && !is_smaller) {
            return Arc::new(smallest);
        }
        if !is_smaller || piece > 1 {
            piece = piece.div_ceil(2).max(1);
        }
    }
}
