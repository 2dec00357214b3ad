//! The rules of the link that are judged, by name.

macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident = $word:literal, $says:literal;)*) => {
        /// A rule of the link.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Rule { $($(#[$doc])* $name,)* }

        impl Rule {
            /// Every rule, in the order of the verdict.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// Returns its name, as scenarios and verdicts have it.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }

            /// Returns what it demands, in a sentence.
            pub const fn says(self) -> &'static str {
                match self { $(Self::$name => $says,)* }
            }
        }
    };
}

rules! {
    /// Frames can be read.
    Form = "form", "each frame is well-formed";
    /// Hello is sound.
    Hello = "hello", "hello is signed, and its connection number rises";
    /// What is acked is held.
    Holds = "holds", "an ack covers only what was sent, and nothing acked is forgotten";
    /// Facts are numbered without a gap.
    Sequence = "sequence", "facts follow welcome without a gap, a repeat or a jump";
    /// Facts keep their number.
    Replay = "replay", "a fact that is sent again says the same";
    /// No fact is lost.
    Kept = "kept", "a fact is kept until it is acked";
    /// Credit is kept.
    Credit = "credit", "no fact goes beyond the hub's credit";
    /// Exposures have one end.
    Exposure = "exposure", "each exposure has one result, which only rises";
    /// Requests are answered.
    Asked = "asked", "each revoke and cancel is answered";
    /// The radio agrees.
    Radio = "radio", "each exposure is handed to the radio at most once, and as reported";
    /// The phone shows that it lives.
    Heartbeat = "heartbeat", "pings come when they were announced";
    /// What must be refused is refused.
    Refuse = "refuse", "a connection that broke the protocol is ended, with the right code";
    /// The phone comes back.
    Reconnect = "reconnect", "the phone comes back in time, and never after it was told to stop";
    /// A bad certificate is not accepted.
    Trust = "trust", "a dial that shows a certificate not to be trusted is given up";
    /// The run came to its end.
    Settled = "settled", "every step was done and every message has its result in time";
    /// The faults acted.
    Faults = "faults", "each fault of the scenario acted";
}

impl Rule {
    /// Returns the rule of this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|rule| rule.name() == name)
    }
}
