//! Members that many operations take or show.

use hub_app::names::NAME_LENGTH_MAX;
use hub_domain::{MessageSource, MessageType, WaitingFor};
use hub_web::{Kind, Member};
use postrider_model::{IdKind, kind};

/// Custom variables; in a request only those given change, and `null` deletes.
pub(crate) const VARS: Member = Member::new("vars", Kind::Vars, "Custom variables by name.");
/// The project that something is in.
pub(crate) const PROJECT_ID: Member = Member::id::<kind::Project>("project_id", "Its project.");
/// When something was made.
pub(crate) const TIME_CREATED: Member =
    Member::new("time_created", Kind::Time, "When it was made.");
/// The page of something, for people.
pub(crate) const URL: Member =
    Member::new("url", Kind::Url(hub_outgoing::URL_LENGTH_MAX), "Its page.").nullable();
/// A zone, in which days begin.
pub(crate) const TIMEZONE_ID: Member =
    Member::new("timezone_id", Kind::Zone, "Its zone, as Africa/Nairobi.");
/// What kind a message is of.
pub(crate) const MESSAGE_TYPE: Member =
    Member::new("message_type", Kind::Word(MessageType::NAMES), "Its kind.");
/// Where a message came from.
pub(crate) const SOURCE: Member = Member::new(
    "source",
    Kind::Word(MessageSource::NAMES),
    "Where it came from.",
);
/// Why a broadcast, campaign, scheduled message or task does not go on.
pub(crate) const WAITING_FOR: Member = Member::new(
    "waiting_for",
    Kind::Word(WaitingFor::OF_HOLDS),
    "Why it does not go on; null where nothing holds it up.",
)
.nullable();
/// When the same is tried again.
pub(crate) const NEXT_TRY_TIME: Member = Member::new(
    "next_try_time",
    Kind::Time,
    "When the hub tries again, while it waits: when the limit of a day ends, else within seconds.",
)
.nullable();
/// A country's two letters, in whatever case.
pub(crate) const COUNTRY: Kind = Kind::Text(2);
/// A phone number, or a short code.
pub(crate) const PHONE_NUMBER: Kind = Kind::Text(64);

/// A name.
pub(crate) const NAME: Kind = Kind::Text(NAME_LENGTH_MAX);

/// The id of a `K`.
pub(crate) const fn own_id<K: IdKind>() -> Member {
    Member::id::<K>("id", "Its id.")
}

/// A name, which everything keeps that has one.
pub(crate) const fn name(about: &'static str) -> Member {
    Member::new("name", NAME, about).never_null()
}

/// Ids of `K`s.
pub(crate) const fn ids<K: IdKind>(
    name: &'static str,
    items_max: usize,
    about: &'static str,
) -> Member {
    Member::new(name, Kind::Array(&Kind::Id(K::PREFIX), items_max), about)
}

/// Fields that callers may read but not write.
pub(crate) const fn read_only<const N: usize>(names: [&'static str; N]) -> [Member; N] {
    let mut members = [Member::read_only(""); N];
    let mut at = 0;
    while at < N {
        members[at] = Member::read_only(names[at]);
        at += 1;
    }
    members
}

/// The members of several groups, one after the other. `N` is how many there are.
pub(crate) const fn joined<const N: usize>(groups: &[&[Member]]) -> [Member; N] {
    let mut members = [Member::read_only(""); N];
    let (mut group, mut count) = (0, 0);
    while group < groups.len() {
        let mut at = 0;
        while at < groups[group].len() {
            members[count] = groups[group][at];
            count += 1;
            at += 1;
        }
        group += 1;
    }
    assert!(count == N, "N is the number of members");
    members
}

/// The words of pairs of a word and what it stands for.
pub(crate) const fn words<T, const N: usize>(pairs: &[(&'static str, T); N]) -> [&'static str; N] {
    let mut words = [""; N];
    let mut at = 0;
    while at < N {
        words[at] = pairs[at].0;
        at += 1;
    }
    words
}
