//! Statistics, whoever asks.

use crate::actor::{Actor, Who};
use crate::data_tables::rows::{self, RowPatch};
use crate::data_tables::{self, views};
use crate::failure::Failure;
use crate::statistics::{
    Asked, IntervalValues, RowSeries, Wanted, airtime_stats, data_table_stats,
};
use crate::testing::{Office, wait};
use hub_domain::{Day, Interval, Permission, Rollup, VarsChange, ViewFilters, Zone};
use hub_view::RefusalCode;
use postrider_model::{DataTableId, DataViewId, UnixMs};
use serde_json::json;

const HOUR_MS: i64 = 3_600_000;

fn table(actor: &Actor, name: &str) -> DataTableId {
    let made = wait(data_tables::get_or_create(actor, name.to_owned()));
    made.unwrap().0.id
}

/// Makes a row so many hours from now.
fn row(actor: &Actor, table: DataTableId, answer: &str, hours: i64) {
    let mut actor = actor.clone();
    actor.now.unix = UnixMs(actor.now.unix.0 + hours * HOUR_MS);
    let patch = RowPatch {
        vars: VarsChange::parse(&json!({ "answer": answer })).unwrap(),
        ..RowPatch::default()
    };
    wait(rows::create(&actor, table, patch)).unwrap();
}

fn view(actor: &Actor, table: DataTableId, answer: &str) -> DataViewId {
    let filters = ViewFilters::parse(&json!({ "vars.answer": answer })).unwrap();
    let made = views::create(actor, table, answer.to_owned(), filters);
    wait(made).unwrap().view.id
}

/// The days around today, in UTC.
fn days(actor: &Actor, before: i32, after: i32) -> Asked {
    let today = Day::of(&Zone::UTC, actor.now.unix).unwrap();
    Asked {
        days: Interval {
            first: today.plus(-before).unwrap(),
            last: today.plus(after).unwrap(),
        },
        rollup: Rollup::Day,
    }
}

fn counted(
    actor: &Actor,
    cumulative: bool,
    series: &[RowSeries],
) -> Result<Vec<Vec<i64>>, Failure> {
    let wanted = Wanted {
        asked: days(actor, 2, 2),
        cumulative,
        series: series.to_vec(),
    };
    let values = |one: IntervalValues| one.values;
    Ok(wait(data_table_stats(actor, wanted))?
        .into_iter()
        .map(values)
        .collect())
}

fn refused<T>(result: Result<T, Failure>) -> (RefusalCode, Option<String>) {
    let refusal = result.err().unwrap().into_refusal();
    (refusal.code(), refusal.param().map(str::to_owned))
}

#[test]
fn rows_of_a_table_and_of_a_view_are_counted_by_when_they_were_made() {
    let office = Office::new();
    let actor = office.actor(Who::Operator);
    let (answers, others) = (table(&actor, "Answers"), table(&actor, "Others"));
    for (answer, hours) in [
        ("yes", -48),
        ("no", -48),
        ("yes", -24),
        ("yes", -96),
        ("no", 0),
    ] {
        row(&actor, answers, answer, hours);
    }
    row(&actor, others, "yes", 0);
    let yes = view(&actor, answers, "yes");
    let series = [RowSeries::Table(answers), RowSeries::View(yes)];
    let added = counted(&actor, false, &series).unwrap();
    assert_eq!(added, [[2, 1], [1, 1], [1, 0]], "no day that has not begun");
    let there = counted(&actor, true, &series).unwrap();
    assert_eq!(there, [[3, 2], [4, 3], [5, 3]]);
}

#[test]
fn a_view_s_rows_are_those_that_it_has_now() {
    let office = Office::new();
    let actor = office.actor(Who::Operator);
    let answers = table(&actor, "Answers");
    row(&actor, answers, "no", -24);
    let view = view(&actor, answers, "yes");
    assert_eq!(
        counted(&actor, true, &[RowSeries::View(view)]).unwrap()[2],
        [0]
    );
    row(&actor, answers, "yes", -24);
    assert_eq!(
        counted(&actor, true, &[RowSeries::View(view)]).unwrap()[2],
        [1]
    );
}

#[test]
fn what_is_not_there_has_no_rows_to_count() {
    let office = Office::new();
    let actor = office.actor(Who::Operator);
    let answers = table(&actor, "Answers");
    let view = view(&actor, answers, "yes");
    let series = [RowSeries::Table(answers), RowSeries::View(view)];
    wait(data_tables::delete(&actor, answers)).unwrap();
    let wrong = (RefusalCode::InvalidParam, Some("series".to_owned()));
    for one in series {
        assert_eq!(refused(counted(&actor, true, &[one])), wrong, "{one:?}");
    }
    let blind = office.actor(office.holder(&[Permission::ViewData]));
    assert_eq!(
        refused(counted(&blind, true, &[])).0,
        RefusalCode::Unauthorized
    );
}

#[test]
fn airtime_is_asked_for_as_the_rest_and_there_is_none() {
    let office = Office::new();
    let actor = office.actor(Who::Operator);
    let asked = days(&actor, 2, 2);
    assert_eq!(airtime_stats(&actor, asked).unwrap(), []);
    let wrong_way = Asked {
        days: Interval {
            first: asked.days.last,
            last: asked.days.first,
        },
        ..asked
    };
    let wrong = (RefusalCode::InvalidParam, Some("end_date".to_owned()));
    assert_eq!(refused(airtime_stats(&actor, wrong_way)), wrong);
}
