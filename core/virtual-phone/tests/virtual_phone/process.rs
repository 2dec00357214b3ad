//! The program: killed at any moment and started again on its folder, and stopped in good order.

use crate::support::{
    hub::{CODE, TestHub},
    log_of, radio, until,
};
use postrider_agent::{Clock, Seeded, SystemClock};
use postrider_model::{MessageId, WireState};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    io::Write,
    path::Path,
    process::{Child, Command, Stdio},
};
use virtual_phone::{Input, Profile};

/// Starts the program; it ends with the test.
struct Program(Child);

impl Program {
    fn start(hub: &TestHub, folder: &Path, more: &[&str]) -> Self {
        hub.confirm();
        let mut command = Command::new(env!("CARGO_BIN_EXE_virtual-phone"));
        command.args(["--hub", &hub.url(), "--pair", CODE, "--dir"]);
        command.arg(folder).arg("--radio-log").arg(log_of(folder));
        command.args(["--number", "+15005550001"]).args(more);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(Stdio::piped());
        Self(command.spawn().unwrap())
    }

    /// Starts the program and waits until the hub has it.
    async fn join(hub: &TestHub, folder: &Path, more: &[&str]) -> Self {
        let before = hub.state().connections;
        let program = Self::start(hub, folder, more);
        let is_here = || hub.state().connected.iter().any(|number| *number > before);
        until("it connects", is_here).await;
        program
    }

    fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    fn type_in(&mut self, line: &str) {
        let input = self.0.stdin.as_mut().unwrap();
        writeln!(input, "{line}").unwrap();
    }

    /// Asks it to stop and returns whether it did so in good order, and what it wrote.
    fn terminate(self) -> (bool, String, String) {
        let id = self.0.id().to_string();
        Command::new("kill").args(["-TERM", &id]).status().unwrap();
        let output = self.0.wait_with_output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (
            output.status.success(),
            text(output.stdout),
            text(output.stderr),
        )
    }
}

#[tokio::test]
async fn it_says_what_it_does_and_stops_in_good_order() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let mut program = Program::start(&hub, folder.path(), &[]);
    let id = hub.send("+15005550123", "come at noon");
    let delivered = || hub.states(id).contains(&WireState::Delivered);
    until("the report comes home", delivered).await;
    program.type_in("nonsense");
    program.type_in("+15005550199 yes, we will");
    program.type_in(r#"{"from":"+15005550198","text":"no"}"#);
    until("both came in", || hub.incoming().len() == 2).await;
    let (is_good, output, errors) = program.terminate();
    assert!(is_good, "{errors}");
    assert_eq!(output, "");
    for expected in [
        "sent to +15005550123: come at noon",
        &format!("{id} is delivered"),
        "received from +15005550199: yes, we will",
        "a line is a number and a text",
    ] {
        assert!(errors.contains(expected), "{expected}: {errors}");
    }
}

#[tokio::test]
async fn killed_at_any_moment_it_sends_nothing_twice_and_tells_no_lie() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let mut ids = Vec::new();
    for round in 1..=12 {
        let lines = radio(folder.path()).len();
        let program = Program::start(&hub, folder.path(), &[]);
        ids.extend((0..20).map(|n| hub.send("+15005550123", &format!("{round}/{n}"))));
        // Each round is killed after a different number of hand-overs.
        until("some are sent", || {
            radio(folder.path()).len() >= lines + round
        })
        .await;
        program.kill();
    }
    let program = Program::start(&hub, folder.path(), &[]);
    let is_settled = |id: &MessageId| {
        let states = hub.states(*id);
        let ends = [WireState::Delivered, WireState::Unknown];
        states.iter().any(|state| ends.contains(state))
    };
    until("all are settled", || ids.iter().all(is_settled)).await;
    let on_air = lines_by_message(folder.path());
    for id in &ids {
        let lines = on_air.get(&id.to_string()).copied().unwrap_or(0);
        let states = hub.states(*id);
        assert!(lines <= 1, "{id} was handed over {lines} times");
        let is_unknown = states.contains(&WireState::Unknown);
        assert!(lines == 1 || is_unknown, "{id} never left: {states:?}");
    }
    assert!(program.terminate().0);
}

#[tokio::test]
async fn killed_right_after_a_hand_over_it_gets_the_report_at_its_next_start() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    // The slow network takes seconds for a report: none has come when the program is killed.
    let program = Program::start(&hub, folder.path(), &["--radio", "slow"]);
    let id = hub.send("+15005550123", &"a".repeat(200));
    until("it is looked up as sent", || {
        has_lines(folder.path(), "provider.jsonl")
    })
    .await;
    program.kill();
    make_reports_due(folder.path());
    let program = Program::start(&hub, folder.path(), &[]);
    let delivered = || hub.states(id).contains(&WireState::Delivered);
    until("the report comes home", delivered).await;
    assert_eq!(radio(folder.path()).len(), 1);
    assert!(program.terminate().0);
    let program = Program::start(&hub, folder.path(), &[]);
    until("what is settled is dropped", || {
        !has_lines(folder.path(), "reports.jsonl")
    })
    .await;
    assert!(program.terminate().0);
}

#[tokio::test]
async fn stopped_in_good_order_it_gets_the_reports_at_its_next_start() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let program = Program::start(&hub, folder.path(), &["--radio", "slow"]);
    let send = |n| hub.send("+15005550123", &format!("slowly {n}"));
    let ids: Vec<_> = (0..5).map(send).collect();
    until("all are handed over", || {
        radio(folder.path()).len() == ids.len()
    })
    .await;
    assert!(program.terminate().0);
    make_reports_due(folder.path());
    let is_delivered = |id: &MessageId| hub.states(*id).contains(&WireState::Delivered);
    let program = Program::start(&hub, folder.path(), &[]);
    until("every report comes home", || ids.iter().all(is_delivered)).await;
    assert_eq!(radio(folder.path()).len(), ids.len());
    assert!(program.terminate().0);
}

/// Lets the time pass that the network takes, while the phone is off.
fn make_reports_due(folder: &Path) {
    let now = SystemClock::of_this_boot().unwrap().now();
    let path = folder.join("reports.jsonl");
    let mut lines = String::new();
    for line in std::fs::read_to_string(&path).unwrap().lines() {
        let mut line: Value = serde_json::from_str(line).unwrap();
        let reports = line.pointer_mut("/kept/reports");
        for report in reports.and_then(Value::as_array_mut).into_iter().flatten() {
            report["due_ms"] = json!(now.unix.0);
        }
        lines += &format!("{line}\n");
    }
    std::fs::write(path, lines).unwrap();
}

fn has_lines(folder: &Path, file: &str) -> bool {
    let file = folder.join(file).metadata();
    file.is_ok_and(|file| file.len() > 0)
}

fn lines_by_message(folder: &Path) -> BTreeMap<String, usize> {
    let mut lines = BTreeMap::new();
    for line in radio(folder) {
        let id = line["message_id"].as_str().unwrap().to_owned();
        *lines.entry(id).or_default() += 1;
    }
    lines
}

#[tokio::test]
async fn a_pace_holds_messages_back() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let program = Program::start(&hub, folder.path(), &["--pace", "3"]);
    let ids: Vec<_> = (0..6).map(|_| hub.send("+15005550123", "slowly")).collect();
    let stored = |id: &MessageId| !hub.states(*id).is_empty();
    until("three are sent", || radio(folder.path()).len() == 3).await;
    until("all are stored", || {
        ids.iter().filter(|id| stored(id)).count() >= 3
    })
    .await;
    assert!(program.terminate().0);
    assert_eq!(radio(folder.path()).len(), 3);
}

#[tokio::test]
async fn what_comes_in_outlives_a_kill_at_any_moment() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let mut typed = Vec::new();
    for round in 0..8 {
        let mut program = Program::join(&hub, folder.path(), &[]).await;
        for n in 0..=round {
            let text = format!("{round}/{n}");
            program.type_in(&format!("+15005550199 {text}"));
            typed.push(text);
        }
        // Each round is killed as soon as the platform has the last one, wherever the agent is.
        let last = format!("{round}/{round}");
        until("the platform has it", || {
            inbox(folder.path()).contains(&last)
        })
        .await;
        program.kill();
    }
    let program = Program::join(&hub, folder.path(), &[]).await;
    until("all is told", || hub.incoming().len() >= typed.len()).await;
    assert!(program.terminate().0);
    let mut texts: Vec<_> = hub.incoming().into_iter().map(|(_, text)| text).collect();
    texts.sort();
    typed.sort();
    assert_eq!(texts, typed);
}

#[tokio::test]
async fn unpairing_goes_on_after_a_kill() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let mut program = Program::join(&hub, folder.path(), &[]).await;
    program.type_in(r#"{"kind":"network","up":false}"#);
    until("the link is gone", || !hub.state().is_connected()).await;
    program.type_in("+15005550199 a last word");
    program.type_in(r#"{"kind":"unpair","within_s":600}"#);
    until("the wish is on disk", || {
        folder.path().join("leaving").exists()
    })
    .await;
    program.kill();
    let mut program = Program::start(&hub, folder.path(), &[]);
    until("it ends by itself", || {
        program.0.try_wait().unwrap().is_some()
    })
    .await;
    assert_eq!(hub.incoming().len(), 1);
    assert!(!folder.path().join("journal.db").exists());
    assert!(!folder.path().join("pairing.json").exists());
}

#[tokio::test]
async fn killed_with_any_radio_it_doubles_nothing_and_loses_nothing_that_came_in() {
    for profile in Profile::ALL {
        let hub = TestHub::start().await;
        let folder = tempfile::tempdir().unwrap();
        let mut dice = Seeded::new(7);
        let mut typed = Vec::new();
        for round in 0..4 {
            let radio = profile.as_str();
            let seed = round.to_string();
            let more = ["--radio", radio, "--seed", &seed];
            let mut program = Program::join(&hub, folder.path(), &more).await;
            hub.send("+15005550123", &format!("{round} short"));
            hub.send("+15005550123", &format!("{round} {}", "a".repeat(200)));
            hub.send_data("+15005550123", 7, &[1]);
            hub.dial("*100#");
            hub.call("+15005550123");
            let facts = hub.state().facts.len();
            let text = format!("{round} in");
            program.type_in(&format!("+15005550199 {text}"));
            typed.push(text.clone());
            until("the platform has it", || {
                inbox(folder.path()).contains(&text)
            })
            .await;
            // It dies after a different number of facts each time, sometimes before the first.
            let enough = facts + usize::try_from(dice.up_to(12)).unwrap();
            let patience = std::time::Duration::from_millis(200);
            let told = until("some is told", || hub.state().facts.len() >= enough);
            // A radio that reports little is killed anyway.
            drop(tokio::time::timeout(patience, told).await);
            program.kill();
        }
        let program = Program::join(&hub, folder.path(), &[]).await;
        let texts = || -> Vec<String> {
            let incoming = hub.incoming().into_iter();
            let of_texts = incoming.filter(|(from, _)| from == "+15005550199");
            of_texts.map(|(_, text)| text).collect()
        };
        until("all is told", || texts().len() >= typed.len()).await;
        let (is_good, _, errors) = program.terminate();
        assert!(is_good, "{profile}: {errors}");
        let mut texts = texts();
        texts.sort();
        assert_eq!(texts, typed, "{profile}");
        let on_air = lines_by_message(folder.path());
        let twice: Vec<_> = on_air.iter().filter(|(_, lines)| **lines > 1).collect();
        assert!(twice.is_empty(), "{profile}: {twice:?}");
    }
}

fn inbox(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("inbox.jsonl")).unwrap_or_default()
}

#[tokio::test]
async fn its_help_names_every_profile_and_every_kind_of_line() {
    let help = Command::new(env!("CARGO_BIN_EXE_virtual-phone"))
        .arg("--help")
        .output()
        .unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    for profile in Profile::ALL {
        assert!(help.contains(&format!("  {profile} ")), "{profile}");
    }
    let lines = help.lines().filter_map(|line| {
        let line = line.trim_start();
        let end = line.find('}')?;
        line.starts_with("{\"kind\"").then(|| &line[..=end])
    });
    let mut kinds = 0;
    for line in lines {
        let filled_in = line
            .replace(":N", ":\"+15005550199\"")
            .replace(":T", ":\"text\"")
            .replace(":S", ":\"text\"")
            .replace(":F", ":\"print\"");
        let read = Input::parse(&filled_in);
        assert!(read.is_ok(), "{filled_in}: {read:?}");
        kinds += 1;
    }
    assert!(kinds >= 16, "{kinds}");
}
