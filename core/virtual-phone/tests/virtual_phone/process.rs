//! The program: killed at any moment and started again on its folder, and stopped in good order.

use crate::support::{
    hub::{CODE, TestHub},
    log_of, radio, until,
};
use postrider_agent::{Clock, SystemClock};
use postrider_model::{MessageId, WireState};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    io::Write,
    path::Path,
    process::{Child, Command, Stdio},
};

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
        // Each round is killed after another number of hand-overs.
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
