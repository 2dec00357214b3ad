//! Saying how variables are shown, and removing fields.

use crate::actor::Actor;
use crate::clearing;
use crate::failure::Failure;
use crate::fields::{check_owner, permission_to_change, views};
use crate::transaction::run;
use crate::unit_of_work::UnitOfWork;
use crate::views::field::FieldView;
use hub_domain::{CustomField, FieldItem, FieldOwner, FieldType, is_variable};
use hub_store::{StoreError, fields};
use hub_view::Refusal;
use std::fmt::Display;

/// What is to be set of a field; `None` stays.
#[derive(Debug, Clone, Default)]
pub struct FieldPatch {
    /// What people call it; an inner `None`: as its variable.
    pub name: Option<Option<String>>,
    /// How its values are written.
    pub field_type: Option<FieldType>,
    /// Its place among the fields, from 0.
    pub order: Option<i64>,
    /// The values that it offers.
    pub items: Option<Vec<FieldItem>>,
    /// Whether people cannot change its values.
    pub readonly: Option<bool>,
    /// Whether imports may go by it.
    pub lookup_key: Option<bool>,
    /// Whether it stands beside a conversation.
    pub show_on_conversation: Option<bool>,
    /// Whether its values are left out of overviews.
    pub hide_values: Option<bool>,
}

/// What becomes of the field of a variable.
#[derive(Debug, Clone)]
pub struct FieldChange {
    /// The variable.
    pub variable: String,
    /// What is to be set; `None` removes the field.
    pub patch: Option<FieldPatch>,
}

/// Changes the field of a variable, which is made if there was none.
pub async fn change(
    actor: &Actor,
    owner: FieldOwner,
    variable: String,
    patch: FieldPatch,
) -> Result<FieldView, Failure> {
    actor.require(permission_to_change(owner))?;
    check_variable(&variable, "variable")?;
    run(actor, move |work| {
        check_owner(work.tx, work.project.id, owner)?;
        patch.check(work, owner, &variable, "items")?;
        let field = patch.store(work, owner, &variable)?;
        Ok(FieldView::from(field))
    })
    .await
}

/// Changes or removes several fields, all of them or none, and returns all that there are.
///
/// A field of contacts or of rows goes with all its values, a message's alone.
pub async fn change_many(
    actor: &Actor,
    owner: FieldOwner,
    changes: Vec<FieldChange>,
) -> Result<Vec<FieldView>, Failure> {
    actor.require(permission_to_change(owner))?;
    for (at, change) in changes.iter().enumerate() {
        check_variable(&change.variable, format_args!("metadata[{at}][variable]"))?;
    }
    let removes = changes.iter().any(|change| change.patch.is_none());
    let changed = run(actor, move |work| {
        check_owner(work.tx, work.project.id, owner)?;
        for (at, change) in changes.iter().enumerate() {
            if let Some(patch) = &change.patch {
                let items = format_args!("metadata[{at}][items]");
                patch.check(work, owner, &change.variable, items)?;
            }
        }
        for change in &changes {
            match &change.patch {
                Some(patch) => {
                    patch.store(work, owner, &change.variable)?;
                }
                None => remove(work, owner, &change.variable)?,
            }
        }
        Ok::<_, Failure>(views(work.tx, work.project.id, owner)?)
    });
    let changed = changed.await?;
    if removes && owner != FieldOwner::Message {
        clearing::of_fields(&actor.hub).await?;
    }
    Ok(changed)
}

fn check_variable(variable: &str, param: impl Display) -> Result<(), Refusal> {
    if is_variable(variable) {
        Ok(())
    } else {
        Err(Refusal::invalid_param(
            param,
            "must have 1 to 32 characters of a-z, A-Z, 0-9 and _",
        ))
    }
}

impl FieldPatch {
    /// Refuses a field to select from that offers nothing.
    fn check(
        &self,
        work: &mut UnitOfWork<'_, '_>,
        owner: FieldOwner,
        variable: &str,
        items: impl Display,
    ) -> Result<(), Failure> {
        let known = fields::get(work.tx, work.project.id, owner, variable)?;
        let mut field =
            known.unwrap_or_else(|| CustomField::new(0, work.project.id, owner, variable, 0));
        self.apply(&mut field);
        if field.field_type.has_items() && field.items.is_empty() {
            let rule = "is required of a field to select from";
            return Err(Refusal::invalid_param(items, rule).into());
        }
        Ok(())
    }

    fn store(
        &self,
        work: &mut UnitOfWork<'_, '_>,
        owner: FieldOwner,
        variable: &str,
    ) -> Result<CustomField, StoreError> {
        let project = work.project.id;
        if let Some(mut field) = fields::get(work.tx, project, owner, variable)? {
            self.apply(&mut field);
            fields::update(work.tx, &field)?;
            return Ok(field);
        }
        let place = fields::next_place(work.tx, project, owner)?;
        let key = work.key().get();
        let mut field = CustomField::new(key, project, owner, variable, place);
        self.apply(&mut field);
        fields::insert(work.tx, &field)?;
        Ok(field)
    }

    fn apply(&self, field: &mut CustomField) {
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
        let shown = self.show_on_conversation;
        field.show_on_conversation = shown.unwrap_or(field.show_on_conversation);
        field.hide_values = self.hide_values.unwrap_or(field.hide_values);
    }
}

fn remove(
    work: &mut UnitOfWork<'_, '_>,
    owner: FieldOwner,
    variable: &str,
) -> Result<(), StoreError> {
    let Some(field) = fields::get(work.tx, work.project.id, owner, variable)? else {
        return Ok(());
    };
    match owner {
        FieldOwner::Contact | FieldOwner::Table(_) => {
            fields::begin_clearing(work.tx, &field, work.now.unix)
        }
        FieldOwner::Message => fields::delete(work.tx, &field),
    }
}
