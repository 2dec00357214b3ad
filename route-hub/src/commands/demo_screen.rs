//! What the demo prints, and what is typed into it.

use crate::commands::demo_setup::Demo;
use crate::described::lacks;
use postrider_model::PhoneId;
use serde_json::json;
use std::fmt::Display;
use std::io::{self, BufRead as _, Write as _};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use tokio::sync::mpsc;
use virtual_phone::{Seen, Watcher};

/// Most lines that wait to be printed or read. Further ones are left out: phones never wait for a
/// screen.
const LINES_MAX: usize = 1_024;

/// Where the demo's hub is reached.
pub(super) struct Addresses<'a> {
    /// By programs and phones, without a slash at the end.
    pub(super) hub: &'a str,
    /// By its operator, likewise.
    pub(super) operator: &'a str,
}

/// A phone as the demo lists it.
#[derive(Debug, Clone)]
pub(super) struct DemoPhone {
    pub(super) id: PhoneId,
    pub(super) number: String,
    pub(super) name: String,
}

/// Standard output: one line of JSON, or everything that happens.
pub(super) struct Screen {
    /// `None`: one line of JSON, and nothing else.
    lines: Option<SyncSender<String>>,
}

impl Screen {
    /// Opens the screen; with `json` it shows one line.
    pub(super) fn new(json: bool) -> Self {
        if json {
            return Self { lines: None };
        }
        let (lines, waiting) = sync_channel::<String>(LINES_MAX);
        thread::spawn(move || {
            for line in waiting {
                print_line(&line);
            }
        });
        Self { lines: Some(lines) }
    }

    /// Shows a line, except in JSON mode.
    pub(super) fn say(&self, line: impl Display) {
        if let Some(lines) = &self.lines {
            // A slow screen leaves lines out.
            let _ = lines.try_send(line.to_string());
        }
    }

    /// Returns the watcher for a phone of this name; `None` in JSON mode.
    pub(super) fn watcher(&self, name: &str) -> Option<Watcher> {
        let lines = self.lines.clone()?;
        let name = name.to_owned();
        let watcher = move |seen: &Seen<'_>| {
            if !matches!(seen, Seen::Digits(_) | Seen::Paired | Seen::Other(_)) {
                let _ = lines.try_send(format!("{name} {seen}"));
            }
        };
        Some(std::sync::Arc::new(watcher))
    }

    /// Says that the demo is ready, and how it is used.
    pub(super) fn ready(&self, at: &Addresses<'_>, demo: &Demo, phones: &[DemoPhone]) {
        if self.lines.is_none() {
            return print_line(&as_json(at, demo, phones));
        }
        let (root, operator) = (at.hub, at.operator);
        self.say(format_args!(
            "\nhub      {root}/v1\nAPI      {root}/docs{}\nmetrics  {operator}/metrics\nAPI key  {}\nproject  {}\n",
            lacks().map(|text| format!("\n         {text}")).unwrap_or_default(),
            demo.api_key.as_str(),
            demo.project_id
        ));
        for phone in phones {
            self.say(format_args!(
                "{}  {}  {}",
                phone.id, phone.number, phone.name
            ));
        }
        self.say(format_args!(
            "{}  test route, sends nothing\n",
            demo.test_phone_id
        ));
        self.say(format_args!(
            "Paste this, and watch the message leave a phone:\n\n  curl -u {}: \
             -d to_number=+15005550100 -d content='Hello from Postrider' \\\n    \
             {root}/v1/projects/{}/messages/send\n",
            demo.api_key.as_str(),
            demo.project_id
        ));
        self.say(
            "Type `+15005550177 Hello back` to let the first phone receive it; Ctrl-C ends.\n",
        );
    }

    /// Returns the typed lines; none in JSON mode.
    pub(super) fn typed(&self) -> mpsc::Receiver<String> {
        let (sender, receiver) = mpsc::channel(LINES_MAX);
        if self.lines.is_some() {
            // A blocking read cannot be cancelled: the thread ends with the process.
            thread::spawn(move || {
                for line in io::stdin().lock().lines().map_while(Result::ok) {
                    if sender.blocking_send(line).is_err() {
                        return;
                    }
                }
            });
        }
        receiver
    }
}

fn as_json(at: &Addresses<'_>, demo: &Demo, phones: &[DemoPhone]) -> String {
    let phone = |it: &DemoPhone| json!({"id": it.id, "phone_number": it.number});
    let phones: Vec<_> = phones.iter().map(phone).collect();
    json!({
        "base_url": format!("{}/v1", at.hub),
        "operator_url": at.operator,
        "api_key": demo.api_key.as_str(),
        "organization_id": demo.organization_id,
        "project_id": demo.project_id,
        "phones": phones,
        "test_phone_id": demo.test_phone_id,
    })
    .to_string()
}

fn print_line(line: &str) {
    let mut out = io::stdout().lock();
    // If standard output is closed, nobody is left to tell.
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}
