//! How programs tell that they change a schema: those that serve log it, the others print it.

use hub_app::data_folder::upgrade::Upgrading;

/// For a program with a log.
pub(crate) fn logged(copies: bool) -> Upgrading {
    let tell = |words: &str| tracing::info!("{words}");
    Upgrading { copies, tell }
}

/// For one without a log; standard output has its answer alone.
pub(crate) fn printed(copies: bool) -> Upgrading {
    let tell = |words: &str| eprintln!("route-hub: {words}");
    Upgrading { copies, tell }
}
