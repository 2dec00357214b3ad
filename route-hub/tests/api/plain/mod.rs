//! Lists and dynamic groups against a plain model: what is listed is what a loop over all finds.

mod crowd;
mod dates;
mod dynamic;
mod people;

use crate::support::{Client, TestHub, hub, id};
use people::{Filters, Question, Row, Step, Test, as_json, filters, meets, question, steps};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use tokio::runtime::Runtime;

/// A hub and the same people in memory.
struct Twin {
    client: Client,
    group: String,
    rows: Vec<Row>,
    _test: TestHub,
}

impl Twin {
    async fn new() -> Self {
        let test = hub().await;
        let client = test.client();
        let group = id(&client.post("groups", json!({ "name": "Joined" })).await);
        Self {
            client,
            group,
            rows: Vec::new(),
            _test: test,
        }
    }

    async fn take(&mut self, step: &Step) {
        if let Step::Add(person) = step {
            let mut body = person.body();
            body["lookup_key"] = "none".into();
            let id = id(&self.client.post("contacts", body).await);
            let person = person.clone();
            self.rows.push(Row {
                id,
                person,
                joined: false,
            });
            return;
        }
        if self.rows.is_empty() {
            return;
        }
        let most = self.rows.len();
        match step {
            Step::Add(_) => {}
            Step::Change(which, person) => {
                let row = &mut self.rows[which % most];
                row.person = person.clone();
                let path = format!("contacts/{}", row.id);
                self.client.post(&path, person.body()).await;
            }
            Step::Delete(which) => {
                let row = self.rows.remove(which % most);
                self.do_to(&format!("contacts/{}", row.id), "DELETE").await;
            }
            Step::Join(which) => {
                self.rows[which % most].joined = true;
                self.do_to(&self.membership(which % most), "PUT").await;
            }
            Step::Leave(which) => {
                let row = &mut self.rows[which % most];
                if std::mem::take(&mut row.joined) {
                    self.do_to(&self.membership(which % most), "DELETE").await;
                }
            }
        }
    }

    fn membership(&self, which: usize) -> String {
        format!("groups/{}/contacts/{}", self.group, self.rows[which].id)
    }

    async fn do_to(&self, path: &str, method: &str) {
        self.client.call(method, path, None).await.ok();
    }

    /// One page, and where the next begins.
    async fn page(&self, path: &str, marker: Option<&str>) -> (Vec<String>, Option<String>) {
        let marker = marker.map_or_else(String::new, |marker| format!("&marker={marker}"));
        let page = self.client.get(&format!("{path}{marker}")).await;
        let ids = page["data"].as_array().expect("a page").iter().map(id);
        let next = page["next_marker"].as_str().map(str::to_owned);
        assert_eq!(page["truncated"], Value::Bool(next.is_some()));
        (ids.collect(), next)
    }

    async fn walk(&self, path: &str) -> Vec<String> {
        let (mut all, mut next) = self.page(path, None).await;
        while let Some(marker) = next {
            let (more, after) = self.page(path, Some(&marker)).await;
            all.extend(more);
            next = after;
        }
        all
    }

    fn matching(&self, filters: &Filters) -> BTreeSet<String> {
        let rows = self.rows.iter().filter(|row| meets(filters, row));
        rows.map(|row| row.id.clone()).collect()
    }
}

fn run(test: impl Future<Output = ()>) {
    Runtime::new().expect("a runtime").block_on(test);
}

async fn lists(steps: Vec<Step>, questions: Vec<Question>) {
    let mut twin = Twin::new().await;
    for step in &steps {
        twin.take(step).await;
    }
    for question in &questions {
        let query = question.query(&twin.group);
        let expected = question.answer(&twin.rows);
        assert_eq!(
            twin.walk(&format!("contacts?{query}")).await,
            expected,
            "{query}"
        );
        let count = twin.client.get(&format!("contacts?count=1&{query}")).await;
        assert_eq!(count, json!({ "count": expected.len() }), "{query}");
        let joined: Vec<_> = expected
            .into_iter()
            .filter(|id| twin.rows.iter().any(|row| row.joined && row.id == *id))
            .collect();
        let path = format!("groups/{}/contacts?{query}", twin.group);
        assert_eq!(twin.walk(&path).await, joined, "of the group: {query}");
    }
}

async fn pages(first: Vec<Step>, question: Question, between: Vec<Step>) {
    let mut twin = Twin::new().await;
    for step in &first {
        twin.take(step).await;
    }
    let path = format!("contacts?{}", question.query(&twin.group));
    let (mut always, mut ever) = (
        twin.matching(&question.filters),
        twin.matching(&question.filters),
    );
    let (mut seen, mut next) = twin.page(&path, None).await;
    let mut steps = between.iter();
    while let Some(marker) = next {
        if let Some(step) = steps.next() {
            twin.take(step).await;
        }
        let now = twin.matching(&question.filters);
        always.retain(|id| now.contains(id));
        ever.extend(now);
        let (more, after) = twin.page(&path, Some(&marker)).await;
        seen.extend(more);
        next = after;
    }
    let once: BTreeSet<_> = seen.iter().cloned().collect();
    assert_eq!(once.len(), seen.len(), "twice in {seen:?}: {path}");
    assert!(always.is_subset(&once), "{always:?} in {once:?}: {path}");
    assert!(once.is_subset(&ever), "{once:?} of {ever:?}: {path}");
}

async fn dynamic_group(filters: Filters, rounds: Vec<Vec<Step>>) {
    let mut twin = Twin::new().await;
    let body = json!({ "name": "Dynamic", "filters": as_json(&filters, &twin.group) });
    let made = id(&twin.client.post("create_group", body).await);
    for round in &rounds {
        for step in round {
            twin.take(step).await;
        }
        let path = format!("groups/{made}/contacts?page_size=3");
        let found: BTreeSet<_> = twin.walk(&path).await.into_iter().collect();
        assert_eq!(found, twin.matching(&filters), "{filters:?}");
        for row in &twin.rows {
            let path = format!("contacts/{}/groups?dynamic=true", row.id);
            let is_in = twin.client.ids(&path).await == [made.clone()];
            assert_eq!(is_in, meets(&filters, row), "{row:?} by {filters:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_list_is_what_a_plain_model_says(
        steps in steps(30, true),
        questions in proptest::collection::vec(question(), 1..10),
    ) {
        run(lists(steps, questions));
    }

    #[test]
    fn pages_miss_and_double_nothing_while_rows_come_and_go(
        first in steps(24, true),
        question in question(),
        between in steps(16, false),
    ) {
        let question = Question { page_size: question.page_size.min(3), ..question };
        run(pages(first, question, between));
    }

    #[test]
    fn a_dynamic_group_has_always_whom_its_filters_name(
        filters in filters(),
        rounds in proptest::collection::vec(steps(10, true), 1..4),
    ) {
        let is_known = |test: &Test| !matches!(test, Test::Text("not_prefix", _));
        let filters: Filters = filters.into_iter().filter(|(_, test)| is_known(test)).collect();
        prop_assume!(!filters.is_empty());
        run(dynamic_group(filters, rounds));
    }
}
