//! Every state of every scope, and a walk beyond them: 50,000,000 states on the code that ships.
//!
//! `POSTRIDER_MODEL_WALK` sets how many states each of the two walks visits.

use postrider_model_check::{
    explore::search,
    known,
    scope::{self, Scope},
    system::System,
    walk::walk,
};
use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};

/// Prints also of a test that passes: how many states were visited belongs to the result.
macro_rules! say {
    ($($words:tt)*) => {
        writeln!(std::io::stdout(), $($words)*).expect("standard output")
    };
}

/// Most states of one scope; more is a mistake in its bounds.
const STATES_MAX: usize = 5_000_000;
/// States that each walk visits.
const WALKED: u64 = 21_000_000;
/// Steps of one way of a walk.
const WAY: usize = 400;

static TOTAL: AtomicU64 = AtomicU64::new(0);

fn count(states: u64) -> u64 {
    TOTAL.fetch_add(states, Ordering::Relaxed) + states
}

/// Searches a scope whole. A search of fewer states than it had is no longer the same search.
fn holds(scope: Scope, states_min: usize) {
    let found = search(&System::new(scope), STATES_MAX);
    if let Some((why, story)) = found.broken {
        panic!("{}: {why}:\n  {}", scope.name, story.join("\n  "));
    }
    let (stuck, story) = found.stuck;
    let way = story.join("\n  ");
    assert_eq!(stuck, 0, "{}: no way to an end after\n  {way}", scope.name);
    let total = count(found.states as u64);
    let (states, transitions) = (found.states, found.transitions);
    say!(
        "model: {}: {states} states, {transitions} transitions, each with a way to an end; {total} states so far",
        scope.name
    );
    assert!(states >= states_min, "only {states} states");
}

fn walks(seed: u64) {
    let asked = std::env::var("POSTRIDER_MODEL_WALK").ok();
    let states = asked.map_or(WALKED, |text| text.parse().expect("a number of states"));
    let walked = walk(&System::new(scope::WIDE), seed, states, WAY);
    if let Some((why, story)) = walked.broken {
        panic!("seed {seed}: {why}:\n  {}", story.join("\n  "));
    }
    let total = count(walked.states);
    say!(
        "model: {}, seed {seed}: {} states visited, about {} different, {} ways to an end; {total} states so far",
        scope::WIDE.name,
        walked.states,
        walked.different,
        walked.ends
    );
    assert!(walked.ends > 0);
}

macro_rules! searched {
    ($($test:ident: $scope:ident, $states_min:literal;)*) => {
        $(
            #[test]
            fn $test() {
                holds(scope::$scope, $states_min);
            }
        )*

        const SEARCHED: u64 = 0 $(+ $states_min)*;
    };
}

searched! {
    one_message_over_two_phones_with_a_broken_link_and_ends_of_hub_and_app: TWO_PHONES_BROKEN_LINK, 370_000;
    one_message_over_two_phones_with_every_result_of_the_radio: TWO_PHONES_RADIO, 190_000;
    one_message_over_two_phones_that_the_hub_wants_back: TWO_PHONES_REVOKE, 560_000;
    one_message_over_two_phones_that_its_sender_cancels: TWO_PHONES_CANCEL, 800_000;
    one_message_over_two_phones_that_its_sender_cancels_and_sends_again: TWO_PHONES_RESEND, 43_000;
    one_message_over_one_phone_that_its_sender_cancels_and_sends_again_after_its_life: ONE_PHONE_SENDER, 3_600_000;
    one_message_over_two_phones_that_its_sender_deletes: TWO_PHONES_DELETE, 370_000;
    one_message_over_two_phones_whose_unknown_outcome_is_sent_again: UNKNOWN_IS_RESENT, 700_000;
    one_message_over_two_phones_of_which_one_is_installed_anew: REINSTALLED, 570_000;
    one_message_over_two_phones_of_which_one_journal_goes_back: ROLLED_BACK, 590_000;
    one_message_over_two_phones_of_which_one_is_removed: REMOVED, 740_000;
    one_message_over_two_phones_and_a_restored_hub: RESTORED, 460_000;
    one_message_over_one_phone_and_a_hub_that_goes_back: GONE_BACK, 60_000;
    one_message_over_one_phone_and_a_liar_that_it_was_never_routed_to: LIED_ABOUT, 6_000;
    one_message_over_one_phone_and_a_liar_of_its_route: LIED_ABOUT_BY_ITS_ROUTE, 900_000;
    one_message_over_two_phones_with_frames_in_any_order: ANY_ORDER, 2_600_000;
    one_message_over_one_phone_sent_again_with_frames_in_any_order: ANY_ORDER_RESENT, 320_000;
    two_messages_over_one_phone_with_a_broken_link_and_ends_of_hub_and_app: TWO_MESSAGES, 720_000;
    two_messages_over_one_phone_that_their_sender_cancels: TWO_MESSAGES_CANCEL, 35_000;
    one_message_of_two_parts_with_every_result_of_the_radio: TWO_PARTS_RADIO, 80_000;
    one_message_of_two_parts_with_a_broken_link_and_ends_of_hub_and_app: TWO_PARTS_LINK, 70_000;
}

#[test]
fn a_phone_that_its_hub_does_not_know_hands_nothing_over_and_comes_back() {
    let found = known::search();
    assert_eq!(found.broken, None);
    let states = found.states;
    say!("model: whether a phone is known: {states} states");
    assert_eq!(states, 24);
}

#[test]
fn a_walk_through_everything_at_once() {
    walks(1);
}

#[test]
fn another_walk_through_everything_at_once() {
    walks(2);
}

const _: () = assert!(SEARCHED + 2 * WALKED >= 50_000_000);
