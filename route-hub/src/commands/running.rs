//! A hub that runs: its server and its workers, and their stop in good order.

use crate::files::FilePlace;
use crate::metrics::{self, Observed};
use crate::router;
use crate::serve::serve;
use crate::tls::Tls;
use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use hub_api::state::ApiState;
use hub_app::alerts::{clock, of_hub, offline};
use hub_app::background::Background;
use hub_app::contacts::blocking;
use hub_app::data_folder::error::CommandError;
use hub_app::devices::presence;
use hub_app::dispatch::{expiry, failover, quiet};
use hub_app::hub::{Caps, Hub, HubParts};
use hub_app::organizations::usage;
use hub_app::pairing::open::{BASE_URL, OWN_PIN};
use hub_app::webhooks::deliver;
use hub_app::{
    broadcasts, campaigns, elsewhere, files, hints, housekeeping, rates, restored, retention,
    schedules, statistics, tasks, test_routes,
};
use hub_link::pairing;
use hub_link::pairing::offer::AppOffer;
use hub_nats::Servers;
use hub_outgoing::{Client, Guard, Limits, Names};
use hub_store::{StoreError, changes, meta, moving};
use hub_web::front::FrontSettings;
use std::collections::BTreeSet;
use std::future::pending;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::timeout;

/// How long a stop waits for webhooks under way: their own time limit, and a little more for the
/// commit.
const DELIVERIES_MAX: Duration = Duration::from_secs(12);
/// The pause before something is tried again that the database refused.
const AFTER_ERROR: Duration = Duration::from_millis(500);

/// What a hub is started with.
pub(super) struct Start {
    /// Store, keys and addresses.
    pub(super) parts: HubParts,
    /// What carries hints between processes; `None`: the database does.
    pub(super) nats: Option<Servers>,
    /// Where files are.
    pub(super) files: FilePlace,
    /// Where it listens.
    pub(super) listener: TcpListener,
    /// The listener of the operator's endpoints; `None`: there are none.
    pub(super) operator: Option<TcpListener>,
    /// What it speaks TLS with; `None` is plain HTTP.
    pub(super) tls: Option<Tls>,
    /// What webhooks may reach.
    pub(super) guard: Guard,
    /// Who may come in.
    pub(super) front: FrontSettings,
    /// Where their names are looked up.
    pub(super) names: Names,
    /// How much of some kinds a project may have.
    pub(super) caps: Caps,
    /// The app that the hub offers to phones.
    pub(super) app: AppOffer,
    /// Most facts a second that the hub takes from one phone; 0: no limit.
    pub(super) facts_per_s: u32,
    /// How long a stop waits for requests and phones.
    pub(super) drain: Duration,
}

/// A hub that runs.
pub(super) struct Running {
    pub(super) hub: Hub,
    observed: Observed,
    stop: watch::Sender<bool>,
    server: JoinHandle<()>,
    deliverer: JoinHandle<()>,
    /// Where webhooks are posted; ends with this.
    _background: Background,
    workers: JoinSet<()>,
    drain: Duration,
}

impl Running {
    /// Starts server and workers.
    pub(super) async fn start(start: Start) -> Result<Self, CommandError> {
        let state = ApiState::new(Hub::new(start.parts), start.front);
        let hub = state.hub.clone();
        let files_later = start.files.take(&hub).await?;
        hub.store.write(moving::served).await?;
        hub.fact_rates.limit(start.facts_per_s);
        keep_way_to(&hub, start.tls.as_ref().and_then(Tls::pin)).await?;
        let_go(&hub, hub.process).await?;
        let serving = hub.store.processes().map(|(_, serving)| serving);
        if let Some(serving) = &serving {
            hub.share_with(&serving.borrow());
        }
        let seen_elsewhere = hub.store.read(changes::newest).await?;
        hub.set_caps(start.caps);
        let client = Client::with_limits(start.guard, Limits::default(), start.names)?;
        let (stop, stopped) = watch::channel(false);
        let background = Background::start("webhooks")?;
        let observed = Observed::new(&state);
        let router = router(&observed, &state, &start.app);
        let served = serve(
            state.clone(),
            start.listener,
            start.tls.as_ref().map(Tls::acceptor),
            router,
            stopped.clone(),
            start.drain,
        );
        let mut workers = JoinSet::new();
        workers.spawn(expiry::run(hub.clone()));
        workers.spawn(test_routes::run(hub.clone()));
        workers.spawn(quiet::run(hub.clone()));
        workers.spawn(failover::run(hub.clone()));
        workers.spawn(offline::run(hub.clone()));
        workers.spawn(clock::run(hub.clone()));
        workers.spawn(housekeeping::run(hub.clone()));
        workers.spawn(retention::run(hub.clone()));
        workers.spawn(statistics::run(hub.clone()));
        workers.spawn(files::run(hub.clone()));
        workers.spawn(usage::run(hub.clone()));
        let filled = hub.clone();
        workers.spawn(async move { filled.cache.fill(&filled.store).await });
        workers.spawn(schedules::run(hub.clone()));
        workers.spawn(broadcasts::run(hub.clone()));
        workers.spawn(campaigns::run(hub.clone()));
        workers.spawn(tasks::run(hub.clone()));
        workers.spawn(blocking::run(hub.clone()));
        workers.spawn(elsewhere::watch(
            hub.clone(),
            hub.store.changed_elsewhere(),
            seen_elsewhere,
            match hub.store.cluster_load() {
                Some(_) => elsewhere::LOOK_EVERY_AMONG_HUBS,
                None => elsewhere::LOOK_EVERY,
            },
        ));
        workers.spawn(share(hub.clone(), serving));
        workers.spawn(hints::run(hub.clone()));
        workers.spawn(hints::look(hub.clone()));
        workers.spawn(rates::run(hub.clone()));
        if let Some((servers, carrier)) = start.nats.zip(hub.store.take_carrier()) {
            workers.spawn(hub_nats::carry(servers, hub.hub_id, carrier));
        }
        workers.spawn(restored::watch(hub.clone()));
        if let Some(place) = files_later {
            workers.spawn(place.take_when_alone(hub.clone()));
        }
        if let Some(listener) = start.operator {
            workers.spawn(tell_operator(state, observed.clone(), listener));
        }
        if let Some(tls) = start.tls {
            workers.spawn(tls.keep(hub.clone()));
        }
        Ok(Self {
            observed,
            stop,
            server: tokio::spawn(served),
            deliverer: background.spawn(deliver::run(hub.clone(), client, stopped)),
            _background: background,
            workers,
            drain: start.drain,
            hub,
        })
    }

    /// Waits until a part ends that should go on, and says so.
    pub(super) async fn broken(&mut self) -> CommandError {
        tokio::select! {
            ended = &mut self.server => match ended {
                Ok(()) => CommandError::new("the server ended"),
                Err(error) => CommandError::of("the server failed", &error),
            },
            ended = &mut self.deliverer => match ended {
                Ok(()) => CommandError::new("the webhook deliverer ended"),
                Err(error) => CommandError::of("the webhook deliverer failed", &error),
            },
            Some(ended) = self.workers.join_next() => match ended {
                Ok(()) => CommandError::new("a worker ended"),
                Err(error) => CommandError::of("a worker failed", &error),
            },
            () = taken_over(&self.hub) => CommandError::new(
                "this process stood still for too long, and another one has taken its place",
            ),
        }
    }

    /// Stops in order: it takes nothing new, lets requests finish, tells each phone to come back,
    /// and waits for webhooks under way. What it answered is on disk already.
    pub(super) async fn stop(mut self) {
        tracing::info!("stopping");
        self.observed.say_stopping();
        self.hub.links.drain();
        self.stop.send_replace(true);
        if timeout(self.drain, self.hub.links.all_ended())
            .await
            .is_err()
        {
            tracing::warn!("links were closed that were still open when the drain time ended");
        }
        if !self.server.is_finished() {
            // The server keeps to the drain time itself.
            let _ = (&mut self.server).await;
        }
        if !self.deliverer.is_finished() {
            let _ = timeout(DELIVERIES_MAX, &mut self.deliverer).await;
        }
        self.workers.shutdown().await;
        if let Err(error) = self.hub.request_counts.write(&self.hub.store).await {
            hub_store::failed!(warn, error, "the counted requests could not be written");
        }
        tracing::info!("stopped");
    }
}

/// Keeps for the commands that draw codes where phones reach the hub, and by what they know it.
async fn keep_way_to(hub: &Hub, pin: Option<&str>) -> Result<(), StoreError> {
    let (base_url, pin) = (hub.base_url.clone(), pin.map(str::to_owned));
    let keep = hub.store.write(move |tx| {
        meta::put(tx, BASE_URL, &base_url)?;
        match &pin {
            Some(pin) => meta::put(tx, OWN_PIN, pin),
            None => meta::remove(tx, OWN_PIN),
        }
    });
    keep.await
}

/// Shares the projects with the processes that serve, and lets go of the phones of one that has ended.
async fn share(hub: Hub, serving: Option<watch::Receiver<BTreeSet<u8>>>) {
    let Some(mut serving) = serving else {
        return pending().await;
    };
    let mut before = serving.borrow().clone();
    while serving.changed().await.is_ok() {
        let now = serving.borrow_and_update().clone();
        hub.share_with(&now);
        for ended in before.difference(&now) {
            while let Err(error) = let_go(&hub, *ended).await {
                hub_store::failed!(
                    warn,
                    error,
                    "the phones of a process that ended could not be let go"
                );
                tokio::time::sleep(AFTER_ERROR).await;
            }
        }
        before = now;
    }
}

/// Ends what the database keeps of a process that has ended, or whose number this one takes.
async fn let_go(hub: &Hub, process: u8) -> Result<(), StoreError> {
    presence::process_ended(hub, process).await?;
    of_hub::process_ended(hub, process).await
}

/// Returns when this process may write no more, because others have taken it for dead.
async fn taken_over(hub: &Hub) {
    if let Some(mut told) = hub.store.taken_over()
        && told.wait_for(|is_over| *is_over).await.is_ok()
    {
        return;
    }
    pending().await
}

fn router(observed: &Observed, state: &ApiState, app: &AppOffer) -> Router {
    let others = Router::<ApiState>::new()
        .route("/link", get(hub_link::upgrade))
        .route("/pair", post(pairing::request::pair))
        .merge(pairing::page::routes(app))
        .merge(metrics::routes(observed.clone()));
    router::router(state.clone(), others)
        .layer(from_fn_with_state(observed.clone(), metrics::count))
}

/// Serves the operator's own address until this is dropped, also while the hub stops.
async fn tell_operator(state: ApiState, observed: Observed, listener: TcpListener) {
    let (_running, never) = watch::channel(false);
    let router = metrics::operator::router(observed);
    serve(state, listener, None, router, never, Duration::ZERO).await;
}
