//! The rules of a custom route.

use crate::code::coded;
use postrider_model::PhoneId;
use std::collections::BTreeSet;

coded! {
    /// Which of the phones that can send gets a message.
    Pick {
        /// The one that stands first.
        First = "first" / 1,
        /// One drawn by weight.
        Weight = "weight" / 2,
        /// The one for which the fewest messages wait.
        ShortestQueue = "shortest_queue" / 3,
    }
}

coded! {
    /// How a condition goes by the conditions before it.
    IfMode {
        /// By nothing.
        If = "if" / 1,
        /// Only when none of the chain before it held.
        ElseIf = "else_if" / 2,
        /// Without tests of its own, when none of the chain before it held.
        Else = "else" / 3,
    }
}

coded! {
    /// How the tests of a condition are joined.
    Joined {
        /// All must hold.
        And = "and" / 1,
        /// One must hold.
        Or = "or" / 2,
    }
}

coded! {
    /// What a test looks at.
    Subject {
        /// The recipient's number, in E.164 where it can be written so.
        ToNumber = "to_number" / 1,
        /// The two letters of the recipient's country.
        Country = "country" / 2,
        /// The message's type.
        MessageType = "message_type" / 3,
    }
}

coded! {
    /// How a test compares, without regard to case.
    TestKind {
        /// The same.
        Is = "is" / 1,
        /// Not the same.
        IsNot = "is_not" / 2,
        /// Begins so.
        StartsWith = "starts_with" / 3,
        /// Begins otherwise.
        DoesNotStartWith = "does_not_start_with" / 4,
        /// Ends so.
        EndsWith = "ends_with" / 5,
        /// Ends otherwise.
        DoesNotEndWith = "does_not_end_with" / 6,
        /// The recipient is in a group.
        InGroup = "contact_is_in_group" / 7,
        /// The recipient is not in a group.
        NotInGroup = "contact_not_in_group" / 8,
    }
}

/// One test of a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Test {
    /// How it compares.
    pub kind: TestKind,
    /// What it looks at; `None` for groups.
    pub subject: Option<Subject>,
    /// What it compares with; a group's id.
    pub value: String,
}

/// Goes on to more actions when its tests hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// How it goes by those before it.
    pub if_mode: IfMode,
    /// How its tests are joined.
    pub op: Joined,
    /// Its tests; none beside `else`.
    pub tests: Vec<Test>,
    /// What follows.
    pub actions: Vec<Action>,
}

/// Offers phones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsePhone {
    /// The phones, each with its weight.
    pub phones: Vec<(PhoneId, u32)>,
    /// Which of them.
    pub pick: Pick,
    /// A phone that has been away for longer than so many seconds is passed over; `None`: never.
    pub offline_sec: Option<u32>,
}

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Offers phones.
    UsePhone(UsePhone),
    /// Goes on to more actions when its tests hold.
    Condition(Condition),
}

/// The rules of a route, in their order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Actions(pub Vec<Action>);

impl Actions {
    /// Returns every phone that is named somewhere.
    pub fn phones(&self) -> BTreeSet<PhoneId> {
        let mut found = BTreeSet::new();
        walk(&self.0, &mut |action| {
            if let Action::UsePhone(offer) = action {
                found.extend(offer.phones.iter().map(|(id, _)| *id));
            }
        });
        found
    }

    /// Returns every group that is named somewhere.
    pub fn groups(&self) -> BTreeSet<&str> {
        let mut found = BTreeSet::new();
        walk(&self.0, &mut |action| {
            if let Action::Condition(condition) = action {
                let groups = condition
                    .tests
                    .iter()
                    .filter(|test| test.kind.is_of_group());
                found.extend(groups.map(|test| test.value.as_str()));
            }
        });
        found
    }
}

impl TestKind {
    /// Says whether the test is of a group.
    pub const fn is_of_group(self) -> bool {
        matches!(self, Self::InGroup | Self::NotInGroup)
    }
}

fn walk<'a>(actions: &'a [Action], see: &mut impl FnMut(&'a Action)) {
    for action in actions {
        see(action);
        if let Action::Condition(condition) = action {
            walk(&condition.actions, see);
        }
    }
}
