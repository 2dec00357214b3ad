//! The front of the hub: who may come in, how many, and for how long without a word.
//!
//! A **stranger** is a visitor that has shown neither a valid key nor a valid hello. Everything
//! here holds for strangers first: their number for each address (`places`), what they may send
//! (`hub-web`'s stranger bodies), and how long they may take (`deadline`). Who has shown a key
//! or signed a hello counts for its project instead.
//!
//! The address of a visitor is found in one place, `client`, and stands in the extensions of
//! each request: [`address_of`]. This machine and trusted proxies have no cap; of a proxy's
//! connection each request counts for the address that it was passed on for.

mod client;
mod cut;
mod deadline;
mod network;
mod open_files;
mod places;
mod stream;

pub use client::{Client, Proxies, address_of};
pub use network::{Network, party};
pub use open_files::connections;
pub use places::{Full, Load, Owner, Place};
pub use stream::{Noted, Visit};

use crate::ApiError;
use cut::Cut;
use deadline::Watch;
use http::HeaderMap;
use places::{Limits, Places};
use postrider_model::BootMs;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Most visitors of one project, unless the operator says otherwise.
const PROJECT_CONNECTIONS: usize = 10_000;

/// What an operator may say of the front.
#[derive(Debug, Clone, Default)]
pub struct FrontSettings {
    /// Networks of trusted proxies; loopback when there are none.
    pub proxies: Vec<Network>,
    /// Most visitors of one project.
    pub project_connections: Option<usize>,
}

/// The front of one hub.
#[derive(Debug)]
pub struct Front {
    proxies: Proxies,
    places: Arc<Places>,
    watch: Arc<Watch>,
}

/// Who makes a request, and the place that it counts for.
#[derive(Debug, Clone)]
pub struct Guest {
    /// Who is at the other end of the connection: the client, or a proxy.
    pub peer: IpAddr,
    /// Whose request it is.
    pub client: Client,
    /// The connection's place, or the request's own behind a proxy.
    pub place: Arc<Place>,
    /// The connection.
    pub visit: Arc<Visit>,
}

impl Guest {
    /// Says that a stranger stays: it sends a body, or opens a link.
    ///
    /// # Errors
    /// `unavailable` when its address has too many strangers here.
    pub fn stay(&self) -> Result<(), ApiError> {
        let text = "too many requests without a key come from this address";
        self.place.stay().map_err(|_| ApiError::unavailable(text))
    }

    /// Returns since when the visitor has been here: the acceptance of its connection, unless that
    /// carried other requests before, or is a proxy's.
    pub fn since(&self, now: BootMs) -> BootMs {
        if self.client.is_first {
            self.visit.accepted_at
        } else {
            now
        }
    }
}

impl Front {
    /// Opens the front with the system's limit of open files.
    pub fn new(settings: FrontSettings) -> Self {
        let limits = Limits {
            connections: open_files::connections_max(),
            per_address: places::STRANGERS_PER_ADDRESS_MAX,
            per_project: settings.project_connections.unwrap_or(PROJECT_CONNECTIONS),
        };
        Self {
            proxies: Proxies::new(settings.proxies),
            places: Places::new(limits),
            watch: Arc::default(),
        }
    }

    /// Takes a connection in.
    ///
    /// # Errors
    /// When there is no place for it.
    pub fn connection(&self, peer: IpAddr, now: BootMs) -> Result<Arc<Visit>, Full> {
        let from = (!self.proxies.are_exempt(peer)).then_some(peer);
        let cut = Arc::new(Cut::default());
        let place = self.places.connection(from, &cut)?;
        Ok(Arc::new(Visit {
            place: Arc::new(place),
            progress: self.watch.add(&cut),
            cut,
            watch: Arc::clone(&self.watch),
            accepted_at: now,
            has_asked: AtomicBool::new(false),
        }))
    }

    /// Takes a request in that came on a connection from `peer`.
    pub fn request(&self, visit: &Arc<Visit>, peer: IpAddr, headers: &HeaderMap) -> Guest {
        let (address, is_forwarded) = self.proxies.client(peer, headers);
        let place = if is_forwarded && !self.proxies.are_exempt(address) {
            Arc::new(self.places.request(address, &visit.cut))
        } else {
            Arc::clone(&visit.place)
        };
        Guest {
            peer,
            client: Client {
                address,
                is_forwarded,
                is_first: !is_forwarded && !visit.has_asked.swap(true, Ordering::Relaxed),
            },
            place,
            visit: Arc::clone(visit),
        }
    }

    /// Says whether an address shares the limits of strangers.
    pub fn is_capped(&self, address: IpAddr) -> bool {
        !self.proxies.are_exempt(address)
    }

    /// Says whether an address is that of a trusted proxy.
    pub fn is_proxy(&self, address: IpAddr) -> bool {
        self.proxies.trusts(address.to_canonical())
    }

    /// Returns how many visitors there are.
    pub fn load(&self) -> Load {
        self.places.load()
    }

    /// Ends what is overdue; to be called once a second with the seconds since the start.
    pub fn sweep(&self, now_s: u32) {
        self.watch.sweep(now_s);
    }
}
