//! `POST /projects/{project_id}/phones`, and to one of them.

use crate::parse;
use crate::phones::patch;
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::phones::{self, NewPhone, PhonePatch};
use hub_domain::{PhoneType, numbers};
use hub_web::{Answer, ApiError, Field, Fields, Params};

/// Makes a test route, or a phone at a provider. Phones of a device join by pairing.
pub async fn create(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, phones::PERMISSION).await?;
    let fields = Fields::read(&call.params)?;
    let command = read(&call.params, actor.project.country.as_deref())?;
    let view = phones::create(&actor, command).await?;
    Ok(Answer::object(&view, &fields))
}

/// Reads a phone to be made: its number says the country where nobody else does.
fn read(params: &Params, region: Option<&str>) -> Result<NewPhone, ApiError> {
    let phone_type = phone_type(&params.get("phone_type"))?;
    let settings = patch::read(params, region)?;
    let country = settings.country.clone().flatten();
    let region = country.as_deref().or(region);
    let PhonePatch {
        phone_number: Some(Some(number)),
        ..
    } = &settings
    else {
        return Err(params.get("phone_number").refuse("is required"));
    };
    let own = match numbers::regions(number, region).as_slice() {
        [only] => Some((*only).to_owned()),
        _ => None,
    };
    Ok(NewPhone {
        phone_type,
        name: format!("{phone_type} {}", number.as_str()),
        country: country.or(own),
        settings,
    })
}

fn phone_type(field: &Field<'_>) -> Result<PhoneType, ApiError> {
    let types: Vec<_> = PhoneType::ALL
        .iter()
        .filter(|kind| **kind != PhoneType::Android)
        .map(|kind| (kind.as_str(), *kind))
        .collect();
    match field.one_of(&types)? {
        Some(kind) => Ok(kind),
        None => Err(field.refuse("is required")),
    }
}

/// The fields that are given to a new phone and never change.
const MADE_WITH: &[&str] = &["phone_type"];

/// Changes a phone's settings; its link and the queue hear of it after the commit.
pub async fn update(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, phones::PERMISSION).await?;
    let id = call.path_id("phone_id", "phone")?;
    let fields = Fields::read(&call.params)?;
    parse::refuse_read_only(&call.params, MADE_WITH)?;
    let patch = patch::read(&call.params, actor.project.country.as_deref())?;
    let view = phones::update(&actor, id, patch).await?;
    Ok(Answer::object(&view, &fields))
}
