//! What may happen in a search: its bounds, and which faults there are.

/// One search.
#[derive(Debug, Clone, Copy)]
pub struct Scope {
    /// What it is called when it is printed.
    pub name: &'static str,
    /// Messages, at most [`crate::world::MESSAGES`].
    pub messages: usize,
    /// Phones, at most [`crate::world::PHONES`].
    pub phones: usize,
    /// Exposures of each message, at most [`crate::world::EPS`].
    pub eps: u8,
    /// Parts of each message, at most [`crate::world::PARTS`].
    pub parts: usize,
    /// How many connections in a row the hub may not have admitted.
    pub ahead: u8,
    /// Whether frames within a connection may come in any order and again and again: then the
    /// rules of ownership stand without the sessions' numbers.
    pub disorderly: bool,
    /// Whether the senders chose that an unknown outcome is sent again.
    pub on_unknown_resend: bool,
    /// Whether acks come at once: then nobody is in doubt about what the other stored.
    pub acks_at_once: bool,
    /// What happens.
    pub faults: Faults,
}

/// What may happen beside the good way.
#[derive(Debug, Clone, Copy, Default)]
pub struct Faults {
    /// The hub dies at any moment.
    pub hub_dies: bool,
    /// Connections of so many phones, the first ones, are cut at any moment.
    pub cuts: usize,
    /// Frames of an older connection come late.
    pub late_frames: bool,
    /// A hello of an older connection comes late.
    pub late_hellos: bool,
    /// The app dies between its row and the radio call, and before a commit.
    pub app_dies: bool,
    /// The phone reboots: the radio forgets.
    pub reboots: bool,
    /// Results are lost.
    pub losses: bool,
    /// The radio refuses with proof, for good.
    pub refusals: bool,
    /// The radio refuses with proof, to be tried again.
    pub retries: bool,
    /// The radio fails with a code that proves nothing.
    pub ambiguous: bool,
    /// The network reports deliveries.
    pub reports: bool,
    /// Lives end.
    pub life_ends: bool,
    /// The dispatcher wants exposures back.
    pub revokes: bool,
    /// The sender cancels.
    pub cancels: bool,
    /// The sender sends again.
    pub resends: bool,
    /// The sender deletes.
    pub deletes: bool,
    /// The first phone is installed anew.
    pub reinstalls: bool,
    /// The first phone is removed.
    pub removes: bool,
    /// The first phone's journal goes back.
    pub rolls_back: bool,
    /// The hub is restored from a backup by `restore`.
    pub restores: bool,
    /// The hub goes back and does not know it.
    pub goes_back: bool,
}
