//! How many things of several series there were, by intervals: those of now, by when they came.

use crate::actor::Actor;
use crate::failure::Failure;
use crate::statistics::PERMISSION;
use crate::statistics::calendar::{Asked, Calendar};
use hub_domain::{Day, Interval, Quarter, Zone};
use hub_store::{Tx, list};
use hub_view::Refusal;
use postrider_model::UnixMs;

/// What is asked of several series.
#[derive(Debug, Clone)]
pub struct Wanted<S> {
    /// Which days.
    pub asked: Asked,
    /// Whether what came before an interval counts in it, too.
    pub cumulative: bool,
    /// Which series.
    pub series: Vec<S>,
}

/// How many there are of each series in an interval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntervalValues {
    /// Its days.
    pub interval: Interval,
    /// When it begins.
    pub start: UnixMs,
    /// When it is over.
    pub end: UnixMs,
    /// How many, in the order of the series.
    pub values: Vec<i64>,
}

/// Counts each series in each interval that has begun; `came` says how many came in each quarter hour.
pub(super) async fn count<S: Send + 'static>(
    actor: &Actor,
    wanted: Wanted<S>,
    mut came: impl FnMut(&mut Tx<'_>, &S) -> Result<Vec<(Quarter, i64)>, Failure> + Send + 'static,
) -> Result<Vec<IntervalValues>, Failure> {
    actor.require(PERMISSION)?;
    let zone = Zone::find(&actor.project.timezone_id).unwrap_or(Zone::UTC);
    let today = Day::of(&zone, actor.now.unix).ok_or_else(|| Refusal::internal("no such day"))?;
    let tomorrow = today.plus(1).unwrap_or(today);
    let calendar = Calendar::before(zone, wanted.asked, tomorrow)?;
    let share = actor.hub.store.of(actor.project.id);
    let counting = share.read(move |tx: &mut Tx<'_>| {
        let mut counted = begun(&calendar);
        tx.within(list::TIME_MAX, |tx| {
            wanted.series.iter().try_for_each(|series| {
                let came = came(tx, series)?;
                add(&mut counted, &calendar, wanted.cumulative, &came);
                Ok::<_, Failure>(())
            })
        })?;
        Ok::<_, Failure>(counted)
    });
    counting.await
}

/// Returns the intervals, with nothing counted.
fn begun(calendar: &Calendar) -> Vec<IntervalValues> {
    let begun = calendar.slots().iter().map(|slot| {
        let (start, end) = slot.moments();
        IntervalValues {
            interval: slot.interval,
            start,
            end,
            values: Vec::new(),
        }
    });
    begun.collect()
}

/// Adds one series to each interval.
fn add(
    counted: &mut [IntervalValues],
    calendar: &Calendar,
    is_cumulative: bool,
    came: &[(Quarter, i64)],
) {
    for (interval, slot) in counted.iter_mut().zip(calendar.slots()) {
        let span = slot.span;
        let counts =
            |quarter: Quarter| quarter < span.until && (is_cumulative || quarter >= span.first);
        let of_interval = came.iter().filter(|(quarter, _)| counts(*quarter));
        interval
            .values
            .push(of_interval.map(|(_, count)| count).sum());
    }
}
