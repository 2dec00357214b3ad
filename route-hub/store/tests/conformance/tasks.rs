//! Tasks: stored, found by their turn, and the contacts that each has dealt with.

use crate::Backend;
use crate::resources::{opened, write};
use crate::sample::{id, some_vars};
use hub_domain::*;
use hub_store::list::ListQuery;
use hub_store::*;
use postrider_model::*;

fn task(value: i64, project: i64) -> Task {
    Task {
        id: id(value),
        project_id: id(project),
        task_type: TaskType::UpdateContactVar,
        task_params: r#"{"variable":"x","value":"ä"}"#.to_owned(),
        filter_type: Some(FilterType::QueryMessages),
        filter_params: r#"{"all":true}"#.to_owned(),
        filters: r#"{"version":1,"filters":[]}"#.to_owned(),
        table_id: Some(id(9)),
        status: TaskStatus::Queued,
        total_rows: None,
        current_row: 0,
        done_up_to: 0,
        failed_rows: 0,
        problem: None,
        time_created: UnixMs(1),
        time_active: None,
        time_complete: None,
        vars: some_vars(),
        file_id: None,
        errors_file_id: None,
        progress: None,
    }
}

pub(crate) fn a_task_reads_back_as_it_changes<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        let mut task = task(100, 10);
        tasks::insert(tx, &task)?;
        assert_eq!(tasks::get(tx, id(10), id(100))?, Some(task.clone()));
        assert_eq!(tasks::get(tx, id(11), id(100))?, None);
        task.begin(Some(1), UnixMs(2));
        task.fail_row(|| "it is gone".to_owned());
        task.advance(3, 77);
        task.file_id = Some(id(55));
        task.errors_file_id = Some(id(56));
        task.progress = Some("{}".to_owned());
        task.end(TaskStatus::Complete, UnixMs(3));
        tasks::update(tx, &task)?;
        let query = ListQuery::default();
        assert_eq!(tasks::list(tx, id(10), &query)?.rows, [task]);
        assert_eq!(tasks::count(tx, id(10), &query)?, 1);
        assert_eq!(tasks::count(tx, id(11), &query)?, 0);
        Ok(())
    });
}

pub(crate) fn the_oldest_task_under_way_of_each_project_is_found<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        for (value, project) in [(102, 10), (101, 10), (103, 11)] {
            tasks::insert(tx, &task(value, project))?;
        }
        let found = |tx: &mut Tx<'_>, above| {
            let found = tasks::next_after(tx, above)?;
            Ok::<_, StoreError>(found.map(|task| task.id.get()))
        };
        assert_eq!(found(tx, 0)?, Some(101));
        assert_eq!(found(tx, 10)?, Some(103));
        assert_eq!(found(tx, 11)?, None);
        let mut ended = task(101, 10);
        ended.end(TaskStatus::Cancelled, UnixMs(5));
        tasks::update(tx, &ended)?;
        assert_eq!(found(tx, 0)?, Some(102));
        Ok(())
    });
}

pub(crate) fn a_contact_is_taken_once_until_its_task_ends<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        let mut task = task(100, 10);
        tasks::insert(tx, &task)?;
        let taken = |tx: &mut Tx<'_>, task| tasks::take_once(tx, id(task), id(5));
        assert_eq!((taken(tx, 100)?, taken(tx, 100)?), (true, false));
        assert!(taken(tx, 101)?, "another task has not dealt with it");
        task.begin(None, UnixMs(2));
        tasks::update(tx, &task)?;
        assert!(!taken(tx, 100)?);
        task.end(TaskStatus::Complete, UnixMs(3));
        tasks::update(tx, &task)?;
        assert!(taken(tx, 100)?, "what it dealt with is kept no longer");
        assert!(!taken(tx, 101)?);
        Ok(())
    });
}

pub(crate) fn a_task_that_goes_through_a_file_reads_back<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        let task = Task {
            filter_type: None,
            table_id: None,
            ..task(100, 10)
        };
        tasks::insert(tx, &task)?;
        assert_eq!(tasks::get(tx, id(10), id(100))?, Some(task));
        Ok(())
    });
}

pub(crate) fn parts_and_bad_rows_are_there_until_their_task_ends<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        let (project, mut task) = (id(10), task(100, 10));
        tasks::insert(tx, &task)?;
        for number in 0..2 {
            task_parts::insert(tx, project, task.id, number, &format!("part-{number}"))?;
        }
        let bad = |place| task_parts::BadRow {
            place,
            length: 5,
            problem: format!("ä {place}"),
        };
        for place in [40, 7, 20] {
            task_parts::insert_bad(tx, project, task.id, &bad(place))?;
        }
        let name = |tx: &mut Tx<'_>, project| task_parts::name(tx, id(project), id(100), 1);
        assert_eq!(name(tx, 10)?.as_deref(), Some("part-1"));
        assert_eq!(name(tx, 11)?, None);
        let needed = |tx: &mut Tx<'_>, name| task_parts::is_needed(tx, id(100), 1, name);
        assert!(needed(tx, "part-1")? && !needed(tx, "part-0")?);
        let after =
            |tx: &mut Tx<'_>, from, limit| task_parts::bad_from(tx, id(10), id(100), from, limit);
        assert_eq!(after(tx, 0, 2)?, [bad(7), bad(20)]);
        assert_eq!(after(tx, 21, 2)?, [bad(40)]);
        task.end(TaskStatus::Cancelled, UnixMs(3));
        tasks::update(tx, &task)?;
        assert_eq!(name(tx, 10)?, None);
        assert_eq!(after(tx, 0, 9)?, []);
        Ok(())
    });
}
