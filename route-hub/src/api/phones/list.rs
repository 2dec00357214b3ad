//! `GET /projects/{project_id}/phones`

use super::model::PhoneView;
use crate::api::lists::{self, Listed, Meaning, plain};
use crate::api::{ApiResult, Call, enter};
use crate::hub::Hub;
use axum::extract::State;
use hub_domain::Permission;
use hub_store::list::Sort;
use hub_store::phones::{self, by};
use hub_web::{FilterKind, FilterSpec, ListQuery, ListSpec, Modifier};

const SPEC: ListSpec = ListSpec {
    sorts: &["default", "name", "phone_number"],
    filters: &[
        FilterSpec {
            name: "name",
            kind: FilterKind::Text,
            modifiers: Modifier::TEXT,
        },
        FilterSpec {
            name: "phone_number",
            kind: FilterKind::Text,
            modifiers: Modifier::TEXT,
        },
        FilterSpec {
            name: "last_active_time",
            kind: FilterKind::Timestamp,
            modifiers: &[Modifier::Min, Modifier::Max, Modifier::Exists],
        },
    ],
};

const MEANINGS: &[Meaning] = &[
    Meaning::new("name", by::NAME, plain),
    Meaning::new("phone_number", by::PHONE_NUMBER, plain),
    Meaning::new("last_active_time", by::LAST_ACTIVE_TIME, plain),
];

const SORTS: &[(&str, Sort)] = &[
    ("default", Sort::BY_ID),
    ("name", Sort::by(by::NAME)),
    ("phone_number", Sort::by(by::PHONE_NUMBER)),
];

/// Lists the phones of a project.
pub async fn list(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::ViewRoutes).await?;
    let asked = ListQuery::read(&call.params, &SPEC)?;
    let query = lists::query(&asked, MEANINGS, SORTS)?;
    let (project_id, count_only) = (project.id, asked.count_only);
    let reading = hub.store.read(move |tx| {
        Ok(if count_only {
            Listed::Count(phones::count(tx, project_id, &query)?)
        } else {
            Listed::Page(phones::list(tx, project_id, &query)?)
        })
    });
    lists::answer(reading.await?, &asked, |phone| {
        PhoneView::new(phone, &project)
    })
}
