//! A look at a database through one connection, beside the hubs on it.

use super::connect::{Connector, PostgresSettings};
use super::failure::failure;
use super::migrate;
use crate::look::{Look, StoredFilters, filters_of};
use crate::{StoreError, migrations};
use std::sync::Arc;
use tokio_postgres::Client;

/// Looks at a database on a server.
///
/// # Errors
/// [`StoreError::Unreachable`], [`StoreError::Refused`] and what else the server says.
pub fn look_on_server(settings: &PostgresSettings) -> Result<Look, StoreError> {
    let connector = Connector::new(settings)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| StoreError::Engine(Arc::new(error)))?;
    runtime.block_on(async {
        let client = connector.connect().await?;
        let version = client.query_one("SHOW server_version", &[]).await;
        let schema = migrate::found(&client).await?;
        Ok(Look {
            schema,
            newest: migrations::newest_known(),
            server: Some(version.map_err(failure)?.get(0)),
            faults: Vec::new(),
            is_whole: true,
            filters: filters(&client, schema).await?,
        })
    })
}

async fn filters(client: &Client, schema: i64) -> Result<Vec<StoredFilters>, StoreError> {
    let mut found = Vec::new();
    for (kind, sql) in filters_of(schema) {
        for row in client.query(sql, &[]).await.map_err(failure)? {
            found.push(StoredFilters {
                kind,
                key: row.get(0),
                project_key: row.get(1),
                text: row.get(2),
            });
        }
    }
    Ok(found)
}
