//! What the next message on a phone waits for.

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident = $word:literal,)*) => {
        /// What the next message on a phone waits for, as the phone says it in `waiting_for`.
        ///
        /// This version ignores words of later ones.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum WaitingFor { $($(#[$doc])* $name,)* }

        impl WaitingFor {
            /// Every one of them.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// Returns the word that travels.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }

            /// Reads the word that travels; `None` for one of a later version.
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$name),)* _ => None }
            }
        }
    };
}

words! {
    /// There is no SIM in the slot.
    NoSim = "no_sim",
    /// The network refused the SIM for now.
    SimHeld = "sim_held",
    /// Results of parts that the radio has.
    SentResults = "sent_results",
    /// The radio gives no answer.
    SilentRadio = "silent_radio",
    /// The hub does not know the phone.
    NotKnown = "not_known",
    /// The owner does not allow it.
    NotPermitted = "not_permitted",
    /// Another SIM is in the slot, and nobody has confirmed it.
    SimChanged = "sim_changed",
    /// The owner or the hub paused it.
    Paused = "paused",
    /// Quiet hours.
    QuietHours = "quiet_hours",
    /// The phone's `send_limit` is used up for now.
    SendLimit = "send_limit",
    /// So is what the platform lets an app send.
    PlatformGuard = "platform_guard",
    /// The pause after the last message.
    SendDelay = "send_delay",
    /// The time of its own next try.
    Retry = "retry",
    /// The answer to a USSD code.
    UssdAnswer = "ussd_answer",
    /// Another call.
    LineBusy = "line_busy",
}
