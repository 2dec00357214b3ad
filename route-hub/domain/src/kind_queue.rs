//! What waits on a device for a SIM in a queue of its own.

use crate::{MessageType, WaitingFor};
use postrider_model::UnixMs;
use serde_json::{Value, json};

/// The queue of one kind of message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KindQueue {
    /// The kind.
    pub kind: MessageType,
    /// How many wait.
    pub queue: u32,
    /// What the next one waits for.
    pub waiting_for: Option<WaitingFor>,
    /// When the next one may go, where that is known.
    pub next_slot_time: Option<UnixMs>,
}

impl KindQueue {
    /// Returns the queues as they are stored: JSON with codes and milliseconds; `None` without any.
    pub fn all_to_json(all: &[Self]) -> Option<String> {
        let one = |one: &Self| {
            let waiting_for = one.waiting_for.map(WaitingFor::code);
            let next_slot_ms = one.next_slot_time.map(|time| time.0);
            json!([one.kind.code(), one.queue, waiting_for, next_slot_ms])
        };
        let rows: Vec<_> = all.iter().map(one).collect();
        (!rows.is_empty()).then(|| Value::from(rows).to_string())
    }

    /// Reads what [`Self::all_to_json`] wrote; `None` for anything else.
    pub fn all_from_json(text: &str) -> Option<Vec<Self>> {
        let rows: Vec<(i64, u32, Option<i64>, Option<i64>)> = serde_json::from_str(text).ok()?;
        rows.into_iter().map(Self::of_codes).collect()
    }

    fn of_codes(
        (kind, queue, waiting_for, next_slot_ms): (i64, u32, Option<i64>, Option<i64>),
    ) -> Option<Self> {
        let waiting_for = match waiting_for {
            Some(code) => Some(WaitingFor::from_code(code)?),
            None => None,
        };
        Some(Self {
            kind: MessageType::from_code(kind)?,
            queue,
            waiting_for,
            next_slot_time: next_slot_ms.map(UnixMs),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_reads_as_it_was() {
        let all = [
            KindQueue {
                kind: MessageType::Ussd,
                queue: 3,
                waiting_for: Some(WaitingFor::Queue),
                next_slot_time: None,
            },
            KindQueue {
                kind: MessageType::Call,
                queue: 1,
                waiting_for: None,
                next_slot_time: Some(UnixMs(1_700_000_000_000)),
            },
        ];
        let text = KindQueue::all_to_json(&all).unwrap();
        assert_eq!(KindQueue::all_from_json(&text).unwrap(), all);
        assert_eq!(KindQueue::all_to_json(&[]), None);
        assert_eq!(KindQueue::all_from_json("[[99, 1, null, null]]"), None);
    }
}
