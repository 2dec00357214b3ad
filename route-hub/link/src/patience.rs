//! Tries again while the store cannot be reached or has no room, so that a phone's link does not end.

use hub_app::hub::Hub;
use hub_store::StoreError;
use std::future::Future;
use std::time::Duration;

/// The first pause.
const PAUSE_MS_MIN: u64 = 20;
/// The longest pause: phones wait for their acks.
const PAUSE_MS_MAX: u64 = 1_000;
/// How often the pause doubles before it is the longest.
const DOUBLINGS_MAX: u32 = 6;

/// Pauses that grow, with jitter: thousands of links meet a full store at once.
#[derive(Debug, Default)]
pub(super) struct Pauses {
    tries: u32,
}

impl Pauses {
    /// Returns the next pause, in milliseconds.
    pub(super) fn next_ms(&mut self, hub: &Hub) -> u64 {
        let longest = self.longest_ms();
        self.tries = self.tries.saturating_add(1);
        longest / 2 + hub.random.below(longest / 2 + 1)
    }

    fn longest_ms(&self) -> u64 {
        (PAUSE_MS_MIN << self.tries.min(DOUBLINGS_MAX)).min(PAUSE_MS_MAX)
    }
}

/// Says whether a link waits until its work can be stored. A store that is closed stays closed.
pub(super) fn is_waited_for(error: &StoreError) -> bool {
    error.is_passing() && !matches!(error, StoreError::Closed)
}

/// Repeats work as long as the store cannot take it and the hub is not about to stop.
pub(super) async fn until_taken<T, W, F>(hub: &Hub, mut work: W) -> Result<T, StoreError>
where
    W: FnMut() -> F,
    F: Future<Output = Result<T, StoreError>>,
{
    let mut pauses = Pauses::default();
    loop {
        match work().await {
            Err(error) if is_waited_for(&error) && !hub.links.is_draining() => {
                tokio::time::sleep(Duration::from_millis(pauses.next_ms(hub))).await;
            }
            done => return done,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_up_to_the_longest() {
        let longest = |tries| Pauses { tries }.longest_ms();
        assert_eq!([0, 1, 4, 6, 99].map(longest), [20, 40, 320, 1_000, 1_000]);
    }
}
