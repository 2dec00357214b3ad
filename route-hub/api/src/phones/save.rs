//! `POST /projects/{project_id}/phones`, and to one of them.

use crate::phones::{PHONE, patch};
use crate::{ApiResult, Call, operation};
use hub_app::actor::Actor;
use hub_app::phones::{self, NewPhone, PhonePatch};
use hub_domain::{PhoneType, numbers};
use hub_web::{Answer, ApiError, ErrorCode, Field, Fields, Kind, Member, Params};

const PHONE_TYPE: Member = Member::new(
    "phone_type",
    Kind::Word(MADE_HERE),
    "What kind of route it is.",
);
/// The types but for a device's, the first one.
const MADE_HERE: &[&str] = match PhoneType::NAMES {
    [_device, made_here @ ..] => made_here,
    [] => &[],
};

operation! {
    /// Makes a test route, or a phone at a provider. Phones of a device join by pairing.
    CREATE = "createPhone": Project(phones::PERMISSION), create -> Object(&PHONE);
    .takes(&patch::takes(&[PHONE_TYPE.required()]))
    .errors(&[ErrorCode::LimitExceeded])
    .example(r#"{"phone_type":"simulated","phone_number":"+15005550199"}"#)
}

async fn create(actor: Actor, call: Call) -> ApiResult {
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
    field.named()?.ok_or_else(|| field.refuse("is required"))
}

operation! {
    /// Changes a phone's settings; its link and the queue hear of it after the commit.
    UPDATE = "updatePhone": Project(phones::PERMISSION), update -> Object(&PHONE);
    .takes(&patch::takes(&[Member::read_only("phone_type")]))
    .example(r#"{"name":"Front desk"}"#)
}

async fn update(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("phone_id", "phone")?;
    let fields = Fields::read(&call.params)?;
    let patch = patch::read(&call.params, actor.project.country.as_deref())?;
    let view = phones::update(&actor, id, patch).await?;
    Ok(Answer::object(&view, &fields))
}
