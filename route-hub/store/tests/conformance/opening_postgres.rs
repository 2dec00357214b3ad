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
    assert!(refusal(&settings).contains("it is empty"));
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
