//! Making a phone that no device has: a test route, or a phone at a provider.

use crate::actor::Actor;
use crate::failure::{Failure, NotDone};
use crate::hub_work::HubWork;
use crate::phones::{PERMISSION, PhonePatch, PhoneRefused, PhoneView};
use crate::stored_caps::Cap;
use crate::transaction::run_audited;
use crate::unit_of_work::UnitOfWork;
use hub_domain::{Phone, PhoneType};
use hub_store::{phones, projects};
use postrider_model::{PhoneNumber, ProjectId};

/// A phone to be made. Phones of a device join by pairing.
#[derive(Debug, Clone)]
pub struct NewPhone {
    /// Its type, which never changes.
    pub phone_type: PhoneType,
    /// Its name, unless the settings have one.
    pub name: String,
    /// The region in which numbers typed on it are read.
    pub country: Option<String>,
    /// What differs from the defaults.
    pub settings: PhonePatch,
}

/// Makes a phone.
pub async fn create(actor: &Actor, command: NewPhone) -> Result<PhoneView, Failure> {
    actor.require(PERMISSION)?;
    let made = run_audited(actor, move |work| {
        let phone = make(work, &command, "phone.create")?;
        let id = phone.id;
        Ok::<_, NotDone<PhoneRefused>>((id, PhoneView::read(work.tx, phone, work.project)?))
    });
    let (id, made) = made.await?;
    actor.hub.cache.forget_phone(id);
    Ok(made)
}

/// Makes a test route, which sends nothing and plays the special numbers' sequences.
pub fn add_test_phone(
    work: &mut HubWork<'_, '_>,
    project: ProjectId,
    name: &str,
    number: Option<&PhoneNumber>,
) -> Result<Phone, NotDone<PhoneRefused>> {
    let project = projects::get(work.tx, project)?.ok_or(PhoneRefused::NoSuchProject)?;
    let command = NewPhone {
        phone_type: PhoneType::Simulated,
        name: name.to_owned(),
        country: project.country.clone(),
        settings: PhonePatch {
            phone_number: Some(number.cloned()),
            ..PhonePatch::default()
        },
    };
    work.within(&project, |work| {
        let phone = make(work, &command, "phone.add_test")?;
        work.effects.rows(work.project.id);
        Ok(phone)
    })
}

/// Makes a phone within a job, which the audit log calls `action`.
fn make(
    work: &mut UnitOfWork<'_, '_>,
    command: &NewPhone,
    action: &'static str,
) -> Result<Phone, NotDone<PhoneRefused>> {
    let (id, project, now) = (work.id(), work.project.id, work.now.unix);
    let mut phone = Phone::new(id, project, command.name.clone(), command.phone_type, now);
    command.settings.apply(&mut phone)?;
    if let Some(reached) = Cap::Phones.reached(work.tx, project)? {
        return Err(PhoneRefused::Full(reached).into());
    }
    phone.country.clone_from(&command.country);
    phones::insert(work.tx, &phone)?;
    command.settings.account.store(work.tx, &phone)?;
    work.note(action, id)?;
    Ok(phone)
}
