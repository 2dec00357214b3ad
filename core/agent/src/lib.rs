//! The ring around the phone's machines: socket, clock, journal, radio.
//!
//! Everything that a phone decides is in `postrider-machine`, which is pure. This crate touches the
//! world for it. A phone is one task:
//!
//! ```text
//!   socket ─┐                                  ┌─> radio
//!   radio  ─┼─> facts ─> machine ─> journal ───┼─> socket
//!   owner  ─┤             (pure)    (one       └─> owner
//!   clock  ─┘                        commit)
//! ```
//!
//! Facts go in with the time they happened. The ring commits what the machine changed, and only
//! then does what it asked for: acks, frames, hand-overs to the radio. `order.rs` holds this order
//! in one short function.
//!
//! # The life of a phone
//! [`SoftwareIdentity::open`] or a keystore gives it a key, [`pair`] joins it to a hub once,
//! [`Pairing::load`] reads the pairing at each start, and [`Phone::start`] runs it on its
//! [`Radio`]. A journal that cannot be read is an error and stays as it is: a phone that forgot
//! what it had submitted could send twice.
//!
//! Only `clock.rs` reads a clock, only `random.rs` asks the system for randomness, only `backoff.rs`
//! knows the crate `backoff`.

mod address;
mod backoff;
mod carry_over;
mod clock;
mod disk;
mod files;
mod identity;
mod install;
mod install_error;
mod journal_files;
mod order;
mod outlook;
mod pairing;
mod phone;
mod radio;
mod random;
mod ring;
mod socket;
mod tls;
mod transport;

pub use address::{HubAddress, InvalidAddress};
pub use clock::{Clock, SystemClock};
pub use disk::RingError;
pub use identity::{Identity, IdentityError, KeyAlgorithm, SoftwareIdentity};
pub use install::{adopt_pairing, install_of};
pub use install_error::InstallError;
pub use journal_files::JOURNAL_FILE;
pub use outlook::{Outlook, Watch};
pub use pairing::{
    Aside, DeviceDescription, PairedPhone, Pairing, PairingError, RecordError, SimDescription,
    asides, erase_aside, pair,
};
pub use phone::{Phone, PhoneConfig, PhoneError, PhoneHandle, StartError};
pub use postrider_link::frame::SimInfo;
pub use postrider_machine::{
    Body, CallKind, CallLogRow, CallRefusal, CallState, Command, Condition, Event, Guard,
    HubSettings, KindStatus, LOG_ROWS_MAX, Log, LogPage, MessageRef, NextSlot, PaceLimits,
    PaceRule, RadioFact, ReceivedData, ReceivedMms, ReceivedSms, Refused, ReportChoice,
    ReportStatus, SENT_ROWS_MAX, ScanMark, SendParts, SendToken, SentRow, SimStatus, Source, Spell,
    WaitChoice,
};
pub use radio::{DialUssd, PlaceCall, Radio, RadioFacts, RadioFactsInbox, SentRowAsked};
pub use random::{RandomError, Seeded};
pub use ring::{Ended, Observer};
pub use rustls::ClientConfig as TlsConfig;
pub use socket::SocketError;
pub use tls::{InvalidCertificate, InvalidPin, SpkiPin, Trust, TrustError, certificates};
