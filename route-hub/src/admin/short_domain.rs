//! `admin short-domain`.

use crate::admin::Admin;
use crate::admin::args::ShortDomainCommand;
use crate::admin::output::table;
use hub_app::data_folder::error::CommandError;
use hub_app::short_links::domains::{register, remove};
use hub_domain::{DomainOwner, ShortDomain};
use hub_store::short_domains::all;
use serde_json::{Value, json};

pub(super) fn run(admin: &Admin, command: ShortDomainCommand) -> Result<(), CommandError> {
    match command {
        ShortDomainCommand::Add {
            name,
            organization,
            project,
        } => {
            let owner = match (organization, project) {
                (_, Some(id)) => DomainOwner::Project(id),
                (Some(id), None) => DomainOwner::Organization(id),
                (None, None) => DomainOwner::Hub,
            };
            let added = admin.write(move |work| register(work, &name, owner))?;
            let text = || format!("short links may be at {}", added.name);
            admin.out.show(&view(&added), text);
        }
        ShortDomainCommand::Remove { name } => {
            let given = name.clone();
            admin.write(move |work| remove(work, &given))?;
            let text = || format!("{name} is no short domain any more");
            admin.out.show(&json!({ "removed": name }), text);
        }
        ShortDomainCommand::List => {
            let found = admin.read(all)?;
            let rows: Vec<_> = found
                .iter()
                .map(|it| vec![it.name.clone(), owner(it)])
                .collect();
            let json = found.iter().map(view).collect();
            admin.out.show(&json, || table(&["name", "for"], &rows));
        }
    }
    Ok(())
}

fn owner(domain: &ShortDomain) -> String {
    match domain.owner {
        DomainOwner::Hub => "everybody".to_owned(),
        DomainOwner::Organization(id) => id.to_string(),
        DomainOwner::Project(id) => id.to_string(),
    }
}

fn view(domain: &ShortDomain) -> Value {
    let (organization, project) = match domain.owner {
        DomainOwner::Hub => (None, None),
        DomainOwner::Organization(id) => (Some(id), None),
        DomainOwner::Project(id) => (None, Some(id)),
    };
    json!({ "name": domain.name, "organization_id": organization, "project_id": project })
}
