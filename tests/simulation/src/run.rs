//! One run: a plan from its beginning to its end.

use crate::{
    coverage::Coverage,
    plan::Plan,
    world::{Violation, World},
};
use std::sync::Arc;

/// What a run came to.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The rule that was broken, if one was.
    pub violation: Option<Violation>,
    /// What was reached.
    pub coverage: Coverage,
    /// Calls into machines.
    pub steps: u64,
    /// Messages that were given to the hub.
    pub messages: u64,
    /// A number that two equal runs share.
    pub digest: u64,
    /// Virtual time, in milliseconds.
    pub span_ms: u64,
    /// Every line of the log, when it was kept.
    pub lines: Vec<crate::log::Line>,
}

/// Runs a plan.
pub fn run(plan: &Arc<Plan>, keeps_log: bool) -> Outcome {
    let mut world = World::new(Arc::clone(plan), keeps_log);
    world.run();
    Outcome {
        violation: world.violation.clone(),
        coverage: world.coverage.clone(),
        steps: world.steps,
        messages: world.plan.messages() as u64 + world.probes() as u64,
        digest: world.log.digest() ^ world.log.count(),
        span_ms: world.at,
        lines: world.log.lines().to_vec(),
    }
}
