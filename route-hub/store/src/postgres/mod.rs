//! The PostgreSQL engine: all that is PostgreSQL's own.

mod clock;
mod cluster;
mod connect;
mod dialect;
mod failure;
mod fence;
mod gates;
mod group;
mod look;
mod migrate;
mod nets;
mod notices;
mod place;
mod process;
mod processes;
mod servers;
mod session;
mod start;
mod values;
mod versions;
mod writer;

pub(crate) use self::cluster::Cluster;
pub(crate) use self::connect::named;
pub use self::connect::{PostgresSettings, Since};
pub use self::look::look_on_server;
pub(crate) use self::migrate::{OF_DATABASE, TABLES};
pub(crate) use self::processes::begin_without_any;
pub(crate) use self::servers::Servers;
pub use self::servers::Standing;
pub(crate) use self::start::{QUEUES, open, open_to_move};

/// Brings a test's database to our schema, and no more.
#[cfg(feature = "testing")]
pub(crate) fn prepare(settings: &PostgresSettings) -> Result<(), crate::StoreError> {
    migrate::migrate(&connect::Connector::new(settings)?, settings.create, 0)
}

/// Runs statements of a test, which may take their time.
#[cfg(feature = "testing")]
pub(crate) fn run(
    settings: &PostgresSettings,
    statements: &[&str],
) -> Result<(), crate::StoreError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = runtime.map_err(|error| crate::StoreError::Engine(std::sync::Arc::new(error)))?;
    runtime.block_on(async {
        let client = connect::Connector::new(settings)?.connect().await?;
        for statement in ["SET statement_timeout = 0"].iter().chain(statements) {
            client
                .batch_execute(statement)
                .await
                .map_err(failure::failure)?;
        }
        Ok(())
    })
}

/// What a statement takes and gives: the types of its parameters and columns, or why there are none.
#[cfg(test)]
pub(crate) type Shape = Result<Vec<String>, String>;

/// Prepares statements and returns what each takes and gives.
#[cfg(test)]
pub(crate) fn shapes(
    settings: &PostgresSettings,
    texts: &[String],
) -> Result<Vec<Shape>, crate::StoreError> {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().build().unwrap();
    runtime.block_on(async {
        let client = connect::Connector::new(settings)?.connect().await?;
        let mut shapes = Vec::new();
        for text in texts {
            let prepared = client.prepare(text).await;
            shapes.push(
                prepared
                    .map_err(|error| format!("{error:?}"))
                    .map(|statement| {
                        let columns = statement.columns().iter().map(|column| column.type_());
                        let types = statement.params().iter().chain(columns);
                        types.map(|kind| kind.name().to_owned()).collect()
                    }),
            );
        }
        Ok(shapes)
    })
}

/// Opens a connection that stands by itself.
#[cfg(test)]
pub(crate) fn session(url: &str) -> Result<Box<dyn crate::tx::Session>, crate::StoreError> {
    let connector = connect::Connector::new(&PostgresSettings::new(url))?;
    Ok(Box::new(session::PostgresSession::open(connector)?))
}
