//! Looking at campaigns.

use crate::actor::Actor;
use crate::campaigns::{VIEW, found};
use crate::failure::Failure;
use crate::listing::{self, ListRequest, Listed};
use crate::views::campaign::CampaignView;
use hub_store::campaigns;
use postrider_model::CampaignId;

/// Lists the campaigns of a project.
pub async fn list(actor: &Actor, request: ListRequest) -> Result<Listed<CampaignView>, Failure> {
    actor.require(VIEW)?;
    let (of, addresses) = (actor.project.id, actor.addresses());
    listing::list(
        actor.hub.store.of(of),
        request,
        move |tx, query| campaigns::list(tx, of, query),
        move |tx, query| campaigns::count(tx, of, query),
        move |tx, rows| {
            let rows = rows.into_iter();
            rows.map(|row| CampaignView::read(tx, row, &addresses))
                .collect()
        },
    )
    .await
}

/// Returns one campaign.
pub async fn get(actor: &Actor, id: CampaignId) -> Result<CampaignView, Failure> {
    actor.require(VIEW)?;
    let (of, addresses) = (actor.project.id, actor.addresses());
    let reading = actor.hub.store.of(of).read(move |tx| {
        let campaign = campaigns::get(tx, of, id)?;
        let view = campaign.map(|campaign| CampaignView::read(tx, campaign, &addresses));
        view.transpose()
    });
    Ok(found(reading.await?)?)
}
