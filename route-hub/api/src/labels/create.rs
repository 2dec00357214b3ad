//! `POST /projects/{project_id}/labels`

use crate::idempotency::Idempotency;
use crate::{ApiResult, Call, enter, parse, transaction};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::labels::view::LabelView;
use hub_app::unit_of_work::UnitOfWork;
use hub_domain::{Label, Permission};
use hub_store::labels;
use hub_web::{Answer, Fields};

/// Finds the label of a name, or makes it.
pub async fn get_or_create(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::SendMessages).await?;
    let fields = Fields::read(&call.params)?;
    let field = call.params.get("name");
    let name = parse::name(&field)?.ok_or_else(|| field.refuse("is required"))?;
    let now = hub.now();
    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        if let Some(label) = labels::by_name(work.tx, work.project.id, &name)? {
            return Ok(label);
        }
        let label = Label::new(work.hub.id(now), work.project.id, &name, now.unix);
        labels::insert(work.tx, &label)?;
        Ok(label)
    };
    let show = move |label| Answer::object(&LabelView(label), &fields);
    transaction::answer(&project, Idempotency::none(), decide, show).await
}
