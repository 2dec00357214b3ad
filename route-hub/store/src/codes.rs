//! Codes of states and flags by their names, for statements.
//!
//! They stand in the statement itself rather than among its values: SQLite uses a partial index
//! only where it finds the index's condition word for word.

/// The code of a state or a flag, as a piece of a statement.
macro_rules! code {
    (state Waiting) => {
        "10"
    };
    (state Exposed) => {
        "20"
    };
    (state Retrying) => {
        "35"
    };
    (state Unknown) => {
        "50"
    };
    (state Sent) => {
        "60"
    };
    (flag REVOKE_ASKED) => {
        "2"
    };
    (status Queued) => {
        "1"
    };
    (status FailedQueued) => {
        "4"
    };
    (direction Incoming) => {
        "0"
    };
    (direction Outgoing) => {
        "1"
    };
    (owner Contact) => {
        "1"
    };
    (stage Queuing) => {
        "1"
    };
    (stage Cancelling) => {
        "2"
    };
    (stage Queued) => {
        "3"
    };
}

#[cfg(test)]
mod tests {
    use hub_domain::{BroadcastStage, Direction, FieldOwner, status_code};
    use postrider_link::ownership::hub::{Flags, HubState};
    use postrider_model::MessageStatus;

    macro_rules! same {
        ($kind:ident $type:ident: $($name:ident)*, $code:expr) => {
            $(assert_eq!(code!($kind $name), $code($type::$name).to_string(), stringify!($name));)*
        };
    }

    #[test]
    fn every_code_is_that_of_its_type() {
        same!(state HubState: Waiting Exposed Retrying Unknown Sent, HubState::code);
        same!(flag Flags: REVOKE_ASKED, Flags::code);
        same!(status MessageStatus: Queued FailedQueued, status_code);
        same!(direction Direction: Incoming Outgoing, Direction::code);
        same!(owner FieldOwner: Contact, FieldOwner::code);
        same!(stage BroadcastStage: Queuing Cancelling Queued, BroadcastStage::code);
    }
}
