//! Fields are changed one and many, all of a request or none.

use crate::actor::{Actor, Who};
use crate::failure::Failure;
use crate::fields::{FieldChange, FieldPatch, change, change_many, list};
use crate::testing::{Office, wait};
use hub_domain::{FieldItem, FieldOwner, FieldType, Permission};
use hub_view::RefusalCode;
use serde_json::{Value, json};

fn typed(field_type: FieldType) -> FieldPatch {
    FieldPatch {
        field_type: Some(field_type),
        ..FieldPatch::default()
    }
}

fn offering(values: &[&str]) -> FieldPatch {
    let item = |value: &&str| FieldItem {
        value: (*value).to_owned(),
        label: value.to_uppercase(),
    };
    FieldPatch {
        items: Some(values.iter().map(item).collect()),
        ..typed(FieldType::Select)
    }
}

fn set(variable: &str, patch: FieldPatch) -> FieldChange {
    FieldChange {
        variable: variable.to_owned(),
        patch: Some(patch),
    }
}

fn removed(variable: &str) -> FieldChange {
    FieldChange {
        variable: variable.to_owned(),
        patch: None,
    }
}

fn changed(actor: &Actor, variable: &str, patch: FieldPatch) -> Result<Value, Failure> {
    let owner = FieldOwner::Contact;
    let field = wait(change(actor, owner, variable.to_owned(), patch))?;
    Ok(serde_json::to_value(field).unwrap())
}

fn many(actor: &Actor, changes: Vec<FieldChange>) -> Result<Value, Failure> {
    let fields = wait(change_many(actor, FieldOwner::Contact, changes))?;
    Ok(serde_json::to_value(fields).unwrap())
}

fn variables(fields: &Value) -> Vec<&str> {
    let fields = fields.as_array().unwrap().iter();
    fields
        .map(|field| field["variable"].as_str().unwrap())
        .collect()
}

fn refused<T>(result: Result<T, Failure>) -> (RefusalCode, String) {
    let refusal = result.err().unwrap().into_refusal();
    let words = refusal.param().unwrap_or(refusal.message());
    (refusal.code(), words.to_owned())
}

fn wrong(param: &str) -> (RefusalCode, String) {
    (RefusalCode::InvalidParam, param.to_owned())
}

#[test]
fn a_field_is_made_at_the_end_and_keeps_what_is_not_named() {
    let office = Office::new();
    let actor = office.actor(Who::Operator);
    changed(&actor, "city", FieldPatch::default()).unwrap();
    let patch = FieldPatch {
        name: Some(Some("Size".to_owned())),
        readonly: Some(true),
        ..offering(&["s", "l"])
    };
    let made = changed(&actor, "size", patch).unwrap();
    let items = json!([{ "value": "s", "label": "S" }, { "value": "l", "label": "L" }]);
    let expected = json!({
        "name": "Size", "variable": "size", "type": "select", "order": 1, "items": items,
        "readonly": true, "lookup_key": false, "show_on_conversation": false,
    });
    assert_eq!(made, expected);
    let patch = FieldPatch {
        name: Some(None),
        order: Some(0),
        ..FieldPatch::default()
    };
    let again = changed(&actor, "size", patch).unwrap();
    assert_eq!(
        (&again["name"], &again["order"]),
        (&json!("size"), &json!(0))
    );
    assert_eq!(
        (&again["items"], &again["readonly"]),
        (&items, &json!(true))
    );
}

#[test]
fn a_field_to_select_from_offers_something() {
    let office = Office::new();
    let actor = office.actor(Who::Operator);
    for patch in [typed(FieldType::Radio), offering(&[])] {
        assert_eq!(refused(changed(&actor, "size", patch)), wrong("items"));
    }
    changed(&actor, "size", offering(&["s"])).unwrap();
    changed(&actor, "size", typed(FieldType::Radio)).unwrap();
    let emptied = FieldPatch {
        items: Some(Vec::new()),
        ..FieldPatch::default()
    };
    assert_eq!(
        refused(changed(&actor, "size", emptied.clone())),
        wrong("items")
    );
    let text = FieldPatch {
        field_type: Some(FieldType::Text),
        ..emptied
    };
    changed(&actor, "size", text).unwrap();
}

#[test]
fn several_are_changed_or_none_and_the_first_wrong_one_is_named() {
    let office = Office::new();
    let actor = office.actor(Who::Operator);
    let good = || set("born", typed(FieldType::Date));
    let empty = vec![good(), set("size", typed(FieldType::Select))];
    assert_eq!(refused(many(&actor, empty)), wrong("metadata[1][items]"));
    for variable in ["", "a b", &"x".repeat(33)] {
        let unnamed = vec![good(), set(variable, FieldPatch::default())];
        assert_eq!(
            refused(many(&actor, unnamed)),
            wrong("metadata[1][variable]")
        );
        let alone = changed(&actor, variable, FieldPatch::default());
        assert_eq!(refused(alone), wrong("variable"));
    }
    let all = wait(list(&actor, FieldOwner::Contact)).unwrap();
    assert!(all.is_empty());
    let all = many(&actor, vec![good(), set("size", offering(&["s"]))]).unwrap();
    assert_eq!(variables(&all), ["born", "size"]);
    let all = many(&actor, vec![removed("born"), removed("none")]).unwrap();
    assert_eq!(variables(&all), ["size"]);
}

#[test]
fn fields_of_contacts_and_of_messages_are_apart() {
    let office = Office::new();
    let actor = office.actor(Who::Operator);
    changed(&actor, "order", FieldPatch::default()).unwrap();
    let of_messages = wait(list(&actor, FieldOwner::Message)).unwrap();
    assert!(of_messages.is_empty());
    let hidden = FieldPatch {
        hide_values: Some(true),
        ..FieldPatch::default()
    };
    let made = change(&actor, FieldOwner::Message, "code".to_owned(), hidden);
    let expected = json!({
        "name": "code", "variable": "code", "type": "text", "order": 0, "hide_values": true,
    });
    let made = serde_json::to_value(wait(made).unwrap()).unwrap();
    assert_eq!(made, expected);
    let left = change_many(&actor, FieldOwner::Message, vec![removed("code")]);
    assert!(wait(left).unwrap().is_empty());
}

#[test]
fn each_kind_of_field_has_its_permissions() {
    let office = Office::new();
    for (owner, view, edit) in [
        (
            FieldOwner::Contact,
            Permission::ViewContacts,
            Permission::EditContacts,
        ),
        (
            FieldOwner::Message,
            Permission::ViewMessages,
            Permission::SendMessages,
        ),
    ] {
        let viewer = office.actor(office.holder(&[view]));
        wait(list(&viewer, owner)).unwrap();
        let one = change(&viewer, owner, "x".to_owned(), FieldPatch::default());
        assert_eq!(refused(wait(one)).0, RefusalCode::Unauthorized);
        let several = change_many(&viewer, owner, Vec::new());
        assert_eq!(refused(wait(several)).0, RefusalCode::Unauthorized);
        let editor = office.actor(office.holder(&[edit]));
        let one = change(&editor, owner, "x".to_owned(), FieldPatch::default());
        wait(one).unwrap();
        assert_eq!(
            refused(wait(list(&editor, owner))).0,
            RefusalCode::Unauthorized
        );
    }
}
