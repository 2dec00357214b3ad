//! Wrong orders for the crash checker to catch; only in builds with debug assertions.

use super::Ring;
use crate::disk::RingError;
use postrider_link::mistake;
use postrider_machine::Effect;
use std::time::Duration;

/// How long the rows stay off the disk after their effect.
const WINDOW: Duration = Duration::from_millis(150);

/// Says whether this phone works in a wrong order.
pub(super) fn is_planted() -> bool {
    mistake::is("ack_first") || mistake::is("radio_first")
}

impl Ring {
    /// Ends a turn in the wrong order.
    pub(super) async fn world_then_rows(&mut self) -> Result<(), RingError> {
        loop {
            let changes = self.take_changes();
            self.tell_committed();
            let effects = self.take_effects();
            if changes.is_empty() && effects.is_empty() {
                return Ok(());
            }
            let (early, late): (Vec<_>, Vec<_>) = effects.into_iter().partition(comes_too_early);
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

/// Says whether an effect is done before its rows are on disk.
fn comes_too_early(effect: &Effect) -> bool {
    match effect {
        Effect::WriteFrame(_) => mistake::is("ack_first"),
        Effect::SendParts(_) => mistake::is("radio_first"),
        _ => false,
    }
}
