//! What an organization's use is counted by.

use crate::code::coded;

coded! {
    /// A thing that is counted for an organization.
    UsageType {
        /// Contacts of all projects.
        Contacts = "contacts" / 1,
        /// Phones of all projects.
        Phones = "phones" / 2,
        /// Services that are active.
        ActiveServices = "active_services" / 3,
        /// People who may sign in.
        Users = "users" / 4,
        /// Messages that are kept.
        StoredMessages = "stored_messages" / 5,
        /// Runs of services today.
        ServiceInvocationsDay = "service_invocations_day" / 6,
        /// Requests and webhook calls today.
        ApiRequestsDay = "api_requests_day" / 7,
        /// Projects.
        Projects = "projects" / 8,
        /// Rows of data tables.
        DataRows = "data_rows" / 9,
        /// Megabytes of script modules.
        ScriptModuleMb = "script_module_mb" / 10,
        /// Megabytes of files.
        StoredFileMb = "stored_file_mb" / 11,
        /// Custom actions.
        CustomActions = "custom_actions" / 12,
        /// Groups of all projects.
        Groups = "groups" / 13,
        /// Custom fields of contacts.
        CustomContactFields = "custom_contact_fields" / 14,
        /// Messages today that left by a real route.
        ExternalMessagesDay = "external_messages_day" / 15,
        /// Messages that left by a real route since the plan's period began.
        ExternalMessagesPeriod = "external_messages_period" / 17,
        /// Credits of language models today.
        AiChatCreditsDay = "ai_chat_credits_day" / 16,
    }
}

impl UsageType {
    /// Returns the type of a name, `messages_day` being an older one.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "messages_day" => Some(Self::ExternalMessagesDay),
            name => name.parse().ok(),
        }
    }

    /// Returns what a plan limits instead of it: messages by the day, or by the plan's period.
    pub const fn instead(self) -> Option<Self> {
        match self {
            Self::ExternalMessagesDay => Some(Self::ExternalMessagesPeriod),
            Self::ExternalMessagesPeriod => Some(Self::ExternalMessagesDay),
            _ => None,
        }
    }

    /// Says whether its count starts again by itself: what is beyond it can wait for that.
    pub const fn starts_again(self) -> bool {
        self.is_daily() || matches!(self, Self::ExternalMessagesPeriod)
    }

    /// Says whether its count starts again each day.
    pub const fn is_daily(self) -> bool {
        matches!(
            self,
            Self::ServiceInvocationsDay
                | Self::ApiRequestsDay
                | Self::ExternalMessagesDay
                | Self::AiChatCreditsDay
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_has_one_name_and_messages_an_older_one() {
        for kind in UsageType::ALL {
            assert_eq!(UsageType::named(kind.as_str()), Some(*kind));
            assert_eq!(kind.is_daily(), kind.as_str().ends_with("_day"));
        }
        let older = UsageType::named("messages_day");
        assert_eq!(older, Some(UsageType::ExternalMessagesDay));
        assert_eq!(UsageType::named("Contacts"), None);
    }
}
