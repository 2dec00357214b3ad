//! Wrong orders for the crash checker to catch; built only with the feature `fault-order`.

use crate::{disk::RingError, ring::Ring};
use postrider_machine::Effect;
use std::{str::FromStr, time::Duration};

/// How long the rows stay off the disk after their effect.
const WINDOW: Duration = Duration::from_millis(150);

/// What is done too early, before its rows are on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Frames, acks among them, are written first.
    AckFirst,
    /// Messages are handed to the radio first.
    RadioFirst,
}

impl FromStr for Fault {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        match text {
            "ack-first" => Ok(Self::AckFirst),
            "radio-first" => Ok(Self::RadioFirst),
            _ => Err("is neither ack-first nor radio-first"),
        }
    }
}

impl Fault {
    fn comes_too_early(self, effect: &Effect) -> bool {
        match self {
            Self::AckFirst => matches!(effect, Effect::WriteFrame(_)),
            Self::RadioFirst => matches!(effect, Effect::SendParts(_)),
        }
    }
}

impl Ring {
    /// Ends a turn in the wrong order.
    pub(crate) async fn world_then_rows(&mut self, fault: Fault) -> Result<(), RingError> {
        loop {
            let changes = self.take_changes();
            self.tell_committed();
            let effects = self.take_effects();
            if changes.is_empty() && effects.is_empty() {
                return Ok(());
            }
            let is_early = |effect: &Effect| fault.comes_too_early(effect);
            let (early, late): (Vec<_>, Vec<_>) = effects.into_iter().partition(is_early);
            let has_early = !early.is_empty();
            for effect in early {
                self.perform(effect).await?;
            }
            if has_early && !changes.is_empty() {
                if let Some(socket) = &mut self.socket {
                    // A broken socket shows when the next frame is waited for.
                    drop(socket.flush().await);
                }
                tokio::time::sleep(WINDOW).await;
            }
            self.commit(changes).await?;
            for effect in late {
                self.perform(effect).await?;
            }
        }
    }
}
