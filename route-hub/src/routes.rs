//! Every URL of the REST API, on one page.

use http::Method;
use hub_api::{
    Operation, Url, broadcasts, campaigns, contacts, data_tables, fields, files, groups, labels,
    message_templates, messages, organizations, phones, projects, relative_scheduled, routes,
    scheduled, statistics, tasks, webhook_deliveries, webhooks,
};

/// Returns every URL of the API, with its placeholders in braces.
pub fn urls() -> Vec<Url> {
    Routes::default().nest("/v1", v1()).0
}

type Handled = (Method, &'static Operation);

const fn get(operation: &'static Operation) -> Handled {
    (Method::GET, operation)
}

const fn post(operation: &'static Operation) -> Handled {
    (Method::POST, operation)
}

const fn put(operation: &'static Operation) -> Handled {
    (Method::PUT, operation)
}

const fn delete(operation: &'static Operation) -> Handled {
    (Method::DELETE, operation)
}

/// URLs by their whole paths.
#[derive(Default)]
struct Routes(Vec<Url>);

impl Routes {
    fn route<const N: usize>(self, path: &str, methods: [Handled; N]) -> Self {
        self.add(path, methods, false)
    }

    /// Adds an older name of another path.
    fn alias<const N: usize>(self, path: &str, methods: [Handled; N]) -> Self {
        self.add(path, methods, true)
    }

    fn add<const N: usize>(mut self, path: &str, methods: [Handled; N], is_alias: bool) -> Self {
        self.0.extend(methods.map(|(method, operation)| Url {
            method,
            path: path.to_owned(),
            operation,
            is_alias,
        }));
        self
    }

    /// Adds routes under a prefix; `/` among them is the prefix itself.
    fn nest(mut self, prefix: &str, within: Self) -> Self {
        self.0.extend(within.0.into_iter().map(|url| Url {
            path: format!("{prefix}{}", url.path.trim_end_matches('/')),
            ..url
        }));
        self
    }
}

#[rustfmt::skip]
fn v1() -> Routes {
    Routes::default()
        .route("/projects", [get(&projects::LIST)])
        .route("/projects/{project_id}", [get(&projects::GET), post(&projects::UPDATE)])
        .route("/organizations", [get(&organizations::LIST)])
        .nest("/organizations/{organization_id}", organization())
        .nest("/projects/{project_id}", project())
}

#[rustfmt::skip]
fn organization() -> Routes {
    Routes::default()
        .route("/", [get(&organizations::GET), post(&organizations::UPDATE)])
        .route("/projects", [get(&projects::LIST), post(&projects::CREATE)])
        .route("/billing", [get(&organizations::BILLING)])
        .route("/usage/{usage_type}", [get(&organizations::USAGE)])
        .route("/usage_history", [get(&organizations::USAGE_HISTORY)])
        .route("/message_stats", [get(&statistics::MESSAGE_STATS_OF_ORGANIZATION)])
}

#[rustfmt::skip]
fn project() -> Routes {
    Routes::default()
        .route("/users", [get(&projects::USERS)])
        .route("/message_stats", [get(&statistics::MESSAGE_STATS)])
        .route("/contact_stats", [get(&statistics::CONTACT_STATS)])
        .route("/data_table_stats", [get(&statistics::DATA_TABLE_STATS)])
        .route("/airtime_stats", [get(&statistics::AIRTIME_STATS)])
        .route("/messages", [get(&messages::LIST)])
        .route("/messages/send", [post(&messages::SEND)])
        .alias("/messages/outgoing", [post(&messages::SEND)])
        .route("/messages/send_batch", [post(&broadcasts::SEND_BATCH)])
        .alias("/messages/outgoing_batch", [post(&broadcasts::SEND_BATCH)])
        .route("/messages/receive", [post(&messages::RECEIVE)])
        .route("/send_multi", [post(&broadcasts::SEND_MULTI)])
        .route("/send_broadcast", [post(&broadcasts::SEND)])
        .route("/broadcasts", [get(&broadcasts::LIST)])
        .route("/broadcasts/{broadcast_id}", [get(&broadcasts::GET)])
        .route("/broadcasts/{broadcast_id}/cancel", [post(&broadcasts::CANCEL)])
        .route("/messages/{message_id}", [get(&messages::GET), post(&messages::UPDATE), delete(&messages::DELETE)])
        .route("/messages/{message_id}/resend", [post(&messages::RESEND)])
        .route("/messages/{message_id}/cancel", [post(&messages::CANCEL)])
        .route("/messages/{message_id}/mms_parts", [get(&messages::MMS_PARTS)])
        .route("/messages/{message_id}/send_read_receipt", [post(&messages::SEND_READ_RECEIPT)])
        .route("/messages/{message_id}/send_typing_indicator", [post(&messages::SEND_TYPING_INDICATOR)])
        .route("/phones", [get(&phones::LIST), post(&phones::CREATE)])
        .route("/phones/{phone_id}", [get(&phones::GET), post(&phones::UPDATE), delete(&phones::DELETE)])
        .route("/phones/{phone_id}/messages", [get(&phones::MESSAGES)])
        .route("/phones/{phone_id}/release_quiet_hours", [post(&phones::RELEASE_QUIET_HOURS)])
        .route("/phones/{phone_id}/reset_sent_message_count", [post(&phones::RESET_SENT_MESSAGE_COUNT)])
        .route("/routes", [get(&routes::LIST), post(&routes::CREATE)])
        .route("/routes/{route_id}", [get(&routes::GET), post(&routes::UPDATE), delete(&routes::DELETE)])
        .route("/route_list", [get(&routes::ROUTE_LIST)])
        .route("/contacts", [get(&contacts::LIST), post(&contacts::CREATE)])
        .route("/import_contacts", [post(&contacts::IMPORT)])
        .route("/contacts/{contact_id}", [get(&contacts::GET), post(&contacts::UPDATE), delete(&contacts::DELETE)])
        .route("/contacts/{contact_id}/groups", [get(&groups::OF_CONTACT)])
        .route("/contacts/{contact_id}/messages", [get(&contacts::MESSAGES)])
        .route("/contacts/{contact_id}/rows", [get(&data_tables::LIST_ROWS_OF_CONTACT)])
        .route("/contacts/{contact_id}/states", [get(&contacts::STATES)])
        .route("/groups", [get(&groups::LIST), post(&groups::GET_OR_CREATE)])
        .route("/create_group", [post(&groups::CREATE)])
        .route("/groups/{group_id}", [get(&groups::GET), post(&groups::UPDATE), delete(&groups::DELETE)])
        .route("/groups/{group_id}/contacts", [get(&groups::CONTACTS)])
        .route("/groups/{group_id}/contacts/{contact_id}", [put(&groups::JOIN), delete(&groups::LEAVE)])
        .route("/scheduled", [get(&scheduled::LIST), post(&scheduled::CREATE)])
        .route("/scheduled/{scheduled_id}", [get(&scheduled::GET), post(&scheduled::UPDATE), delete(&scheduled::DELETE)])
        .route("/contacts/{contact_id}/scheduled", [get(&scheduled::OF_CONTACT)])
        .route("/groups/{group_id}/scheduled", [get(&scheduled::OF_GROUP)])
        .route("/contact_fields", [get(&fields::CONTACT_FIELDS), post(&fields::CHANGE_CONTACT_FIELDS)])
        .route("/contact_fields/{variable}", [post(&fields::CHANGE_CONTACT_FIELD)])
        .route("/message_fields", [get(&fields::MESSAGE_FIELDS), post(&fields::CHANGE_MESSAGE_FIELDS)])
        .route("/message_fields/{variable}", [post(&fields::CHANGE_MESSAGE_FIELD)])
        .route("/labels", [get(&labels::LIST), post(&labels::GET_OR_CREATE)])
        .route("/labels/{label_id}", [get(&labels::GET), post(&labels::UPDATE), delete(&labels::DELETE)])
        .route("/labels/{label_id}/messages", [get(&labels::MESSAGES)])
        .route("/labels/{label_id}/messages/{message_id}", [put(&labels::PUT_ON), delete(&labels::TAKE_OFF)])
        .route("/campaigns", [get(&campaigns::LIST), post(&campaigns::CREATE)])
        .route("/campaigns/{campaign_id}", [get(&campaigns::GET), post(&campaigns::UPDATE), delete(&campaigns::DELETE)])
        .route("/campaigns/{campaign_id}/send", [post(&campaigns::SEND)])
        .route("/campaigns/{campaign_id}/unschedule", [post(&campaigns::UNSCHEDULE)])
        .route("/message_templates", [get(&message_templates::LIST), post(&message_templates::CREATE)])
        .route("/message_templates/{template_id}", [get(&message_templates::GET), post(&message_templates::UPDATE), delete(&message_templates::DELETE)])
        .route("/relative_scheduled", [get(&relative_scheduled::LIST), post(&relative_scheduled::CREATE)])
        .route("/relative_scheduled/{relative_scheduled_id}", [get(&relative_scheduled::GET), post(&relative_scheduled::UPDATE), delete(&relative_scheduled::DELETE)])
        .route("/files", [get(&files::LIST), post(&files::CREATE)])
        .route("/files/{file_id}", [get(&files::GET), post(&files::UPDATE), delete(&files::DELETE)])
        .route("/tables", [get(&data_tables::LIST), post(&data_tables::GET_OR_CREATE)])
        .route("/tables/{table_id}", [get(&data_tables::GET), post(&data_tables::UPDATE), delete(&data_tables::DELETE)])
        .route("/tables/{table_id}/rows", [get(&data_tables::LIST_ROWS), post(&data_tables::CREATE_ROW)])
        .route("/tables/{table_id}/rows/{row_id}", [get(&data_tables::GET_ROW), post(&data_tables::UPDATE_ROW), delete(&data_tables::DELETE_ROW)])
        .route("/tables/{table_id}/import_rows", [post(&data_tables::IMPORT_ROWS)])
        .route("/tables/{table_id}/count_rows_by_value", [get(&data_tables::COUNT_ROWS_BY_VALUE)])
        .route("/tables/{table_id}/fields", [get(&data_tables::FIELDS), post(&data_tables::CHANGE_FIELDS)])
        .route("/tables/{table_id}/fields/{variable}", [post(&data_tables::CHANGE_FIELD)])
        .route("/tables/{table_id}/views", [get(&data_tables::LIST_VIEWS), post(&data_tables::CREATE_VIEW)])
        .route("/tables/{table_id}/views/{view_id}", [get(&data_tables::GET_VIEW), post(&data_tables::UPDATE_VIEW), delete(&data_tables::DELETE_VIEW)])
        .route("/tables/{table_id}/views/{view_id}/rows", [get(&data_tables::LIST_ROWS_OF_VIEW)])
        .route("/tasks", [get(&tasks::LIST), post(&tasks::CREATE)])
        .route("/tasks/{task_id}", [get(&tasks::GET)])
        .route("/tasks/{task_id}/cancel", [post(&tasks::CANCEL)])
        .route("/webhook_deliveries", [get(&webhook_deliveries::LIST)])
        .route("/webhook_deliveries/{webhook_delivery_id}", [get(&webhook_deliveries::GET)])
        .route("/webhook_deliveries/{webhook_delivery_id}/replay", [post(&webhook_deliveries::REPLAY)])
        .route("/webhooks", [get(&webhooks::LIST), post(&webhooks::CREATE)])
        .route("/webhooks/{webhook_id}", [get(&webhooks::GET), post(&webhooks::UPDATE), delete(&webhooks::DELETE)])
}
