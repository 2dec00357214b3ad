//! What requests are answered with: the hub, and who may come in to it.

use crate::Failure;
use axum::extract::FromRef;
use http::Extensions;
use hub_app::auth;
use hub_app::auth::Holder;
use hub_app::hub::Hub;
use hub_domain::Sight;
use hub_web::front::{Front, FrontSettings, Guest, Owner};
use hub_web::{ApiError, Authenticator, MediaBodies, RateLimit, RequestContext, StrangerBodies};
use postrider_model::Secret;
use std::sync::Arc;

/// The holder of an API key, for the length of one request.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The key that was given.
    pub holder: Holder,
}

impl Caller {
    /// Returns what the key may see of contacts.
    pub fn sight(&self) -> Sight {
        Sight::of(&self.holder.key.permissions)
    }
}

/// Refuses a key that is not valid, or not any more.
pub(crate) fn not_valid() -> ApiError {
    ApiError::unauthorized("the API key is not valid")
}

/// The state of the hub's routes.
#[derive(Clone)]
pub struct ApiState {
    /// The hub.
    pub hub: Hub,
    /// Who may come in.
    pub front: Arc<Front>,
    /// Bodies that came without a key, as far as they were read.
    stranger_bodies: Arc<StrangerBodies>,
    /// Bodies that may bring media, until they are answered.
    media_bodies: MediaBodies,
}

impl ApiState {
    /// Opens a front before a hub.
    pub fn new(hub: Hub, front: FrontSettings) -> Self {
        Self {
            hub,
            front: Arc::new(Front::new(front)),
            stranger_bodies: Arc::default(),
            media_bodies: MediaBodies::default(),
        }
    }
}

impl FromRef<ApiState> for Hub {
    fn from_ref(state: &ApiState) -> Self {
        state.hub.clone()
    }
}

impl FromRef<ApiState> for Arc<StrangerBodies> {
    fn from_ref(state: &ApiState) -> Self {
        Self::clone(&state.stranger_bodies)
    }
}

impl Authenticator for ApiState {
    type Caller = Caller;

    async fn authenticate(
        &self,
        key: &Secret,
        context: &RequestContext,
    ) -> Result<Caller, ApiError> {
        let hub = &self.hub;
        let found = auth::find(hub, key).await;
        let holder = found
            .map_err(|error| Failure::from(error).into_error())?
            .ok_or_else(not_valid)?;
        let now = hub.now();
        if let Some(taken) = hub.rates.take(&holder.key, now.boot) {
            context.set_rate_limit(RateLimit {
                limit: taken.limit,
                remaining: taken.remaining,
                reset_s: taken.reset_s,
            });
            if let Some(seconds) = taken.retry_after_s {
                return Err(ApiError::rate_limited("this key asks too often", seconds));
            }
        }
        let noted = auth::note_use(hub, &holder.key, now).await;
        noted.map_err(|error| Failure::from(error).into_error())?;
        Ok(Caller { holder })
    }

    fn came_in(&self, caller: &Caller, extensions: &Extensions) -> Result<(), ApiError> {
        let Some(guest) = extensions.get::<Guest>() else {
            return Ok(());
        };
        let key = &caller.holder.key;
        let owner = match key.project_id {
            Some(project) => Owner::Project(project),
            None => Owner::Organization(key.organization_id),
        };
        let text = "this project has too many connections open";
        let proved = guest.place.prove(owner);
        proved.map_err(|_| ApiError::unavailable(text))
    }

    fn stays(&self, extensions: &Extensions) -> Result<(), ApiError> {
        extensions.get::<Guest>().map_or(Ok(()), Guest::stay)
    }

    fn stranger_bodies(&self) -> &StrangerBodies {
        &self.stranger_bodies
    }

    fn media_bodies(&self) -> &MediaBodies {
        &self.media_bodies
    }
}
