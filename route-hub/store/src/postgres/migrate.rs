//! Brings the schema of a PostgreSQL database up to date.

use super::connect::Connector;
use crate::{StoreError, migrations};
use refinery::{Migration, Runner};
use std::sync::Arc;

/// Returns a migration's text in PostgreSQL's dialect. What moves rows is left out: all of it is
/// older than the first PostgreSQL database.
fn dialect(migration: &str) -> String {
    let text = migration
        .replace(" BLOB", " BYTEA")
        .replace("); -- clustered", ");");
    let is_comment = |line: &&str| line.starts_with("--");
    let lines = text.lines().filter(|line| !is_comment(line));
    let text = lines.collect::<Vec<_>>().join("\n");
    let moves_rows = |statement: &&str| {
        let first = statement.split_whitespace().next();
        matches!(first, Some("UPDATE" | "DELETE" | "INSERT" | "WITH"))
    };
    let kept = text.split(";\n").filter(|statement| !moves_rows(statement));
    kept.collect::<Vec<_>>().join(";\n")
}

/// Brings the schema up to date.
pub(crate) fn migrate(connector: &Connector) -> Result<(), StoreError> {
    let engine = |error: &dyn std::error::Error| StoreError::Refused {
        why: error.to_string(),
    };
    let all = migrations::ALL
        .iter()
        .map(|(name, sql)| Migration::unapplied(name, &dialect(sql)))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| engine(&error))?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| StoreError::Engine(Arc::new(error)))?;
    runtime.block_on(async {
        let mut client = connector.connect().await?;
        let ran = Runner::new(&all).run_async(&mut client).await;
        ran.map(drop).map_err(|error| engine(&error))
    })
}
