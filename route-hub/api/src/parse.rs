//! Parameters into domain types; errors name the parameter.

use hub_domain::{RouteId, VarsChange, Zone};
use hub_outgoing::Target;
use hub_web::{ApiError, Field};
use postrider_model::{Id, IdKind, Secret};

/// Longest secret of a webhook, in characters.
pub(crate) const SECRET_LENGTH_MAX: usize = 200;

/// Reads a number or, as `null`, its absence.
pub(crate) fn number(field: &Field<'_>) -> Result<Option<Option<u32>>, ApiError> {
    let value = field.integer()?;
    let value = value.and_then(|value| u32::try_from(value).ok());
    Ok(field.is_present().then_some(value))
}

/// Reads a change of custom variables, in which `null` deletes.
pub(crate) fn vars(field: &Field<'_>) -> Result<VarsChange, ApiError> {
    if !field.is_given() {
        return Ok(VarsChange::default());
    }
    VarsChange::parse(&field.to_json()).map_err(|invalid| {
        let inside = invalid.param();
        let inside = inside.strip_prefix("vars").unwrap_or_default();
        let param = format!("{}{inside}", field.path());
        ApiError::invalid_param(param, format_args!("cannot be taken: {invalid}"))
    })
}

/// Reads a name, which must not be empty if it is given.
pub(crate) fn name(field: &Field<'_>) -> Result<Option<String>, ApiError> {
    if !field.is_present() {
        return Ok(None);
    }
    let name = field.required_string()?.trim();
    if name.is_empty() {
        Err(field.refuse("is required"))
    } else {
        Ok(Some(name.to_owned()))
    }
}

/// Reads a zone; `null` and an empty text are an inner `None`.
pub(crate) fn zone(field: &Field<'_>) -> Result<Option<Option<Zone>>, ApiError> {
    let text = field.string()?;
    match text.filter(|text| !text.is_empty()) {
        Some(text) => {
            let unknown = || field.refuse("must be a zone of the tz database, as Africa/Nairobi");
            Ok(Some(Some(Zone::find(text).ok_or_else(unknown)?)))
        }
        None => Ok(field.is_present().then_some(None)),
    }
}

/// Reads the id of a phone or of a custom route.
pub(crate) fn route_id(field: &Field<'_>) -> Result<Option<RouteId>, ApiError> {
    let text = field.string()?;
    let Some(text) = text.filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let id = text.parse().map_err(|_| no_such(field, "phone or route"))?;
    Ok(Some(id))
}

/// Reads an http or https address; empty counts as none.
pub(crate) fn url(field: &Field<'_>) -> Result<Option<String>, ApiError> {
    let text = field.string()?;
    let Some(text) = text.filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    Target::parse(text).map_err(|refused| field.refuse(refused))?;
    Ok(Some(text.to_owned()))
}

/// Reads a secret; empty counts as none.
pub(crate) fn secret(field: &Field<'_>) -> Result<Option<Secret>, ApiError> {
    let text = field.string()?;
    Ok(text.filter(|text| !text.is_empty()).map(Secret::new))
}

/// Reads an id of this kind; does not look whether anything has it.
pub(crate) fn id<K: IdKind>(field: &Field<'_>, what: &str) -> Result<Option<Id<K>>, ApiError> {
    let text = field.string()?;
    let Some(text) = text.filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let id = text.parse().map_err(|_| no_such(field, what))?;
    Ok(Some(id))
}

/// Makes the error for an id that nothing in this project has.
pub(crate) fn no_such(field: &Field<'_>, what: &str) -> ApiError {
    field.refuse(format_args!("is not the id of a {what} of this project"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::members::VARS;
    use hub_web::{Kind, Member, Params, Takes};
    use postrider_model::PhoneId;

    const ADDRESS: Kind = Kind::Url(hub_outgoing::URL_LENGTH_MAX);
    const TAKES: Takes = Takes {
        own: &[&[
            Member::new("vars", Kind::Vars, "Variables."),
            Member::new(
                "messages",
                Kind::Array(&Kind::Object(&[VARS]), 9),
                "Messages.",
            ),
            Member::new("a", ADDRESS, "An address."),
            Member::new("b", ADDRESS, "An address."),
            Member::new("c", ADDRESS, "An address."),
            Member::new("d", ADDRESS, "An address."),
        ]],
        common: &[],
    };

    fn params(body: &str) -> Params {
        let params = Params::from_parts("", Some(("application/json", body.as_bytes())));
        params.unwrap().taking(TAKES)
    }

    #[test]
    fn a_wrong_variable_is_named_by_its_path() {
        let params = params(r#"{"vars":{"a b":1},"messages":[{"vars":{"x":[1]}}]}"#);
        let error = vars(&params.get("vars")).unwrap_err();
        assert_eq!(error.param(), Some("vars[a b]"));
        let items = params.get("messages").array().unwrap().unwrap();
        let inside = items[0].object().unwrap().unwrap();
        let error = vars(&inside.get("vars")).unwrap_err();
        assert_eq!(error.param(), Some("messages[0][vars][x]"));
    }

    #[test]
    fn only_http_addresses_are_accepted() {
        let params = params(r#"{"a":"https://a.example/x","b":"ftp://a.example","c":"x","d":""}"#);
        assert!(url(&params.get("a")).unwrap().is_some());
        assert!(url(&params.get("b")).is_err() && url(&params.get("c")).is_err());
        assert_eq!(url(&params.get("d")).unwrap(), None);
    }

    #[test]
    fn an_id_of_another_kind_is_refused() {
        let params = params(r#"{"a":"PN0000000000000001","b":"SM0000000000000001","c":null}"#);
        let read = |name| id::<postrider_model::kind::Phone>(&params.get(name), "phone");
        assert_eq!(
            read("a").unwrap(),
            "PN0000000000000001".parse::<PhoneId>().ok()
        );
        assert_eq!(read("b").unwrap_err().param(), Some("b"));
        assert_eq!(read("c").unwrap(), None);
    }
}
