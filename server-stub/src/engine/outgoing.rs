//! What waits to be written to one connection, and when it goes.

use super::Wire;
use crate::watch::Delivered;
use postrider_model::{BootMs, Now};
use std::collections::VecDeque;

/// Most pieces that wait for one connection; above it the connection is broken off.
pub(super) const PIECES_MAX: usize = 200_000;

/// One piece of what is written.
#[derive(Debug)]
pub(super) struct Piece {
    due: BootMs,
    pub(super) wire: Wire,
    /// The frame that is written whole with this piece.
    pub(super) delivers: Option<Delivered>,
}

/// The queue of one connection.
#[derive(Debug, Default)]
pub(super) struct Outgoing {
    queue: VecDeque<Piece>,
    /// Frames that let others pass: how many still, and the frame.
    aside: Vec<(u64, Vec<u8>, Delivered)>,
    not_before: BootMs,
    stalled_until: BootMs,
}

impl Outgoing {
    /// Queues a whole frame, behind everything before it; frames set aside may follow it.
    pub(super) fn frame(&mut self, bytes: Vec<u8>, delivers: Delivered, now: Now) {
        let is_numbered = delivers.is_numbered();
        self.piece(Wire::Bytes(bytes), Some(delivers), now);
        if !is_numbered {
            return;
        }
        for (left, _, _) in &mut self.aside {
            *left = left.saturating_sub(1);
        }
        while let Some(at) = self.aside.iter().position(|(left, _, _)| *left == 0) {
            let (_, bytes, delivers) = self.aside.remove(at);
            self.piece(Wire::Bytes(bytes), Some(delivers), now);
        }
    }

    /// Queues something that is no whole frame.
    pub(super) fn piece(&mut self, wire: Wire, delivers: Option<Delivered>, now: Now) {
        let due = self.not_before.max(now.boot);
        self.queue.push_back(Piece {
            due,
            wire,
            delivers,
        });
    }

    /// Queues a frame in pieces of `size` bytes, `every_ms` apart.
    pub(super) fn drip(
        &mut self,
        bytes: &[u8],
        size: usize,
        every_ms: u64,
        delivers: Delivered,
        now: Now,
    ) {
        let mut pieces = bytes.chunks(size.max(1)).peekable();
        let mut whole = Some(delivers);
        while let Some(piece) = pieces.next() {
            let delivers = if pieces.peek().is_none() {
                whole.take()
            } else {
                None
            };
            self.piece(Wire::Bytes(piece.to_vec()), delivers, now);
            self.wait(every_ms, now);
        }
    }

    /// Lets what is queued from here on wait.
    pub(super) fn wait(&mut self, ms: u64, now: Now) {
        self.not_before = self.not_before.max(now.boot).plus_ms(ms);
    }

    /// Sets a frame aside until `by` numbered ones have passed.
    pub(super) fn set_aside(&mut self, by: u64, bytes: Vec<u8>, delivers: Delivered) {
        self.aside.push((by, bytes, delivers));
    }

    /// Writes nothing for so long; for good when `None`.
    pub(super) fn stall(&mut self, ms: Option<u64>, now: Now) {
        self.stalled_until = ms.map_or(BootMs(u64::MAX), |ms| now.boot.plus_ms(ms));
    }

    /// Returns the next piece whose time has come.
    pub(super) fn pop(&mut self, now: Now) -> Option<Piece> {
        if now.boot < self.stalled_until {
            return None;
        }
        match self.queue.front() {
            Some(piece) if piece.due <= now.boot => self.queue.pop_front(),
            _ => None,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.queue.len()
    }

    pub(super) fn poll_timeout(&self) -> Option<BootMs> {
        let due = self.queue.front()?.due.max(self.stalled_until);
        (due != BootMs(u64::MAX)).then_some(due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const T: Now = Now::new(1_000, 0);

    fn written(out: &mut Outgoing, now: Now) -> Vec<u8> {
        let mut all = Vec::new();
        while let Some(piece) = out.pop(now) {
            if let Wire::Bytes(bytes) = piece.wire {
                all.extend(bytes);
            }
        }
        all
    }

    fn frame(out: &mut Outgoing, name: u8, now: Now) {
        out.frame(vec![name], Delivered::Malformed, now);
    }

    #[test]
    fn a_delay_holds_what_comes_behind_it_too() {
        let mut out = Outgoing::default();
        frame(&mut out, b'a', T);
        out.wait(50, T);
        frame(&mut out, b'b', T);
        frame(&mut out, b'c', T.plus_ms(1));
        assert_eq!(written(&mut out, T), b"a");
        assert_eq!(out.poll_timeout(), Some(BootMs(1_050)));
        assert_eq!(written(&mut out, T.plus_ms(50)), b"bc");
    }

    #[test]
    fn a_frame_set_aside_comes_after_as_many_others() {
        let mut out = Outgoing::default();
        out.set_aside(2, vec![b'x'], Delivered::Malformed);
        let unnumbered = Delivered::Unknown {
            s: None,
            crit: false,
        };
        for name in *b"abc" {
            out.frame(vec![b'-'], unnumbered.clone(), T);
            frame(&mut out, name, T);
        }
        assert_eq!(written(&mut out, T), b"-a-bx-c");
    }

    #[test]
    fn a_dripped_frame_is_delivered_with_its_last_piece() {
        let mut out = Outgoing::default();
        out.drip(b"hello", 2, 10, Delivered::Malformed, T);
        frame(&mut out, b'!', T);
        let first = out.pop(T).unwrap();
        assert_eq!(first.delivers, None);
        assert!(out.pop(T).is_none());
        assert_eq!(written(&mut out, T.plus_ms(20)), b"llo");
        assert_eq!(written(&mut out, T.plus_ms(30)), b"!");
    }

    #[test]
    fn a_stalled_side_goes_on_when_its_time_is_over() {
        let mut out = Outgoing::default();
        out.stall(Some(100), T);
        frame(&mut out, b'a', T);
        assert!(out.pop(T.plus_ms(99)).is_none());
        assert_eq!(out.poll_timeout(), Some(BootMs(1_100)));
        assert_eq!(written(&mut out, T.plus_ms(100)), b"a");
        out.stall(None, T);
        frame(&mut out, b'b', T);
        assert_eq!(out.poll_timeout(), None);
    }
}
