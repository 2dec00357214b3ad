//! The program: its ready line, its verdict, its exit codes.

use crate::support::radio_log;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::Arc;
use virtual_phone::{RadioLog, VirtualPhone, VirtualPhoneConfig};

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_server-stub"))
}

#[test]
fn a_scenario_that_is_not_valid_is_code_2_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wrong.toml");
    std::fs::write(&path, "name = \"x\"\n[[step]]\nsend = { count = 0 }\n").unwrap();
    let out = program()
        .arg("--check")
        .arg("--scenario")
        .arg(&path)
        .output()
        .unwrap();
    let text = String::from_utf8(out.stderr).unwrap();
    assert_eq!(out.status.code(), Some(2), "{text}");
    assert!(text.contains("line 2: count must be"), "{text}");
    std::fs::write(&path, "name = \"x\"\n").unwrap();
    let out = program()
        .arg("--check")
        .arg("--scenario")
        .arg(&path)
        .output()
        .unwrap();
    assert_eq!(out.status.code(), Some(0));
}

#[test]
fn a_run_that_nobody_joins_is_broken_with_code_1() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("one.toml");
    std::fs::write(&path, "[[step]]\nwait.connected = 1\nsend = {}\n").unwrap();
    let args = ["--timeout", "1", "--scenario"];
    let out = program().args(args).arg(&path).output().unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    assert_eq!(out.status.code(), Some(1), "{text}");
    assert!(
        text.contains("postrider://pair?hub=http%3A%2F%2F127.0.0.1"),
        "{text}"
    );
    assert!(
        text.contains("no phone joined") && text.contains("verdict: broken"),
        "{text}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_holds_prints_ready_and_verdict_as_lines_of_json_and_ends_with_0() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("one.toml");
    std::fs::write(&path, "[[step]]\nwait.connected = 1\nsend = {}\n").unwrap();
    let log = radio_log(folder.path());
    let mut child = program()
        .args(["--json", "--timeout", "60", "--scenario"])
        .arg(&path)
        .arg("--radio-log")
        .arg(&log)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let ready: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    let mut config = VirtualPhoneConfig::new(folder.path().join("phone"));
    config.hub = Some(ready["base_url"].as_str().unwrap().parse().unwrap());
    let code = ready["pairing_code"].as_str().unwrap();
    config.code = Some(postrider_model::Secret::new(code));
    config.radio_log = Some(Arc::new(RadioLog::open(&log).unwrap()));
    let phone = VirtualPhone::start(config).await.unwrap();
    let verdict: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(verdict["held"], true, "{verdict}");
    assert_eq!(verdict["messages"][0]["status"], "delivered", "{verdict}");
    assert_eq!(verdict["radio_log"], true);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    phone.stop().await.unwrap();
}
