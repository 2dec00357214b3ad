//! Wrong orders, for the crash checker to catch; built only with the feature `fault-order`.

use hub_store::Tx;
use postrider_link::frame::HubFrame;
use std::str::FromStr;
use std::sync::OnceLock;

/// What is done before its rows are on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Requests are answered first.
    AnswerFirst,
    /// Frames with exposures are written first.
    FrameFirst,
}

static FAULT: OnceLock<Fault> = OnceLock::new();

impl FromStr for Fault {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        match text {
            "answer-first" => Ok(Self::AnswerFirst),
            "frame-first" => Ok(Self::FrameFirst),
            _ => Err("is neither answer-first nor frame-first"),
        }
    }
}

impl Fault {
    /// Makes the process work in this wrong order from now on.
    pub fn begin(self) {
        // A second fault of one process changes nothing.
        let _ = FAULT.set(self);
    }
}

/// A request's unit of work is about to be committed.
pub fn of_request(tx: &mut Tx<'_>) {
    if FAULT.get() == Some(&Fault::AnswerFirst) {
        tx.answer_early();
    }
}

/// A link's turn with these frames is about to be committed.
pub fn of_turn(tx: &mut Tx<'_>, frames: &[HubFrame]) {
    let exposes = frames
        .iter()
        .any(|frame| matches!(frame, HubFrame::Send(_)));
    if exposes && FAULT.get() == Some(&Fault::FrameFirst) {
        tx.answer_early();
    }
}
