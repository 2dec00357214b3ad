//! Delayed answers of the simulated network, in the order of time.

use crate::clock::VirtualClock;
use postrider_agent::Clock;
use postrider_model::BootMs;
use std::{collections::BTreeMap, sync::Arc, time::Duration};
use tokio::{
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    time::sleep,
};

/// Passes values on once their time has come; values that wait are dropped when the phone stops.
///
/// Their number is bounded by what the phone has in the air and in reports: the hub's windows.
pub(crate) struct Delayed<T> {
    inbox: UnboundedSender<Due<T>>,
    clock: Arc<VirtualClock>,
}

struct Due<T> {
    at: BootMs,
    value: T,
}

impl<T: Send + 'static> Delayed<T> {
    /// Starts a task that passes values on; it ends with this value.
    pub(crate) fn start(clock: Arc<VirtualClock>, hand_on: impl FnMut(T) + Send + 'static) -> Self {
        let (inbox, due) = unbounded_channel();
        tokio::spawn(hand_on_in_time(due, clock.clone(), hand_on));
        Self { inbox, clock }
    }

    /// Passes `value` on after `delay_ms`.
    pub(crate) fn after(&self, delay_ms: u64, value: T) {
        let at = self.clock.now().boot.plus_ms(delay_ms);
        // If the task is gone, the runtime is shutting down.
        let _ending = self.inbox.send(Due { at, value });
    }
}

async fn hand_on_in_time<T>(
    mut inbox: UnboundedReceiver<Due<T>>,
    clock: Arc<VirtualClock>,
    mut hand_on: impl FnMut(T),
) {
    let mut waiting = Waiting::default();
    loop {
        let moved = clock.moved();
        let now = clock.now().boot;
        while let Some(value) = waiting.take_due(now) {
            hand_on(value);
        }
        let received = match waiting.next_at() {
            None => inbox.recv().await,
            Some(at) => tokio::select! {
                received = inbox.recv() => received,
                () = sleep(Duration::from_millis(at.since_ms(now))) => continue,
                () = moved => continue,
            },
        };
        match received {
            Some(due) => waiting.put(due),
            None => return,
        }
        while let Ok(due) = inbox.try_recv() {
            waiting.put(due);
        }
    }
}

/// A waiting value; earliest first, and in the order of arrival at the same moment.
struct Waiting<T> {
    by_time: BTreeMap<(BootMs, u64), T>,
    count: u64,
}

impl<T> Default for Waiting<T> {
    fn default() -> Self {
        Self {
            by_time: BTreeMap::new(),
            count: 0,
        }
    }
}

impl<T> Waiting<T> {
    fn put(&mut self, due: Due<T>) {
        self.by_time.insert((due.at, self.count), due.value);
        self.count += 1;
    }

    fn next_at(&self) -> Option<BootMs> {
        self.by_time.first_key_value().map(|((at, _), _)| *at)
    }

    fn take_due(&mut self, now: BootMs) -> Option<T> {
        match self.next_at() {
            Some(at) if at <= now => self.by_time.pop_first().map(|(_, value)| value),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_comes_in_the_order_of_time_and_then_of_arrival() {
        let mut waiting = Waiting::default();
        for (at, value) in [(20, 'c'), (10, 'a'), (10, 'b'), (30, 'd')] {
            waiting.put(Due {
                at: BootMs(at),
                value,
            });
        }
        assert_eq!(waiting.take_due(BootMs(9)), None);
        assert_eq!(waiting.next_at(), Some(BootMs(10)));
        let due: String = std::iter::from_fn(|| waiting.take_due(BootMs(20))).collect();
        assert_eq!(due, "abc");
        assert_eq!(waiting.next_at(), Some(BootMs(30)));
    }
}
