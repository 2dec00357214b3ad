//! What is broken on purpose: which frame or dial, and how.

use super::{Certificate, InvalidScenario};
use postrider_model::WireState;
use serde::Deserialize;

/// Longest delay or stall of a fault, in milliseconds: a day.
const MS_MAX: u64 = 86_400_000;
/// Smallest and largest numbers of close codes that RFC 6455 lets an application see.
const CODES: std::ops::RangeInclusive<u16> = 1_000..=4_999;

/// One fault of a scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// How often it acts; without an end when `None`.
    pub times: Option<u64>,
    /// Whether the run may end without it having acted.
    pub may_miss: bool,
    /// What it does, and to what.
    pub kind: FaultKind,
}

/// What a fault breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FaultKind {
    /// Frames that match.
    Frame(Matches, FrameFault),
    /// Dials: all, or those with the number.
    Dial(Option<u64>, DialFault),
}

/// Which frames a fault acts on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matches {
    /// Which way it travels.
    pub direction: Direction,
    /// Its `t`; any when absent.
    pub frame: Option<String>,
    /// The n-th such frame of the run, counted from 1; each when absent.
    pub nth: Option<u64>,
    /// On the connection of this dial; on any when absent.
    pub connection: Option<u64>,
    /// About a message with this label.
    pub label: Option<String>,
    /// An event with this state.
    pub state: Option<WireState>,
}

/// Which way a frame travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// From the hub to the phone.
    #[default]
    Down,
    /// From the phone to the hub.
    Up,
}

/// What happens to a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FrameFault {
    /// It is lost.
    Drop,
    /// It comes twice.
    Duplicate,
    /// It and everything behind it waits.
    Delay {
        /// For so many milliseconds.
        ms: u64,
    },
    /// It comes after the next numbered frames.
    Reorder {
        /// After so many of them.
        by: u64,
    },
    /// The connection breaks in the middle of it.
    Cut {
        /// After so many bytes; in its middle when `None`.
        bytes: Option<usize>,
    },
    /// The connection is closed after it was written, or instead of being taken in.
    Close {
        /// With this code.
        code: u16,
    },
    /// From it on, nothing is read or written.
    Stall {
        /// What stops.
        side: StallSide,
        /// For how long; until the end of the connection when `None`.
        ms: Option<u64>,
    },
    /// It comes in small pieces.
    Drip {
        /// Of so many bytes.
        bytes: usize,
        /// So many milliseconds apart.
        every_ms: u64,
    },
    /// Something that is no frame comes in its place.
    Malformed(Malformed),
    /// Its numbers are changed.
    Lie(Lie),
}

/// Which side of a connection stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StallSide {
    /// The hub reads nothing.
    Read,
    /// The hub writes nothing.
    Write,
    /// Neither.
    #[default]
    Both,
}

/// What comes in the place of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Malformed {
    /// Text that is not JSON.
    NotJson,
    /// The frame with a key twice.
    DuplicateKey,
    /// Nested deeper than a frame may be.
    TooDeep,
    /// A number of 2^53.
    LargeNumber,
    /// Bytes that are not UTF-8.
    NotUtf8,
    /// A frame without `t`.
    NoType,
    /// A known frame that lacks its fields.
    NoFields,
    /// More than 64 KiB.
    Oversize,
    /// A binary message.
    Binary,
}

/// How numbers of a frame are changed: each is added, and stays within 0 and 2^53.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Lie {
    /// To `a` of an ack.
    pub ack_by: i64,
    /// To `limit` of a welcome or an ack.
    pub limit_by: i64,
    /// To `now` of a welcome, in milliseconds.
    pub now_by_ms: i64,
    /// To `up` of a welcome.
    pub up_by: i64,
    /// To `gen` of a challenge or a welcome.
    pub generation_by: i64,
}

/// What happens to a dial.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DialFault {
    /// It is broken off at once.
    Refuse,
    /// It is accepted and never answered.
    Hang,
    /// It is answered by bytes that are not HTTP.
    Garbage,
    /// The upgrade is answered by this HTTP status.
    Http(u16),
    /// Another certificate is shown.
    Tls(Certificate),
}

/// A fault as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawFault {
    #[serde(rename = "do")]
    deed: Deed,
    times: Option<u64>,
    #[serde(default)]
    may_miss: bool,
    direction: Option<Direction>,
    frame: Option<String>,
    nth: Option<u64>,
    connection: Option<u64>,
    label: Option<String>,
    state: Option<WireState>,
    ms: Option<u64>,
    by: Option<u64>,
    bytes: Option<usize>,
    every_ms: Option<u64>,
    code: Option<u16>,
    side: Option<StallSide>,
    how: Option<Malformed>,
    status: Option<u16>,
    certificate: Option<Certificate>,
    ack_by: Option<i64>,
    limit_by: Option<i64>,
    now_by_ms: Option<i64>,
    up_by: Option<i64>,
    generation_by: Option<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Deed {
    Drop,
    Duplicate,
    Delay,
    Reorder,
    Cut,
    Close,
    Stall,
    Drip,
    Malformed,
    Lie,
    Refuse,
    Hang,
    Garbage,
    Http,
    Tls,
}

impl Deed {
    /// The fields that it takes beside those that choose what it acts on.
    const fn fields(self) -> &'static [&'static str] {
        match self {
            Self::Drop | Self::Duplicate | Self::Refuse | Self::Hang | Self::Garbage => &[],
            Self::Delay => &["ms"],
            Self::Reorder => &["by"],
            Self::Cut => &["bytes"],
            Self::Close => &["code"],
            Self::Stall => &["side", "ms"],
            Self::Drip => &["bytes", "every_ms"],
            Self::Malformed => &["how"],
            Self::Lie => &["ack_by", "limit_by", "now_by_ms", "up_by", "generation_by"],
            Self::Http => &["status"],
            Self::Tls => &["certificate"],
        }
    }

    const fn is_of_a_dial(self) -> bool {
        matches!(
            self,
            Self::Refuse | Self::Hang | Self::Garbage | Self::Http | Self::Tls
        )
    }
}

impl Fault {
    /// Checks a fault.
    ///
    /// # Errors
    /// When a field is missing, does not belong there, or breaks its rule.
    pub(crate) fn check(raw: RawFault) -> Result<Self, InvalidScenario> {
        raw.check_fields()?;
        let times = match raw.times {
            None => Some(1),
            Some(0) => None,
            Some(times) => Some(times),
        };
        let may_miss = raw.may_miss;
        let kind = if raw.deed.is_of_a_dial() {
            FaultKind::Dial(raw.connection, raw.of_dial()?)
        } else {
            FaultKind::Frame(raw.matches(), raw.of_frame()?)
        };
        Ok(Self {
            times,
            may_miss,
            kind,
        })
    }

    /// Reads a fault from JSON, as the control interface takes it.
    ///
    /// # Errors
    /// As the scenario file, without a line.
    pub fn from_json(bytes: &[u8]) -> Result<Self, InvalidScenario> {
        let raw = serde_json::from_slice(bytes)
            .map_err(|error| InvalidScenario::new(error.to_string()))?;
        Self::check(raw)
    }

    /// Returns the word for what it does.
    pub const fn name(&self) -> &'static str {
        match &self.kind {
            FaultKind::Frame(_, fault) => fault.name(),
            FaultKind::Dial(_, fault) => fault.name(),
        }
    }
}

impl FrameFault {
    const fn name(&self) -> &'static str {
        match self {
            Self::Drop => "drop",
            Self::Duplicate => "duplicate",
            Self::Delay { .. } => "delay",
            Self::Reorder { .. } => "reorder",
            Self::Cut { .. } => "cut",
            Self::Close { .. } => "close",
            Self::Stall { .. } => "stall",
            Self::Drip { .. } => "drip",
            Self::Malformed(_) => "malformed",
            Self::Lie(_) => "lie",
        }
    }
}

impl DialFault {
    const fn name(&self) -> &'static str {
        match self {
            Self::Refuse => "refuse",
            Self::Hang => "hang",
            Self::Garbage => "garbage",
            Self::Http(_) => "http",
            Self::Tls(_) => "tls",
        }
    }
}

/// Checks a close code.
pub(super) fn check_code(code: u16) -> Result<(), InvalidScenario> {
    let on_the_wire = CODES.contains(&code) && !matches!(code, 1_004..=1_006 | 1_015);
    if on_the_wire {
        Ok(())
    } else {
        Err(InvalidScenario::new(
            "code must be a close code that may travel, from 1000 to 4999",
        ))
    }
}

impl RawFault {
    fn check_fields(&self) -> Result<(), InvalidScenario> {
        let given = [
            ("ms", self.ms.is_some()),
            ("by", self.by.is_some()),
            ("bytes", self.bytes.is_some()),
            ("every_ms", self.every_ms.is_some()),
            ("code", self.code.is_some()),
            ("side", self.side.is_some()),
            ("how", self.how.is_some()),
            ("status", self.status.is_some()),
            ("certificate", self.certificate.is_some()),
            ("ack_by", self.ack_by.is_some()),
            ("limit_by", self.limit_by.is_some()),
            ("now_by_ms", self.now_by_ms.is_some()),
            ("up_by", self.up_by.is_some()),
            ("generation_by", self.generation_by.is_some()),
        ];
        let takes = self.deed.fields();
        if let Some((name, _)) = given.iter().find(|(name, is)| *is && !takes.contains(name)) {
            return Err(InvalidScenario::new(format!(
                "{name} does not belong to this fault"
            )));
        }
        let of_frames = [
            ("direction", self.direction.is_some()),
            ("frame", self.frame.is_some()),
            ("nth", self.nth.is_some()),
            ("label", self.label.is_some()),
            ("state", self.state.is_some()),
        ];
        let misplaced = of_frames
            .iter()
            .find(|(_, is)| *is && self.deed.is_of_a_dial());
        if let Some((name, _)) = misplaced {
            return Err(InvalidScenario::new(format!(
                "{name} belongs to faults of frames alone"
            )));
        }
        if self.ms.is_some_and(|ms| ms > MS_MAX) || self.every_ms.is_some_and(|ms| ms > MS_MAX) {
            return Err(InvalidScenario::new(format!("ms must be at most {MS_MAX}")));
        }
        Ok(())
    }

    fn matches(&self) -> Matches {
        Matches {
            direction: self.direction.unwrap_or_default(),
            frame: self.frame.clone().filter(|name| name != "*"),
            nth: self.nth,
            connection: self.connection,
            label: self.label.clone(),
            state: self.state,
        }
    }

    fn of_frame(&self) -> Result<FrameFault, InvalidScenario> {
        let is_up = self.direction == Some(Direction::Up);
        let only_down = matches!(self.deed, Deed::Drip | Deed::Malformed | Deed::Lie);
        if is_up && only_down {
            return Err(InvalidScenario::new(
                "direction must be down for drip, malformed and lie",
            ));
        }
        Ok(match self.deed {
            Deed::Duplicate => FrameFault::Duplicate,
            Deed::Delay => FrameFault::Delay {
                ms: needed("ms", self.ms)?,
            },
            Deed::Reorder => FrameFault::Reorder {
                by: self.by.unwrap_or(1).clamp(1, 1_000),
            },
            Deed::Cut => FrameFault::Cut { bytes: self.bytes },
            Deed::Close => {
                let code = needed("code", self.code)?;
                check_code(code)?;
                FrameFault::Close { code }
            }
            Deed::Stall => FrameFault::Stall {
                side: self.side.unwrap_or_default(),
                ms: self.ms,
            },
            Deed::Drip => FrameFault::Drip {
                bytes: self.bytes.unwrap_or(1).max(1),
                every_ms: self.every_ms.unwrap_or(1),
            },
            Deed::Malformed => FrameFault::Malformed(needed("how", self.how)?),
            Deed::Lie => FrameFault::Lie(Lie {
                ack_by: self.ack_by.unwrap_or(0),
                limit_by: self.limit_by.unwrap_or(0),
                now_by_ms: self.now_by_ms.unwrap_or(0),
                up_by: self.up_by.unwrap_or(0),
                generation_by: self.generation_by.unwrap_or(0),
            }),
            // The others are of dials, and were told apart before.
            _ => FrameFault::Drop,
        })
    }

    fn of_dial(&self) -> Result<DialFault, InvalidScenario> {
        Ok(match self.deed {
            Deed::Hang => DialFault::Hang,
            Deed::Garbage => DialFault::Garbage,
            Deed::Http => match needed("status", self.status)? {
                status @ (200..=599) => DialFault::Http(status),
                _ => return Err(InvalidScenario::new("status must be from 200 to 599")),
            },
            Deed::Tls => DialFault::Tls(needed("certificate", self.certificate)?),
            _ => DialFault::Refuse,
        })
    }
}

fn needed<T>(name: &str, value: Option<T>) -> Result<T, InvalidScenario> {
    value.ok_or_else(|| InvalidScenario::new(format!("{name} must be given for this fault")))
}
