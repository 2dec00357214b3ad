//! What may happen in a search: its bounds, and which faults there are.

use crate::liar::Liar;

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
#[derive(Debug, Clone, Copy)]
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
    /// Another phone lies.
    pub liar: Liar,
}

const NO_FAULTS: Faults = Faults {
    hub_dies: false,
    cuts: 0,
    late_frames: false,
    late_hellos: false,
    app_dies: false,
    reboots: false,
    losses: false,
    refusals: false,
    retries: false,
    ambiguous: false,
    reports: false,
    life_ends: false,
    revokes: false,
    cancels: false,
    resends: false,
    deletes: false,
    reinstalls: false,
    removes: false,
    rolls_back: false,
    restores: false,
    goes_back: false,
    liar: Liar::Nobody,
};

/// The link of the first phone at its worst, and an app that dies.
const LINK: Faults = Faults {
    cuts: 1,
    hub_dies: true,
    late_frames: true,
    late_hellos: true,
    app_dies: true,
    ..NO_FAULTS
};

/// Nothing but the good way: one message, one phone, two exposures.
pub const GOOD: Scope = Scope {
    name: "the good way",
    messages: 1,
    phones: 1,
    eps: 2,
    parts: 1,
    ahead: 2,
    disorderly: false,
    on_unknown_resend: false,
    acks_at_once: false,
    faults: NO_FAULTS,
};

/// The same over two phones, whose acks are not late.
const TWO: Scope = Scope {
    phones: 2,
    acks_at_once: true,
    ..GOOD
};

/// One message, two phones: a broken link, a hub and an app that die, refusals.
pub const TWO_PHONES_BROKEN_LINK: Scope = Scope {
    name: "one message, two phones: a broken link, a hub and an app that die, refusals",
    faults: Faults {
        refusals: true,
        ..LINK
    },
    ..TWO
};

/// One message, two phones: results lost, ambiguous, to be tried again; reboots.
pub const TWO_PHONES_RADIO: Scope = Scope {
    name: "one message, two phones: results lost, ambiguous, to be tried again; reboots",
    faults: Faults {
        reboots: true,
        losses: true,
        ambiguous: true,
        retries: true,
        refusals: true,
        app_dies: true,
        cuts: 1,
        ..NO_FAULTS
    },
    ..TWO
};

/// One message, two phones: the hub wants it back.
pub const TWO_PHONES_REVOKE: Scope = Scope {
    name: "one message, two phones: the hub wants it back",
    faults: Faults {
        revokes: true,
        refusals: true,
        cuts: 1,
        ..NO_FAULTS
    },
    ..TWO
};

/// One message, two phones: the sender cancels; life ends.
pub const TWO_PHONES_CANCEL: Scope = Scope {
    name: "one message, two phones: the sender cancels; life ends",
    faults: Faults {
        cancels: true,
        life_ends: true,
        losses: true,
        refusals: true,
        cuts: 1,
        ..NO_FAULTS
    },
    ..TWO
};

/// One message, two phones: the sender cancels and sends again.
pub const TWO_PHONES_RESEND: Scope = Scope {
    name: "one message, two phones: the sender cancels and sends again",
    faults: Faults {
        cancels: true,
        resends: true,
        ambiguous: true,
        losses: true,
        ..NO_FAULTS
    },
    ..TWO
};

/// One message, one phone: life ends, the sender cancels and sends again.
pub const ONE_PHONE_SENDER: Scope = Scope {
    name: "one message, one phone: life ends, the sender cancels and sends again",
    acks_at_once: true,
    faults: Faults {
        cancels: true,
        resends: true,
        life_ends: true,
        losses: true,
        cuts: 1,
        ..NO_FAULTS
    },
    ..GOOD
};

/// One message, two phones: the sender deletes; life ends.
pub const TWO_PHONES_DELETE: Scope = Scope {
    name: "one message, two phones: the sender deletes; life ends",
    faults: Faults {
        deletes: true,
        life_ends: true,
        losses: true,
        ambiguous: true,
        cuts: 1,
        ..NO_FAULTS
    },
    ..TWO
};

/// One message, two phones: an unknown outcome is sent again.
pub const UNKNOWN_IS_RESENT: Scope = Scope {
    name: "one message, two phones: an unknown outcome is sent again",
    on_unknown_resend: true,
    eps: 3,
    faults: Faults {
        losses: true,
        life_ends: true,
        cuts: 1,
        ..NO_FAULTS
    },
    ..TWO
};

/// One message, two phones: one is installed anew.
pub const REINSTALLED: Scope = Scope {
    name: "one message, two phones: one is installed anew",
    faults: Faults {
        reinstalls: true,
        life_ends: true,
        hub_dies: true,
        cuts: 1,
        losses: true,
        ..NO_FAULTS
    },
    ..TWO
};

/// One message, two phones: a journal goes back.
pub const ROLLED_BACK: Scope = Scope {
    name: "one message, two phones: a journal goes back",
    acks_at_once: false,
    faults: Faults {
        rolls_back: true,
        life_ends: true,
        losses: true,
        hub_dies: true,
        cuts: 1,
        ..NO_FAULTS
    },
    ..TWO
};

/// One message, two phones: one is removed.
pub const REMOVED: Scope = Scope {
    name: "one message, two phones: one is removed",
    faults: Faults {
        removes: true,
        life_ends: true,
        losses: true,
        refusals: true,
        hub_dies: true,
        cuts: 1,
        ..NO_FAULTS
    },
    ..TWO
};

/// One message, two phones: the hub is restored.
pub const RESTORED: Scope = Scope {
    name: "one message, two phones: the hub is restored",
    faults: Faults {
        restores: true,
        life_ends: true,
        losses: true,
        cuts: 1,
        ..NO_FAULTS
    },
    ..TWO
};

/// One message, one phone: the hub goes back and does not know it.
pub const GONE_BACK: Scope = Scope {
    name: "one message, one phone: the hub goes back and does not know it",
    faults: Faults {
        goes_back: true,
        losses: true,
        refusals: true,
        ..LINK
    },
    ..GOOD
};

/// One message, one phone, and a liar that it was never routed to.
pub const LIED_ABOUT: Scope = Scope {
    name: "one message, one phone, and a liar that it was never routed to",
    faults: Faults {
        liar: Liar::OfNothing,
        losses: true,
        refusals: true,
        life_ends: true,
        cuts: 1,
        ..NO_FAULTS
    },
    ..GOOD
};

/// One message, one phone that holds it, and a liar of its route.
pub const LIED_ABOUT_BY_ITS_ROUTE: Scope = Scope {
    name: "one message, one phone that holds it, and a liar of its route",
    faults: Faults {
        liar: Liar::OfTheirRoute,
        revokes: true,
        losses: true,
        refusals: true,
        cuts: 1,
        ..NO_FAULTS
    },
    ..GOOD
};

/// One message, two phones: frames in any order and again and again.
pub const ANY_ORDER: Scope = Scope {
    name: "one message, two phones: frames in any order and again and again",
    disorderly: true,
    faults: Faults {
        cuts: 1,
        revokes: true,
        late_frames: true,
        refusals: true,
        ..NO_FAULTS
    },
    ..TWO
};

/// One message, one phone: sent again after its life, frames in any order.
pub const ANY_ORDER_RESENT: Scope = Scope {
    name: "one message, one phone: sent again after its life, frames in any order",
    disorderly: true,
    faults: Faults {
        resends: true,
        life_ends: true,
        losses: true,
        ..NO_FAULTS
    },
    ..GOOD
};

/// Two messages, one phone: a broken link, a hub and an app that die, losses.
pub const TWO_MESSAGES: Scope = Scope {
    name: "two messages, one phone: a broken link, a hub and an app that die, losses",
    messages: 2,
    eps: 1,
    acks_at_once: true,
    faults: Faults {
        losses: true,
        ..LINK
    },
    ..GOOD
};

/// Two messages, one phone: the sender cancels.
pub const TWO_MESSAGES_CANCEL: Scope = Scope {
    name: "two messages, one phone: the sender cancels",
    messages: 2,
    eps: 1,
    acks_at_once: true,
    faults: Faults {
        cancels: true,
        refusals: true,
        ..NO_FAULTS
    },
    ..GOOD
};

/// One message of two parts, one phone: every result of the radio.
pub const TWO_PARTS_RADIO: Scope = Scope {
    name: "one message of two parts, one phone: every result of the radio",
    parts: 2,
    faults: Faults {
        reboots: true,
        losses: true,
        ambiguous: true,
        retries: true,
        refusals: true,
        reports: true,
        app_dies: true,
        life_ends: true,
        ..NO_FAULTS
    },
    ..GOOD
};

/// One message of two parts, one phone: a broken link, a hub and an app that die.
pub const TWO_PARTS_LINK: Scope = Scope {
    name: "one message of two parts, one phone: a broken link, a hub and an app that die",
    parts: 2,
    acks_at_once: true,
    faults: Faults {
        ambiguous: true,
        refusals: true,
        ..LINK
    },
    ..GOOD
};

/// Everything that is searched whole; each is bounded by what it names and by nothing else.
pub const SEARCHED: [Scope; 21] = [
    TWO_PHONES_BROKEN_LINK,
    TWO_PHONES_RADIO,
    TWO_PHONES_REVOKE,
    TWO_PHONES_CANCEL,
    TWO_PHONES_RESEND,
    ONE_PHONE_SENDER,
    TWO_PHONES_DELETE,
    UNKNOWN_IS_RESENT,
    REINSTALLED,
    ROLLED_BACK,
    REMOVED,
    RESTORED,
    GONE_BACK,
    LIED_ABOUT,
    LIED_ABOUT_BY_ITS_ROUTE,
    ANY_ORDER,
    ANY_ORDER_RESENT,
    TWO_MESSAGES,
    TWO_MESSAGES_CANCEL,
    TWO_PARTS_RADIO,
    TWO_PARTS_LINK,
];

/// Everything at once, too wide to be searched: two messages of two parts over two phones.
pub const WIDE: Scope = Scope {
    name: "two messages of two parts, two phones, every fault",
    messages: 2,
    eps: 3,
    parts: 2,
    acks_at_once: false,
    faults: Faults {
        hub_dies: true,
        cuts: 2,
        late_frames: true,
        late_hellos: true,
        app_dies: true,
        reboots: true,
        losses: true,
        refusals: true,
        retries: true,
        ambiguous: true,
        reports: true,
        life_ends: true,
        revokes: true,
        cancels: true,
        resends: true,
        deletes: true,
        reinstalls: true,
        removes: true,
        rolls_back: true,
        ..NO_FAULTS
    },
    ..TWO
};
