//! What the app's library costs: a cold start until it is connected, and its memory.

use super::Scale;
use crate::{
    Failure,
    hub::built,
    report::{Figure, Limit},
    stats::median,
};
use serde_json::Value;
use std::{
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

pub(super) const NAMES: &[&str] = &["shell_cold_start_ms", "shell_500_waiting_mib"];

/// Messages that wait on the phone.
const WAITING: u32 = 500;

/// Joins a hub double over TLS, receives what waits, and starts again.
pub(super) fn measure(scale: Scale) -> Result<Vec<Figure>, Failure> {
    let folder = tempfile::tempdir()?;
    let mut stub = Stub::start(folder.path())?;
    let at = folder.path().to_str().ok_or("a folder without a name")?;
    run(&["join", at, &stub.link()?, &WAITING.to_string()])?;
    let (mut ms, mut mib) = (Vec::new(), Vec::new());
    for _ in 0..scale.runs {
        let started = run(&["start", at])?;
        if started["waiting"] != WAITING {
            return Err("messages that waited are gone".into());
        }
        ms.push(number(&started, "connected_ms")?);
        mib.push(number(&started, "mib")?);
    }
    Ok(vec![
        figure("shell_cold_start_ms", ms, "ms", 1_500.0),
        figure("shell_500_waiting_mib", mib, "MiB", 32.0),
    ])
}

/// A hub double in a separate process.
struct Stub(Child);

impl Stub {
    fn start(folder: &Path) -> Result<Self, Failure> {
        let scenario = folder.join("hub.toml");
        fs::write(
            &scenario,
            format!(
                "[tls]\n[end]\nwhen = \"told\"\ntimeout_s = 600\n\
                 [[step]]\nwait.connected = 1\nsend = {{ count = {WAITING} }}\n"
            ),
        )?;
        let child = Command::new(built()?.join("server-stub"))
            .arg("--json")
            .arg("--scenario")
            .arg(scenario)
            .stdout(Stdio::piped())
            .spawn()?;
        Ok(Self(child))
    }

    fn link(&mut self) -> Result<String, Failure> {
        let mut line = String::new();
        let output = self.0.stdout.take().ok_or("the hub double says nothing")?;
        BufReader::new(output).read_line(&mut line)?;
        let ready: Value = serde_json::from_str(&line)?;
        let link = ready["pairing_uri"].as_str();
        Ok(link.ok_or("the hub double gave no link")?.to_owned())
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn run(words: &[&str]) -> Result<Value, Failure> {
    let output = Command::new(built()?.join("examples/shell_figures"))
        .args(words)
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn number(values: &Value, name: &str) -> Result<f64, Failure> {
    let number = values[name].as_f64();
    Ok(number.ok_or_else(|| format!("shell_figures did not say {name}"))?)
}

fn figure(name: &'static str, values: Vec<f64>, unit: &'static str, most: f64) -> Figure {
    Figure::new(name, median(values), unit, Limit::AtMost(most))
}
