//! `GET /projects/{project_id}/phones`

use super::model::PhoneView;
use crate::api::lists::{self, Listed, Meaning, plain};
use crate::api::{ApiResult, Call, enter};
use crate::hub::Hub;
use axum::extract::State;
use hub_domain::Permission;
use hub_store::list::{Column, Kind, Sort};
use hub_store::phones;
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

const NAME: Column = Column::new("name_folded", Kind::Folded);
const NUMBER: Column = Column::new("phone_number", Kind::Text);
const ACTIVE: Column = Column::new("last_active_time", Kind::Time);

const MEANINGS: &[Meaning] = &[
    Meaning::new("name", NAME, plain),
    Meaning::new("phone_number", NUMBER, plain),
    Meaning::new("last_active_time", ACTIVE, plain),
];

const SORTS: &[(&str, Sort)] = &[
    ("default", Sort::BY_ID),
    ("name", Sort::by(NAME)),
    ("phone_number", Sort::by(NUMBER)),
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
