//! Making organizations, projects, keys and test routes: what the admin commands and the demo share.
//!
//! Each function is one step of a unit of work; a refusal comes before the first write.

pub mod slug;

use crate::audit;
use crate::auth::NewKey;
use crate::hub::Hub;
use crate::stored_caps::{Cap, Reached};
use hub_domain::{ApiKey, Organization, Permissions, Phone, PhoneType, Project};
use hub_store::{StoreError, Tx, api_keys, organizations, phones, projects};
use postrider_model::{Now, OrganizationId, PhoneNumber, ProjectId, Secret, UnixMs};
use std::fmt;

/// Most characters of a name.
pub const NAME_LENGTH_MAX: usize = 127;

/// Why something was not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetupRefused {
    /// There is no such organization.
    NoSuchOrganization,
    /// There is no such project.
    NoSuchProject,
    /// The organization has a project of that name.
    NameTaken,
    /// A name is empty or too long.
    Name,
    /// The project has as many as it may have.
    Full(Reached),
}

impl fmt::Display for SetupRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchOrganization => f.write_str("there is no such organization"),
            Self::NoSuchProject => f.write_str("there is no such project"),
            Self::NameTaken => f.write_str("the organization has another project of that name"),
            Self::Full(reached) => write!(f, "the phone {reached}"),
            Self::Name => write!(f, "a name has 1 to {NAME_LENGTH_MAX} characters"),
        }
    }
}

/// What a step comes to.
pub type Step<T> = Result<Result<T, SetupRefused>, StoreError>;

/// Returns a name without the space around it.
///
/// # Errors
/// [`SetupRefused::Name`].
pub fn name(text: &str) -> Result<String, SetupRefused> {
    let text = text.trim();
    match text.chars().count() {
        1..=NAME_LENGTH_MAX => Ok(text.to_owned()),
        _ => Err(SetupRefused::Name),
    }
}

/// Makes an organization.
pub fn organization(hub: &Hub, tx: &mut Tx<'_>, called: &str, now: Now) -> Step<Organization> {
    let name = match name(called) {
        Ok(name) => name,
        Err(refused) => return Ok(Err(refused)),
    };
    let organization = Organization {
        id: hub.id(now),
        name,
        timezone_id: "UTC".to_owned(),
        time_created: now.unix,
    };
    organizations::insert(tx, &organization)?;
    let line = audit::Line {
        organization_id: organization.id,
        project_id: None,
        action: "organization.create",
        target: organization.id.to_string(),
    };
    audit::write(hub, tx, line, now)?;
    Ok(Ok(organization))
}

/// Makes a project; `adjust` sets what differs from the defaults.
pub fn project(
    hub: &Hub,
    tx: &mut Tx<'_>,
    organization_id: OrganizationId,
    called: &str,
    adjust: impl FnOnce(&mut Project),
    now: Now,
) -> Step<Project> {
    let name = match name(called) {
        Ok(name) => name,
        Err(refused) => return Ok(Err(refused)),
    };
    if organizations::get(tx, organization_id)?.is_none() {
        return Ok(Err(SetupRefused::NoSuchOrganization));
    }
    if projects::by_name(tx, organization_id, &name)?.is_some() {
        return Ok(Err(SetupRefused::NameTaken));
    }
    let mut project = Project::new(hub.id(now), organization_id, name, now.unix);
    adjust(&mut project);
    slug::give(tx, &mut project)?;
    projects::insert(tx, &project)?;
    let line = audit::Line {
        organization_id,
        project_id: Some(project.id),
        action: "project.create",
        target: project.id.to_string(),
    };
    audit::write(hub, tx, line, now)?;
    Ok(Ok(project))
}

/// What a key is made for.
#[derive(Debug, Clone, Copy)]
pub enum Reach {
    /// One project.
    Project(ProjectId),
    /// Every project of an organization.
    Organization(OrganizationId),
}

/// What a key is made with.
#[derive(Debug, Clone)]
pub struct KeyWish {
    /// What it is for.
    pub reach: Reach,
    /// What people call it.
    pub name: String,
    /// What it permits.
    pub permissions: Permissions,
    /// Requests per second; `None`: no limit.
    pub rate_per_s: Option<u32>,
    /// Most requests at once; `None`: as many as `rate_per_s`.
    pub rate_burst: Option<u32>,
    /// When it ends.
    pub time_expires: Option<UnixMs>,
}

/// Makes a key; the text is returned this once and kept nowhere.
pub fn key(hub: &Hub, tx: &mut Tx<'_>, wish: &KeyWish, now: Now) -> Step<(ApiKey, Secret)> {
    let name = match name(&wish.name) {
        Ok(name) => name,
        Err(refused) => return Ok(Err(refused)),
    };
    let (organization_id, project_id) = match wish.reach {
        Reach::Project(id) => match projects::get(tx, id)? {
            Some(project) => (project.organization_id, Some(id)),
            None => return Ok(Err(SetupRefused::NoSuchProject)),
        },
        Reach::Organization(id) => match organizations::get(tx, id)? {
            Some(_) => (id, None),
            None => return Ok(Err(SetupRefused::NoSuchOrganization)),
        },
    };
    let id = hub.id(now);
    let NewKey { text, hash } = NewKey::draw(id, &hub.random);
    let key = ApiKey {
        id,
        organization_id,
        project_id,
        name,
        secret_hash: hash,
        permissions: wish.permissions.clone(),
        rate_per_s: wish.rate_per_s,
        rate_burst: wish.rate_burst,
        time_created: now.unix,
        time_last_used: None,
        time_expires: wish.time_expires,
        time_revoked: None,
    };
    api_keys::insert(tx, &key)?;
    let line = audit::Line {
        organization_id,
        project_id,
        action: "key.create",
        target: key.id.to_string(),
    };
    audit::write(hub, tx, line, now)?;
    Ok(Ok((key, text)))
}

/// Makes a test route, which sends nothing and plays the special numbers' sequences.
pub fn test_phone(
    hub: &Hub,
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    called: &str,
    number: Option<&PhoneNumber>,
    now: Now,
) -> Step<Phone> {
    let name = match name(called) {
        Ok(name) => name,
        Err(refused) => return Ok(Err(refused)),
    };
    let Some(project) = projects::get(tx, project_id)? else {
        return Ok(Err(SetupRefused::NoSuchProject));
    };
    let mut phone = Phone::new(
        hub.id(now),
        project_id,
        name,
        PhoneType::Simulated,
        now.unix,
    );
    phone.phone_number = number.cloned();
    phone.country.clone_from(&project.country);
    if let Some(reached) = Cap::Phones.reached(tx, project_id)? {
        return Ok(Err(SetupRefused::Full(reached)));
    }
    phones::insert(tx, &phone)?;
    let line = audit::Line {
        organization_id: project.organization_id,
        project_id: Some(project_id),
        action: "phone.add_test",
        target: phone.id.to_string(),
    };
    audit::write(hub, tx, line, now)?;
    Ok(Ok(phone))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::GivenKey;
    use crate::data_folder;
    use hub_domain::Permission;

    fn with_hub<T: Send + 'static>(
        mut job: impl FnMut(&Hub, &mut Tx<'_>, Now) -> Result<T, StoreError> + Send + 'static,
    ) -> T {
        let folder = tempfile::tempdir().unwrap();
        let store = data_folder::open(folder.path()).unwrap();
        let parts = data_folder::parts(store.clone(), 0, String::new(), Vec::new()).unwrap();
        let hub = Hub::new(parts);
        let now = hub.now();
        store.write_blocking(move |tx| job(&hub, tx, now)).unwrap()
    }

    #[test]
    fn a_key_is_stored_as_its_hash_and_fits_what_was_shown() {
        let (shown, stored) = with_hub(|hub, tx, now| {
            let owner = organization(hub, tx, " Clinic ", now)?.unwrap();
            let wish = KeyWish {
                reach: Reach::Organization(owner.id),
                name: "server".into(),
                permissions: [Permission::SendMessages].into_iter().collect(),
                rate_per_s: Some(5),
                rate_burst: None,
                time_expires: Some(now.unix.plus_ms(1)),
            };
            let (key, text) = key(hub, tx, &wish, now)?.unwrap();
            Ok((text, api_keys::get(tx, key.id)?.unwrap()))
        });
        let given = GivenKey::read(&shown).unwrap();
        assert_eq!(given.id, stored.id);
        assert!(given.fits(&stored.secret_hash));
        assert!(!stored.secret_hash.contains(shown.as_str()));
        assert!(stored.permissions.allow(Permission::SendMessages));
        assert!(!stored.permissions.allow(Permission::ViewMessages));
        assert!(stored.time_expires.is_some() && stored.project_id.is_none());
    }

    #[test]
    fn a_projects_name_is_its_organizations_only_one() {
        let refusals = with_hub(|hub, tx, now| {
            let (one, other) = (
                organization(hub, tx, "One", now)?.unwrap(),
                organization(hub, tx, "Other", now)?.unwrap(),
            );
            let mut make = |owner, name: &str| project(hub, tx, owner, name, |_| {}, now);
            assert!(make(one.id, "Reminders")?.is_ok());
            assert!(make(other.id, "Reminders")?.is_ok());
            let nobody = "OR0000000000000001".parse().unwrap();
            let refused = [
                make(one.id, " REMINDERS ")?,
                make(one.id, "  ")?,
                make(one.id, &"x".repeat(NAME_LENGTH_MAX + 1))?,
                make(nobody, "Reminders")?,
            ];
            Ok(refused.map(Result::unwrap_err))
        });
        let name = SetupRefused::Name;
        let expected = [
            SetupRefused::NameTaken,
            name,
            name,
            SetupRefused::NoSuchOrganization,
        ];
        assert_eq!(refusals, expected);
    }
}
