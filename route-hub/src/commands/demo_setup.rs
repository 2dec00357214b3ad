//! What the demo has in its database: one organization, one project, one key, one test route.

use hub_app::actor::Who;
use hub_app::api_keys::{self, NewApiKey, Reach};
use hub_app::data_folder;
use hub_app::data_folder::error::CommandError;
use hub_app::hub::Hub;
use hub_app::hub_work::HubWork;
use hub_app::organizations;
use hub_app::phones;
use hub_app::projects::{self, NewProject, ProjectPatch};
use hub_domain::Permissions;
use hub_store::{Store, StoreError, meta};
use postrider_model::{OrganizationId, PhoneId, PhoneNumber, ProjectId, Secret};
use serde::{Deserialize, Serialize};

/// Under which name the database keeps the demo's facts. The key is among them: it is only for
/// trying things out on one machine.
const KEPT_AS: &str = "demo";
/// The country of the demo's numbers.
const COUNTRY: &str = "US";
/// The test route's number.
const TEST_NUMBER: &str = "+15005550099";

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
        let damaged = |_| CommandError::new("the demo's facts in the database cannot be read");
        return serde_json::from_str(&kept).map_err(damaged);
    }
    let others = store.read_blocking(hub_store::organizations::all)?;
    if !others.is_empty() {
        let text =
            "the database holds a hub that is not a demo: give another with --dir or --database";
        return Err(CommandError::new(text));
    }
    let parts = data_folder::parts(store.clone(), String::new(), Vec::new())?;
    let hub = Hub::new(parts);
    let now = hub.now();
    store.write_blocking(move |tx| make(&mut HubWork::new(&hub, tx, Who::Operator, now)))
}

fn make(work: &mut HubWork<'_, '_>) -> Result<Demo, CommandError> {
    let organization = organizations::create(work, "Demo")?;
    let project = NewProject {
        organization_id: organization.id,
        name: "Demo".to_owned(),
        settings: ProjectPatch {
            country: Some(Some(COUNTRY.to_owned())),
            ..ProjectPatch::default()
        },
    };
    let project = projects::make(work, &project)?;
    let key = NewApiKey {
        reach: Reach::Organization(organization.id),
        name: "Demo".to_owned(),
        permissions: Permissions::all(),
        rate_per_s: None,
        rate_burst: None,
        time_expires: None,
    };
    let (_, api_key) = api_keys::create(work, &key)?;
    let number: Option<PhoneNumber> = TEST_NUMBER.parse().ok();
    let phone = phones::add_test_phone(work, project.id, "Test phone", number.as_ref())?;
    let demo = Demo {
        organization_id: organization.id,
        project_id: project.id,
        api_key,
        test_phone_id: phone.id,
    };
    let json = serde_json::to_string(&demo).map_err(|_| StoreError::Panicked)?;
    meta::put(work.tx, KEPT_AS, &json)?;
    Ok(demo)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hub_app::auth::GivenKey;
    use hub_store::{api_keys, phones};

    #[test]
    fn a_folder_keeps_its_demo() {
        let folder = tempfile::tempdir().unwrap();
        let first = open(&data_folder::open(folder.path(), 0).unwrap()).unwrap();
        let store = data_folder::open(folder.path(), 0).unwrap();
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
        let store = data_folder::open(folder.path(), 0).unwrap();
        let parts = data_folder::parts(store.clone(), String::new(), Vec::new()).unwrap();
        let hub = Hub::new(parts);
        let now = hub.now();
        let made = store.write_blocking(move |tx| {
            organizations::create(&mut HubWork::new(&hub, tx, Who::Operator, now), "Clinic")
        });
        made.unwrap();
        let refused = open(&store).unwrap_err();
        assert!(refused.to_string().contains("not a demo"), "{refused}");
    }
}
