//! What sends the messages of a request: a phone, or a custom route that picks one for each.

use crate::commands::new_message::Given;
use crate::dispatch::routing::{self, Wanted};
use crate::failure::Failure;
use crate::hub::Hub;
use crate::unit_of_work::UnitOfWork;
use hub_domain::routing::Route;
use hub_domain::{Phone, Project, RouteId};
use hub_store::{StoreError, Tx, phones};
use hub_view::Refusal;
use postrider_model::CustomRouteId;
use std::sync::Arc;

/// What sends.
#[derive(Debug, Clone)]
pub(crate) enum Sender {
    /// A phone.
    Phone(Arc<Phone>),
    /// A custom route.
    Route(Arc<Route>),
}

impl Sender {
    /// Finds what is named, else the project's default, else its first phone; and says whether it
    /// is what was named.
    pub(crate) async fn of(
        hub: &Hub,
        named: Option<&Given<RouteId>>,
        project: &Project,
    ) -> Result<(Self, bool), Failure> {
        if let Some(named) = named {
            return Ok((Self::named(hub, named, project).await?, true));
        }
        if let Some(id) = project.default_route_id
            && let Some(default) = Self::find(hub, project, id).await?
        {
            return Ok((default, false));
        }
        let first = hub.cache.first_phone(&hub.store, project.id).await?;
        let missing = || {
            let rule = "is required: the project has no phone to send with";
            Refusal::invalid_param("route_id", rule)
        };
        Ok((Self::Phone(first.ok_or_else(missing)?), false))
    }

    /// Finds what is named.
    pub(crate) async fn named(
        hub: &Hub,
        named: &Given<RouteId>,
        project: &Project,
    ) -> Result<Self, Failure> {
        let rule = "is not the id of a phone or route of this project";
        let found = Self::find(hub, project, named.value).await?;
        Ok(found.ok_or_else(|| Refusal::invalid_param(&named.param, rule))?)
    }

    async fn find(hub: &Hub, project: &Project, id: RouteId) -> Result<Option<Self>, StoreError> {
        Ok(match id {
            RouteId::Phone(id) => hub
                .cache
                .phone(&hub.store, project.id, id)
                .await?
                .map(Self::Phone),
            RouteId::Custom(id) => hub
                .cache
                .route(&hub.store, project.id, id)
                .await?
                .map(Self::Route),
        })
    }

    /// Finds what a contact's own route names, within a job.
    pub(crate) fn find_in(
        hub: &Hub,
        tx: &mut Tx<'_>,
        project: &Project,
        id: RouteId,
    ) -> Result<Option<Self>, StoreError> {
        Ok(match id {
            RouteId::Phone(id) => {
                let phone = phones::get(tx, project.id, id)?;
                phone.map(|phone| Self::Phone(Arc::new(phone)))
            }
            RouteId::Custom(id) => {
                let route = hub.cache.route_in(tx, id)?;
                let route = route.filter(|route| route.project_id == project.id);
                route.map(Self::Route)
            }
        })
    }

    /// Returns the country of the phone, where there is but one.
    pub(crate) fn country(&self) -> Option<&str> {
        match self {
            Self::Phone(phone) => phone.country.as_deref(),
            Self::Route(_) => None,
        }
    }

    /// Returns the custom route's id.
    pub(crate) fn route_id(&self) -> Option<CustomRouteId> {
        match self {
            Self::Phone(_) => None,
            Self::Route(route) => Some(route.id),
        }
    }

    /// Returns the phone for one message; `None` when the route has none for its recipient.
    pub(crate) fn phone_for(
        &self,
        work: &mut UnitOfWork<'_, '_>,
        wanted: &Wanted<'_>,
    ) -> Result<Option<Arc<Phone>>, StoreError> {
        match self {
            Self::Phone(phone) => Ok(Some(Arc::clone(phone))),
            Self::Route(route) => routing::pick(work, route, wanted),
        }
    }
}
