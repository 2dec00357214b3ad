//! `POST /projects/{project_id}/messages/{message_id}`

use crate::idempotency::Idempotency;
use crate::messages::found;
use crate::{ApiResult, Call, enter, parse, transaction};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::messages::model::READ_ONLY;
use hub_app::messages::waiting;
use hub_app::unit_of_work::UnitOfWork;
use hub_domain::{Message, Permission, VarsChange};
use hub_store::messages;
use hub_web::{Answer, ApiError, Fields, Params};

/// Longest `error_message`, in characters.
const ERROR_LENGTH_MAX: usize = 1_000;

/// Changes what people may change: star, error message and variables.
pub async fn update(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::SendMessages).await?;
    let id = call.path_id("message_id", "message")?;
    let fields = Fields::read(&call.params)?;
    let change = Change::read(&call.params)?;
    let (now, sight) = (hub.now(), call.caller.sight());

    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        let mut message = found(messages::get(work.tx, work.project.id, id)?)?;
        change.apply(&mut message)?;
        message.time_updated = now.unix;
        messages::update(work.tx, &message)?;
        hub_app::fields::note(work.hub, work.tx, work.project.id, &message.vars, now)?;
        work.effects.changed(id);
        Ok(waiting::show(
            work.hub,
            work.tx,
            work.project,
            vec![message],
            sight,
            now,
        )?)
    };
    let show = move |views: Vec<_>| match views.first() {
        Some(view) => Answer::object(view, &fields),
        None => Answer::void(),
    };
    transaction::answer(&project, Idempotency::none(), decide, show).await
}

struct Change {
    starred: Option<bool>,
    error_message: Option<Option<String>>,
    vars: VarsChange,
}

impl Change {
    fn read(params: &Params) -> Result<Self, ApiError> {
        parse::refuse_read_only(params, READ_ONLY)?;
        let error = params.get("error_message");
        let text = error
            .string(ERROR_LENGTH_MAX)?
            .filter(|text| !text.is_empty());
        Ok(Self {
            starred: params.get("starred").boolean()?,
            error_message: error.is_present().then(|| text.map(str::to_owned)),
            vars: parse::vars(&params.get("vars"))?,
        })
    }

    fn apply(&self, message: &mut Message) -> Result<(), ApiError> {
        if let Some(starred) = self.starred {
            message.starred = starred;
        }
        if let Some(error) = &self.error_message {
            message.error_message.clone_from(error);
        }
        let applied = message.vars.apply(self.vars.clone());
        applied.map_err(|invalid| {
            ApiError::invalid_param("vars", format_args!("cannot be taken: {invalid}"))
        })
    }
}
