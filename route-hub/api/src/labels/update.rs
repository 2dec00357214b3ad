//! `POST /projects/{project_id}/labels/{label_id}`

use crate::idempotency::Idempotency;
use crate::labels::found;
use crate::{ApiResult, Call, enter, parse, transaction};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::labels::view::{LabelView, READ_ONLY};
use hub_app::unit_of_work::UnitOfWork;
use hub_domain::Permission;
use hub_store::labels;
use hub_web::{Answer, ApiError, Fields};

/// Changes a label's name and variables.
pub async fn update(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::SendMessages).await?;
    let id = call.path_id("label_id", "label")?;
    let fields = Fields::read(&call.params)?;
    parse::refuse_read_only(&call.params, READ_ONLY)?;
    let name = parse::name(&call.params.get("name"))?;
    let vars = parse::vars(&call.params.get("vars"))?;
    let _now = hub.now();
    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        let mut label = found(labels::get(work.tx, work.project.id, id)?)?;
        if let Some(name) = &name {
            let other = labels::by_name(work.tx, work.project.id, name)?;
            if other.is_some_and(|other| other.id != id) {
                return Err(ApiError::invalid_param("name", "is another label's").into());
            }
            label.name.clone_from(name);
        }
        parse::apply_vars(&mut label.vars, &vars)?;
        labels::update(work.tx, &label)?;
        Ok(label)
    };
    let show = move |label| Answer::object(&LabelView(label), &fields);
    transaction::answer(&project, Idempotency::none(), decide, show).await
}
