//! `POST /projects/{project_id}/broadcasts/{broadcast_id}/cancel`

use crate::broadcasts::found;
use crate::idempotency::Idempotency;
use crate::{ApiResult, Call, enter, transaction};
use axum::extract::State;
use hub_app::broadcasts::call_off;
use hub_app::broadcasts::view::BroadcastView;
use hub_app::dispatch::unit_of_work::UnitOfWork;
use hub_app::hub::Hub;
use hub_domain::Permission;
use hub_store::broadcasts;
use hub_web::{Answer, Fields};

/// Cancels a broadcast: from the answer on, no more messages are made or given to a phone.
///
/// One whose messages have all left stays as it is.
pub async fn cancel(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::SendMessages).await?;
    let id = call.path_id("broadcast_id", "broadcast")?;
    let fields = Fields::read(&call.params)?;
    let _now = hub.now();
    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        let project_id = work.project.id;
        let cancelled = broadcasts::cancel(work.tx, project_id, id)?;
        let mut broadcast = found(broadcasts::get(work.tx, project_id, id)?)?;
        if cancelled {
            call_off::walk(work, &broadcast, call_off::STEP)?;
            work.write_tallies()?;
            work.effects.broadcasts();
            if let Some(now_stored) = broadcasts::get(work.tx, project_id, id)? {
                broadcast = now_stored;
            }
        }
        Ok(BroadcastView::read(work.tx, broadcast)?)
    };
    let show = move |view: BroadcastView| Answer::object(&view, &fields);
    transaction::answer(&project, Idempotency::none(), decide, show).await
}
