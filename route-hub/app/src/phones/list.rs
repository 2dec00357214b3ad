//! Listing phones.

use crate::actor::Actor;
use crate::failure::Failure;
use crate::listing::{self, ListRequest, Listed};
use crate::phones::PhoneView;
use hub_store::phones;

/// Lists the phones of a project.
pub async fn list(actor: &Actor, request: ListRequest) -> Result<Listed<PhoneView>, Failure> {
    let (id, project) = (actor.project.id, actor.project.clone());
    listing::list(
        actor.hub.store.of(id),
        request,
        move |tx, query| phones::list(tx, id, query),
        move |tx, query| phones::count(tx, id, query),
        move |tx, phones| PhoneView::read_all(tx, phones, &project),
    )
    .await
}
