//! The hub's own id: made with its database, kept by every copy of it, and told to phones.
//!
//! A phone believes no other hub under the same name. So a backup must have the id of the hub that
//! it was taken from, also one from before there were ids: a database without one derives it from
//! its oldest organization, which all its copies have.

use crate::random::Random;
use hub_store::{Store, StoreError, Tx, meta, organizations};
use postrider_model::{HubId, Key};
use ring::digest::{SHA256, digest};

/// Returns the id of the hub whose database this is, and makes it where there is none.
pub(crate) fn of(store: &Store) -> Result<HubId, StoreError> {
    if let Some(id) = store.read_blocking(meta::hub_id)? {
        return Ok(id);
    }
    let drawn = id_of(Random::new().number());
    store.write_blocking(move |tx| kept_or_made(tx, drawn))
}

fn kept_or_made(tx: &mut Tx<'_>, drawn: HubId) -> Result<HubId, StoreError> {
    if let Some(id) = meta::hub_id(tx)? {
        return Ok(id);
    }
    let organizations = organizations::all(tx)?;
    let oldest = organizations.iter().map(|it| it.id.get()).min();
    let id = oldest.map_or(drawn, derived);
    meta::put_hub_id(tx, id)?;
    Ok(id)
}

fn derived(oldest_organization: i64) -> HubId {
    let hash = digest(
        &SHA256,
        format!("postrider-hub-v1 {oldest_organization}").as_bytes(),
    );
    let mut first = [0; 8];
    first.copy_from_slice(&hash.as_ref()[..8]);
    id_of(u64::from_be_bytes(first))
}

fn id_of(number: u64) -> HubId {
    HubId::new(Key::new((number >> 1).cast_signed()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data_folder;
    use hub_domain::Organization;
    use postrider_model::{OrganizationId, UnixMs};

    fn add_organization(store: &Store, key: i64) {
        let organization = Organization {
            id: OrganizationId::from_i64(key).unwrap(),
            name: "Clinic".to_owned(),
            timezone_id: "UTC".to_owned(),
            plan: hub_domain::Plan::default(),
            time_created: UnixMs(0),
        };
        let add = move |tx: &mut Tx<'_>| organizations::insert(tx, &organization);
        store.write_blocking(add).unwrap();
    }

    #[test]
    fn a_new_database_has_an_id_of_its_own_and_keeps_it() {
        let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let open = |folder: &tempfile::TempDir| data_folder::open(folder.path(), 0).unwrap();
        let id = of(&open(&one)).unwrap();
        add_organization(&open(&one), 7);
        assert_eq!(of(&open(&one)).unwrap(), id);
        assert_ne!(of(&open(&other)).unwrap(), id);
    }

    #[test]
    fn copies_of_a_database_from_before_there_were_ids_agree() {
        let id_after = |keys: &[i64]| {
            let folder = tempfile::tempdir().unwrap();
            let store = data_folder::open(folder.path(), 0).unwrap();
            for key in keys {
                add_organization(&store, *key);
            }
            of(&store).unwrap()
        };
        assert_eq!(id_after(&[7]), id_after(&[7, 9]));
        assert_ne!(id_after(&[7]), id_after(&[8]));
    }
}
