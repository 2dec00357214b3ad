//! What is PostgreSQL's own about opening: databases that are not ours, and those of other versions.

use hub_store::testing::{PostgresDatabase, server};
use hub_store::{PostgresSettings, Store, StoreError};

/// Says why a database is refused.
fn refusal(settings: &PostgresSettings) -> String {
    match Store::open_postgres(settings) {
        Err(StoreError::Refused { why }) => why,
        Err(error) => panic!("{error:?}"),
        Ok(_) => panic!("it was opened"),
    }
}

#[test]
fn an_empty_database_is_only_made_a_hub_s_when_that_is_wanted() {
    let Some(server) = server() else {
        return;
    };
    let database = PostgresDatabase::empty(&server);
    let mut settings = PostgresSettings::new(database.url());
    settings.create = false;
    let why = refusal(&settings);
    assert!(
        why.contains("it is empty") && why.contains("--create"),
        "{why}"
    );
    drop(database.open().unwrap());
    drop(Store::open_postgres(&settings).unwrap());
}

#[test]
fn a_database_of_something_else_is_refused_and_left_alone() {
    let Some(server) = server() else {
        return;
    };
    let database = PostgresDatabase::empty(&server);
    let settings = PostgresSettings::new(database.url());
    database.run(&["CREATE TABLE things (id INT)"]).unwrap();
    assert!(refusal(&settings).contains("something else"));
    let untouched = "DO $$ BEGIN ASSERT (SELECT count(*) FROM pg_tables \
        WHERE schemaname = 'public') = 1; END $$";
    database.run(&[untouched]).unwrap();
    // Another program with migrations of its own, by the same library.
    let history = "CREATE TABLE refinery_schema_history (version int4 PRIMARY KEY, \
        name VARCHAR(255), applied_on VARCHAR(255), checksum VARCHAR(255))";
    database.run(&[history]).unwrap();
    assert!(refusal(&settings).contains("something else"));
}

#[test]
fn a_database_of_anything_else_but_extensions_is_refused() {
    let Some(server) = server() else {
        return;
    };
    for (made, gone) in [
        ("CREATE VIEW things AS SELECT 1", "DROP VIEW things"),
        (
            "CREATE MATERIALIZED VIEW things AS SELECT 1",
            "DROP MATERIALIZED VIEW things",
        ),
        ("CREATE SEQUENCE things", "DROP SEQUENCE things"),
        ("CREATE TYPE things AS (id INT)", "DROP TYPE things"),
    ] {
        let database = PostgresDatabase::empty(&server);
        database.run(&[made]).unwrap();
        let settings = PostgresSettings::new(database.url());
        assert!(refusal(&settings).contains("something else"), "{made}");
        // The first has views, the second types.
        let extensions = "CREATE EXTENSION pg_stat_statements; CREATE EXTENSION tablefunc";
        database.run(&[gone, extensions]).unwrap();
        drop(database.open().unwrap());
    }
}

/// A user of the server, for one database.
struct User<'d> {
    database: &'d PostgresDatabase,
    name: String,
}

impl<'d> User<'d> {
    fn new(database: &'d PostgresDatabase, with: &str) -> Self {
        let url = database.url();
        let (_, name) = url.rsplit_once('/').unwrap();
        let (name, _) = name.split_once('?').unwrap_or((name, ""));
        let name = format!("{name}_user");
        let make = format!("CREATE ROLE {name} LOGIN PASSWORD 'word' {with}");
        database.run(&[&make]).unwrap();
        Self { database, name }
    }

    fn settings(&self) -> PostgresSettings {
        let url = self.database.url();
        let (_, rest) = url.split_once('@').unwrap();
        PostgresSettings::new(format!("postgres://{}:word@{rest}", self.name))
    }
}

impl Drop for User<'_> {
    fn drop(&mut self) {
        let gone = format!("DROP ROLE {}", self.name);
        let disown = format!("DROP OWNED BY {}", self.name);
        drop(self.database.run(&[&disown, &gone]));
    }
}

#[test]
fn a_user_who_may_make_no_tables_is_told_what_is_lacking() {
    let Some(server) = server() else {
        return;
    };
    let database = PostgresDatabase::empty(&server);
    let user = User::new(&database, "");
    let why = refusal(&user.settings());
    assert!(
        why.contains("GRANT USAGE, CREATE ON SCHEMA public"),
        "{why}"
    );
    database
        .run(&["REVOKE USAGE ON SCHEMA public FROM public"])
        .unwrap();
    let why = refusal(&user.settings());
    assert!(
        why.contains("GRANT USAGE, CREATE ON SCHEMA public"),
        "{why}"
    );
}

#[test]
fn a_server_without_room_for_all_connections_is_left_empty() {
    let Some(server) = server() else {
        return;
    };
    let database = PostgresDatabase::empty(&server);
    let user = User::new(&database, "CONNECTION LIMIT 5");
    let may = format!("GRANT ALL ON SCHEMA public TO {}", user.name);
    database.run(&[&may]).unwrap();
    let why = refusal(&user.settings());
    assert!(
        why.contains("raise the connection limit of its user"),
        "{why}"
    );
    let untouched = "DO $$ BEGIN ASSERT (SELECT count(*) FROM pg_tables \
        WHERE schemaname = 'public') = 0; END $$";
    database.run(&[untouched]).unwrap();
}

#[test]
fn a_newer_schema_is_served_where_it_takes_nothing_away() {
    let Some(server) = server() else {
        return;
    };
    let database = PostgresDatabase::fresh(&server);
    let settings = PostgresSettings::new(database.url());
    let newer = "INSERT INTO refinery_schema_history (version, name, applied_on, checksum) \
        SELECT 999, 'of_the_future', applied_on, checksum FROM refinery_schema_history LIMIT 1";
    database.run(&[newer]).unwrap();
    drop(Store::open_postgres(&settings).unwrap());
    let taken = "UPDATE hub_meta SET value = '999' WHERE name = 'schema_serves_since'";
    database.run(&[taken]).unwrap();
    let refused = Store::open_postgres(&settings).err();
    assert!(
        matches!(refused, Some(StoreError::Newer { found: 999, known }) if known < 999),
        "{refused:?}"
    );
}

#[test]
fn a_process_that_was_killed_as_it_began_leaves_a_database_that_is_empty() {
    let Some(server) = server() else {
        return;
    };
    let database = PostgresDatabase::empty(&server);
    let begun = "CREATE TABLE refinery_schema_history (version INT4 PRIMARY KEY, name VARCHAR(255), \
        applied_on VARCHAR(255), checksum VARCHAR(255))";
    database.run(&[begun]).unwrap();
    drop(database.open().unwrap());
}

#[test]
fn processes_that_start_at_once_make_one_schema() {
    let Some(server) = server() else {
        return;
    };
    let database = PostgresDatabase::empty(&server);
    std::thread::scope(|scope| {
        let opening: Vec<_> = (0..3).map(|_| scope.spawn(|| database.open())).collect();
        for opened in opening {
            drop(opened.join().unwrap().unwrap());
        }
    });
}
