//! `route-hub serve`.

use crate::commands::logging;
use crate::commands::running::{Running, Start};
use crate::commands::service_manager;
use crate::commands::stop_signal::StopSignal;
use crate::settings::{OperatorListen, ServeSettings};
use crate::tls::Tls;
use crate::transport::Transport;
use crate::upgrading;
use hub_app::data_folder;
use hub_app::data_folder::error::CommandError;
use hub_app::hub::fact_rates::RATE_DEFAULT_PER_S;
use hub_app::stored_caps::Cap;
use hub_link::pairing::offer::{AppOffer, read_app};
use hub_outgoing::{Guard, Names};
use hub_store::Tx;
use hub_web::front::FrontSettings;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

/// The default address of the operator's endpoints.
pub(super) const OPERATOR_DEFAULT: SocketAddr =
    SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8091);
/// How long a stop waits for requests and phones by default.
const DRAIN_DEFAULT_S: u64 = 10;

/// Runs a hub until it is told to stop.
///
/// # Errors
/// When it cannot start, or a part of it fails.
pub fn serve(settings: ServeSettings) -> Result<(), CommandError> {
    logging::start(settings.log.as_deref(), settings.log_json.unwrap_or(false))?;
    #[cfg(debug_assertions)]
    if let Some(fault) = settings.fault.clone() {
        postrider_link::mistake::plant(fault);
    }
    let app = app(&settings)?;
    let process = settings.process()?;
    let transport = Transport::chosen(&settings)?;
    let runtime = Runtime::new()?;
    let listener = runtime.block_on(listen(settings.listen_addr()))?;
    let bound = listener.local_addr()?;
    let operator = runtime.block_on(operator_listener(settings.operator_listen))?;
    let (data, nats) = settings.data()?;
    let (create, nothing_lost) = (settings.create, settings.nothing_lost);
    let upgrading = upgrading::logged(!settings.no_backup);
    let (_place, store) = data.open_to_serve(create, nothing_lost, process, upgrading)?;
    let tls = match transport {
        Transport::Plain => None,
        Transport::Files { cert, key } => Some(Tls::with_files(&cert, &key)?),
        Transport::SelfSigned => {
            let names = settings.host_names(bound);
            Some(Tls::self_signed(settings.folder(), &names)?)
        }
        Transport::Acme(acme) => Some(Tls::acme(settings.folder(), acme)?),
    };
    let caps = [
        (Cap::Phones, settings.phones_max),
        (Cap::DynamicGroups, settings.dynamic_groups_max),
        (Cap::RelativeSchedules, settings.relative_schedules_max),
    ];
    let keep_caps = move |tx: &mut Tx<'_>| caps.iter().try_for_each(|(of, cap)| of.put(tx, *cap));
    store.write_blocking(keep_caps)?;
    let start = Start {
        parts: data_folder::parts(store, settings.base_url(bound), settings.host_names(bound))?,
        nats,
        files: settings.file_place()?,
        listener,
        operator,
        tls,
        guard: guard(&settings),
        front: front(&settings),
        names: Names::asking(settings.dns_servers.clone()),
        caps: settings.caps(),
        app,
        facts_per_s: settings.facts_per_s.unwrap_or(RATE_DEFAULT_PER_S),
        drain: Duration::from_secs(settings.drain_s.unwrap_or(DRAIN_DEFAULT_S)),
    };
    let ended = runtime.block_on(run(start, bound));
    // The place in the folder is given back when nothing of the hub is left.
    drop(runtime);
    ended
}

async fn run(start: Start, bound: SocketAddr) -> Result<(), CommandError> {
    let mut told = StopSignal::listen()?;
    let mut running = Running::start(start).await?;
    tracing::info!(address = %bound, url = %running.hub.base_url, "listening");
    service_manager::tell_ready();
    let ended = tokio::select! {
        () = told.given() => Ok(()),
        broken = running.broken() => Err(broken),
    };
    service_manager::tell_stopping();
    running.stop().await;
    ended
}

/// Binds the operator's address. If the default address is taken, there are no such endpoints.
async fn operator_listener(
    wished: Option<OperatorListen>,
) -> Result<Option<TcpListener>, CommandError> {
    let listener = match wished {
        Some(OperatorListen::Off) => return Ok(None),
        Some(OperatorListen::At(address)) => listen(address).await?,
        None => match listen(OPERATOR_DEFAULT).await {
            Ok(listener) => listener,
            Err(error) => {
                tracing::warn!(%error, "there is no /metrics: give --operator-listen");
                return Ok(None);
            }
        },
    };
    tracing::info!(address = %listener.local_addr()?, "listening for the operator");
    Ok(Some(listener))
}

/// Binds the address, with a backlog for many phones that come back at once.
///
/// # Errors
/// That names the address.
pub(super) async fn listen(address: SocketAddr) -> Result<TcpListener, CommandError> {
    let bound = TcpListener::bind(address).await;
    bound.map_err(|error| {
        CommandError::of(format!("cannot listen on the address {address}"), &error)
    })
}

fn front(settings: &ServeSettings) -> FrontSettings {
    FrontSettings {
        proxies: settings.trusted_proxy.clone(),
        project_connections: settings.project_connections,
    }
}

pub(super) fn app(settings: &ServeSettings) -> Result<AppOffer, CommandError> {
    let file = settings.app_file.as_deref().map(|path| {
        let named = |error| CommandError::of(format!("--app-file {}", path.display()), &error);
        read_app(path).map_err(named)
    });
    Ok(AppOffer {
        file: file.transpose()?,
        certificates: settings.app_certificate.clone(),
    })
}

fn guard(settings: &ServeSettings) -> Guard {
    Guard {
        https_only: settings.webhook_https_only.unwrap_or(false),
        allowed: settings.webhook_allow.clone(),
        ..Guard::default()
    }
}
