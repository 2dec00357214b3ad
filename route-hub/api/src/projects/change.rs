//! A project's settings, as a request gives them.

use crate::Failure;
use hub_app::parse;
use hub_app::setup::slug::SLUG_LENGTH;
use hub_domain::{Project, RouteId, VarsChange, Zone, numbers};
use hub_store::{Tx, phones, projects, routes};
use hub_web::{ApiError, Field, Params};
use postrider_text::PARTS_MAX_DEFAULT;

/// Most days that messages may be told to stay: a hundred years.
const RETENTION_DAYS_MAX: i64 = 36_500;
/// Most SMS parts that may be allowed: no phone sends a longer text.
const SMS_PARTS_MAX: i64 = PARTS_MAX_DEFAULT as i64;
/// Letters of a country.
const COUNTRY_LENGTH: usize = 2;

/// The fields that a caller may read but not write.
const READ_ONLY: &[&str] = &["id", "organization_id", "url"];

/// What is to be set; what is `None` stays, and an inner `None` takes the setting away.
#[derive(Debug, Clone)]
pub(super) struct Change {
    name: Option<String>,
    timezone_id: Option<String>,
    country: Option<Option<String>>,
    url_slug: Option<Option<String>>,
    default_route_id: Option<Option<RouteId>>,
    auto_create_contacts: Option<bool>,
    message_retention_days: Option<Option<u32>>,
    short_link_scheme: Option<bool>,
    sms_parts_max: Option<Option<u32>>,
    vars: VarsChange,
}

impl Change {
    pub(super) fn read(params: &Params) -> Result<Self, ApiError> {
        parse::refuse_read_only(params, READ_ONLY)?;
        let route = params.get("default_route_id");
        let route_read = parse::route_id(&route)?;
        let retention = params.get("message_retention_days");
        let days = retention.integer(1..=RETENTION_DAYS_MAX)?;
        let days = days.and_then(|days| u32::try_from(days).ok());
        let parts = params.get("sms_parts_max");
        let parts_max = parts.integer(1..=SMS_PARTS_MAX)?;
        let parts_max = parts_max.and_then(|parts| u32::try_from(parts).ok());
        Ok(Self {
            name: parse::name(&params.get("name"))?,
            timezone_id: parse::zone(&params.get("timezone_id"))?
                .map(|zone| zone_name(zone.as_ref())),
            country: country(&params.get("country"))?,
            url_slug: slug(&params.get("url_slug"))?,
            default_route_id: route.is_present().then_some(route_read),
            auto_create_contacts: params.get("auto_create_contacts").boolean()?,
            message_retention_days: retention.is_present().then_some(days),
            short_link_scheme: params.get("short_link_scheme").boolean()?,
            sms_parts_max: parts.is_present().then_some(parts_max),
            vars: parse::vars(&params.get("vars"))?,
        })
    }

    /// Says whether a name is given.
    pub(super) const fn has_name(&self) -> bool {
        self.name.is_some()
    }

    /// Checks what only the database knows, and changes the project.
    ///
    /// # Errors
    /// `invalid_param` for a name or slug that another project has, and for a route of
    /// nobody.
    pub(super) fn apply(&self, tx: &mut Tx<'_>, project: &mut Project) -> Result<(), Failure> {
        self.check(tx, project)?;
        put(&mut project.name, self.name.as_ref());
        put(&mut project.timezone_id, self.timezone_id.as_ref());
        put(&mut project.country, self.country.as_ref());
        put(&mut project.url_slug, self.url_slug.as_ref());
        put(
            &mut project.default_route_id,
            self.default_route_id.as_ref(),
        );
        put(
            &mut project.auto_create_contacts,
            self.auto_create_contacts.as_ref(),
        );
        put(
            &mut project.message_retention_days,
            self.message_retention_days.as_ref(),
        );
        put(
            &mut project.short_link_scheme,
            self.short_link_scheme.as_ref(),
        );
        put(&mut project.sms_parts_max, self.sms_parts_max.as_ref());
        Ok(parse::apply_vars(&mut project.vars, &self.vars)?)
    }

    fn check(&self, tx: &mut Tx<'_>, project: &Project) -> Result<(), Failure> {
        let is_other = |found: Project| found.id != project.id;
        if let Some(name) = &self.name
            && projects::by_name(tx, project.organization_id, name)?.is_some_and(is_other)
        {
            let rule = "is the name of another project of the organization";
            return Err(ApiError::invalid_param("name", rule).into());
        }
        if let Some(Some(slug)) = &self.url_slug
            && projects::by_slug(tx, project.organization_id, slug)?
                .is_some_and(|id| id != project.id)
        {
            let rule = "is the slug of another project of the organization";
            return Err(ApiError::invalid_param("url_slug", rule).into());
        }
        let is_there = match self.default_route_id.flatten() {
            Some(RouteId::Phone(id)) => phones::get(tx, project.id, id)?.is_some(),
            Some(RouteId::Custom(id)) => routes::get(tx, project.id, id)?.is_some(),
            None => true,
        };
        if !is_there {
            let rule = "is not the id of a phone or route of this project";
            return Err(ApiError::invalid_param("default_route_id", rule).into());
        }
        Ok(())
    }
}

fn put<T: Clone>(setting: &mut T, given: Option<&T>) {
    if let Some(value) = given {
        setting.clone_from(value);
    }
}

/// A project without a zone of its own keeps UTC.
fn zone_name(zone: Option<&Zone>) -> String {
    zone.map_or("UTC", Zone::name).to_owned()
}

fn country(field: &Field<'_>) -> Result<Option<Option<String>>, ApiError> {
    let text = field
        .string(COUNTRY_LENGTH)?
        .filter(|text| !text.is_empty());
    let region = text.map(str::to_ascii_uppercase);
    match region {
        Some(region) if !numbers::is_region(&region) => {
            Err(field.refuse("must be a country's two letters, as KE"))
        }
        region => Ok(field.is_present().then_some(region)),
    }
}

fn slug(field: &Field<'_>) -> Result<Option<Option<String>>, ApiError> {
    let text = field
        .string(*SLUG_LENGTH.end())?
        .filter(|text| !text.is_empty());
    let is_slug = |text: &str| {
        SLUG_LENGTH.contains(&text.len())
            && text
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_'))
    };
    match text {
        Some(text) if !is_slug(text) => {
            Err(field.refuse("must be 3 to 18 characters of a-z, 0-9, - and _"))
        }
        text => Ok(field.is_present().then_some(text.map(str::to_owned))),
    }
}
