//! Every way to send, as a table, and what holds on each of them.

mod new_contacts;
mod refused;

use crate::support::{Client, Reply, TestHub, hub_with, id};
use hub_app::broadcasts::{self, Turns};
use hub_app::schedules::fire;
use hub_app::schedules::relative::follow;
use hub_app::test_routes;
use hub_domain::Project;
use postrider_model::Now;
use serde_json::{Value, json};

/// Whom all ways send to. In the tables `{number}` stands for it.
const NUMBER: &str = "+15005550122";
/// The date of whoever has one, and when what is planned here goes out.
const DATE: &str = "2100-01-01";
const DATE_S: i64 = 4_102_444_800;

/// A request that sends at once, or plans to.
struct Way {
    /// As it stands in the table of URLs, or with a placeholder in place of an id.
    url: &'static str,
    body: Value,
}

/// A hub, and what the placeholders of a table stand for in it.
struct World {
    test: TestHub,
    client: Client,
    names: Vec<(&'static str, String)>,
}

impl World {
    async fn new(change: impl FnOnce(&mut Project)) -> Self {
        let test = hub_with(change).await;
        let client = test.client();
        let names = vec![
            ("{number}", NUMBER.to_owned()),
            ("{phone}", test.phone.id.to_string()),
        ];
        Self {
            test,
            client,
            names,
        }
    }

    fn name(&self, placeholder: &str) -> &str {
        let found = self.names.iter().find(|(name, _)| *name == placeholder);
        found.map_or_else(|| panic!("{placeholder} is nothing"), |(_, value)| value)
    }

    fn filled(&self, text: &str) -> String {
        let fill = |text: String, (name, value): &(&str, String)| text.replace(name, value);
        self.names.iter().fold(text.to_owned(), fill)
    }

    async fn go(&self, way: &Way) -> Reply {
        let body = serde_json::from_str(&self.filled(&way.body.to_string()));
        let path = self.filled(way.url.trim_start_matches('/'));
        let body = body.expect("a body");
        self.client.call("POST", &path, Some(body)).await
    }

    async fn count(&self, of: &str) -> i64 {
        let counted = self.client.get(of).await;
        counted["count"].as_i64().expect("a count")
    }

    /// How many messages wait to be sent.
    async fn queued(&self) -> i64 {
        self.count("messages?count=1&direction=outgoing&status=queued")
            .await
    }

    /// Has whatever was planned go out.
    async fn go_out(&self) {
        let hub = &self.test.hub;
        self.expand().await;
        let now = hub.now();
        while follow::step_all(hub, now).await.expect("a step") > 0 {}
        let then = Now::new(now.boot.0, (DATE_S + 1) * 1_000);
        fire::all_due(hub, then).await.expect("a tick");
        self.expand().await;
    }

    async fn expand(&self) {
        let (hub, mut turns) = (&self.test.hub, Turns::default());
        while broadcasts::round(hub, &mut turns, hub.now())
            .await
            .expect("a round")
            > 0
        {}
    }

    /// Plays the test route to its end.
    async fn play(&self) {
        while test_routes::play_once(&self.test.hub)
            .await
            .expect("a step")
        {}
    }
}

/// A way whose parameters are these and a text.
fn way(url: &'static str, mut body: Value) -> Way {
    body["content"] = "x".into();
    Way { url, body }
}

/// The same, going out on [`DATE`].
fn planned(url: &'static str, mut body: Value) -> Way {
    body["start_time"] = DATE_S.into();
    way(url, body)
}

/// The same, going out on each contact's own date.
fn relative(url: &'static str, mut body: Value) -> Way {
    body["date_variable"] = "due".into();
    body["time_of_day"] = "00:00".into();
    way(url, body)
}
