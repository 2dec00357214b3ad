//! `POST /projects/{project_id}/phones`

use crate::idempotency::Idempotency;
use crate::phones::update::Change;
use crate::{ApiResult, Call, enter, transaction};
use axum::extract::State;
use hub_app::dispatch::unit_of_work::UnitOfWork;
use hub_app::hub::Hub;
use hub_app::phones::model::PhoneView;
use hub_app::stored_caps::Cap;
use hub_domain::{Permission, Phone, PhoneType, numbers};
use hub_store::phones;
use hub_web::{Answer, ApiError, Field, Fields, Params};

/// Makes a test route, or a phone at a provider. Phones of a device join by pairing.
pub async fn create(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::EditRoutes).await?;
    let fields = Fields::read(&call.params)?;
    let made = Made::read(&call.params, project.country.as_deref())?;
    let (now, _actor) = (hub.now(), call.caller.key.id);
    let id = hub.id(now);

    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        let name = made.name.clone();
        let mut phone = Phone::new(id, work.project.id, name, made.phone_type, now.unix);
        made.change.apply(&mut phone)?;
        if let Some(reached) = Cap::Phones.reached(work.tx, work.project.id)? {
            return Err(reached.refuse("phone_type").into());
        }
        phone.country.clone_from(&made.country);
        phones::insert(work.tx, &phone)?;
        made.change.store_account(work.tx, &phone)?;
        work.note("phone.create", id)?;
        Ok(PhoneView::read(work.tx, phone, work.project)?)
    };
    let show = move |view| Answer::object(&view, &fields);
    let answer = transaction::answer(&project, Idempotency::none(), decide, show).await?;
    hub.cache.forget_phone(id);
    Ok(answer)
}

struct Made {
    phone_type: PhoneType,
    country: Option<String>,
    name: String,
    change: Change,
}

impl Made {
    fn read(params: &Params, region: Option<&str>) -> Result<Self, ApiError> {
        let phone_type = phone_type(&params.get("phone_type"))?;
        let change = Change::read(params, region)?;
        let country = change.country();
        let region = country.or(region);
        let missing = || params.get("phone_number").refuse("is required");
        let number = change.number().ok_or_else(missing)?;
        let found = numbers::regions(number, region);
        let own = match found.as_slice() {
            [only] => Some((*only).to_owned()),
            _ => None,
        };
        Ok(Self {
            phone_type,
            name: format!("{phone_type} {}", number.as_str()),
            country: country.map(str::to_owned).or(own),
            change,
        })
    }
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
