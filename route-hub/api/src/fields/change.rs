//! `POST …_fields` and `POST …_fields/{variable}`

use crate::fields::{Kind, list};
use crate::idempotency::Idempotency;
use crate::{ApiResult, Call, Failure, enter, transaction};
use hub_app::fields::clearing;
use hub_app::fields::view::FieldView;
use hub_app::hub::Hub;
use hub_app::unit_of_work::UnitOfWork;
use hub_domain::{CustomField, FieldItem, FieldOwner, FieldType, is_variable};
use hub_store::{StoreError, fields};
use hub_web::{Answer, ApiError, Field, Fields};

/// Most fields of one request.
const FIELDS_MAX: usize = 100;
/// Most items that a field offers.
const ITEMS_MAX: usize = 100;
/// Longest value and label of an item, in characters.
const ITEM_LENGTH_MAX: usize = 256;
/// Longest name, in characters.
const NAME_LENGTH_MAX: usize = 64;
/// The highest place.
const ORDER_MAX: i64 = 1_000_000;

/// Changes the field of the path's variable, which is made if there was none.
pub(super) async fn one(hub: &Hub, call: &Call, kind: Kind) -> ApiResult {
    let project = enter(hub, call, kind.edit).await?;
    let wanted = Fields::read(&call.params)?;
    let variable = call.path("variable").unwrap_or_default();
    if !is_variable(variable) {
        return Err(ApiError::invalid_param("variable", RULE).into());
    }
    let change = Change::read(kind, variable, |name| call.params.get(name))?;
    let _now = hub.now();
    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        change.check(work, kind)?;
        Ok(change.apply(work, kind)?)
    };
    let show = move |field: CustomField| {
        Answer::value(&FieldView::from(field), &wanted).unwrap_or_else(|_| Answer::void())
    };
    transaction::answer(&project, Idempotency::none(), decide, show).await
}

/// Changes or removes several fields, all of them or none.
pub(super) async fn many(hub: &Hub, call: &Call, kind: Kind) -> ApiResult {
    let project = enter(hub, call, kind.edit).await?;
    let wanted = Fields::read(&call.params)?;
    let field = call.params.get("metadata");
    let items = field.array(FIELDS_MAX)?;
    let items = items.ok_or_else(|| field.refuse("is required"))?;
    let mut changes = Vec::with_capacity(items.len());
    for item in &items {
        let object = item
            .object()?
            .ok_or_else(|| item.refuse("must be an object"))?;
        let variable = object.get("variable");
        let name = variable.required_string(NAME_LENGTH_MAX)?;
        if !is_variable(name) {
            return Err(variable.refuse(RULE).into());
        }
        let mut change = Change::read(kind, name, |name| object.get(name))?;
        change.delete = object.get("delete").boolean()?.unwrap_or(false);
        changes.push(change);
    }
    let clears = changes.iter().any(|change| change.delete);
    let _now = hub.now();
    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        for change in &changes {
            change.check(work, kind)?;
        }
        for change in &changes {
            match change.delete {
                true => change.remove(work, kind)?,
                false => drop(change.apply(work, kind)?),
            }
        }
        Ok(list::all(work.tx, work.project.id, kind)?)
    };
    let show = move |views: Vec<FieldView>| {
        Answer::value(&views, &wanted).unwrap_or_else(|_| Answer::void())
    };
    let answer = transaction::answer(&project, Idempotency::none(), decide, show).await?;
    if clears && kind.owner == FieldOwner::Contact {
        clearing::begin(hub).await?;
    }
    Ok(answer)
}

const RULE: &str = "must have 1 to 32 characters of a-z, A-Z, 0-9 and _";

/// What a request says of one field; `None` is what it leaves out.
struct Change {
    variable: String,
    delete: bool,
    name: Option<Option<String>>,
    field_type: Option<FieldType>,
    order: Option<i64>,
    items: Option<Vec<FieldItem>>,
    readonly: Option<bool>,
    lookup_key: Option<bool>,
    show_on_conversation: Option<bool>,
    hide_values: Option<bool>,
    /// Where `items` stands, as an error names it.
    items_path: String,
}

impl Change {
    /// Reads what both kinds of fields have, and the flags of one.
    fn read<'a>(
        kind: Kind,
        variable: &str,
        get: impl Fn(&'static str) -> Field<'a>,
    ) -> Result<Self, ApiError> {
        let flag = |owner, name| match kind.owner == owner {
            true => get(name).boolean(),
            false => Ok(None),
        };
        let name = get("name");
        let text = name
            .string(NAME_LENGTH_MAX)?
            .filter(|text| !text.is_empty());
        let types: Vec<_> = FieldType::ALL
            .iter()
            .map(|field_type| (field_type.as_str(), *field_type))
            .collect();
        Ok(Self {
            variable: variable.to_owned(),
            delete: false,
            name: name.is_present().then(|| text.map(str::to_owned)),
            field_type: get("type").one_of(&types)?,
            order: get("order").integer(0..=ORDER_MAX)?,
            items: items(&get("items"))?,
            readonly: flag(FieldOwner::Contact, "readonly")?,
            lookup_key: flag(FieldOwner::Contact, "lookup_key")?,
            show_on_conversation: flag(FieldOwner::Contact, "show_on_conversation")?,
            hide_values: flag(FieldOwner::Message, "hide_values")?,
            items_path: get("items").path().to_string(),
        })
    }

    /// Refuses a choice without anything to choose from.
    fn check(&self, work: &mut UnitOfWork<'_, '_>, kind: Kind) -> Result<(), Failure> {
        let known = fields::get(work.tx, work.project.id, kind.owner, &self.variable)?;
        let known_type = known.as_ref().map(|field| field.field_type);
        let field_type = self.field_type.or(known_type);
        let has_items = match (&self.items, &known) {
            (Some(items), _) => !items.is_empty(),
            (None, Some(field)) => !field.items.is_empty(),
            (None, None) => false,
        };
        let needs_items = field_type.is_some_and(FieldType::has_items) && !self.delete;
        if needs_items && !has_items {
            let rule = "is required of a field to select from";
            return Err(ApiError::invalid_param(&self.items_path, rule).into());
        }
        Ok(())
    }

    fn apply(&self, work: &mut UnitOfWork<'_, '_>, kind: Kind) -> Result<CustomField, StoreError> {
        let project_id = work.project.id;
        let known = fields::get(work.tx, project_id, kind.owner, &self.variable)?;
        let is_new = known.is_none();
        let mut field = match known {
            Some(field) => field,
            None => {
                let place = fields::next_place(work.tx, project_id, kind.owner)?;
                let key = work.hub.key(work.now).get();
                CustomField::new(key, project_id, kind.owner, &self.variable, place)
            }
        };
        self.fill(&mut field);
        match is_new {
            true => fields::insert(work.tx, &field)?,
            false => fields::update(work.tx, &field)?,
        }
        Ok(field)
    }

    fn fill(&self, field: &mut CustomField) {
        if let Some(name) = &self.name {
            field.name.clone_from(name);
        }
        if let Some(items) = &self.items {
            field.items.clone_from(items);
        }
        field.field_type = self.field_type.unwrap_or(field.field_type);
        field.order = self.order.unwrap_or(field.order);
        field.readonly = self.readonly.unwrap_or(field.readonly);
        field.lookup_key = self.lookup_key.unwrap_or(field.lookup_key);
        field.show_on_conversation = self
            .show_on_conversation
            .unwrap_or(field.show_on_conversation);
        field.hide_values = self.hide_values.unwrap_or(field.hide_values);
    }

    /// Removes a field: a contact's with all its values, a message's alone.
    fn remove(&self, work: &mut UnitOfWork<'_, '_>, kind: Kind) -> Result<(), StoreError> {
        let known = fields::get(work.tx, work.project.id, kind.owner, &self.variable)?;
        match (known, kind.owner) {
            (Some(field), FieldOwner::Contact) => fields::begin_clearing(work.tx, &field),
            (Some(field), FieldOwner::Message) => fields::delete(work.tx, &field),
            (None, _) => Ok(()),
        }
    }
}

fn items(field: &Field<'_>) -> Result<Option<Vec<FieldItem>>, ApiError> {
    let Some(items) = field.array(ITEMS_MAX)? else {
        return Ok(None);
    };
    let read = |item: &Field<'_>| {
        let object = item
            .object()?
            .ok_or_else(|| item.refuse("must be an object with value and label"))?;
        let value = object.get("value").required_string(ITEM_LENGTH_MAX)?;
        let label = object.get("label").required_string(ITEM_LENGTH_MAX)?;
        Ok(FieldItem {
            value: value.to_owned(),
            label: label.to_owned(),
        })
    };
    items.iter().map(read).collect::<Result<_, _>>().map(Some)
}
