//! The phone's machines: outbound queue, pacing, delivery, inbound.
mod agent;
pub mod change;
mod command;
mod config;
mod effect;
mod event;
mod fact;
mod health;
mod inbound;
mod out;
mod outbound;
mod pacer;
mod parts;
mod settle;
mod snapshot;
mod stamp;
mod timers;
mod token;

pub use agent::{Agent, DOWN_WINDOW, HOUSEKEEPING_MS};
pub use change::Change;
pub use command::{Command, Refused};
pub use config::{AgentConfig, Guard, PaceLimits, Waits};
pub use effect::{Effect, SendParts};
pub use event::Event;
pub use fact::{RadioFact, ReceivedSms, ReportStatus};
pub use health::{Condition, HEALTH_MS_MIN};
pub use inbound::{Fingerprint, SEEN_MAX, SEEN_MS};
pub use outbound::{
    ENDED_MAX, FLYING_MAX, FREQUENT_LOOK_MS, FREQUENT_LOOKS, HAND_BACK_MS, RARE_LOOK_MS, ROW_MS,
    TEXT_MS, WAITING_MAX,
};
pub use pacer::{HALVING_MS, HALVINGS_MAX, PaceRule, SEND_LIMIT_SPAN_MS};
pub use parts::{InvalidParts, Parts};
pub use snapshot::Snapshot;
pub use stamp::{BootId, Stamp};
pub use timers::{Deadline, Subject, Timer};
pub use token::{MessageRef, SendToken};
