//! The schema's history: one folder for all engines, each text read through the engine's dialect.

use crate::{StoreError, mark, sqlite};
use refinery::{Migration, Runner};
use rusqlite::{Connection, ErrorCode, TransactionBehavior};
use std::sync::Arc;

/// Every migration, in order: its name and its text.
pub(crate) const ALL: &[(&str, &str)] = &[
    ("V1__first", include_str!("../migrations/V1__first.sql")),
    ("V2__kinds", include_str!("../migrations/V2__kinds.sql")),
    ("V3__people", include_str!("../migrations/V3__people.sql")),
    (
        "V4__schedules",
        include_str!("../migrations/V4__schedules.sql"),
    ),
    (
        "V5__relative_schedules",
        include_str!("../migrations/V5__relative_schedules.sql"),
    ),
    ("V6__routes", include_str!("../migrations/V6__routes.sql")),
    (
        "V7__broadcasts",
        include_str!("../migrations/V7__broadcasts.sql"),
    ),
    (
        "V8__api_requests",
        include_str!("../migrations/V8__api_requests.sql"),
    ),
    (
        "V9__sms_parts_max",
        include_str!("../migrations/V9__sms_parts_max.sql"),
    ),
    (
        "V10__pairing_commitments",
        include_str!("../migrations/V10__pairing_commitments.sql"),
    ),
    (
        "V11__own_generations",
        include_str!("../migrations/V11__own_generations.sql"),
    ),
    (
        "V12__outbox_waiting",
        include_str!("../migrations/V12__outbox_waiting.sql"),
    ),
    ("V13__upkeep", include_str!("../migrations/V13__upkeep.sql")),
    (
        "V14__tenants",
        include_str!("../migrations/V14__tenants.sql"),
    ),
    (
        "V15__phones_and_facts",
        include_str!("../migrations/V15__phones_and_facts.sql"),
    ),
    (
        "V16__test_routes",
        include_str!("../migrations/V16__test_routes.sql"),
    ),
    (
        "V17__disclosure",
        include_str!("../migrations/V17__disclosure.sql"),
    ),
    (
        "V18__ended_schedules",
        include_str!("../migrations/V18__ended_schedules.sql"),
    ),
    (
        "V19__delivery_reports",
        include_str!("../migrations/V19__delivery_reports.sql"),
    ),
    (
        "V20__phone_waits",
        include_str!("../migrations/V20__phone_waits.sql"),
    ),
    (
        "V21__shift_tables",
        include_str!("../migrations/V21__shift_tables.sql"),
    ),
    (
        "V22__commands_for_later",
        include_str!("../migrations/V22__commands_for_later.sql"),
    ),
    (
        "V23__freezes_and_lost_installs",
        include_str!("../migrations/V23__freezes_and_lost_installs.sql"),
    ),
    (
        "V24__processes_and_gates",
        include_str!("../migrations/V24__processes_and_gates.sql"),
    ),
    (
        "V25__connections",
        include_str!("../migrations/V25__connections.sql"),
    ),
    ("V26__places", include_str!("../migrations/V26__places.sql")),
    (
        "V27__timelines",
        include_str!("../migrations/V27__timelines.sql"),
    ),
    (
        "V28__shared_limits",
        include_str!("../migrations/V28__shared_limits.sql"),
    ),
    (
        "V29__statistics",
        include_str!("../migrations/V29__statistics.sql"),
    ),
    (
        "V30__data_tables",
        include_str!("../migrations/V30__data_tables.sql"),
    ),
    ("V31__files", include_str!("../migrations/V31__files.sql")),
    ("V32__tasks", include_str!("../migrations/V32__tasks.sql")),
    (
        "V33__webhook_deliveries",
        include_str!("../migrations/V33__webhook_deliveries.sql"),
    ),
    (
        "V34__long_variables",
        include_str!("../migrations/V34__long_variables.sql"),
    ),
    (
        "V35__message_templates",
        include_str!("../migrations/V35__message_templates.sql"),
    ),
    (
        "V36__campaigns",
        include_str!("../migrations/V36__campaigns.sql"),
    ),
    (
        "V37__contact_filters",
        include_str!("../migrations/V37__contact_filters.sql"),
    ),
    (
        "V38__short_links",
        include_str!("../migrations/V38__short_links.sql"),
    ),
    (
        "V39__task_files",
        include_str!("../migrations/V39__task_files.sql"),
    ),
    (
        "V40__plans_and_prices",
        include_str!("../migrations/V40__plans_and_prices.sql"),
    ),
    (
        "V41__link_counts",
        include_str!("../migrations/V41__link_counts.sql"),
    ),
    (
        "V42__link_lives",
        include_str!("../migrations/V42__link_lives.sql"),
    ),
    (
        "V43__hub_alerts",
        include_str!("../migrations/V43__hub_alerts.sql"),
    ),
];

/// As [`run`] for a database that is then used: not for one whose data were moved away, or are being
/// moved into it.
///
/// # Errors
/// [`StoreError::Refused`], and as [`run`].
pub(crate) fn run_for_use(connection: &mut Connection) -> Result<(), StoreError> {
    if applied(connection)? > 0 {
        check_mark(connection)?;
    }
    run(connection)
}

/// Returns the schema that a database has and the one that [`run_for_use`] gives it; `None` when it leaves it
/// as it is, or the database is new.
///
/// # Errors
/// [`StoreError::Refused`] where [`run_for_use`] refuses it.
pub(crate) fn pending(connection: &Connection) -> Result<Option<(i64, i64)>, StoreError> {
    let (found, known) = (applied(connection)?, newest(ALL));
    if found == 0 || found >= known {
        return Ok(None);
    }
    check_mark(connection)?;
    Ok(Some((found, known)))
}

/// Refuses a database that is not to be used: its data have moved.
///
/// # Errors
/// [`StoreError::Refused`].
pub(crate) fn check_mark(connection: &Connection) -> Result<(), StoreError> {
    let look = "SELECT max(value) FROM hub_meta WHERE name = ?1";
    let kept = connection.query_row(look, [mark::NAME], |row| row.get::<_, Option<String>>(0));
    mark::check(kept.map_err(sqlite::failure)?.as_deref())
}

/// As [`run`] for one end of a move: one that has tables already is left as it is, and must have ours.
///
/// # Errors
/// [`StoreError::Refused`] when it has another schema, or none and `create` wants none made.
pub(crate) fn run_to_move(connection: &mut Connection, create: bool) -> Result<(), StoreError> {
    match applied(connection)? {
        0 if create => run(connection),
        found => same(found),
    }
}

/// Refuses another schema than the newest one that this version knows, for a move.
///
/// # Errors
/// [`StoreError::Refused`].
pub(crate) fn same(found: i64) -> Result<(), StoreError> {
    let known = newest(ALL);
    if found == known {
        return Ok(());
    }
    Err(StoreError::Refused {
        why: format!(
            "it has schema {found} and this program moves schema {known}: bring it up to date with \
             route-hub migrate, or use the program that wrote it"
        ),
    })
}

/// Brings an SQLite database up to date.
///
/// # Errors
/// [`StoreError::Newer`] when the database has a schema that this version does not know.
pub(crate) fn run(connection: &mut Connection) -> Result<(), StoreError> {
    bring_to(connection, ALL)
}

fn bring_to(connection: &mut Connection, all: &[(&str, &str)]) -> Result<(), StoreError> {
    let migrations = all
        .iter()
        .map(|(name, sql)| Migration::unapplied(name, &sqlite::dialect(sql)))
        .collect::<Result<Vec<_>, _>>()
        .map_err(failure)?;
    let known = newest(all);
    let runner = Runner::new(&migrations);
    let found = applied(connection)?;
    if found > known {
        return Err(StoreError::Newer { found, known });
    }
    if found < known {
        // Waits for another process that does the same, and then has nothing left to do.
        connection.set_transaction_behavior(TransactionBehavior::Immediate);
        let run = runner.set_grouped(true).run(connection);
        if let Err(error) = run
            && applied(connection)? < known
        {
            return Err(failure(error));
        }
    }
    Ok(())
}

/// Returns the schema of a database that is only looked at.
///
/// # Errors
/// [`StoreError::Newer`] when this version does not know it.
pub(crate) fn known(connection: &Connection) -> Result<i64, StoreError> {
    let found = applied(connection)?;
    let known = newest(ALL);
    if found > known {
        return Err(StoreError::Newer { found, known });
    }
    Ok(found)
}

/// Returns the newest schema that this version knows.
pub(crate) fn newest_known() -> i64 {
    newest(ALL)
}

/// Returns the number of the last migration: those before it may have gaps.
fn newest(all: &[(&str, &str)]) -> i64 {
    let last = all.last().map_or("", |(name, _)| *name);
    let number = last
        .trim_start_matches('V')
        .split("__")
        .next()
        .and_then(|number| number.parse().ok());
    number.unwrap_or(0)
}

/// Returns the newest schema that the database has had, 0 for a new one.
fn applied(connection: &Connection) -> Result<i64, StoreError> {
    let table = "SELECT count(*) FROM sqlite_master WHERE name = 'refinery_schema_history'";
    let newest = "SELECT COALESCE(max(version), 0) FROM refinery_schema_history";
    let read = |sql| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    match read(table).map_err(sqlite::failure)? {
        0 => Ok(0),
        _ => read(newest).map_err(sqlite::failure),
    }
}

fn failure(error: refinery::Error) -> StoreError {
    let source = std::error::Error::source(&error);
    let code = source
        .and_then(|source| source.downcast_ref::<rusqlite::Error>())
        .and_then(rusqlite::Error::sqlite_error_code);
    match code {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy,
        _ => StoreError::Engine(Arc::new(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::types::Value as SqlValue;

    #[test]
    fn what_was_on_its_way_through_a_group_goes_on_as_a_broadcast() {
        let mut connection = Connection::open_in_memory().unwrap();
        bring_to(&mut connection, &ALL[..6]).unwrap();
        let rows = "INSERT INTO contact_groups (id, project_id, name, name_folded, num_members, \
            time_created, allow_sending, vars) VALUES (3, 1, 'Staff', 'staff', 0, 0, 1, '{}'); \
            INSERT INTO schedule_runs (id, project_id, scheduled_id, group_id, message, done_up_to, \
            time_created) VALUES (9, 1, 8, 3, '{}', 77, 5)";
        connection.execute_batch(rows).unwrap();
        run(&mut connection).unwrap();
        let read = "SELECT title, group_id, scheduled_id, stage, done_up_to FROM broadcasts \
            WHERE id = 9 AND project_id = 1";
        let moved = connection.query_row(read, [], |row| {
            let title: String = row.get(0)?;
            let rest = [1, 2, 3, 4].map(|column| row.get::<_, i64>(column));
            Ok((title, rest.map(Result::unwrap)))
        });
        assert_eq!(moved.unwrap(), ("Staff".to_owned(), [3, 8, 1, 77]));
    }

    #[test]
    fn what_was_there_before_it_was_counted_is_counted_when_it_was_made() {
        let mut connection = Connection::open_in_memory().unwrap();
        let newest = ALL
            .iter()
            .position(|(name, _)| name.starts_with("V40__"))
            .unwrap();
        bring_to(&mut connection, &ALL[..newest]).unwrap();
        let key = |quarter: i64, number: i64| quarter * 900_000 * (1 << 21) + number;
        let contact = |id: i64| {
            format!(
                "INSERT INTO contacts (id, project_id, send_blocked, conversation_status, vars, \
                 time_created, time_updated, message_count, incoming_message_count, \
                 outgoing_message_count) VALUES ({id}, 7, 0, 3, '{{}}', 0, 0, 0, 0, 0);"
            )
        };
        let rows = [key(5, 1), key(5, 2), key(8, 3)].map(contact).concat();
        connection.execute_batch(&rows).unwrap();
        let counted = "INSERT INTO message_counts (project_id, quarter, phone_id, direction, \
            message_type, source, status, simulated, network_code, currency, messages, num_parts, \
            duration_sec, price) VALUES (7, 6, 1, 1, 1, 1, 1, 0, '', '', 4, 4, 0, 0)";
        connection.execute_batch(counted).unwrap();
        run(&mut connection).unwrap();
        let read = |sql: &str| {
            let mut reading = connection.prepare(sql).unwrap();
            let rows = reading.query_map([], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?]));
            rows.unwrap().map(Result::unwrap).collect::<Vec<[i64; 3]>>()
        };
        let changes = "SELECT quarter, contacts, external_messages FROM usage_changes \
            WHERE project_id = 7 ORDER BY quarter";
        assert_eq!(read(changes), [[5, 2, 0], [6, 0, 4], [8, 1, 0]]);
        let totals = "SELECT project_id, contacts, external_messages FROM usage_totals";
        assert_eq!(read(totals), [[7, 3, 4]]);
    }

    #[test]
    fn slugs_that_two_projects_of_an_organization_share_are_told_apart() {
        let mut connection = Connection::open_in_memory().unwrap();
        bring_to(&mut connection, &ALL[..16]).unwrap();
        let add = |id: i64, organization: i64, slug: &str| {
            let row = format!(
                "INSERT INTO projects (id, organization_id, name, name_folded, timezone_id, \
                 url_slug, auto_create_contacts, short_link_scheme, vars, message_life_ms, \
                 queue_cap, stopped, time_created) VALUES ({id}, {organization}, '{id}', '{id}', \
                 'UTC', {slug}, 1, 1, '{{}}', 0, 0, 0, 0)"
            );
            connection.execute_batch(&row).unwrap();
        };
        let long = "'eighteen-character'";
        // The last of them has the very slug that the second would get.
        for (id, organization, slug) in [
            (1, 9, long),
            (2, 9, long),
            (30_000_000_002, 9, long),
            (3, 8, long),
            (4, 9, "NULL"),
            (5, 9, "NULL"),
            (6, 9, "'eightee-2'"),
        ] {
            add(id, organization, slug);
        }
        run(&mut connection).unwrap();
        let mut read = connection
            .prepare("SELECT url_slug FROM projects ORDER BY id")
            .unwrap();
        let slugs = read.query_map([], |row| row.get::<_, Option<String>>(0));
        let slugs: Vec<_> = slugs.unwrap().map(Result::unwrap).collect();
        let slugs: Vec<_> = slugs.iter().map(Option::as_deref).collect();
        let kept = Some("eighteen-character");
        let made = Some("eightee-2");
        assert_eq!(slugs, [kept, made, kept, None, None, None, None]);
    }

    #[test]
    fn what_a_relative_schedule_made_and_is_over_ends_with_its_last_message() {
        let mut connection = Connection::open_in_memory().unwrap();
        let before = ALL.iter().position(|(name, _)| name.starts_with("V18__"));
        bring_to(&mut connection, &ALL[..before.unwrap()]).unwrap();
        let columns = "id, project_id, relative_id, message_type, message, rrule, timezone_id, \
            start_time, prev_time, next_time, instance, occurrences, revision, time_created";
        let rest = "1, '{}', '', 'UTC', 5";
        let rows = format!(
            "INSERT INTO schedules ({columns}) VALUES (1, 1, 9, {rest}, 7, NULL, 1, 1, 0, 0), \
             (2, 1, 9, {rest}, 7, 8, 1, 1, 0, 0), (3, 1, NULL, {rest}, 7, NULL, 1, 1, 0, 0)"
        );
        connection.execute_batch(&rows).unwrap();
        run(&mut connection).unwrap();
        let mut read = connection
            .prepare("SELECT end_time FROM schedules ORDER BY id")
            .unwrap();
        let ends = read.query_map([], |row| row.get(0)).unwrap();
        let ends: Vec<Option<i64>> = ends.map(Result::unwrap).collect();
        assert_eq!(ends, [Some(7), None, None]);
    }

    #[test]
    fn what_is_sent_later_becomes_a_command_and_what_is_no_request_stays() {
        let mut connection = Connection::open_in_memory().unwrap();
        let before = ALL.iter().position(|(name, _)| name.starts_with("V22__"));
        bring_to(&mut connection, &ALL[..before.unwrap()]).unwrap();
        let (kept, list) = (r#"{"phone_id":"PN1","vars":{"a":1.50}}"#, r#"["content"]"#);
        for (id, message) in [(1, kept), (2, "nothing"), (3, list)] {
            let columns = "id, project_id, message_type, message, rrule, timezone_id, start_time, \
                instance, occurrences, revision, time_created";
            let row = format!(
                "INSERT INTO schedules ({columns}) VALUES ({id}, 1, 1, '{message}', '', 'UTC', 5, \
                 1, 0, 0, 0)"
            );
            connection.execute_batch(&row).unwrap();
        }
        run(&mut connection).unwrap();
        let mut read = connection
            .prepare("SELECT message FROM schedules ORDER BY id")
            .unwrap();
        let messages = read.query_map([], |row| row.get(0)).unwrap();
        let messages: Vec<String> = messages.map(Result::unwrap).collect();
        let command = r#"{"v":1,"command":{"item":{"vars":{"a":1.50}},"options":{"sender":{"param":"phone_id","value":"PN1"},"kind":"text"}}}"#;
        assert_eq!(messages, [command, "nothing", list]);
    }

    #[test]
    fn freezes_and_lost_installs_move_from_texts_into_columns() {
        let mut connection = Connection::open_in_memory().unwrap();
        let before = ALL.iter().position(|(name, _)| name.starts_with("V23__"));
        bring_to(&mut connection, &ALL[..before.unwrap()]).unwrap();
        for id in 1..=4 {
            let rows = format!(
                "INSERT INTO projects (id, organization_id, name, name_folded, timezone_id, \
                 auto_create_contacts, short_link_scheme, vars, message_life_ms, queue_cap, \
                 stopped, time_created) VALUES ({id}, 9, '{id}', '{id}', 'UTC', 1, 1, '{{}}', 0, \
                 0, 0, 0); \
                 INSERT INTO devices (id, organization_id, project_id, name, public_key, \
                 key_algorithm, install, conn, gen, down_sent, down_acked, up, state, frozen, \
                 time_paired) VALUES ({id}, 9, 1, '', '', '', '', 0, 0, 0, 0, 0, 1, 0, 0)"
            );
            connection.execute_batch(&rows).unwrap();
        }
        for (name, value) in [
            ("gen", "3"),
            ("frozen PJ0000000000000001", "phone 7"),
            ("frozen PJ0000000000000002", "whole 3765283582505844736"),
            ("frozen PJ0000000000000003", "lost 9"),
            ("frozen_alone DV0000000000000002", ""),
            (
                "lost_install DV0000000000000001 install-of-tests",
                "ed25519 a2V5 55",
            ),
            (
                "lost_install DV0000000000000001 without-a-moment",
                "p256 a2V5",
            ),
            ("lost_install DV0000000000000003 without-a-key", ""),
        ] {
            let put = "INSERT INTO hub_meta (name, value) VALUES (?1, ?2)";
            connection.execute(put, [name, value]).unwrap();
        }
        run(&mut connection).unwrap();
        assert_eq!(
            shown(
                &connection,
                "SELECT id, freeze_scope, frozen_up_to FROM projects"
            ),
            ["1 1 7", "2 2 3765283582505844736", "3 3 9", "4 - -"]
        );
        let alone = shown(&connection, "SELECT id FROM devices WHERE frozen_alone = 1");
        assert_eq!(alone, ["2"]);
        let lost =
            "SELECT device_id, install, key_algorithm, public_key, time_lost FROM lost_installs";
        assert_eq!(
            shown(&connection, lost),
            [
                "1 install-of-tests ed25519 a2V5 55",
                "1 without-a-moment p256 a2V5 -",
                "3 without-a-key - - -",
            ]
        );
        assert_eq!(shown(&connection, "SELECT name FROM hub_meta"), ["gen"]);
    }

    /// Returns each row as its values with spaces between, `-` for NULL.
    fn shown(connection: &Connection, sql: &str) -> Vec<String> {
        let mut read = connection.prepare(sql).unwrap();
        let columns = read.column_count();
        let rows = read.query_map([], |row| {
            let value = |column| match row.get(column).unwrap() {
                SqlValue::Null => "-".to_owned(),
                SqlValue::Integer(number) => number.to_string(),
                SqlValue::Text(text) => text,
                other => format!("{other:?}"),
            };
            Ok((0..columns).map(value).collect::<Vec<_>>().join(" "))
        });
        rows.unwrap().map(Result::unwrap).collect()
    }

    #[test]
    fn a_database_of_each_earlier_schema_goes_forward_with_its_rows() {
        let mut connection = Connection::open_in_memory().unwrap();
        bring_to(&mut connection, &ALL[..1]).unwrap();
        let phone = "INSERT INTO phones (id, project_id, name, name_folded, phone_type, \
            send_paused, time_created, vars, sent_message_count, sent_message_epoch, \
            send_delay_ms, quiet_mode, validate_recipient_numbers, sim_changed, auto_paused, \
            removed) VALUES (7, 1, 'Phone', 'phone', 1, 0, 0, '{}', 0, 0, 0, 0, 0, 0, 0, 0)";
        connection.execute_batch(phone).unwrap();
        run(&mut connection).unwrap();
        assert_eq!(applied(&connection).unwrap(), newest(ALL));
        let read = "SELECT quiet_released_until, send_limit_max FROM phones WHERE id = 7";
        let nothing = connection.query_row(read, [], |row| {
            Ok((row.get::<_, Option<i64>>(0)?, row.get::<_, Option<i64>>(1)?))
        });
        assert_eq!(nothing.unwrap(), (None, None));
        run(&mut connection).unwrap();
    }
}
