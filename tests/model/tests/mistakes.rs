//! Each mistake, made in the production code, breaks a promise that the search watches.
//!
//! The first thirteen are those of the design's model; the others each break one rule that the
//! link has beyond it. The story printed is a shortest one within its scope.

#![cfg(debug_assertions)]

use postrider_link::mistake;
use postrider_model_check::{
    explore::search,
    known,
    scope::{self, Scope},
    system::System,
};

/// Most states that a mistake may hide in.
const STATES_MAX: usize = 3_000_000;

/// Each mistake, where it is looked for, and the promise that it breaks.
const MISTAKES: [(&str, Scope, &str); 46] = [
    ("mark_after_submit", scope::TWO_PHONES_BROKEN_LINK, TWICE),
    ("hub_timeout_resend", scope::TWO_PHONES_REVOKE, TWICE),
    ("write_before_commit", scope::TWO_PHONES_BROKEN_LINK, TWICE),
    ("resend_on_restart", scope::TWO_PHONES_BROKEN_LINK, TWICE),
    ("no_conn_fence", scope::TWO_PHONES_BROKEN_LINK, PROTOCOL),
    ("reinstall_as_empty", scope::REINSTALLED, NOT_UNSENT),
    (
        "early_purge",
        scope::ANY_ORDER,
        "two attempts at once on one phone",
    ),
    ("no_dedupe", scope::ANY_ORDER, NOT_UNSENT),
    ("volatile_conn_no", scope::TWO_PHONES_BROKEN_LINK, SOUND),
    ("install_not_bound", scope::REINSTALLED, NOT_UNSENT),
    (
        "volatile_conn_no+no_phone_guard",
        scope::TWO_PHONES_BROKEN_LINK,
        SOUND,
    ),
    ("retrying_is_proof", scope::TWO_PHONES_RADIO, TWICE),
    ("ambiguous_is_proof", scope::TWO_PHONES_RADIO, TWICE),
    (
        "requeue_after_unknown",
        scope::TWO_PHONES_BROKEN_LINK,
        "a told unknown was queued again",
    ),
    (
        "deleted_tells",
        scope::TWO_PHONES_DELETE,
        "a webhook of a deleted message went out",
    ),
    (
        "cancel_forgotten",
        scope::TWO_PHONES_CANCEL,
        "queued again although the sender took it back",
    ),
    ("resent_again", scope::UNKNOWN_IS_RESENT, TWICE),
    (
        "resent_after_life",
        scope::UNKNOWN_IS_RESENT,
        "queued again after its life",
    ),
    (
        "earlier_unknown_forgotten",
        scope::TWO_PHONES_RESEND,
        NOT_UNSENT,
    ),
    ("older_truth_ignored", scope::TWO_PHONES_RESEND, NEWER),
    ("newer_left_out", scope::TWO_PHONES_RESEND, NEWER),
    (
        "unknown_for_ever",
        scope::TWO_PHONES_BROKEN_LINK,
        "the truth that it went out was not told",
    ),
    ("exposed_expires", scope::TWO_PHONES_CANCEL, NOT_UNSENT),
    ("pages_ignored", scope::RESTORED, STRANGER),
    (
        "older_commits_taken",
        scope::TWO_PHONES_BROKEN_LINK,
        "a commit of an older connection was taken",
    ),
    ("rows_teach_nothing", scope::TWO_PHONES_BROKEN_LINK, SOUND),
    ("rolled_back_unseen", scope::ROLLED_BACK, NOT_UNSENT),
    ("absence_is_proof", scope::TWO_PHONES_BROKEN_LINK, TWICE),
    ("lost_hub_unseen", scope::GONE_BACK, PROTOCOL),
    ("no_void", scope::TWO_PHONES_CANCEL, PROTOCOL),
    (
        "hub_acks_early",
        scope::TWO_PHONES_BROKEN_LINK,
        "a fact was acked and is not stored",
    ),
    (
        "phone_acks_early",
        scope::TWO_PHONES_BROKEN_LINK,
        "a frame was acked and is not stored",
    ),
    (
        "no_phone_guard",
        scope::ONE_PHONE_SENDER,
        "two attempts at once on one phone",
    ),
    (
        "sent_is_no_guard",
        scope::ONE_PHONE_SENDER,
        "taken in again after the network took it",
    ),
    (
        "older_after_newer",
        scope::ANY_ORDER_RESENT,
        "an earlier exposure was taken in after a newer one",
    ),
    (
        "older_left_waiting",
        scope::ONE_PHONE_SENDER,
        "two exposures of a message wait on one phone",
    ),
    ("revoked_in_the_radio", scope::TWO_PHONES_REVOKE, NOT_UNSENT),
    ("proof_ignored", scope::RESTORED, STRANGER),
    ("freeze_holds_nothing", scope::RESTORED, NOT_UNSENT),
    ("pages_believed", scope::LIED_ABOUT, NOT_SENT),
    ("past_of_anybody", scope::LIED_ABOUT, NOT_SENT),
    ("claims_of_held", scope::LIED_ABOUT_BY_ITS_ROUTE, NOT_SENT),
    ("no_tombstone", scope::ANY_ORDER, TWICE),
    ("partial_is_proof", scope::TWO_PARTS_RADIO, NOT_UNSENT),
    ("first_result_decides", scope::TWO_PARTS_RADIO, NOT_UNSENT),
    (
        "ambiguous_part_is_proof",
        scope::TWO_PARTS_RADIO,
        NOT_UNSENT,
    ),
];

/// Mistakes about a phone that its hub does not know, which are looked for in a search of their own.
const UNKNOWN: [(&str, &str); 4] = [
    (
        "sends_while_unknown",
        "handed over by a phone that is not known",
    ),
    (
        "forgets_that_it_is_unknown",
        "handed over by a phone that is not known",
    ),
    ("any_hub_believed", "another hub was believed"),
    (
        "erases_when_unknown",
        "a phone erased itself that was only not known",
    ),
];

const TWICE: &str = "handed to the radio twice without R0 to R4";
const NOT_SENT: &str = "said sent, and it did not go out whole";
const STRANGER: &str = "an exposure that a phone may have was taken for a stranger's";
const NOT_UNSENT: &str = "said not sent, and some of it went out";
const PROTOCOL: &str = "two sound ends broke the protocol";
const SOUND: &str = "a sound phone must pair again";
const NEWER: &str = "an earlier exposure won, and the newer one is not taken back";

/// Returns what is wrong with the search for a mistake, if something is.
fn look_for((name, scope, expected): (&'static str, Scope, &str)) -> Option<String> {
    let work = || search(&System::new(scope), STATES_MAX);
    let searched = std::panic::catch_unwind(|| mistake::with(name, work));
    let Ok(found) = searched else {
        return Some(format!("{name}: the search broke off"));
    };
    let (why, story) = match (found.broken, found.stuck) {
        (Some(broken), _) => broken,
        (None, (0, _)) => return Some(format!("{name}: not caught in {} states", found.states)),
        (None, (_, story)) => ("no way to an end", story),
    };
    let (states, story) = (found.states, story.join("; "));
    println!(
        "mistake: {name}: {why}; after {states} states of \"{}\": {story}",
        scope.name
    );
    (why != expected).then(|| format!("{name}: {why}, not {expected}"))
}

#[test]
fn each_mistake_breaks_a_promise() {
    let wrong: Vec<String> = std::thread::scope(|threads| {
        let halves = [0, 1].map(|half| {
            threads.spawn(move || {
                let mine = MISTAKES.into_iter().skip(half).step_by(2);
                mine.filter_map(look_for).collect::<Vec<_>>()
            })
        });
        halves
            .into_iter()
            .flat_map(|half| half.join().unwrap())
            .collect()
    });
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn each_mistake_about_being_known_breaks_a_promise() {
    for (name, expected) in UNKNOWN {
        let found = mistake::with(name, known::search);
        let (why, way) = found.broken.expect(name);
        println!("mistake: {name}: {why}: {way}");
        assert_eq!(why, expected, "{name}");
    }
}
