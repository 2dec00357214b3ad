//! Frames on their way, and the ends of connections.

use super::{Event, World};
use crate::{
    net::{Socket, Wire},
    phone::Input,
};
use postrider_link::codec::{decode_hub, decode_phone, encode};

/// One frame in so many travels as bytes, as all do in production; the others only as what the
/// bytes would be read back as.
const ENCODED_ONE_IN: u64 = 16;

impl World {
    /// Puts something on its way.
    pub(crate) fn carry(&mut self, socket: u64, at_phone: bool, wire: Wire) {
        let at = self.at;
        let Some(of) = self.sockets.get(&socket).copied() else {
            return;
        };
        let lane = if at_phone { of.to_phone } else { of.to_hub };
        let mut random = self.draw(&[2, socket, u64::from(at_phone), lane.count]);
        let phone = &self.phones[of.phone];
        let lag = if phone.lag_until > at {
            phone.lag_ms
        } else {
            0
        };
        let delay_ms = random.between(5, 120) + lag;
        if random.below(ENCODED_ONE_IN) == 0 {
            self.check_codec(&wire);
        }
        let Some(of) = self.sockets.get_mut(&socket) else {
            return;
        };
        let lane = if at_phone {
            &mut of.to_phone
        } else {
            &mut of.to_hub
        };
        let Some(arrives) = lane.put(at, delay_ms) else {
            return;
        };
        let event = Event::Arrives {
            socket,
            at_phone,
            wire,
        };
        self.push(arrives, event);
    }

    fn check_codec(&mut self, wire: &Wire) {
        let same = match wire {
            Wire::ToPhone(frame) => encode(&**frame)
                .is_ok_and(|text| decode_hub(text.as_bytes()).as_ref() == Ok(&**frame)),
            Wire::ToHub(frame) => encode(&**frame)
                .is_ok_and(|text| decode_phone(text.as_bytes()).as_ref() == Ok(&**frame)),
            Wire::Noise | Wire::Critical | Wire::Close(_) => true,
        };
        if !same {
            self.fail(
                "a frame reads back as it was written",
                None,
                format!("{wire:?}"),
            );
        }
    }

    /// Opens a connection of a phone.
    pub(crate) fn open_socket(&mut self, phone: usize) -> u64 {
        let socket = self.next_socket;
        self.next_socket += 1;
        let life = self.phones[phone].life;
        self.sockets.insert(socket, Socket::new(phone, life));
        socket
    }

    /// Cuts a connection: what is on its way may still arrive. With `half`, an end is not told,
    /// and has to find out.
    pub(crate) fn cut(&mut self, socket: u64, half: bool) {
        let mut random = self.draw(&[3, socket, self.at]);
        let (one, other) = (random.below(200), random.below(200));
        let at = self.at;
        let Some(of) = self.sockets.get_mut(&socket) else {
            return;
        };
        of.to_phone.lost_after.get_or_insert(at + one);
        of.to_hub.lost_after.get_or_insert(at + other);
        let (phone_hears, hub_hears) = match (half, random.below(3)) {
            (false, _) => (true, true),
            (true, 0) => (true, false),
            (true, 1) => (false, true),
            (true, _) => (false, false),
        };
        for (at_phone, hears, after) in [(true, phone_hears, one), (false, hub_hears, other)] {
            if hears {
                let event = Event::Arrives {
                    socket,
                    at_phone,
                    wire: Wire::Close(None),
                };
                self.push_in(after + 1, event);
            }
        }
    }

    /// Tells a phone at once that its dialling came to nothing or to a connection.
    pub(crate) fn dialled(&mut self, phone: usize, life: u64, dialling: u64) {
        let of = &self.phones[phone];
        if of.life != life || of.dialling != Some(dialling) {
            return;
        }
        self.phones[phone].dialling = None;
        if !self.phones[phone].has_data(self.at) || !self.hub.is_up() {
            self.coverage.mark("fault", "dialled in vain", "");
            return self.phone_input(phone, Input::NoConnection);
        }
        let socket = self.open_socket(phone);
        self.hub_accepts(socket);
        self.phone_input(phone, Input::Connected(socket));
    }
}
