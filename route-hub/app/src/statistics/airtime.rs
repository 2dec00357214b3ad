//! How much airtime was sent, by intervals: none, as long as no service sends any.

use crate::actor::Actor;
use crate::failure::Failure;
use crate::statistics::calendar::{Asked, Calendar};
use crate::statistics::{IntervalGroups, PERMISSION};
use hub_domain::Zone;

/// Counts a project's airtime.
pub fn airtime_stats(actor: &Actor, asked: Asked) -> Result<Vec<IntervalGroups>, Failure> {
    actor.require(PERMISSION)?;
    let zone = Zone::find(&actor.project.timezone_id).unwrap_or(Zone::UTC);
    Calendar::of(zone, asked)?;
    Ok(Vec::new())
}
