//! How the statements of background work find their rows: never by reading a whole table that
//! grows with what people do.

use crate::keys::Keys;
use crate::list::{Filter, ListQuery, Op, Operand};
use crate::messages::Retention;
use crate::sqlite::open_writer;
use crate::testing::{PostgresDatabase, server};
use crate::tx::{Access, EachRow, Engine, Limit, Session, Sql};
use crate::{
    SqliteSettings, StoreError, Tx, Value, alerts, blocked_contacts, broadcasts, changes,
    data_rows, data_tables, facts_aside, fields, files, groups, idempotency, inbound_counted,
    labels, leftovers, messages, migrations, outbox, pairings, past_exposures, phones, postgres,
    projects, relative_schedules, schedules, short_links, task_parts, tasks, webhook_deliveries,
    webhook_log, webhooks,
};
use hub_domain::{
    AlertKind, CustomField, DataTable, FieldOwner, FileHolder, OutboxRow, PhoneType, WebhookEvent,
};
use postrider_model::{BroadcastId, DeviceId, Id, Key, PhoneId, ProjectId, UnixMs};
use std::time::Duration;

/// Tables that grow with what people send, receive and plan, and with what phones tell.
pub(crate) const GROWING: &[&str] = &[
    "alerts",
    "api_requests",
    "audit_log",
    "broadcast_numbers",
    "broadcasts",
    "contact_vars",
    "contacts",
    "counted_links",
    "data_rows",
    "facts_aside",
    "file_uses",
    "files",
    "group_members",
    "idempotency",
    "inbound_counted",
    "link_counts",
    "link_destinations",
    "message_counts",
    "message_day_sums",
    "message_days",
    "message_labels",
    "messages",
    "moves",
    "outbox",
    "pairings",
    "past_exposures",
    "row_vars",
    "schedule_runs",
    "schedules",
    "short_links",
    "task_bad_rows",
    "task_contacts",
    "task_parts",
    "tasks",
    "usage_changes",
    "webhook_deliveries",
    "webhook_log",
];

/// Indexes that hold only what is still to be done: going through one from its beginning is no
/// scan of its table.
const TO_DO: &[&str] = &[
    "messages_simulated",
    "relative_schedules_walking",
    "schedules_due",
    "sqlite_autoindex_relative_stale_1",
];

/// A connection that asks of each statement how it would be run, before it runs it.
struct Planned {
    session: Box<dyn Session>,
    plans: Vec<(String, String)>,
    /// Statements that are prepared to be asked about again, with how many values each takes.
    kept: Option<Vec<(String, usize)>>,
}

impl Planned {
    fn plan(&mut self, sql: Sql<'_>, values: &[Value<'_>]) -> Result<(), StoreError> {
        let (Sql::Fixed(text) | Sql::Built(text)) = sql;
        if let Some(kept) = &mut self.kept {
            if kept.iter().all(|(other, _)| other != text) {
                let prepare = format!("PREPARE kept_{} AS {text}", kept.len());
                self.session.execute(Sql::Built(&prepare), &[])?;
                kept.push((text.to_owned(), values.len()));
            }
            return Ok(());
        }
        let keys = Keys::of_process(0);
        let steps = steps(&mut Tx::new(&mut *self.session, &keys), text, values)?;
        let steps = steps.into_iter().map(|step| (text.to_owned(), step));
        self.plans.extend(steps);
        Ok(())
    }
}

impl Planned {
    /// Asks again how the statements that are prepared would be run.
    fn ask_again(&mut self) -> Vec<(String, String)> {
        let keys = Keys::of_process(0);
        let kept = self.kept.clone().unwrap_or_default();
        let asked = kept
            .into_iter()
            .enumerate()
            .map(|(number, (text, values))| {
                let explain = execute_explained(&format!("kept_{number}"), values);
                let mut tx = Tx::new(&mut *self.session, &keys);
                let lines = tx.query_built(&explain, &[], |row| row.text(0)).unwrap();
                (text, lines.join("\n"))
            });
        asked.collect()
    }
}

/// Returns the statement that asks for the plan of a prepared one, whatever its values.
fn execute_explained(name: &str, values: usize) -> String {
    let none = vec!["NULL"; values].join(", ");
    let none = if none.is_empty() {
        none
    } else {
        format!("({none})")
    };
    format!("EXPLAIN (COSTS OFF) EXECUTE {name}{none}")
}

/// Returns the steps in which the engine runs a statement, whatever its values.
fn steps(tx: &mut Tx<'_>, sql: &str, values: &[Value<'_>]) -> Result<Vec<String>, StoreError> {
    if tx.engine() == Engine::Sqlite {
        let explain = format!("EXPLAIN QUERY PLAN {sql}");
        return tx.query_built(&explain, values, |row| row.text(3));
    }
    tx.query_built(&format!("PREPARE asked AS {sql}"), &[], |_| Ok(()))?;
    let explain = execute_explained("asked", values.len());
    let lines = tx.query_built(&explain, &[], |row| row.text(0))?;
    tx.query_built("DEALLOCATE asked", &[], |_| Ok(()))?;
    Ok(vec![lines.join("\n")])
}

/// The way that an engine takes to a statement's rows.
#[derive(Debug)]
pub(crate) struct Way(String);

impl Way {
    /// Asks for a statement's way.
    pub(crate) fn of(tx: &mut Tx<'_>, sql: &str, values: &[Value<'_>]) -> Result<Self, StoreError> {
        steps(tx, sql, values).map(|steps| Self(steps.join("; ")))
    }

    /// Says whether it takes a step, in SQLite's words. PostgreSQL's have no conditions: of it only
    /// the index counts.
    pub(crate) fn takes(&self, step: &str) -> bool {
        if server().is_none() {
            return self.0.contains(step);
        }
        let words: Vec<&str> = step.split(' ').collect();
        let index = match *words {
            ["SEARCH", table, "USING", "PRIMARY", ..] => format!("{table}_pkey"),
            [index, ..] => index.to_owned(),
            [] => String::new(),
        };
        self.0.contains(&format!(" using {index} on "))
    }

    /// Says whether it comes to a table.
    pub(crate) fn reads(&self, table: &str) -> bool {
        self.0.contains(table)
    }

    /// Says whether it comes to one table before another. PostgreSQL's words have no such order.
    pub(crate) fn reads_before(&self, first: &str, then: &str) -> bool {
        let place = |table| self.0.find(&format!("SEARCH {table} "));
        server().is_some() || place(first).is_some_and(|first| Some(first) < place(then))
    }

    /// Says whether it sorts what it found.
    pub(crate) fn sorts(&self) -> bool {
        self.0.contains("TEMP B-TREE") || self.0.contains("Sort")
    }
}

impl Session for Planned {
    fn engine(&self) -> Engine {
        self.session.engine()
    }

    fn begin(&mut self, access: Access) -> Result<(), StoreError> {
        self.session.begin(access)
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        self.session.commit()
    }

    fn rollback(&mut self) {
        self.session.rollback();
    }

    fn execute(&mut self, sql: Sql<'_>, values: &[Value<'_>]) -> Result<usize, StoreError> {
        self.plan(sql, values)?;
        self.session.execute(sql, values)
    }

    fn query(
        &mut self,
        sql: Sql<'_>,
        values: &[Value<'_>],
        each: EachRow<'_>,
    ) -> Result<(), StoreError> {
        self.plan(sql, values)?;
        self.session.query(sql, values, each)
    }

    fn limit_time(&mut self, limit: Duration) -> Limit {
        self.session.limit_time(limit)
    }

    fn restore_limit(&mut self, limit: Limit) {
        self.session.restore_limit(limit);
    }

    fn begin_job(&mut self, steps_max: u64) {
        self.session.begin_job(steps_max);
    }

    fn steps(&self) -> u64 {
        self.session.steps()
    }

    fn has_written(&self) -> bool {
        self.session.has_written()
    }

    fn change_mark(&mut self) -> Result<i64, StoreError> {
        self.session.change_mark()
    }
}

fn id<K>() -> Id<K> {
    Id::new(Key::new(77).unwrap())
}

/// What housekeeping does.
fn tidy(tx: &mut Tx<'_>) -> Result<(), StoreError> {
    let (project, now): (ProjectId, _) = (id(), UnixMs(1_700_000_000_000));
    let retention = Retention {
        now,
        before: now,
        unknown_before: now,
        step: 100,
    };
    pairings::purge(tx, now)?;
    facts_aside::purge(tx, project, now)?;
    alerts::purge(tx, project, now)?;
    idempotency::purge(tx, now)?;
    webhook_deliveries::purge(tx, project, now)?;
    webhook_log::purge(tx, project, now)?;
    messages::purge_hidden(tx, project, now)?;
    messages::any_old(tx, project, &retention, 0)?;
    messages::remove_old(tx, project, &retention, 0)?;
    messages::erase(tx, id(), now)?;
    labels::forget(tx, id())?;
    webhook_deliveries::forget(tx, id())?;
    short_links::forget(tx, project, id())?;
    short_links::renew(tx, project, id(), now, now)?;
    let passing = files::Passing {
        now,
        unnamed_before: now,
        of_tasks_before: now,
    };
    files::remove_passed(tx, project, passing, (UnixMs(0), 0), 100)?;
    files::delete(tx, project, id(), now)?;
    files::let_go(tx, FileHolder::Scheduled, 77, now)?;
    files::holder(tx, id())?;
    files::missing(tx, &[id()])?;
    task_parts::is_needed(tx, id(), 0, "part")?;
    files::after(tx, 0, 100)?;
    leftovers::purge(tx)?;
    fields::to_clear(tx)?;
    for owner in [FieldOwner::Contact, FieldOwner::Table(id())] {
        let field = CustomField::new(77, project, owner, "city", 0);
        crate::variables::clear_some(tx, &field, 100)?;
    }
    data_tables::to_clear(tx)?;
    data_rows::remove_some(tx, id(), 100)?;
    data_tables::clear_some(tx, &DataTable::new(id(), project, "Table")).map(drop)
}

/// What the workers ask for, again and again.
fn work(tx: &mut Tx<'_>) -> Result<(), StoreError> {
    let (project, now): (ProjectId, _) = (id(), UnixMs(1_700_000_000_000));
    let (phone, device, broadcast): (PhoneId, DeviceId, BroadcastId) = (id(), id(), id());
    messages::life_ended(tx, now, now, (now, 0), 100)?;
    messages::simulated_on(tx, 0)?;
    for state in messages::SIMULATED_STATES {
        messages::simulated(tx, 77, state, 100)?;
    }
    messages::found(tx, 77)?;
    phones::found(tx, 77)?;
    projects::zone_and_halt(tx, project, UnixMs(0))?;
    messages::claim_queued(tx, phone, 1, 10)?;
    messages::waiting_up_to(tx, phone, 77)?;
    messages::on_device(tx, device, 0)?;
    messages::held(tx, device)?;
    messages::open_exposures(tx, device)?;
    messages::asked_back(tx, device)?;
    messages::routed_waiting(tx, phone, id(), 0, 100)?;
    messages::open_of_broadcast(tx, broadcast, 0, 200)?;
    messages::queued_for(tx, phone, 10)?;
    broadcasts::next_after(tx, 0, |_| 0)?;
    tasks::next_after(tx, 0)?;
    tasks::next_of(tx, project, id())?;
    tasks::take_once(tx, id(), id())?;
    task_parts::name(tx, project, id(), 0)?;
    task_parts::bad_from(tx, project, id(), 0, 500)?;
    schedules::due(tx, now, (now, 0), 100)?;
    schedules::found(tx, 77, |_| true)?;
    schedules::made_for(tx, id())?;
    relative_schedules::noted_project(tx, 0)?;
    relative_schedules::noted(tx, project, 100)?;
    relative_schedules::of_project(tx, project)?;
    let mark = changes::newest(tx)?;
    changes::since(tx, &mark)?;
    relative_schedules::walking(tx, 0, 100)?;
    relative_schedules::any(tx, project)?;
    outbox::next_project(tx, Some(project))?;
    outbox::next_endpoint(tx, project, "https://example.org")?;
    outbox::due_keys(tx, project, "https://example.org", now, 100)?;
    alerts::standing_of_device(tx, project, device)?;
    alerts::standing(tx, project, None, Some(device), AlertKind::PhoneOffline)?;
    alerts::raised_since(tx, project, device, AlertKind::PhoneOffline, now)?;
    blocked_contacts::next_after(tx, 0)?;
    messages::of_contact_below(tx, id(), 77, 100)?;
    webhooks::of_project(tx, project)?;
    groups::members_after(tx, id(), 0, 100)?;
    groups::members_since(tx, id(), now, 0, 100)?;
    groups::of_contact(tx, id())?;
    schedules::contacts_of_relative(tx, id(), 0, 100)?;
    schedules::delete_of_relative(tx, id(), 100)?;
    past_exposures::any_of_device(tx, id(), device)?;
    inbound_counted::count(tx, device, "installation", 7, now)?;
    phones::with_quiet_hours(tx, PhoneType::Android).map(drop)
}

/// What is asked of a message's events.
fn events(tx: &mut Tx<'_>) -> Result<(), StoreError> {
    let project: ProjectId = id();
    let event = event_of_a_message(project);
    outbox::before(tx, &event)?;
    outbox::put_off_followers(tx, &event, event.due_at)?;
    outbox::delete_of_message(tx, project, id())?;
    outbox::oldest(tx, project, 10).map(drop)
}

type Work = fn(&mut Tx<'_>) -> Result<(), StoreError>;

/// Runs work on an empty database of SQLite, and returns the plan of each of its statements.
fn plans_of(work: Work) -> Vec<(String, String)> {
    let dir = tempfile::tempdir().unwrap();
    let settings = SqliteSettings::new(dir.path().join("hub.db"));
    planned(
        Box::new(open_writer(&settings, migrations::run).unwrap()),
        work,
    )
}

/// Runs work, and returns the plan of each of its statements.
fn planned(session: Box<dyn Session>, work: Work) -> Vec<(String, String)> {
    let mut planned = Planned {
        session,
        plans: Vec::new(),
        kept: None,
    };
    planned.begin(Access::Write).unwrap();
    work(&mut Tx::new(&mut planned, &Keys::of_process(0))).unwrap();
    planned.plans
}

fn event_of_a_message(project_id: ProjectId) -> OutboxRow {
    OutboxRow {
        id: 7,
        project_id,
        webhook_id: None,
        message_id: Some(id()),
        origin: "https://example.org:443".to_owned(),
        url: "https://example.org/".to_owned(),
        secret: None,
        basic_password: None,
        event: WebhookEvent::SendStatus,
        body: String::new(),
        attempts: 0,
        due_at: UnixMs(0),
        time_created: UnixMs(0),
    }
}

/// Lists statements with what is done for each, every one once; the columns that they read are left
/// out.
fn listed(plans: &[(String, String)]) -> String {
    let mut statements: Vec<&str> = Vec::new();
    let mut text = String::new();
    for (statement, _) in plans {
        if statements.contains(&statement.as_str()) {
            continue;
        }
        statements.push(statement);
        let asked = match statement.split_once(" FROM ") {
            Some((columns, rest)) if columns.starts_with("SELECT ") => format!("… FROM {rest}"),
            _ => statement.clone(),
        };
        let asked = asked.split_whitespace().collect::<Vec<_>>().join(" ");
        text.push_str(&asked);
        text.push('\n');
        let mut steps: Vec<&str> = Vec::new();
        for (_, step) in plans.iter().filter(|(of, _)| of == statement) {
            if !steps.contains(&step.as_str()) {
                steps.push(step);
                text.push_str(&format!("    {step}\n"));
            }
        }
    }
    text
}

/// Each statement goes the way that it went when somebody looked at it last. A search is no proof
/// by itself: without its own index a statement may search another one for the whole project.
#[test]
fn each_statement_of_background_work_keeps_its_index() {
    insta::assert_snapshot!("housekeeping", listed(&plans_of(tidy)));
    insta::assert_snapshot!("workers", listed(&plans_of(work)));
    insta::assert_snapshot!("events", listed(&plans_of(events)));
}

#[test]
fn background_work_never_reads_a_whole_table_that_grows() {
    let plans = [tidy, work, events].map(plans_of).concat();
    assert!(plans.len() > 40, "{} plans", plans.len());
    let scans: Vec<_> = plans.iter().filter(|(_, plan)| is_scan(plan)).collect();
    assert!(scans.is_empty(), "{scans:#?}");
}

/// Says whether a step of a plan goes through a table that grows.
fn is_scan(plan: &str) -> bool {
    let Some(scanned) = plan.strip_prefix("SCAN ") else {
        return false;
    };
    let table = scanned.split(' ').next().unwrap_or_default();
    GROWING.contains(&table) && !TO_DO.iter().any(|index| scanned.ends_with(index))
}

#[test]
fn a_scan_is_seen() {
    assert!(is_scan("SCAN messages"));
    assert!(is_scan("SCAN messages USING INDEX messages_by_project"));
    assert!(!is_scan("SCAN messages USING INDEX messages_simulated"));
    assert!(!is_scan(
        "SEARCH messages USING INDEX messages_by_project (project_id=?)"
    ));
    assert!(!is_scan("SCAN projects"));
}

/// Rows by which a planner could be led astray: 20,000 in each table that grows, most of them done
/// with.
const FILL: &[&str] = &[
    "INSERT INTO messages (id, project_id, contact_id, phone_id, direction, message_type, source, \
     status, state, priority, ep, device_id, down_s, flags, send_attempts, on_unknown, life_end, \
     hidden, starred, simulated, time_created, time_updated) SELECT i, 5 + i % 3, i % 1000, i % 20, \
     1, 1, 1, 2, CASE WHEN i % 500 = 0 THEN 10 ELSE 60 END, 1, 1, i % 20, i, 0, 1, 0, i, 0, 0, 0, \
     i, i FROM generate_series(1, 20000) AS i",
    "INSERT INTO contacts (id, project_id, name, name_folded, phone_number, number_tail, \
     send_blocked, conversation_status, vars, time_created, time_updated, message_count, \
     incoming_message_count, outgoing_message_count) SELECT i, 5 + i % 3, 'N' || i, 'n' || i, \
     '+1500555' || i, '0555' || i, 0, 3, '{}', 0, 0, 0, 0, 0 FROM generate_series(1, 20000) AS i",
    "INSERT INTO outbox (id, project_id, message_id, origin, url, event, body, attempts, due_at, \
     time_created) SELECT i, 5 + i % 3, i / 3, 'https://example.org:443', '', 1, '', 0, i, i \
     FROM generate_series(1, 20000) AS i",
    "INSERT INTO alerts (id, project_id, device_id, kind, detail, time_created, time_cleared) \
     SELECT i, 5 + i % 3, i % 20, 1, '', i, i FROM generate_series(1, 20000) AS i",
    "INSERT INTO schedules (id, project_id, message_type, message, rrule, timezone_id, start_time, \
     next_time, listed_contact_id, instance, occurrences, revision, time_created) \
     SELECT i, 5 + i % 3, 1, '', '', '', 0, i, i % 1000, 1, 0, 0, 0 \
     FROM generate_series(1, 20000) AS i",
    "INSERT INTO broadcasts (id, project_id, title, message_type, source, message, to_kind, stage, \
     done_up_to, reached, estimated_count, queued_count, sent_count, failed_count, \
     failed_queued_count, delivered_count, not_delivered_count, cancelled_count, num_parts, \
     reply_count, last_message_time, time_created) SELECT i, 5 + i % 3, '', 1, 1, '', 1, 4, 0, 0, \
     0, 0, 0, 0, 0, 0, 0, 0, 0, 0, i, i FROM generate_series(1, 20000) AS i",
    "INSERT INTO group_members (group_id, member_id, time_joined) \
     SELECT i % 10, i, i FROM generate_series(1, 20000) AS i",
    "INSERT INTO contact_vars (bearer_id, field_id, value, number) \
     SELECT i, i % 10, i, i FROM generate_series(1, 20000) AS i",
    "INSERT INTO data_rows (id, project_id, table_id, contact_id, vars, time_created, time_updated) \
     SELECT i, 5 + i % 3, 70 + i % 10, i % 1000, '{}', i, i FROM generate_series(1, 20000) AS i",
    "INSERT INTO row_vars (bearer_id, field_id, value, number) \
     SELECT i, i % 10, i, i FROM generate_series(1, 20000) AS i",
    "INSERT INTO idempotency (project_id, idem_key, body_hash, answer, time_created) \
     SELECT i % 3, i, '', '', i FROM generate_series(1, 20000) AS i",
    "INSERT INTO webhook_deliveries (id, project_id, message_id, event, status, time_created, url, \
     attempts, body) SELECT i, i % 3, i, 1, 2, i, '', '[]', '' FROM generate_series(1, 20000) AS i",
    "INSERT INTO webhook_log (id, outbox_id, project_id, event, url_origin, attempt, outcome, time) \
     SELECT i, i, i % 3, 1, '', 1, '', i FROM generate_series(1, 20000) AS i",
    "INSERT INTO pairings (id, project_id, name, code_name, code_hash, full_hash, wrong_tries, \
     state, time_created, time_expires) SELECT i, i % 3, '', i, '', i, 0, 3, i, i \
     FROM generate_series(1, 20000) AS i",
    "ANALYZE",
];

/// A plan must hold whatever statistics there are: a hub prepares its statements on an empty
/// database, too, and keeps them.
#[test]
fn postgresql_reads_no_table_that_grows_either() {
    let Some(server) = server() else {
        return;
    };
    let database = PostgresDatabase::fresh(&server);
    let mut found = Vec::new();
    for fill in [&[], FILL] {
        database.run(fill).unwrap();
        for work in [tidy, work, events] {
            let plans = planned(postgres::session(&database.url()).unwrap(), work);
            found.extend(plans.into_iter().filter(|(_, plan)| reads_a_table(plan)));
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// What a hub prepared when its tables were empty it goes on using: with the plans of that time until
/// somebody counts the rows, and with others then.
#[test]
fn what_postgresql_prepared_on_empty_tables_stays_as_good_when_they_have_grown() {
    let Some(server) = server() else {
        return;
    };
    let database = PostgresDatabase::fresh(&server);
    let mut planned = Planned {
        session: postgres::session(&database.url()).unwrap(),
        plans: Vec::new(),
        kept: Some(Vec::new()),
    };
    planned.begin(Access::Write).unwrap();
    for work in [tidy, work, events] {
        work(&mut Tx::new(&mut planned, &Keys::of_process(0))).unwrap();
    }
    planned.commit().unwrap();
    let (count, rows) = FILL.split_last().unwrap();
    let mut found = Vec::new();
    for grow in [&[], rows, &[*count]] {
        database.run(grow).unwrap();
        planned.begin(Access::Read).unwrap();
        found.extend(planned.ask_again());
        planned.commit().unwrap();
    }
    assert!(found.len() > 150, "{} plans", found.len());
    found.retain(|(_, plan)| reads_a_table(plan));
    assert!(found.is_empty(), "{found:#?}");
}

fn list_by_two_variables(tx: &mut Tx<'_>) -> Result<(), StoreError> {
    let having = |name: &str, op, text: &str| Filter::Variable {
        name: name.to_owned(),
        op,
        operand: Operand::Text(text.to_owned()),
    };
    let query = ListQuery {
        filters: vec![
            having("age", Op::Eq, "42"),
            having("code", Op::Prefix, "a-4"),
        ],
        ..ListQuery::default()
    };
    data_rows::list(tx, id(), id(), &query).map(drop)
}

/// Of a row that was found along one variable, another one is looked at by the row's key, and not along all the
/// values that would do: there may be thousands, for each row anew.
#[test]
fn postgresql_asks_for_a_second_variable_by_its_row() {
    let Some(server) = server() else {
        return;
    };
    let database = PostgresDatabase::fresh(&server);
    let fill = "INSERT INTO row_vars (bearer_id, field_id, value) \
                SELECT i / 3, i % 3, 'a-' || i FROM generate_series(1, 60000) AS i";
    for fill in [&[][..], &[fill, "ANALYZE"]] {
        database.run(fill).unwrap();
        let session = postgres::session(&database.url()).unwrap();
        let plans = planned(session, list_by_two_variables);
        let lines = plans.iter().flat_map(|(_, plan)| plan.lines());
        let asked: Vec<_> = lines
            .filter(|line| line.contains(" on row_vars asked"))
            .collect();
        assert!(!asked.is_empty());
        let by_key = |line: &&str| line.contains(" using row_vars_pkey on ");
        assert!(asked.iter().all(by_key), "{asked:#?}");
    }
}

/// Says whether a plan of PostgreSQL's goes through a table that grows: through its pages, or along
/// an index without a condition on it.
fn reads_a_table(plan: &str) -> bool {
    let lines: Vec<&str> = plan.lines().collect();
    lines.iter().enumerate().any(|(at, line)| {
        let Some((scan, on)) = line
            .split_once(" on ")
            .filter(|(scan, _)| scan.contains("Scan"))
        else {
            return false;
        };
        let table = on.split(' ').next().unwrap_or_default();
        let rest = lines[at + 1..]
            .iter()
            .take_while(|line| !line.contains("->"));
        let has_condition = rest.clone().any(|line| line.contains("Index Cond:"));
        let is_to_do = TO_DO.iter().any(|index| scan.ends_with(index));
        GROWING.contains(&table) && !has_condition && !is_to_do
    })
}

#[test]
fn a_table_that_is_read_is_seen() {
    let by = |index: &str, condition: &str| {
        format!("Limit\n  ->  Index Scan using {index} on messages\n        {condition}")
    };
    assert!(reads_a_table("Seq Scan on messages"));
    assert!(reads_a_table(&by("messages_pkey", "Filter: (hidden = 0)")));
    assert!(!reads_a_table(&by(
        "messages_pkey",
        "Index Cond: (id = $1)"
    )));
    assert!(!reads_a_table(&by("messages_simulated", "")));
    assert!(!reads_a_table("Seq Scan on projects"));
}
