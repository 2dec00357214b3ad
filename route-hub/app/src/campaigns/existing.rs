//! Looking at campaigns.

use crate::actor::Actor;
use crate::campaigns::{VIEW, check, found};
use crate::failure::Failure;
use crate::holds::Holds;
use crate::hub::files::Addresses;
use crate::listing::{self, ListRequest, Listed};
use crate::views::campaign::CampaignView;
use hub_domain::Campaign;
use hub_store::{StoreError, Tx, campaigns};
use postrider_model::CampaignId;

/// Lists the campaigns of a project.
pub async fn list(actor: &Actor, request: ListRequest) -> Result<Listed<CampaignView>, Failure> {
    actor.require(VIEW)?;
    let (of, addresses) = (actor.project.id, actor.addresses());
    let viewer = actor.clone();
    listing::list(
        actor.hub.store.of(of),
        request,
        move |tx, query| campaigns::list(tx, of, query),
        move |tx, query| campaigns::count(tx, of, query),
        move |tx, rows| {
            let mut holds = Holds::for_reader(&viewer);
            let rows = rows.into_iter();
            rows.map(|row| shown(tx, row, &addresses, &mut holds))
                .collect()
        },
    )
    .await
}

/// Returns one campaign.
pub async fn get(actor: &Actor, id: CampaignId) -> Result<CampaignView, Failure> {
    actor.require(VIEW)?;
    let (of, addresses) = (actor.project.id, actor.addresses());
    let viewer = actor.clone();
    let reading = actor.hub.store.of(of).read(move |tx| {
        let mut holds = Holds::for_reader(&viewer);
        let campaign = campaigns::get(tx, of, id)?;
        let view = campaign.map(|campaign| shown(tx, campaign, &addresses, &mut holds));
        view.transpose()
    });
    Ok(found(reading.await?)?)
}

/// Shows a campaign; one that runs says what is wrong with its groups now.
pub(super) fn shown(
    tx: &mut Tx<'_>,
    mut campaign: Campaign,
    addresses: &Addresses,
    holds: &mut Holds<'_>,
) -> Result<CampaignView, StoreError> {
    if let Some(problem) = check::problem(tx, &campaign)? {
        campaign.problem = Some(problem);
    }
    CampaignView::read(tx, campaign, addresses, holds)
}
