//! Brings the schema of a PostgreSQL database up to date.
//!
//! One process does it at a time; hubs of the version before serve beside it. Each lock on a table is
//! waited for briefly and asked for again: who waits for one keeps everybody behind it waiting too.

use super::connect::{self, Connector};
use super::dialect::{Dialect, Index};
use super::failure::{failure, is_rerun};
use super::nets;
use crate::{StoreError, migrations};
use refinery::error::Kind;
use refinery::{Migration, Runner};
use std::error::Error as _;
use std::sync::Arc;
use std::time::Duration;
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

/// What a connection that migrates is set to: an index may take long, a lock may not.
const SETTINGS: &str = "SET statement_timeout = 0; SET lock_timeout = '1s'; \
    SET idle_in_transaction_session_timeout = '1min'";
/// How long to wait between two tries.
const PAUSE: Duration = Duration::from_millis(200);
/// How often a lock is asked for: for minutes.
const TRIES: u32 = 500;
/// The advisory lock of the process that migrates: "PoRt" as a number.
const TURN: i64 = 0x506f_5274;

/// The oldest schema whose programs work on the newest one. It rises with a migration that takes
/// away what they need.
const SERVES_SINCE: i64 = 24;
/// Under what name a database says so.
const SERVES_SINCE_NAME: &str = "schema_serves_since";
/// Under what name it says which schema was brought to its end: with storage, and what the planner is to
/// believe.
const FINISHED_NAME: &str = "schema_finished";
/// What a database says of its schema and of itself, whatever is moved to it.
pub(crate) const OF_DATABASE: &[&str] = &[SERVES_SINCE_NAME, FINISHED_NAME, nets::TABLES];
/// Describes each column of each table: the table, the column, its type, its place in the key from 1
/// or 0.
pub(crate) const TABLES: &str = "SELECT relname::text, attname::text, \
    format_type(atttypid, NULL), COALESCE(array_position(indkey::int2[], attnum) + 1, 0)::int8 \
    FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid \
    LEFT JOIN pg_index ON indrelid = pg_class.oid AND indisprimary \
    WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND attnum > 0 \
    AND NOT attisdropped ORDER BY relname::text COLLATE \"C\", \
    array_position(indkey::int2[], attnum) NULLS LAST, attname::text COLLATE \"C\"";

/// How tables are stored that change much: rows that are written again find room on their page, and
/// what queues leave behind goes before it is long.
const STORAGE: &[&str] = &[
    "ALTER TABLE messages SET (autovacuum_vacuum_scale_factor = 0.02, \
     autovacuum_vacuum_insert_scale_factor = 0.05)",
    "ALTER TABLE contacts SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02)",
    "ALTER TABLE outbox SET (autovacuum_vacuum_scale_factor = 0.0, \
     autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0)",
    "ALTER TABLE outbox_waiting SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.0, \
     autovacuum_vacuum_threshold = 500)",
    "ALTER TABLE change_versions SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.0, \
     autovacuum_vacuum_threshold = 500)",
    "ALTER TABLE devices SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05)",
    "ALTER TABLE phones SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05)",
    "ALTER TABLE gates SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.0, \
     autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0)",
    "ALTER TABLE writers SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.0, \
     autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0)",
    "ALTER TABLE processes SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.0, \
     autovacuum_vacuum_threshold = 500)",
    "ALTER TABLE api_requests SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05)",
    "ALTER TABLE broadcasts SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05)",
    "ALTER TABLE contact_groups SET (fillfactor = 70)",
    "ALTER TABLE file_uses SET (autovacuum_vacuum_scale_factor = 0.02)",
    "ALTER TABLE files SET (autovacuum_vacuum_scale_factor = 0.02)",
    "ALTER TABLE short_links SET (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02)",
    "ALTER TABLE idempotency SET (autovacuum_vacuum_scale_factor = 0.02)",
    "ALTER TABLE moves SET (autovacuum_vacuum_scale_factor = 0.0, \
     autovacuum_vacuum_threshold = 2000)",
    "ALTER TABLE relative_stale SET (autovacuum_vacuum_scale_factor = 0.0, \
     autovacuum_vacuum_threshold = 2000)",
    "ALTER TABLE rate_tokens SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.0, \
     autovacuum_vacuum_threshold = 500)",
    "ALTER TABLE usage_changes SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02)",
    "ALTER TABLE usage_totals SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.0, \
     autovacuum_vacuum_threshold = 500)",
    "ALTER TABLE webhook_deliveries SET (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02)",
    "ALTER TABLE webhook_deliveries_kept SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.0, \
     autovacuum_vacuum_threshold = 500)",
    "ALTER TABLE webhook_log SET (autovacuum_vacuum_scale_factor = 0.02)",
    "ALTER TABLE alerts SET (autovacuum_vacuum_scale_factor = 0.02)",
    "ALTER TABLE audit_log SET (autovacuum_vacuum_scale_factor = 0.02)",
    "ALTER TABLE broadcast_numbers SET (autovacuum_vacuum_scale_factor = 0.05)",
    "ALTER TABLE contact_vars SET (autovacuum_vacuum_scale_factor = 0.02)",
    "ALTER TABLE data_rows SET (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02)",
    "ALTER TABLE data_tables SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.0, \
     autovacuum_vacuum_threshold = 500)",
    "ALTER TABLE facts_aside SET (autovacuum_vacuum_scale_factor = 0.02)",
    "ALTER TABLE group_members SET (autovacuum_vacuum_scale_factor = 0.02)",
    "ALTER TABLE inbound_counted SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02)",
    "ALTER TABLE counted_links SET (autovacuum_vacuum_scale_factor = 0.02)",
    "ALTER TABLE link_destinations SET (autovacuum_vacuum_scale_factor = 0.02)",
    "ALTER TABLE link_counts SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02)",
    "ALTER TABLE message_counts SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02)",
    "ALTER TABLE message_day_sums SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02)",
    "ALTER TABLE message_days SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02)",
    "ALTER TABLE message_labels SET (autovacuum_vacuum_scale_factor = 0.02)",
    "ALTER TABLE pairings SET (autovacuum_vacuum_scale_factor = 0.02)",
    "ALTER TABLE past_exposures SET (autovacuum_vacuum_scale_factor = 0.02)",
    "ALTER TABLE row_vars SET (autovacuum_vacuum_scale_factor = 0.02)",
    "ALTER TABLE schedules SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02)",
    "ALTER TABLE task_bad_rows SET (autovacuum_vacuum_scale_factor = 0.02)",
    "ALTER TABLE task_contacts SET (autovacuum_vacuum_scale_factor = 0.02)",
    "ALTER TABLE task_parts SET (autovacuum_vacuum_scale_factor = 0.02)",
    "ALTER TABLE tasks SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05)",
];

/// Columns by which rows are found, by table: the planner is to believe that each finds few, whatever
/// it has counted. Else a hub with one project, or one phone, gets plans that walk through everything.
const FINDING: &[(&str, &[&str])] = &[
    ("alerts", &["project_id", "device_id"]),
    ("audit_log", &["organization_id"]),
    ("broadcasts", &["project_id", "scheduled_id"]),
    ("contact_vars", &["field_id", "bearer_id"]),
    ("contacts", &["project_id"]),
    ("counted_links", &["message_id"]),
    ("data_rows", &["table_id", "contact_id"]),
    ("facts_aside", &["project_id", "device_id"]),
    ("file_uses", &["holder", "file_id"]),
    ("files", &["project_id"]),
    ("group_members", &["group_id", "member_id"]),
    ("idempotency", &["project_id"]),
    ("link_destinations", &["project_id"]),
    ("message_labels", &["label_id", "labelled_id"]),
    (
        "messages",
        &[
            "project_id",
            "contact_id",
            "phone_id",
            "device_id",
            "scheduled_id",
            "broadcast_id",
            "route_id",
        ],
    ),
    ("outbox", &["project_id", "message_id", "origin"]),
    ("row_vars", &["field_id", "bearer_id"]),
    (
        "schedules",
        &["project_id", "relative_id", "group_id", "listed_contact_id"],
    ),
    ("task_bad_rows", &["task_id"]),
    ("task_contacts", &["task_id"]),
    ("task_parts", &["task_id"]),
    ("tasks", &["project_id"]),
    ("webhook_deliveries", &["project_id", "message_id"]),
    ("webhook_log", &["project_id"]),
];

/// Brings the schema up to date; with `create` an empty database is made a hub's. Before anything is changed,
/// looks whether there is room for so many connections besides the one that this takes.
///
/// # Errors
/// [`StoreError::Refused`] for an empty database without `create`, for somebody else's, without that room and
/// where rights are lacking, [`StoreError::Newer`] for one that this version cannot serve,
/// [`StoreError::Busy`] when a table stays locked for minutes.
pub(crate) fn migrate(
    connector: &Connector,
    create: bool,
    others: usize,
) -> Result<(), StoreError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| StoreError::Engine(Arc::new(error)))?;
    runtime.block_on(async {
        let client = connector.connect().await?;
        connect::has_room(&client, others).await?;
        bring_to(client, migrations::ALL, create).await
    })
}

/// Returns the newest schema that a database has had, 0 for an empty one.
///
/// # Errors
/// [`StoreError::Refused`] for somebody else's.
pub(crate) fn schema(connector: &Connector) -> Result<i64, StoreError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| StoreError::Engine(Arc::new(error)))?;
    runtime.block_on(async { found(&connector.connect().await?).await })
}

async fn bring_to(
    mut client: Client,
    all: &[(&str, &str)],
    create: bool,
) -> Result<(), StoreError> {
    let dialect = Dialect::of(all);
    if is_done(&client, &dialect, create).await? {
        return Ok(());
    }
    client.batch_execute(SETTINGS).await.map_err(failure)?;
    take_turn(&client).await?;
    // Another process may have done it by now.
    if is_done(&client, &dialect, create).await? {
        return Ok(());
    }
    may_make_tables(&client).await?;
    let is_new = found(&client).await? == 0;
    if !is_new {
        // Before anything goes that older programs need.
        put(&client, SERVES_SINCE_NAME, SERVES_SINCE).await?;
    }
    run(&mut client, &dialect, is_new).await?;
    put(&client, SERVES_SINCE_NAME, SERVES_SINCE).await?;
    for statement in STORAGE {
        patiently(&client, statement).await?;
    }
    for (table, columns) in FINDING {
        let columns = columns
            .iter()
            .map(|column| format!("ALTER {column} SET (n_distinct = 1000)"));
        let columns = columns.collect::<Vec<_>>().join(", ");
        patiently(&client, &format!("ALTER TABLE {table} {columns}")).await?;
    }
    for index in missing(&client, &dialect).await? {
        make(&client, index).await?;
    }
    put(&client, FINISHED_NAME, dialect.newest()).await
}

/// Says whether there is nothing left to do.
async fn is_done(client: &Client, dialect: &Dialect, create: bool) -> Result<bool, StoreError> {
    let found = found(client).await?;
    let known = dialect.newest();
    if found == 0 && !create {
        return Err(refused(
            "it is empty: if it is the right one, `serve --create` makes the tables",
        ));
    }
    if found > known {
        let since = told(client, SERVES_SINCE_NAME).await?;
        return if since.is_some_and(|since| since <= known) {
            Ok(true)
        } else {
            Err(StoreError::Newer { found, known })
        };
    }
    let is_finished = found == known && told(client, FINISHED_NAME).await? == Some(known);
    Ok(is_finished && missing(client, dialect).await?.is_empty())
}

/// Returns the newest schema that the database has had, 0 for an empty one, in which there may be what belongs
/// to extensions. The table of migrations comes before all others, in a transaction of its own.
pub(super) async fn found(client: &Client) -> Result<i64, StoreError> {
    let look = "SELECT to_regclass('refinery_schema_history') IS NOT NULL \
        AND to_regclass('hub_meta') IS NOT NULL, count(*) FROM pg_class \
        WHERE relkind NOT IN ('i', 'I') AND relnamespace = current_schema()::regnamespace \
        AND relname <> 'refinery_schema_history' AND NOT EXISTS (SELECT FROM pg_depend \
        WHERE deptype = 'e' AND (classid = 'pg_class'::regclass AND objid = pg_class.oid \
        OR classid = 'pg_type'::regclass AND objid = pg_class.reltype))";
    let row = client.query_one(look, &[]).await.map_err(failure)?;
    match (row.get(0), row.get::<_, i64>(1)) {
        (false, 0) => return Ok(0),
        (false, _) => {
            return Err(refused(
                "it has tables, views or the like of something else",
            ));
        }
        (true, _) => {}
    }
    let newest = "SELECT COALESCE(max(version), 0)::int8 FROM refinery_schema_history";
    let row = client.query_one(newest, &[]).await.map_err(failure)?;
    Ok(row.get(0))
}

/// Returns what the database says of its schema under a name.
async fn told(client: &Client, name: &str) -> Result<Option<i64>, StoreError> {
    let read = "SELECT value::int8 FROM hub_meta WHERE name = $1";
    let row = client.query_opt(read, &[&name]).await;
    Ok(row.map_err(failure)?.map(|row| row.get(0)))
}

async fn put(client: &Client, name: &str, schema: i64) -> Result<(), StoreError> {
    let put = format!(
        "INSERT INTO hub_meta (name, value) VALUES ('{name}', '{schema}') \
         ON CONFLICT (name) DO UPDATE SET value = excluded.value"
    );
    patiently(client, &put).await
}

/// Refuses a database in which this user may not make tables, or not change those that are there.
async fn may_make_tables(client: &Client) -> Result<(), StoreError> {
    let look = "SELECT current_user::text, has_schema_privilege(current_schema(), 'CREATE'), \
        EXISTS (SELECT FROM pg_class WHERE oid = to_regclass('hub_meta') \
        AND NOT pg_has_role(relowner, 'USAGE'))";
    let row = client.query_one(look, &[]).await.map_err(failure)?;
    let user: &str = row.get(0);
    if row.get::<_, Option<bool>>(1) != Some(true) {
        return Err(refused(&format!(
            "its user {user} may not make tables in the schema public: GRANT USAGE, CREATE ON SCHEMA \
             public TO {user}, or make {user} the owner of the database"
        )));
    }
    if row.get(2) {
        return Err(refused(&format!(
            "its tables belong to another user than {user}, who cannot bring them up to date"
        )));
    }
    Ok(())
}

/// Waits until no other process migrates. Not by a statement that waits: its snapshot would hold up
/// the other's indexes.
async fn take_turn(client: &Client) -> Result<(), StoreError> {
    loop {
        let row = client.query_one("SELECT pg_try_advisory_lock($1)", &[&TURN]);
        if row.await.map_err(failure)?.get(0) {
            return Ok(());
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Runs the migrations that are new to the database: for an empty one all in one transaction, so
/// that one which was broken off is empty still.
async fn run(client: &mut Client, dialect: &Dialect, is_new: bool) -> Result<(), StoreError> {
    let unapplied = dialect
        .migrations
        .iter()
        .map(|(name, text)| Migration::unapplied(name, text))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| StoreError::Engine(Arc::new(error)))?;
    for _ in 0..TRIES {
        let runner = Runner::new(&unapplied).set_grouped(is_new);
        match runner.run_async(client).await {
            Ok(_) => return Ok(()),
            Err(error) if is_locked(&error) => tokio::time::sleep(PAUSE).await,
            Err(error) => return Err(explained(error)),
        }
    }
    Err(StoreError::Busy)
}

fn is_locked(error: &refinery::Error) -> bool {
    let source = error.source();
    let source = source.and_then(|source| source.downcast_ref::<tokio_postgres::Error>());
    source
        .and_then(tokio_postgres::Error::code)
        .is_some_and(is_lock)
}

fn is_lock(code: &SqlState) -> bool {
    *code == SqlState::LOCK_NOT_AVAILABLE || is_rerun(code)
}

fn explained(error: refinery::Error) -> StoreError {
    match error.kind() {
        Kind::DivergentVersion(..) | Kind::MissingVersion(_) => {
            refused("its tables were made by something else")
        }
        _ => StoreError::Engine(Arc::new(error)),
    }
}

/// Returns the indexes that are not there, or were broken off while they were made.
async fn missing<'d>(client: &Client, dialect: &'d Dialect) -> Result<Vec<&'d Index>, StoreError> {
    let look = "SELECT relname::text FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid \
        WHERE indisvalid AND relnamespace = current_schema()::regnamespace";
    let rows = client.query(look, &[]).await.map_err(failure)?;
    let there: Vec<&str> = rows.iter().map(|row| row.get(0)).collect();
    let indexes = dialect.indexes.iter();
    Ok(indexes
        .filter(|index| !there.contains(&&*index.name))
        .collect())
}

async fn make(client: &Client, index: &Index) -> Result<(), StoreError> {
    let broken = format!("DROP INDEX CONCURRENTLY IF EXISTS {}", index.name);
    for _ in 0..TRIES {
        patiently(client, &broken).await?;
        match client.batch_execute(&index.statement).await {
            Err(error) if error.code().is_some_and(is_lock) => tokio::time::sleep(PAUSE).await,
            done => return done.map_err(failure),
        }
    }
    Err(StoreError::Busy)
}

/// Runs a statement again while its lock is taken.
async fn patiently(client: &Client, statement: &str) -> Result<(), StoreError> {
    for _ in 0..TRIES {
        match client.batch_execute(statement).await {
            Err(error) if error.code().is_some_and(is_lock) => tokio::time::sleep(PAUSE).await,
            done => return done.map_err(failure),
        }
    }
    Err(StoreError::Busy)
}

fn refused(why: &str) -> StoreError {
    StoreError::Refused {
        why: format!("the database is refused: {why}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plans::GROWING;
    use crate::postgres::dialect;
    use crate::testing::{PostgresDatabase, server};
    use crate::{PostgresSettings, Store, Tx, webhooks};
    use hub_domain::Webhook;
    use postrider_model::{Id, Key, UnixMs};

    const LATER: (&str, &str) = (
        "V999__later",
        "ALTER TABLE webhooks ADD COLUMN later TEXT; \
         CREATE INDEX webhooks_later ON webhooks (later, id)",
    );

    async fn number(client: &Client, look: &str) -> i64 {
        client.query_one(look, &[]).await.unwrap().get(0)
    }

    /// Waits until a statement waits for a lock.
    async fn until_somebody_waits(client: &Client) {
        let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' \
            AND datname = current_database()";
        while number(client, waiting).await == 0 {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn a_migration_waits_for_a_table_that_is_in_use_and_older_programs_go_on() {
        let Some(server) = server() else {
            return;
        };
        let database = PostgresDatabase::fresh(&server);
        let connector = Connector::new(&PostgresSettings::new(database.url())).unwrap();
        let client = connector.connect().await.unwrap();
        let all: Vec<_> = migrations::ALL.iter().copied().chain([LATER]).collect();
        let hold = "SET idle_in_transaction_session_timeout = 0; BEGIN; SELECT * FROM webhooks";
        client.batch_execute(hold).await.unwrap();
        let looking = connector.connect().await.unwrap();
        let bring = async |all| bring_to(connector.connect().await?, all, false).await;
        let released = async {
            until_somebody_waits(&looking).await;
            client.batch_execute("COMMIT").await.unwrap();
        };
        let (migrated, ()) = tokio::join!(bring(&all), released);
        migrated.unwrap();
        assert_eq!(found(&client).await.unwrap(), 999);
        // A program that does not know the column starts beside it.
        bring(migrations::ALL).await.unwrap();
        let broken = "UPDATE pg_index SET indisvalid = false \
            WHERE indexrelid = 'webhooks_later'::regclass";
        client.batch_execute(broken).await.unwrap();
        bring(&all).await.unwrap();
        let valid = "SELECT count(*) FROM pg_index WHERE indisvalid \
            AND indexrelid = 'webhooks_later'::regclass";
        assert_eq!(number(&client, valid).await, 1, "it is made again");
    }

    #[tokio::test]
    async fn what_a_migration_that_was_killed_left_out_is_done_at_the_next_start() {
        let Some(server) = server() else {
            return;
        };
        let database = PostgresDatabase::fresh(&server);
        let connector = Connector::new(&PostgresSettings::new(database.url())).unwrap();
        let client = connector.connect().await.unwrap();
        // As far as it comes before the first table is set.
        let killed = "DELETE FROM hub_meta WHERE name = 'schema_finished'; \
            ALTER TABLE outbox RESET (autovacuum_vacuum_threshold); \
            ALTER TABLE tasks ALTER project_id RESET (n_distinct)";
        client.batch_execute(killed).await.unwrap();
        let again = connector.connect().await.unwrap();
        bring_to(again, migrations::ALL, false).await.unwrap();
        let set = "SELECT count(*) FROM pg_class WHERE relname = 'outbox' \
            AND array_to_string(reloptions, ' ') LIKE '%autovacuum_vacuum_threshold=2000%'";
        assert_eq!(number(&client, set).await, 1);
        let believed = "SELECT count(*) FROM pg_attribute WHERE attname = 'project_id' \
            AND attrelid = 'tasks'::regclass AND attoptions = ARRAY['n_distinct=1000']";
        assert_eq!(number(&client, believed).await, 1);
    }

    /// A write of the version before to the table that the migration changes.
    async fn store_webhook(store: &Store) -> Result<(), StoreError> {
        let project = Id::new(Key::new(5).unwrap());
        let job = move |tx: &mut Tx<'_>| {
            let webhook = Webhook {
                id: tx.id(UnixMs(1)),
                project_id: project,
                url: String::new(),
                secret: None,
                events: Vec::new(),
                time_created: UnixMs(1),
            };
            webhooks::insert(tx, &webhook)
        };
        store.of(project).write(job).await
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn the_version_before_writes_while_two_processes_migrate_and_a_transaction_is_open() {
        let Some(server) = server() else {
            return;
        };
        let database = PostgresDatabase::fresh(&server);
        let connector = Connector::new(&PostgresSettings::new(database.url())).unwrap();
        let before = database.open().unwrap();
        store_webhook(&before).await.unwrap();
        let long = connector.connect().await.unwrap();
        let hold = "SET idle_in_transaction_session_timeout = 0; BEGIN; SELECT * FROM webhooks";
        long.batch_execute(hold).await.unwrap();
        let migrate = || {
            let connector = connector.clone();
            tokio::spawn(async move {
                let all: Vec<_> = migrations::ALL.iter().copied().chain([LATER]).collect();
                bring_to(connector.connect().await?, &all, false).await
            })
        };
        let migrating = [migrate(), migrate()];
        let looking = connector.connect().await.unwrap();
        let mut written = 1;
        for _ in 0..3 {
            until_somebody_waits(&looking).await;
            store_webhook(&before).await.unwrap();
            written += 1;
        }
        assert_eq!(
            found(&looking).await.unwrap(),
            Dialect::of(migrations::ALL).newest()
        );
        // The index is made while the table is written to, and waits for who reads it.
        long.batch_execute("COMMIT; BEGIN; SELECT * FROM phones")
            .await
            .unwrap();
        while found(&looking).await.unwrap() < 999 {
            store_webhook(&before).await.unwrap();
            written += 1;
        }
        store_webhook(&before).await.unwrap();
        long.batch_execute("COMMIT").await.unwrap();
        for one in migrating {
            one.await.unwrap().unwrap();
        }
        store_webhook(&before).await.unwrap();
        let rows = number(&looking, "SELECT count(*) FROM webhooks").await;
        assert_eq!(rows, written + 2);
        let once = "SELECT count(*) FROM refinery_schema_history WHERE version = 999";
        assert_eq!(number(&looking, once).await, 1);
        let settings = PostgresSettings::new(database.url());
        let again = std::thread::spawn(move || Store::open_postgres(&settings).map(drop));
        again.join().unwrap().unwrap();
    }

    /// What is left out of an INSERT of the version before must have a value of its own. Tables that the
    /// migration makes may be filled, and indexes that are made again may go.
    fn only_adds(statement: &str, made: &[&str]) -> bool {
        let words: Vec<&str> = statement.split_whitespace().collect();
        match *words {
            ["CREATE", "TABLE" | "INDEX", ..] => true,
            ["ALTER", "TABLE", _, "ADD", "COLUMN", ..] => {
                !statement.contains("NOT NULL") || statement.contains(" DEFAULT ")
            }
            ["INSERT", "INTO", made_now, ..] | ["DROP", "INDEX", .., made_now] => {
                made.contains(&made_now)
            }
            _ => false,
        }
    }

    #[test]
    fn whatever_came_after_the_oldest_version_that_serves_only_adds() {
        let dialect = Dialect::of(migrations::ALL);
        let later = dialect.migrations.iter();
        let later = later.filter(|(name, _)| dialect::number(name) > SERVES_SINCE);
        for (name, text) in later {
            let statements = dialect::statements(text);
            let made = statements
                .iter()
                .filter_map(|statement| statement.strip_prefix("CREATE TABLE "));
            let made = made.filter_map(|rest| rest.split(' ').next());
            let anew = dialect.indexes.iter().map(|index| index.name.as_str());
            let made: Vec<&str> = made.chain(anew).collect();
            for statement in &statements {
                assert!(only_adds(statement, &made), "{name}: {statement}");
            }
        }
        for takes_away in [
            "ALTER TABLE phones DROP COLUMN carrier",
            "ALTER TABLE phones ADD COLUMN carrier TEXT NOT NULL",
            "CREATE UNIQUE INDEX phones_by_name ON phones (name)",
            "INSERT INTO phones (id) VALUES (1)",
            "DROP INDEX IF EXISTS phones_by_project",
        ] {
            assert!(!only_adds(takes_away, &["labels"]), "{takes_away}");
        }
    }

    /// What is deleted from, or changed, goes before it is a fifth of its table.
    #[tokio::test]
    async fn each_table_that_grows_has_an_autovacuum_of_its_own_and_none_has_partitions() {
        let Some(server) = server() else {
            return;
        };
        let database = PostgresDatabase::fresh(&server);
        let connector = Connector::new(&PostgresSettings::new(database.url())).unwrap();
        let client = connector.connect().await.unwrap();
        let look = "SELECT relname::text FROM pg_class WHERE relkind = 'r' \
            AND array_to_string(reloptions, ' ') LIKE '%autovacuum_vacuum_scale_factor%'";
        let rows = client.query(look, &[]).await.unwrap();
        let set: Vec<&str> = rows.iter().map(|row| row.get(0)).collect();
        let gone = ["schedule_runs"];
        let grows = GROWING.iter().filter(|table| !gone.contains(table));
        let without: Vec<_> = grows.filter(|table| !set.contains(table)).collect();
        assert!(without.is_empty(), "{without:?}");
        let partitions = "SELECT count(*) FROM pg_class WHERE relkind = 'p'";
        assert_eq!(number(&client, partitions).await, 0);
    }

    /// Otherwise an order with NULL first would have to sort.
    #[tokio::test]
    async fn an_index_has_null_first_wherever_there_can_be_one() {
        let Some(server) = server() else {
            return;
        };
        let database = PostgresDatabase::fresh(&server);
        let connector = Connector::new(&PostgresSettings::new(database.url())).unwrap();
        let client = connector.connect().await.unwrap();
        let last = "SELECT count(*) FROM (SELECT indrelid, unnest(indkey::int2[]) AS place, \
            unnest(indoption::int2[]) AS option FROM pg_index WHERE NOT indisprimary) AS columns \
            JOIN pg_class ON pg_class.oid = indrelid \
            JOIN pg_attribute ON attrelid = indrelid AND attnum = place \
            WHERE relnamespace = 'public'::regnamespace AND NOT attnotnull AND option";
        assert_eq!(number(&client, &format!("{last} <> 2")).await, 0);
        assert!(number(&client, &format!("{last} = 2")).await > 20);
    }
}
