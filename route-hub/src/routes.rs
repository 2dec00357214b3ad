//! Every URL of the REST API, on one page.

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::routing::{MethodRouter, get, post, put};
use hub_api::state::ApiState;
use hub_api::{
    Anew, broadcasts, contacts, fields, groups, labels, messages, organizations, phones, projects,
    relative_scheduled, routes, scheduled, webhooks,
};
use hub_store::list::TIME_MAX;
use hub_store::within_request;
use hub_web::{RequestIds, conventions, no_such_method, no_such_url};
use std::sync::Arc;
use std::time::Duration;

/// Returns the API under `/v1`, with its conventions around every answer.
///
/// `others` are routes beside it (the link, pairing, health); what neither has is answered here.
pub fn router(state: ApiState, others: Router<ApiState>) -> Router {
    router_within(state, others, TIME_MAX)
}

/// As [`router`], with another limit on the time that the readings of one request may take, all
/// together.
pub fn router_within(state: ApiState, others: Router<ApiState>, reading_time: Duration) -> Router {
    // One layer for both: each costs a copy of its service with every request.
    let answer = move |ids: State<Arc<RequestIds>>, request: Request, next: Next| {
        within_request(reading_time, conventions(ids, request, next))
    };
    let ids = Arc::new(RequestIds::new(u64::from_le_bytes(
        state.hub.random.bytes(),
    )));
    Routes::default()
        .nest("/v1", v1())
        .router()
        .merge(others)
        .fallback(no_such_url)
        .method_not_allowed_fallback(no_such_method)
        .layer(from_fn_with_state(ids, answer))
        .with_state(state)
}

/// Returns the path of every URL of the API, with its placeholders in braces.
pub fn paths() -> Vec<String> {
    let routes = Routes::default().nest("/v1", v1());
    routes.0.into_iter().map(|(path, _)| path).collect()
}

/// Routes by their whole paths: a router nested in another would take the prefix off the path of
/// each request again.
#[derive(Default)]
struct Routes(Vec<(String, MethodRouter<ApiState>)>);

impl Routes {
    fn route(mut self, path: &str, methods: MethodRouter<ApiState>) -> Self {
        self.0.push((path.to_owned(), methods));
        self
    }

    /// Adds routes under a prefix; `/` among them is the prefix itself.
    fn nest(mut self, prefix: &str, within: Self) -> Self {
        let whole = |path: String| format!("{prefix}{}", path.trim_end_matches('/'));
        let within = within.0.into_iter();
        self.0
            .extend(within.map(|(path, methods)| (whole(path), methods)));
        self
    }

    fn router(self) -> Router<ApiState> {
        let routes = self.0.into_iter();
        routes.fold(Router::new(), |router, (path, methods)| {
            router.route(&path, methods)
        })
    }
}

#[rustfmt::skip]
fn v1() -> Routes {
    Routes::default()
        .route("/projects", get(projects::list))
        .route("/projects/{project_id}", get(projects::get).post(Anew(projects::update)))
        .route("/organizations", get(organizations::list))
        .nest("/organizations/{organization_id}", organization())
        .nest("/projects/{project_id}", project())
}

#[rustfmt::skip]
fn organization() -> Routes {
    Routes::default()
        .route("/", get(organizations::get).post(Anew(organizations::update)))
        .route("/projects", get(projects::list).post(Anew(projects::create)))
        .route("/billing", get(organizations::billing))
        .route("/usage/{usage_type}", get(organizations::usage))
        .route("/usage_history", get(organizations::usage_history))
}

#[rustfmt::skip]
fn project() -> Routes {
    Routes::default()
        .route("/users", get(projects::users))
        .route("/messages", get(messages::list))
        .route("/messages/send", post(Anew(messages::send)))
        .route("/messages/outgoing", post(Anew(messages::send)))
        .route("/messages/send_batch", post(Anew(broadcasts::send_batch)))
        .route("/messages/outgoing_batch", post(Anew(broadcasts::send_batch)))
        .route("/messages/receive", post(Anew(messages::receive)))
        .route("/send_multi", post(Anew(broadcasts::send_multi)))
        .route("/send_broadcast", post(Anew(broadcasts::send)))
        .route("/broadcasts", get(broadcasts::list))
        .route("/broadcasts/{broadcast_id}", get(broadcasts::get))
        .route("/broadcasts/{broadcast_id}/cancel", post(Anew(broadcasts::cancel)))
        .route("/messages/{message_id}", get(messages::get).post(Anew(messages::update)).delete(Anew(messages::delete)))
        .route("/messages/{message_id}/resend", post(Anew(messages::resend)))
        .route("/messages/{message_id}/cancel", post(Anew(messages::cancel)))
        .route("/messages/{message_id}/mms_parts", get(messages::mms_parts))
        .route("/messages/{message_id}/send_read_receipt", post(Anew(messages::send_read_receipt)))
        .route("/messages/{message_id}/send_typing_indicator", post(Anew(messages::send_typing_indicator)))
        .route("/phones", get(phones::list).post(Anew(phones::create)))
        .route("/phones/{phone_id}", get(phones::get).post(Anew(phones::update)).delete(Anew(phones::delete)))
        .route("/phones/{phone_id}/messages", get(phones::messages))
        .route("/phones/{phone_id}/release_quiet_hours", post(Anew(phones::release_quiet_hours)))
        .route("/phones/{phone_id}/reset_sent_message_count", post(Anew(phones::reset_sent_message_count)))
        .route("/routes", get(routes::list).post(Anew(routes::create)))
        .route("/routes/{route_id}", get(routes::get).post(Anew(routes::update)).delete(Anew(routes::delete)))
        .route("/route_list", get(routes::route_list))
        .route("/contacts", get(contacts::list).post(Anew(contacts::create)))
        .route("/import_contacts", post(Anew(contacts::import)))
        .route("/contacts/{contact_id}", get(contacts::get).post(Anew(contacts::update)).delete(Anew(contacts::delete)))
        .route("/contacts/{contact_id}/groups", get(groups::of_contact))
        .route("/contacts/{contact_id}/messages", get(contacts::messages))
        .route("/contacts/{contact_id}/rows", get(contacts::rows))
        .route("/contacts/{contact_id}/states", get(contacts::states))
        .route("/groups", get(groups::list).post(Anew(groups::get_or_create)))
        .route("/create_group", post(Anew(groups::create)))
        .route("/groups/{group_id}", get(groups::get).post(Anew(groups::update)).delete(Anew(groups::delete)))
        .route("/groups/{group_id}/contacts", get(groups::contacts))
        .route("/groups/{group_id}/contacts/{contact_id}", put(Anew(groups::join)).delete(Anew(groups::leave)))
        .route("/scheduled", get(scheduled::list).post(Anew(scheduled::create)))
        .route("/scheduled/{scheduled_id}", get(scheduled::get).post(Anew(scheduled::update)).delete(Anew(scheduled::delete)))
        .route("/contacts/{contact_id}/scheduled", get(scheduled::of_contact))
        .route("/groups/{group_id}/scheduled", get(scheduled::of_group))
        .route("/contact_fields", get(fields::contact_fields).post(Anew(fields::change_contact_fields)))
        .route("/contact_fields/{variable}", post(Anew(fields::change_contact_field)))
        .route("/message_fields", get(fields::message_fields).post(Anew(fields::change_message_fields)))
        .route("/message_fields/{variable}", post(Anew(fields::change_message_field)))
        .route("/labels", get(labels::list).post(Anew(labels::get_or_create)))
        .route("/labels/{label_id}", get(labels::get).post(Anew(labels::update)).delete(Anew(labels::delete)))
        .route("/labels/{label_id}/messages", get(labels::messages))
        .route("/labels/{label_id}/messages/{message_id}", put(Anew(labels::put_on)).delete(Anew(labels::take_off)))
        .route("/relative_scheduled", get(relative_scheduled::list).post(Anew(relative_scheduled::create)))
        .route("/relative_scheduled/{relative_scheduled_id}", get(relative_scheduled::get).post(Anew(relative_scheduled::update)).delete(Anew(relative_scheduled::delete)))
        .route("/webhooks", get(webhooks::list).post(Anew(webhooks::create)))
        .route("/webhooks/{webhook_id}", get(webhooks::get).post(Anew(webhooks::update)).delete(Anew(webhooks::delete)))
}
