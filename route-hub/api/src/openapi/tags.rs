//! What operations are sorted by.

use crate::operation::{Operation, Url};
use std::collections::BTreeMap;
use utoipa::openapi::Tag;
use utoipa::openapi::tag::TagBuilder;

const TAGS: &[(&str, &str, &str)] = &[
    ("broadcasts", "Broadcasts", "The same message to many."),
    (
        "campaigns",
        "Campaigns",
        "What is prepared for a group, and sent once or by a date.",
    ),
    ("contacts", "Contacts", "The people on the other side."),
    ("fields", "Fields", "How custom variables are shown."),
    ("files", "Files", "Images, videos, sounds, PDFs and vCards."),
    (
        "data_tables",
        "Data tables",
        "Rows of variables, and views of them.",
    ),
    ("groups", "Groups", "Contacts that belong together."),
    ("labels", "Labels", "What messages are sorted by."),
    (
        "message_templates",
        "Message templates",
        "Texts that are kept to use again.",
    ),
    (
        "messages",
        "Messages",
        "Messages, calls and dialogues, both ways.",
    ),
    (
        "organizations",
        "Organizations",
        "The accounts that own projects.",
    ),
    ("phones", "Phones", "What sends and receives."),
    (
        "projects",
        "Projects",
        "Contacts, messages and phones that belong together.",
    ),
    (
        "relative_scheduled",
        "Relative scheduled messages",
        "Messages by a date of each contact.",
    ),
    ("routes", "Routes", "Rules that pick a phone."),
    (
        "scheduled",
        "Scheduled messages",
        "Messages that are sent later.",
    ),
    (
        "statistics",
        "Statistics",
        "How much there was, by intervals of days.",
    ),
    ("tasks", "Tasks", "One operation on many things."),
    (
        "webhook_deliveries",
        "Webhook deliveries",
        "What became of each event.",
    ),
    (
        "webhooks",
        "Webhooks",
        "Addresses that events are posted to.",
    ),
];

/// Returns the name and the description of an operation's tag: that of the module it stands in.
pub(super) fn of(operation: &Operation) -> (&'static str, &'static str) {
    let module = operation.module.split("::").nth(1).unwrap_or_default();
    let found = TAGS.iter().find(|(name, ..)| *name == module);
    debug_assert!(found.is_some(), "{module} has a tag");
    found.map_or(("Others", "Whatever else there is."), |(_, name, about)| {
        (*name, *about)
    })
}

/// Describes the tags of these operations.
pub(super) fn all(urls: &[Url]) -> Vec<Tag> {
    let tags: BTreeMap<_, _> = urls.iter().map(|url| of(url.operation)).collect();
    let tag = |(name, about)| {
        TagBuilder::new()
            .name(name)
            .description(Some(about))
            .build()
    };
    tags.into_iter().map(tag).collect()
}
