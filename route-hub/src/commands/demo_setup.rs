//! What the demo has in its database: one organization, one project, one key, one test route.

use hub_app::data_folder;
use hub_app::data_folder::error::CommandError;
use hub_app::hub::Hub;
use hub_app::setup::{self, KeyWish, Reach, SetupRefused, Step};
use hub_domain::{Permissions, Project};
use hub_store::{Store, StoreError, Tx, meta, organizations};
use postrider_model::{Now, OrganizationId, PhoneId, PhoneNumber, ProjectId, Secret};
use serde::{Deserialize, Serialize};

/// Under which name the database keeps the demo's facts, its key among them: it is made for trying
/// things out on one machine.
const KEPT_AS: &str = "demo";
/// Where the demo's numbers are from.
const COUNTRY: &str = "US";
/// The test route's number.
const TEST_NUMBER: &str = "+15005550099";
/// The number of the making process in keys; the hub that follows makes its keys above them.
const PROCESS: u8 = 0;

/// The demo's facts, the same at each start on a folder.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Demo {
    pub(super) organization_id: OrganizationId,
    pub(super) project_id: ProjectId,
    pub(super) api_key: Secret,
    pub(super) test_phone_id: PhoneId,
}

/// Returns the facts of the demo that a database holds, or makes one in an empty database.
///
/// # Errors
/// When the database holds something else.
pub(super) fn open(store: &Store) -> Result<Demo, CommandError> {
    let kept = store.read_blocking(|tx| meta::get(tx, KEPT_AS))?;
    if let Some(kept) = kept {
        let damaged = |_| CommandError::new("what the folder keeps of its demo cannot be read");
        return serde_json::from_str(&kept).map_err(damaged);
    }
    let others = store.read_blocking(organizations::all)?;
    if !others.is_empty() {
        let text = "the folder holds a hub that is no demo: give another one with --dir";
        return Err(CommandError::new(text));
    }
    let parts = data_folder::parts(store.clone(), PROCESS, String::new(), Vec::new())?;
    let hub = Hub::new(parts);
    let now = hub.now();
    let made = store.write_blocking(move |tx| make(&hub, tx, now))?;
    made.map_err(|refused| CommandError::new(refused.to_string()))
}

fn make(hub: &Hub, tx: &mut Tx<'_>, now: Now) -> Step<Demo> {
    let organization = match setup::organization(hub, tx, "Demo", now)? {
        Ok(organization) => organization,
        Err(refused) => return Ok(Err(refused)),
    };
    let in_country = |project: &mut Project| project.country = Some(COUNTRY.to_owned());
    let project = match setup::project(hub, tx, organization.id, "Demo", in_country, now)? {
        Ok(project) => project,
        Err(refused) => return Ok(Err(refused)),
    };
    let wish = KeyWish {
        reach: Reach::Organization(organization.id),
        name: "Demo".to_owned(),
        permissions: Permissions::all(),
        rate_per_s: None,
        rate_burst: None,
        time_expires: None,
    };
    let api_key = match setup::key(hub, tx, &wish, now)? {
        Ok((_, text)) => text,
        Err(refused) => return Ok(Err(refused)),
    };
    let number: Option<PhoneNumber> = TEST_NUMBER.parse().ok();
    let test_phone = setup::test_phone(hub, tx, project.id, "Test phone", number.as_ref(), now)?;
    match test_phone {
        Ok(phone) => keep(
            tx,
            Demo {
                organization_id: organization.id,
                project_id: project.id,
                api_key,
                test_phone_id: phone.id,
            },
        ),
        Err(refused) => Ok(Err(refused)),
    }
}

fn keep(tx: &mut Tx<'_>, demo: Demo) -> Result<Result<Demo, SetupRefused>, StoreError> {
    let json = serde_json::to_string(&demo).map_err(|_| StoreError::Panicked)?;
    meta::put(tx, KEPT_AS, &json)?;
    Ok(Ok(demo))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hub_app::auth::GivenKey;
    use hub_store::{api_keys, phones};

    #[test]
    fn a_folder_keeps_its_demo() {
        let folder = tempfile::tempdir().unwrap();
        let first = open(&data_folder::open(folder.path()).unwrap()).unwrap();
        let store = data_folder::open(folder.path()).unwrap();
        let again = open(&store).unwrap();
        assert_eq!(again.api_key, first.api_key);
        assert_eq!(
            (again.organization_id, again.project_id, again.test_phone_id),
            (first.organization_id, first.project_id, first.test_phone_id)
        );
        let given = GivenKey::read(&again.api_key).unwrap();
        let key = store.read_blocking(move |tx| api_keys::get(tx, given.id));
        let key = key.unwrap().unwrap();
        assert_eq!(key.permissions, Permissions::all());
        assert!(key.reaches(again.organization_id, again.project_id));
        let phone = store.read_blocking(move |tx| phones::by_key(tx, again.test_phone_id));
        assert_eq!(phone.unwrap().unwrap().project_id, again.project_id);
    }

    #[test]
    fn a_folder_of_another_hub_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let store = data_folder::open(folder.path()).unwrap();
        let parts = data_folder::parts(store.clone(), 0, String::new(), Vec::new()).unwrap();
        let hub = Hub::new(parts);
        let now = hub.now();
        let made = store.write_blocking(move |tx| setup::organization(&hub, tx, "Clinic", now));
        made.unwrap().unwrap();
        let refused = open(&store).unwrap_err();
        assert!(refused.to_string().contains("no demo"), "{refused}");
    }
}
