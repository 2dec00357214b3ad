//! What is to be set of a project.

use crate::failure::NotDone;
use crate::projects::ProjectRefused;
use hub_domain::{Project, RouteId, VarsChange};
use hub_store::{Tx, phones, projects, routes};
use postrider_model::Secret;

/// What is to be set; what is `None` stays, and an inner `None` takes the setting away.
#[derive(Debug, Clone, Default)]
pub struct ProjectPatch {
    /// Its name.
    pub name: Option<String>,
    /// Its zone.
    pub timezone_id: Option<String>,
    /// The region in which typed numbers are read.
    pub country: Option<Option<String>>,
    /// What it is called in addresses.
    pub url_slug: Option<Option<String>>,
    /// What sends for messages that name no route.
    pub default_route_id: Option<Option<RouteId>>,
    /// Whether a message to or from a new number makes a contact.
    pub auto_create_contacts: Option<bool>,
    /// How many days messages stay.
    pub message_retention_days: Option<Option<u32>>,
    /// Whether short links name their scheme.
    pub short_link_scheme: Option<bool>,
    /// Most SMS parts of a message.
    pub sms_parts_max: Option<Option<u32>>,
    /// Its custom variables.
    pub vars: VarsChange,
    /// Where incoming messages are reported.
    pub incoming_url: Option<Option<String>>,
    /// The secret of those reports.
    pub incoming_secret: Option<Option<Secret>>,
    /// Where status changes are reported.
    pub status_url: Option<Option<String>>,
    /// The secret of those reports.
    pub status_secret: Option<Option<Secret>>,
    /// Where alerts are reported.
    pub alert_url: Option<Option<String>>,
    /// The secret of those reports.
    pub alert_secret: Option<Option<Secret>>,
    /// How long a message may wait before it ends unsent.
    pub message_life_ms: Option<i64>,
    /// Most messages that may wait.
    pub queue_cap: Option<i64>,
    /// Whether nothing is accepted, and nothing leaves.
    pub stopped: Option<bool>,
}

impl ProjectPatch {
    /// Checks what only the database knows, and changes the project.
    pub(super) fn apply(
        &self,
        tx: &mut Tx<'_>,
        project: &mut Project,
    ) -> Result<(), NotDone<ProjectRefused>> {
        self.check(tx, project)?;
        put(&mut project.name, &self.name);
        put(&mut project.timezone_id, &self.timezone_id);
        put(&mut project.country, &self.country);
        put(&mut project.url_slug, &self.url_slug);
        put(&mut project.default_route_id, &self.default_route_id);
        put(
            &mut project.auto_create_contacts,
            &self.auto_create_contacts,
        );
        put(
            &mut project.message_retention_days,
            &self.message_retention_days,
        );
        put(&mut project.short_link_scheme, &self.short_link_scheme);
        put(&mut project.sms_parts_max, &self.sms_parts_max);
        put(&mut project.incoming_url, &self.incoming_url);
        put(&mut project.incoming_secret, &self.incoming_secret);
        put(&mut project.status_url, &self.status_url);
        put(&mut project.status_secret, &self.status_secret);
        put(&mut project.alert_url, &self.alert_url);
        put(&mut project.alert_secret, &self.alert_secret);
        put(&mut project.message_life_ms, &self.message_life_ms);
        put(&mut project.queue_cap, &self.queue_cap);
        put(&mut project.stopped, &self.stopped);
        let applied = project.vars.apply(self.vars.clone());
        Ok(applied.map_err(ProjectRefused::Vars)?)
    }

    fn check(&self, tx: &mut Tx<'_>, project: &Project) -> Result<(), NotDone<ProjectRefused>> {
        let organization = project.organization_id;
        if let Some(name) = &self.name {
            let named = projects::by_name(tx, organization, name)?;
            if named.is_some_and(|other| other.id != project.id) {
                return Err(ProjectRefused::NameTaken.into());
            }
        }
        if let Some(Some(slug)) = &self.url_slug {
            let found = projects::by_slug(tx, organization, slug)?;
            if found.is_some_and(|other| other != project.id) {
                return Err(ProjectRefused::SlugTaken.into());
            }
        }
        let has_route = match self.default_route_id.flatten() {
            Some(RouteId::Phone(id)) => phones::get(tx, project.id, id)?.is_some(),
            Some(RouteId::Custom(id)) => routes::get(tx, project.id, id)?.is_some(),
            None => true,
        };
        if has_route {
            Ok(())
        } else {
            Err(ProjectRefused::NoSuchRoute.into())
        }
    }
}

fn put<T: Clone>(setting: &mut T, given: &Option<T>) {
    if let Some(value) = given {
        setting.clone_from(value);
    }
}
