//! What every part of the hub shares: the store, the clocks, random numbers and the bus.

pub mod bus;
pub(crate) mod cache;
pub mod fact_rates;
pub mod files;
mod last_used;
pub mod link_misses;
pub(crate) mod links;
pub mod own_alerts;
mod own_shares;
pub mod pairing_tries;
pub mod proofs;
mod queue_caps;
pub(crate) mod rate_limits;
pub mod request_counts;
mod rounds;

use crate::clock::SystemClock;
use crate::hub::bus::Bus;
use crate::hub::cache::Caches;
use crate::hub::fact_rates::FactRates;
use crate::hub::files::Files;
use crate::hub::last_used::LastUsed;
use crate::hub::link_misses::Misses;
use crate::hub::links::Links;
use crate::hub::own_alerts::OwnAlerts;
use crate::hub::own_shares::OwnShares;
use crate::hub::pairing_tries::Tries;
use crate::hub::proofs::Proofs;
use crate::hub::queue_caps::QueueCaps;
use crate::hub::rate_limits::RateLimits;
use crate::hub::request_counts::RequestCounts;
use crate::hub::rounds::{Round, Rounds};
use crate::random::Random;
use hub_domain::{ProjectShares, ShortDomain};
use hub_store::{Store, StoreError};
use postrider_model::{HubId, Now, ProjectId};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// Where a turn holds its project up no longer: a database far away takes its time for each fact.
const TURN_MS_MAX: u64 = 200;

/// The hub as requests, links and deliverers hold it.
#[derive(Clone)]
pub struct Hub {
    shared: Arc<Shared>,
}

/// What is behind a [`Hub`].
pub struct Shared {
    /// The hub's own id, which its phones know it by.
    pub hub_id: HubId,
    /// The number of this process among those that live.
    pub process: u8,
    /// The database.
    pub store: Store,
    /// Both clocks.
    pub clock: SystemClock,
    /// The operating system's random numbers.
    pub random: Random,
    /// Wake-ups within this process.
    pub bus: Arc<Bus>,
    /// Wake-ups of many links, a few at a time.
    pub rounds: Rounds,
    /// Rows that nearly every request needs.
    pub cache: Arc<Caches>,
    /// The rate limits of API keys.
    pub rates: RateLimits,
    /// When API keys were last used.
    pub last_used: LastUsed,
    /// How many requests there were since they were last written.
    pub request_counts: RequestCounts,
    /// How much of each project's queue cap is used.
    pub queue_caps: QueueCaps,
    /// The links that are open in this process.
    pub links: Links,
    /// The alerts about this process that stand.
    pub own_alerts: OwnAlerts,
    /// Which projects this process works for by itself.
    pub own_shares: OwnShares,
    /// How many pairing codes each address has tried.
    pub pairing_tries: Tries,
    /// How many short links each address has asked for that there are not.
    pub link_misses: Misses,
    /// How fast the facts of each phone are taken in.
    pub fact_rates: FactRates,
    /// After how many milliseconds a phone's turn leaves its other facts to the next one: its project waits.
    pub turn_ms_max: AtomicU64,
    /// The files that projects keep.
    pub files: Files,
    /// Prove to the hub what it exposed, even when its data went backwards.
    pub proofs: Proofs,
    caps: OnceLock<Caps>,
    generation: AtomicU64,
    /// Where people and phones reach the hub, without a slash at the end.
    pub base_url: String,
    /// Host names that a phone's sign-in may name, in lower case; the first is told to phones.
    pub host_names: Vec<String>,
}

/// How much of some kinds each project may have, as the operator sets it. What is there already
/// stays when a cap is lowered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caps {
    /// Webhook objects.
    pub webhooks: u64,
    /// Events that wait for their delivery.
    pub webhooks_waiting: u64,
    /// Deliveries of events that are kept for who looks.
    pub deliveries: u64,
}

impl Default for Caps {
    fn default() -> Self {
        Self {
            webhooks: 100,
            webhooks_waiting: 1_000_000,
            deliveries: 100_000,
        }
    }
}

/// What a hub is made of.
pub struct HubParts {
    /// The hub's own id, as its database has it.
    pub id: HubId,
    /// The number of this process among those that live.
    pub process: u8,
    /// The database.
    pub store: Store,
    /// Both clocks.
    pub clock: SystemClock,
    /// The generation that is stored.
    pub generation: u64,
    /// The key of its proofs that is stored.
    pub proofs: Proofs,
    /// Where people and phones reach the hub, without a slash at the end.
    pub base_url: String,
    /// Host names that a phone's sign-in may name, in lower case.
    pub host_names: Vec<String>,
}

impl Hub {
    /// Puts a hub together.
    pub fn new(parts: HubParts) -> Self {
        let HubParts {
            id: hub_id,
            process,
            store,
            clock,
            generation,
            proofs,
            base_url,
            host_names,
        } = parts;
        let cache = Arc::<Caches>::default();
        let kept = Arc::clone(&cache);
        store.forget_by(move |gate| kept.forget_behind(gate));
        let shared = Shared {
            hub_id,
            process,
            store,
            clock,
            random: Random::new(),
            bus: Arc::default(),
            rounds: Rounds::default(),
            cache,
            rates: RateLimits::default(),
            last_used: LastUsed::default(),
            request_counts: RequestCounts::default(),
            queue_caps: QueueCaps::default(),
            links: Links::default(),
            own_alerts: OwnAlerts::default(),
            own_shares: OwnShares::default(),
            pairing_tries: Tries::default(),
            link_misses: Misses::default(),
            fact_rates: FactRates::default(),
            turn_ms_max: AtomicU64::new(TURN_MS_MAX),
            files: Files::new(&proofs, &base_url),
            proofs,
            caps: OnceLock::new(),
            generation: AtomicU64::new(generation),
            base_url,
            host_names,
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    /// Returns the generation that new connections are told.
    pub fn generation(&self) -> u64 {
        self.shared.generation.load(Ordering::Acquire)
    }

    /// Returns how much of some kinds a project may have.
    pub fn caps(&self) -> Caps {
        *self.shared.caps.get_or_init(Caps::default)
    }

    /// Sets the caps. Nothing changes once somebody has asked for them.
    pub fn set_caps(&self, caps: Caps) {
        let _ = self.shared.caps.set(caps);
    }

    /// Takes a generation that was stored.
    pub fn raise_generation(&self, generation: u64) {
        self.shared
            .generation
            .fetch_max(generation, Ordering::AcqRel);
    }

    /// Shares the projects with the other processes that live, this one among them, and has the workers
    /// look at those that are new to them. Until it is told, a process works for all projects.
    pub fn share_with(&self, live: &BTreeSet<u8>) {
        let own = ProjectShares::of_process(self.process, live);
        if own != self.own_shares.owned() {
            tracing::info!(
                shares = own.count(),
                "this process works for other projects"
            );
        }
        self.own_shares.take(own, self.now().boot);
        self.queue_caps.share_among(live.len());
        self.bus.wake_workers();
    }

    /// Says whether this process works for a project by itself: for none while the database may have
    /// forgotten what was done.
    pub(crate) fn works_for(&self, project: ProjectId) -> bool {
        self.own_shares.has(project) && self.store.is_sure()
    }

    /// Forgets all rows in memory and has every link look, since any row may have changed.
    pub fn rows_changed(&self) {
        self.shared.cache.forget_everything();
        self.shared.rounds.begin(&self.shared.bus, Round::Everybody);
    }

    /// Forgets a project's rows in memory and has its links look, since any of them may have changed.
    pub fn project_changed(&self, project: ProjectId) {
        self.shared.cache.forget_rows_of(project);
        let round = Round::Project(project);
        self.shared.rounds.begin(&self.shared.bus, round);
        self.shared.bus.wake_simulated();
    }

    /// Returns the short domain of this name; the hub's own host is none.
    pub async fn short_domain(&self, name: &str) -> Result<Option<ShortDomain>, StoreError> {
        if self.host_names.iter().any(|own| own == name) {
            return Ok(None);
        }
        let domains = self.cache.short_domains(&self.store).await?;
        Ok(domains.get(name).cloned())
    }

    /// Returns the time on both clocks.
    pub fn now(&self) -> Now {
        self.shared.clock.now()
    }
}

impl std::ops::Deref for Hub {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.shared
    }
}
