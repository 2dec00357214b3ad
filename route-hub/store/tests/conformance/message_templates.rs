//! Message templates: stored, changed, found.

use crate::Backend;
use crate::resources::{opened, write};
use crate::sample::{id, some_vars};
use hub_domain::*;
use hub_store::list::{Filter, ListQuery, Op, Operand, Sort};
use hub_store::message_templates::by;
use hub_store::*;
use postrider_model::*;

fn template(value: i64, project: i64, name: &str) -> MessageTemplate {
    MessageTemplate {
        id: id(value),
        project_id: id(project),
        name: name.to_owned(),
        message: r#"{"v":1,"command":{}}"#.to_owned(),
        track_clicks: false,
        short_link_params: None,
        vars: Vars::default(),
        time_created: UnixMs(1),
        time_updated: UnixMs(1),
    }
}

pub(crate) fn a_template_reads_back_as_it_changes<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        let before = template(100, 10, "Änne");
        message_templates::insert(tx, &before)?;
        assert_eq!(message_templates::get(tx, id(10), id(100))?, Some(before));
        let changed = MessageTemplate {
            message: r#"{"v":1,"command":{"item":{"content":"ä"}}}"#.to_owned(),
            track_clicks: true,
            short_link_params: Some(r#"{"domain":"a.example"}"#.to_owned()),
            vars: some_vars(),
            time_updated: UnixMs(2),
            ..template(100, 10, "Else")
        };
        message_templates::update(tx, &changed)?;
        assert_eq!(
            message_templates::get(tx, id(10), id(100))?,
            Some(changed.clone())
        );
        let foreign = MessageTemplate {
            project_id: id(11),
            name: "Foreign".to_owned(),
            ..changed.clone()
        };
        message_templates::update(tx, &foreign)?;
        assert!(!message_templates::delete(tx, id(11), id(100))?);
        assert_eq!(message_templates::get(tx, id(11), id(100))?, None);
        assert_eq!(message_templates::get(tx, id(10), id(100))?, Some(changed));
        assert!(message_templates::delete(tx, id(10), id(100))?);
        assert_eq!(message_templates::get(tx, id(10), id(100))?, None);
        Ok(())
    });
}

pub(crate) fn a_template_is_found_by_its_name_in_its_project<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        let names = [(101, 10, "Über"), (102, 10, "alpha"), (103, 11, "Alpha")];
        for (value, project, name) in names {
            message_templates::insert(tx, &template(value, project, name))?;
        }
        let query = |filters| ListQuery {
            filters,
            sort: Sort::by(by::NAME),
            ..ListQuery::default()
        };
        let named = |op, name: &str| {
            let filter = Filter::new(by::NAME, op, Operand::Text(name.to_owned()));
            query(vec![filter])
        };
        let of_account = Filter::new(by::WABA_ID, Op::Eq, Operand::Text("x".to_owned()));
        for (query, expected) in [
            (query(vec![]), vec![id(102), id(101)]),
            (named(Op::Eq, "ALPHA"), vec![id(102)]),
            (named(Op::Prefix, "ü"), vec![id(101)]),
            (query(vec![of_account]), vec![]),
        ] {
            let page = message_templates::list(tx, id(10), &query)?;
            let found: Vec<MessageTemplateId> = page.rows.iter().map(|row| row.id).collect();
            assert_eq!(found, expected, "{query:?}");
            let count = message_templates::count(tx, id(10), &query)?;
            assert_eq!(count, expected.len() as u64);
        }
        Ok(())
    });
}
