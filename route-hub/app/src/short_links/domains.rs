//! The operator registers the domains that short links may be at.

use crate::failure::NotDone;
use crate::hub_work::HubWork;
use hub_domain::{DomainOwner, ShortDomain};
use hub_store::{organizations, projects, short_domains};
use postrider_model::{OrganizationId, ProjectId};
use thiserror::Error;

/// Why a domain is not registered or removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum DomainRefused {
    /// It is no name.
    #[error("a short domain is a host name with a dot, such as go.example.org")]
    NoName,
    /// There is no such organization or project.
    #[error("there is no such organization or project")]
    NoOwner,
    /// There is no such domain.
    #[error("there is no such short domain")]
    NoDomain,
    /// It is an organization's.
    #[error("the short domain is for {0} alone: first remove it, which ends its links")]
    OfOrganization(OrganizationId),
    /// It is a project's.
    #[error("the short domain is for {0} alone: first remove it, which ends its links")]
    OfProject(ProjectId),
}

impl From<DomainRefused> for NotDone<DomainRefused> {
    fn from(reason: DomainRefused) -> Self {
        Self::Refused(reason)
    }
}

/// Registers a domain for whom it is from now on. A tenant's domain stays that tenant's.
pub fn register(
    work: &mut HubWork<'_, '_>,
    name: &str,
    owner: DomainOwner,
) -> Result<ShortDomain, NotDone<DomainRefused>> {
    let name = ShortDomain::read_name(name).ok_or(DomainRefused::NoName)?;
    let is_there = match owner {
        DomainOwner::Hub => true,
        DomainOwner::Organization(id) => organizations::get(work.tx, id)?.is_some(),
        DomainOwner::Project(id) => projects::get(work.tx, id)?.is_some(),
    };
    if !is_there {
        return Err(DomainRefused::NoOwner.into());
    }
    refuse_of_another(work, &name, owner)?;
    let domain = ShortDomain {
        name,
        owner,
        time_created: work.now.unix,
    };
    short_domains::put(work.tx, &domain)?;
    Ok(domain)
}

/// Refuses to give a tenant's domain to anybody else.
fn refuse_of_another(
    work: &mut HubWork<'_, '_>,
    name: &str,
    owner: DomainOwner,
) -> Result<(), NotDone<DomainRefused>> {
    let all = short_domains::all(work.tx)?;
    let known = all.iter().find(|domain| domain.name == name);
    let refused = match known.map(|domain| domain.owner) {
        Some(before) if before == owner => return Ok(()),
        None | Some(DomainOwner::Hub) => return Ok(()),
        Some(DomainOwner::Organization(id)) => DomainRefused::OfOrganization(id),
        Some(DomainOwner::Project(id)) => DomainRefused::OfProject(id),
    };
    Err(refused.into())
}

/// Removes a domain: links that are at it lead nowhere until it is registered again.
pub fn remove(work: &mut HubWork<'_, '_>, name: &str) -> Result<(), NotDone<DomainRefused>> {
    if short_domains::remove(work.tx, &name.trim().to_ascii_lowercase())? {
        Ok(())
    } else {
        Err(DomainRefused::NoDomain.into())
    }
}
