//! What `route-hub admin` takes.

use crate::config_file::ConfigFile;
use crate::database::{COMMON, DatabaseSettings};
use crate::values::{number, web_address};
use clap::{Args, Subcommand};
use postrider_model::{
    AlertId, ApiKeyId, DeviceId, OrganizationId, PhoneId, PhoneNumber, ProjectId,
};
use std::path::PathBuf;

/// Sets up organizations, projects, keys and phones; works beside a running hub.
#[derive(Debug, Args)]
pub struct AdminArgs {
    /// The file with the hub's settings.
    #[command(flatten)]
    pub file: ConfigFile,
    /// Data folder of the hub.
    #[arg(
        long,
        global = true,
        env = "ROUTE_HUB_DIR",
        value_name = "DIR",
        default_value = "route-hub-data",
        help_heading = COMMON
    )]
    pub dir: PathBuf,
    /// The hub's database, if it is no file in the folder.
    #[command(flatten)]
    pub database: DatabaseSettings,
    /// Print each answer as one line of JSON.
    #[arg(long, global = true, help_heading = COMMON)]
    pub json: bool,
    /// What to do.
    #[command(subcommand)]
    pub command: AdminCommand,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum AdminCommand {
    /// Accounts, which own projects.
    #[command(subcommand)]
    Organization(OrganizationCommand),
    /// Projects and their settings.
    #[command(subcommand)]
    Project(ProjectCommand),
    /// Keys for the API.
    #[command(subcommand)]
    Key(KeyCommand),
    /// Phones (basic routes).
    #[command(subcommand)]
    Phone(PhoneCommand),
    /// Devices that run the agent.
    #[command(subcommand)]
    Device(DeviceCommand),
    /// Let a device join: print a code, wait for it, compare six digits.
    Pair(PairArgs),
    /// Domains that short links may be at, instead of the hub's own address.
    #[command(subcommand)]
    ShortDomain(ShortDomainCommand),
    /// List what needs attention; `clear` says that somebody took care of it.
    Alerts(AlertsArgs),
    /// Give up phones that have not answered since a restore: what they held becomes unknown, and
    /// messages that waited for their answer go on.
    Unfreeze(UnfreezeArgs),
}

/// Ends the wait for phones after a restore.
#[derive(Debug, Args)]
pub struct UnfreezeArgs {
    /// Only the device of this phone [default: all].
    #[arg(long, value_name = "PN…")]
    pub phone: Option<PhoneId>,
}

/// Works on organizations.
#[derive(Debug, Subcommand)]
pub enum OrganizationCommand {
    /// Make an organization.
    Create {
        /// Its name.
        #[arg(long)]
        name: String,
    },
    /// List the organizations.
    List,
    /// Show an organization's plan.
    Plan {
        /// The organization.
        #[arg(value_name = "OR…")]
        organization: OrganizationId,
    },
    /// Change an organization's plan; what is not named stays, an empty text takes it away.
    SetPlan {
        /// The organization.
        #[arg(value_name = "OR…")]
        organization: OrganizationId,
        /// The plan.
        #[command(flatten)]
        plan: Box<PlanSettings>,
    },
}

/// What a plan can be set to.
#[derive(Debug, Clone, Default, Args)]
pub struct PlanSettings {
    /// Its name.
    #[arg(long)]
    pub name: Option<String>,
    /// What it costs each time, such as "9.50 USD".
    #[arg(long, value_name = "AMOUNT CUR")]
    pub price: Option<String>,
    /// When it is paid, a rule of iCalendar such as FREQ=MONTHLY.
    #[arg(long, value_name = "RRULE")]
    pub rrule: Option<String>,
    /// When it began, a UNIX timestamp in seconds.
    #[arg(long, value_name = "SECONDS")]
    pub start_time: Option<String>,
    /// When it ends.
    #[arg(long, value_name = "SECONDS")]
    pub end_time: Option<String>,
    /// From when on nothing more is sent.
    #[arg(long, value_name = "SECONDS")]
    pub suspend_time: Option<String>,
    /// The most of something, such as contacts=1000, or contacts=none; may be repeated.
    #[arg(long = "limit", value_name = "NAME=N")]
    pub limits: Vec<String>,
    /// Whether it has a feature, such as soft_limits=true; may be repeated.
    #[arg(long = "feature", value_name = "NAME=BOOL")]
    pub features: Vec<String>,
    /// What more costs where limits are soft, such as "message=0.0025 USD"; may be repeated.
    #[arg(long = "overage-rate", value_name = "NAME=AMOUNT CUR")]
    pub overage_rates: Vec<String>,
}

/// Works on domains of short links.
#[derive(Debug, Subcommand)]
pub enum ShortDomainCommand {
    /// Register a domain that leads to this hub, which serves nothing but short links there.
    Add {
        /// Its name, such as go.example.org.
        #[arg(value_name = "NAME")]
        name: String,
        /// Only for the projects of this organization.
        #[arg(long, value_name = "OR…", conflicts_with = "project")]
        organization: Option<OrganizationId>,
        /// Only for this project.
        #[arg(long, value_name = "PJ…")]
        project: Option<ProjectId>,
    },
    /// Remove a domain: links that are at it lead nowhere until it is registered again.
    Remove {
        /// Its name.
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// List the domains.
    List,
}

/// Works on projects.
#[derive(Debug, Subcommand)]
pub enum ProjectCommand {
    /// Make a project.
    Create {
        /// The organization that owns it; needed if there are several.
        #[arg(long, value_name = "OR…")]
        organization: Option<OrganizationId>,
        /// Its name, unique within the organization.
        #[arg(long)]
        name: String,
        /// Its settings.
        #[command(flatten)]
        settings: Box<ProjectSettings>,
    },
    /// List the projects.
    List,
    /// Show a project's settings.
    Show {
        /// The project.
        #[arg(value_name = "PJ…")]
        project: ProjectId,
    },
    /// Change a project's settings; others stay. An empty text removes a setting.
    Set {
        /// The project.
        #[arg(value_name = "PJ…")]
        project: ProjectId,
        /// Its new name.
        #[arg(long)]
        name: Option<String>,
        /// Its settings.
        #[command(flatten)]
        settings: Box<ProjectSettings>,
    },
}

/// What a project can be set to.
#[derive(Debug, Clone, Default, Args)]
pub struct ProjectSettings {
    /// Region of numbers without a country code, two letters such as KE.
    #[arg(long, value_name = "CC")]
    pub country: Option<String>,
    /// Time zone, an IANA name such as Africa/Nairobi.
    #[arg(long, value_name = "ZONE")]
    pub timezone: Option<String>,
    /// Phone that sends messages without a route.
    #[arg(long, value_name = "PN…")]
    pub default_route: Option<String>,
    /// Where incoming messages are reported.
    #[arg(long, value_name = "URL")]
    pub incoming_url: Option<String>,
    /// The `secret` parameter of those reports.
    #[arg(long, value_name = "TEXT")]
    pub incoming_secret: Option<String>,
    /// Where status changes are reported unless a message says otherwise.
    #[arg(long, value_name = "URL")]
    pub status_url: Option<String>,
    /// The `secret` parameter of those reports.
    #[arg(long, value_name = "TEXT")]
    pub status_secret: Option<String>,
    /// Where alerts are reported.
    #[arg(long, value_name = "URL")]
    pub alert_url: Option<String>,
    /// The `secret` parameter of those reports.
    #[arg(long, value_name = "TEXT")]
    pub alert_secret: Option<String>,
    /// Hours that a message may wait before it ends unsent.
    #[arg(long, value_name = "HOURS", value_parser = number(1u32..=8760))]
    pub message_life_h: Option<u32>,
    /// Most messages that may wait; the hub refuses more with 429.
    #[arg(long, value_name = "N", value_parser = number(1u32..))]
    pub queue_cap: Option<u32>,
    /// Whether a message to or from a new number makes a contact.
    #[arg(long, value_name = "BOOL")]
    pub auto_create_contacts: Option<bool>,
    /// Stop the project: it accepts and sends nothing.
    #[arg(long, value_name = "BOOL")]
    pub stopped: Option<bool>,
}

/// Works on API keys.
#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// Make a key; it is shown only once.
    Create {
        /// The project, if the key is for only one.
        #[arg(
            long,
            value_name = "PJ…",
            required_unless_present = "organization",
            conflicts_with = "organization"
        )]
        project: Option<ProjectId>,
        /// The organization, if the key is for all its projects.
        #[arg(long, value_name = "OR…")]
        organization: Option<OrganizationId>,
        /// Its name.
        #[arg(long, default_value = "API key")]
        name: String,
        /// A permission of the key; may be repeated [default: all].
        #[arg(long = "permission", value_name = "NAME")]
        permissions: Vec<String>,
        /// Requests per second [default: no limit].
        #[arg(long, value_name = "N", value_parser = number(1u32..))]
        rate_per_s: Option<u32>,
        /// Most requests in a burst above the rate.
        #[arg(long, value_name = "N", requires = "rate_per_s", value_parser = number(1u32..))]
        rate_burst: Option<u32>,
        /// Days after which it expires.
        #[arg(long, value_name = "DAYS", value_parser = number(1u32..=36_500))]
        expires_days: Option<u32>,
    },
    /// List the keys, without their secrets.
    List,
    /// Revoke a key; it stops working within a second.
    Revoke {
        /// The key.
        #[arg(value_name = "AK…")]
        key: ApiKeyId,
    },
}

/// Works on phones.
#[derive(Debug, Subcommand)]
pub enum PhoneCommand {
    /// List the phones.
    List {
        /// Only those of one project.
        #[arg(long, value_name = "PJ…")]
        project: Option<ProjectId>,
    },
    /// Make a test route: it sends nothing, and plays the sequences of the special numbers.
    AddTest {
        /// The project.
        #[arg(long, value_name = "PJ…")]
        project: ProjectId,
        /// Its name.
        #[arg(long, default_value = "Test phone")]
        name: String,
        /// Its number.
        #[arg(long, value_name = "NUMBER")]
        number: Option<PhoneNumber>,
    },
    /// Change settings of a phone that only the operator may change.
    Set {
        /// The phone.
        #[arg(value_name = "PN…")]
        phone: PhoneId,
        /// Most unsent messages of each priority that the phone may hold, so that it goes on
        /// sending while its data link is down [default: 64].
        #[arg(long, value_name = "N", value_parser = number(1u32..=500))]
        window: u32,
    },
    /// Send what waits in the present quiet hours, on a phone with quiet_mode confirm.
    ReleaseQuietHours {
        /// The phone.
        #[arg(value_name = "PN…")]
        phone: PhoneId,
    },
    /// Say that the SIM now in the slot is the right one; the phone then goes on sending.
    ConfirmSim {
        /// The phone.
        #[arg(value_name = "PN…")]
        phone: PhoneId,
    },
}

/// Works on devices.
#[derive(Debug, Subcommand)]
pub enum DeviceCommand {
    /// List the devices.
    List,
    /// Take a device out of service within a second; what it held becomes unknown.
    Revoke {
        /// The device.
        #[arg(value_name = "DV…")]
        device: DeviceId,
    },
}

/// Lets a device join.
#[derive(Debug, Args)]
pub struct PairArgs {
    /// The project that its phones join; needed if there are several.
    #[arg(long, value_name = "PJ…")]
    pub project: Option<ProjectId>,
    /// Replace this device; its phones keep their ids.
    #[arg(long, value_name = "DV…")]
    pub device: Option<DeviceId>,
    /// A name for the device [default: its own].
    #[arg(long)]
    pub name: Option<String>,
    /// Address of the hub for the QR code.
    #[arg(long, value_name = "URL", env = "ROUTE_HUB_PUBLIC_URL", value_parser = web_address)]
    pub hub: Option<String>,
    /// Pin of a private certificate's key that the phone accepts; at most two [default: the hub's own under
    /// --tls-self-signed].
    #[arg(long = "pin", value_name = "SHA256", num_args = 0..=2)]
    pub pins: Vec<String>,
    /// Also write the QR code to this file, as PNG.
    #[arg(long, value_name = "FILE", conflicts_with = "confirm")]
    pub png: Option<PathBuf>,
    /// Confirm without asking, for scripts.
    #[arg(long)]
    pub yes: bool,
    /// Print the code and end, without waiting for the phone; confirm later with `--confirm`.
    #[arg(long, conflicts_with_all = ["yes", "confirm"])]
    pub no_wait: bool,
    /// Wait for a phone with a code that was printed earlier (its first four characters), and
    /// confirm.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["project", "device", "name"])]
    pub confirm: Option<String>,
}

/// Lists or clears alerts.
#[derive(Debug, Args)]
pub struct AlertsArgs {
    /// Also those that ended.
    #[arg(long, global = true)]
    pub all: bool,
    /// What to do instead of listing.
    #[command(subcommand)]
    pub command: Option<AlertsCommand>,
}

/// Works on alerts.
#[derive(Debug, Subcommand)]
pub enum AlertsCommand {
    /// List them.
    List,
    /// Say that somebody took care of it.
    Clear {
        /// The alert.
        #[arg(value_name = "AL…")]
        alert: AlertId,
    },
}
