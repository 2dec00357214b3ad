//! Dynamic groups: whoever meets the conditions is in them, whatever happens to the contacts.

use super::crowd::{Condition, Known, Step, conditions, filters, meets, steps};
use super::run;
use crate::support::{Client, TestHub, hub, id};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A hub with contacts, and what conditions may name of it.
struct Crowd {
    test: TestHub,
    client: Client,
    known: Known,
    /// Those that there are.
    ids: Vec<String>,
}

impl Crowd {
    async fn new() -> Self {
        let test = hub().await;
        let client = test.client();
        let group = async |name: &str| id(&client.post("groups", json!({ "name": name })).await);
        let groups = [group("One").await, group("Two").await];
        let began = test.hub.now().unix.seconds();
        let mut first = Vec::new();
        for name in ["a", "ab", "B"] {
            let body = json!({ "name": name, "lookup_key": "none" });
            first.push(id(&client.post("contacts", body).await));
        }
        Self {
            test,
            client,
            known: Known {
                began,
                groups,
                first: first.clone(),
            },
            ids: first,
        }
    }

    async fn take(&mut self, step: &Step) {
        let chosen = |which: &usize| {
            let which = which.checked_rem(self.ids.len())?;
            self.ids.get(which).cloned()
        };
        let path = |contact: String| format!("contacts/{contact}");
        match step {
            Step::Add(contact) => {
                let mut body = contact.clone();
                body["lookup_key"] = "none".into();
                // It is no parameter of a new one.
                let status = json!({ "conversation_status": body["conversation_status"].take() });
                let made = id(&self.client.post("contacts", body).await);
                self.client.post(&path(made.clone()), status).await;
                self.ids.push(made);
            }
            Step::Change(which, contact) => {
                if let Some(id) = chosen(which) {
                    self.client.post(&path(id), contact.clone()).await;
                }
            }
            Step::Delete(which) => {
                if let Some(id) = chosen(which) {
                    self.ids.retain(|other| *other != id);
                    self.client.call("DELETE", &path(id), None).await.ok();
                }
            }
            Step::Join(which, group) | Step::Leave(which, group) => {
                if let Some(id) = chosen(which) {
                    let method = if matches!(step, Step::Join(..)) {
                        "PUT"
                    } else {
                        "DELETE"
                    };
                    let member = format!("groups/{}/contacts/{id}", self.known.groups[*group]);
                    self.client.call(method, &member, None).await.ok();
                }
            }
            Step::Write(which) => {
                if let Some(id) = chosen(which) {
                    let body = json!({ "contact_id": id, "content": "x" });
                    // Who is blocked, or has no number, is not written to.
                    self.client.call("POST", "messages/send", Some(body)).await;
                }
            }
            Step::Answer(which) => {
                if let Some(id) = chosen(which) {
                    self.answer(&path(id)).await;
                }
            }
        }
    }

    async fn answer(&self, path: &str) {
        let contact = self.client.get(path).await;
        if !contact["phone_number"].is_null() {
            let body = json!({
                "from_number": contact["phone_number"], "content": "x",
                "phone_id": self.test.phone.id,
            });
            self.client.post("messages/receive", body).await;
        }
    }

    async fn walk(&self, path: &str) -> BTreeSet<String> {
        let (mut all, mut marker) = (BTreeSet::new(), String::new());
        loop {
            let page = self.client.get(&format!("{path}{marker}")).await;
            for contact in page["data"].as_array().expect("a page") {
                assert!(all.insert(id(contact)), "twice: {contact}");
            }
            match page["next_marker"].as_str() {
                Some(next) => marker = format!("&marker={next}"),
                None => return all,
            }
        }
    }
}

async fn always_whom_they_name(wanted: Vec<Condition>, nested: bool, rounds: Vec<Vec<Step>>) {
    let mut crowd = Crowd::new().await;
    let given = filters(&wanted, &crowd.known, nested);
    let body = json!({ "name": "Dynamic", "filters": given });
    let group = id(&crowd.client.post("create_group", body).await);
    for round in &rounds {
        for step in round {
            crowd.take(step).await;
        }
        let mut expected = BTreeSet::new();
        for contact in &crowd.ids {
            let shown: Value = crowd.client.get(&format!("contacts/{contact}")).await;
            let is_in = meets(&wanted, &shown, &crowd.known);
            let path = format!("contacts/{contact}/groups?dynamic=true");
            let says_so = crowd.client.ids(&path).await == [group.clone()];
            assert_eq!(says_so, is_in, "{shown} by {given}");
            expected.extend(is_in.then(|| contact.clone()));
        }
        for path in [
            format!("groups/{group}/contacts?page_size=2"),
            format!("contacts?group_id={group}&page_size=3&sort=name&sort_dir=desc"),
        ] {
            assert_eq!(crowd.walk(&path).await, expected, "{path} by {given}");
        }
        let count = crowd
            .client
            .get(&format!("groups/{group}/contacts?count=1"))
            .await;
        assert_eq!(count["count"], expected.len(), "{given}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_dynamic_group_has_whom_its_conditions_name_by_every_key(
        wanted in conditions(),
        nested in any::<bool>(),
        rounds in proptest::collection::vec(steps(9), 1..4),
    ) {
        run(always_whom_they_name(wanted, nested, rounds));
    }
}
