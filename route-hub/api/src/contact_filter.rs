//! Contacts as recipients, whom a filter finds.

use crate::tasks::create::found;
use hub_app::tasks::{Found, IDS_MAX};
use hub_domain::FilterType;
use hub_web::{ApiError, Kind, Member, Params};
use postrider_model::kind;

/// The values of `filter_type`.
const TYPES: [(&str, FilterType); 2] = [
    ("query_contacts", FilterType::QueryContacts),
    ("contact_ids", FilterType::ContactIds),
];
/// How contacts are found.
pub(crate) const FILTER_TYPE: Member = Member::new(
    "filter_type",
    Kind::Word(&crate::members::words(&TYPES)),
    "How contacts are found, instead of other recipients.",
);
/// Whom a filter finds.
pub(crate) const FILTER: &[Member] = &[
    FILTER_TYPE,
    Member::new(
        "filter_params",
        Kind::Object(&[
            Member::new("all", Kind::Boolean, "True: every contact."),
            crate::members::ids::<kind::Contact>(
                "contact_ids",
                IDS_MAX,
                "The contacts (contact_ids).",
            ),
        ]),
        "The filters of the list of contacts, all, or ids.",
    ),
];

/// Reads a filter, where a request names one.
pub(crate) fn read(params: &Params, region: Option<&str>) -> Result<Option<Found>, ApiError> {
    match params.get("filter_type").one_of(&TYPES)? {
        Some(filter_type) => found(params, filter_type, region).map(Some),
        None if params.get("filter_params").is_empty() => Ok(None),
        None => Err(params
            .get("filter_type")
            .refuse("is required with filter_params")),
    }
}
