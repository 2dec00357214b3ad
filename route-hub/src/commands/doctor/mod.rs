//! `route-hub doctor`: what a hub with these settings would run into, or runs into.
//!
//! Each check is a file: it looks, and a function without a world judges what was seen.

mod backups;
mod bucket;
mod certificate;
mod clock;
mod conditions;
mod database;
mod finding;
mod flushes;
mod folder;
mod forwarded;
mod memory;
mod nats;
mod open_files;
mod place;
mod ports;
mod public_url;
mod ready;
mod settings;

use crate::commands::serve::OPERATOR_DEFAULT;
use crate::settings::{OperatorListen, ServeSettings, SettingsError};
use crate::transport::Transport;
use clap::Args;
use finding::{Finding, Line, Verdict, counted};
use hub_app::clock::SystemClock;
use hub_app::data_folder::error::CommandError;
use hub_app::data_folder::{folder_lock, owner};
use place::Place;
use ports::Purpose;
use serde_json::json;
use std::fs;
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};
use tokio::runtime::Builder;

/// What this program is called in the list of processes.
const PROGRAM: &str = "route-hub";
/// Most connections of a project, unless the settings say otherwise.
const PROJECT_CONNECTIONS: usize = 10_000;

/// Looks at what a hub needs: takes the settings of `serve`, before a start or beside a running hub.
///
/// Each line is good, doubtful or bad, and says what to do. It ends with 1 if one is bad.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// What the hub is started with.
    #[command(flatten)]
    pub settings: ServeSettings,
    /// Folder of the backups [default: /var/backups/route-hub].
    #[arg(long, value_name = "DIR")]
    pub backups: Option<PathBuf>,
    /// Only ask the running hub whether it is ready, for a container's health check.
    #[arg(long)]
    pub ready: bool,
    /// Print the report as one line of JSON.
    #[arg(long)]
    pub json: bool,
}

/// Makes the report; `refused` is a file of settings that cannot be used.
///
/// # Errors
/// When a line of it is bad, or this is root on another user's folder; with `ready`, when the hub is not.
pub fn doctor(args: DoctorArgs, refused: Option<&SettingsError>) -> Result<(), CommandError> {
    let mut report = Report {
        json: args.json,
        lines: Vec::new(),
    };
    if let Some(error) = refused {
        if args.ready {
            return Err(CommandError::new(error.to_string()));
        }
        report.add("settings", settings::unreadable(error));
        return report.end();
    }
    let settings = args.settings;
    if args.ready {
        return ready::ask(&listening(&settings));
    }
    if settings.database.url.is_none() {
        owner::refuse_root(settings.folder())?;
    }
    look(&settings, args.backups.as_deref(), &mut report)?;
    report.end()
}

fn look(
    settings: &ServeSettings,
    backups: Option<&Path>,
    report: &mut Report,
) -> Result<(), CommandError> {
    let clock = SystemClock::start();
    let now_s = clock.now().unix.seconds();
    let is_file = settings.database.url.is_none();
    report.add_all("settings", settings::look(settings));
    let serving = is_file.then(|| serving(settings.folder())).flatten();
    if is_file {
        report.add_all("folder", folder::look(settings.folder()));
        if settings.folder().is_dir() {
            report.add("flushes", flushes::look(settings.folder()));
        }
    }
    let connections = settings.project_connections.unwrap_or(PROJECT_CONNECTIONS);
    report.add("memory", memory::look(is_file, connections));
    report.add("open files", open_files::look(serving, connections));
    let may_serve = !is_file || serving.is_some();
    let listen = settings.listen_addr();
    let is_tls = listening(settings).is_tls;
    let (port, runs) = ports::look(listen, is_tls, Purpose::Everybody, may_serve);
    report.add("ports", port);
    let operator = match settings.operator_listen {
        Some(OperatorListen::Off) => None,
        Some(OperatorListen::At(address)) => Some((address, Purpose::Operator)),
        None => Some((OPERATOR_DEFAULT, Purpose::OperatorByDefault)),
    };
    let operator = operator.and_then(|(address, purpose)| {
        let (port, answers) = ports::look(address, false, purpose, may_serve);
        report.add("ports", port);
        answers.then(|| Place::listening(address, false))
    });
    report.add("clock", clock::look());
    if let Some(file) = &settings.tls_cert {
        let names = dialled(settings, listen);
        let found = certificate::look_in(file, &names, now_s);
        report.add_all("certificate", found);
    }
    let around = public_url::Around {
        runs,
        listen,
        operator: operator.as_ref(),
        pins: settings.tls_self_signed == Some(true),
        now_s,
    };
    report.extend(public_url::look(settings.public_url.as_deref(), &around));
    look_at_data(settings, report)?;
    let since_1970 = Duration::from_secs(u64::try_from(now_s).unwrap_or(0));
    report.add(
        "backup",
        backups::look(backups, is_file, UNIX_EPOCH + since_1970),
    );
    Ok(())
}

/// Looks at the database, and at what stands beside it.
fn look_at_data(settings: &ServeSettings, report: &mut Report) -> Result<(), CommandError> {
    // What cannot be read is in the lines of the settings.
    let (data, servers) = match settings.data() {
        Ok((data, servers)) => (Some(data), servers),
        Err(_) => (None, None),
    };
    let looked = data.as_ref().map(database::look);
    if let Some((finding, look)) = looked {
        report.add("database", finding);
        if let Some(look) = look {
            report.add("conditions", conditions::look(&look.filters));
        }
    }
    let runtime = Builder::new_current_thread().enable_all().build()?;
    if let Some(servers) = servers {
        report.add("NATS", runtime.block_on(nats::look(&servers)));
    }
    if let Ok(Some(blobs)) = settings.files.in_bucket() {
        report.add("bucket", runtime.block_on(bucket::look(&blobs)));
    }
    Ok(())
}

/// Returns where the hub of these settings answers on this machine.
fn listening(settings: &ServeSettings) -> Place {
    let is_tls = !matches!(Transport::chosen(settings), Ok(Transport::Plain) | Err(_));
    Place::listening(settings.listen_addr(), is_tls)
}

/// Returns the names that a certificate is to have: those that phones dial.
fn dialled(settings: &ServeSettings, listen: SocketAddr) -> Vec<String> {
    let mut names = settings.host_names(listen);
    let own = [listen.ip().to_string(), "localhost".to_owned()];
    names.retain(|name| !own.contains(name));
    names
}

/// Returns the process that serves a folder, if it lives.
fn serving(folder: &Path) -> Option<u32> {
    let process = folder_lock::served_by(folder)?;
    let name = fs::read_to_string(format!("/proc/{process}/comm")).ok()?;
    (name.trim() == PROGRAM).then_some(process)
}

/// The lines as they come.
struct Report {
    json: bool,
    lines: Vec<Line>,
}

impl Report {
    fn add(&mut self, check: &'static str, finding: Finding) {
        let line = Line { check, finding };
        if !self.json {
            let mut out = io::stdout().lock();
            // If standard output is closed, nobody is left to tell.
            let _ = writeln!(out, "{line}").and_then(|()| out.flush());
        }
        self.lines.push(line);
    }

    fn add_all(&mut self, check: &'static str, findings: Vec<Finding>) {
        for finding in findings {
            self.add(check, finding);
        }
    }

    fn extend(&mut self, lines: Vec<Line>) {
        for line in lines {
            self.add(line.check, line.finding);
        }
    }

    /// # Errors
    /// When a line is bad.
    fn end(self) -> Result<(), CommandError> {
        let verdicts = self.lines.iter().map(|line| line.finding.verdict);
        let worst = verdicts.clone().max().unwrap_or(Verdict::Good);
        if self.json {
            let report = json!({ "verdict": worst, "checks": self.lines });
            let mut out = io::stdout().lock();
            let _ = writeln!(out, "{report}").and_then(|()| out.flush());
        }
        match verdicts.filter(|verdict| *verdict == Verdict::Bad).count() {
            0 => Ok(()),
            bad => Err(CommandError::new(counted(
                bad,
                "line is bad",
                "lines are bad",
            ))),
        }
    }
}
