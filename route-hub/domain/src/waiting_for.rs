//! Why something still waits: a queued message, or what is to make messages.

use crate::code::coded;
use postrider_link::frame;

coded! {
    /// Why a queued message still waits, or what is to make messages.
    WaitingFor {
        /// The phone is not connected.
        PhoneOffline = "phone_offline" / 1,
        /// Sending is paused on the phone.
        Paused = "paused" / 2,
        /// Another SIM was put into the slot and nobody has confirmed it.
        SimChanged = "sim_changed" / 3,
        /// The phone's `send_limit` is used up for now.
        SendLimit = "send_limit" / 4,
        /// The phone's `sent_message_limit` is reached.
        SentMessageLimit = "sent_message_limit" / 5,
        /// The phone keeps quiet hours.
        QuietHours = "quiet_hours" / 6,
        /// Other messages go first.
        Queue = "queue" / 7,
        /// The radio gives no answer.
        Radio = "radio" / 8,
        /// The phone has no service.
        NoService = "no_service" / 9,
        /// The hub was restored and waits for the phone's word.
        Frozen = "frozen" / 10,
        /// The project is stopped.
        ProjectStopped = "project_stopped" / 11,
        /// The phone waits before its own next try.
        Retry = "retry" / 12,
        /// The phone's owner has not let its app do it.
        NoPermission = "no_permission" / 13,
        /// The plan of the project's organization is suspended.
        PlanSuspended = "plan_suspended" / 14,
        /// The plan's limit of messages is used up, of the day or of the period.
        PlanLimit = "plan_limit" / 15,
    }
}

impl WaitingFor {
    /// The names of what messages and phones wait for: all but the last, which no message waits for.
    pub const OF_MESSAGES: &'static [&'static str] = match Self::NAMES.split_last() {
        Some((_, names)) => names,
        None => &[],
    };

    /// The names of what broadcasts, campaigns, scheduled messages and tasks wait for.
    pub const OF_HOLDS: &'static [&'static str] = &[
        Self::Queue.as_str(),
        Self::Frozen.as_str(),
        Self::ProjectStopped.as_str(),
        Self::PlanSuspended.as_str(),
        Self::PlanLimit.as_str(),
    ];

    /// Returns how the API shows what a phone says; `None` where that is nothing about its messages.
    pub const fn of_phone(told: frame::WaitingFor) -> Option<Self> {
        use frame::WaitingFor as Told;
        Some(match told {
            Told::NoSim | Told::SimHeld => Self::NoService,
            Told::SilentRadio => Self::Radio,
            Told::Paused => Self::Paused,
            Told::QuietHours => Self::QuietHours,
            Told::SendLimit | Told::PlatformGuard => Self::SendLimit,
            Told::Retry => Self::Retry,
            Told::NotPermitted => Self::NoPermission,
            Told::SimChanged => Self::SimChanged,
            Told::SentResults | Told::SendDelay | Told::UssdAnswer | Told::LineBusy => Self::Queue,
            Told::NotKnown => return None,
        })
    }
}
