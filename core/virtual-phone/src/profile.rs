//! Profiles of a simulated radio and network.

use postrider_agent::Seeded;
use postrider_text::result_code::RESULT_OK;
use std::{fmt, str::FromStr};

/// How a simulated radio behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Profile {
    /// Sends at once, delivers within 300 ms.
    #[default]
    Normal,
    /// Sends within 3 s, delivers within 20 s.
    Slow,
    /// Refuses, fails, loses, repeats and delays at random by the seed.
    Flaky,
    /// Sends at once; no delivery report ever comes.
    NoReports,
    /// Takes messages, codes and calls and never reports a result.
    Silent,
    /// As normal, until a few parts were sent within some seconds: then the platform's limit is
    /// reached (code 5) until that time has passed.
    Limit,
    /// Has no service: refuses everything until it gets some.
    NoService,
    /// Takes messages and reports a failure of each that proves nothing.
    Ambiguous,
    /// Sends every part of a long message but the last.
    Partial,
    /// Reports results minutes later, some of them after the phone gave up.
    Late,
    /// Reports everything twice.
    Repeat,
    /// Refuses messages, codes and calls for good; nothing is sent.
    Refused,
}

impl Profile {
    /// Every profile, in the order of the documentation.
    pub const ALL: [Self; 12] = [
        Self::Normal,
        Self::Slow,
        Self::Flaky,
        Self::NoReports,
        Self::Silent,
        Self::Limit,
        Self::NoService,
        Self::Ambiguous,
        Self::Partial,
        Self::Late,
        Self::Repeat,
        Self::Refused,
    ];

    /// Tells whether delivery reports come at all.
    pub(crate) const fn has_reports(self) -> bool {
        match self {
            Self::Normal
            | Self::Slow
            | Self::Flaky
            | Self::Limit
            | Self::NoService
            | Self::Ambiguous
            | Self::Partial
            | Self::Late
            | Self::Repeat
            | Self::Refused => true,
            Self::NoReports | Self::Silent => false,
        }
    }

    /// Returns the name on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Slow => "slow",
            Self::Flaky => "flaky",
            Self::NoReports => "no-reports",
            Self::Silent => "silent",
            Self::Limit => "limit",
            Self::NoService => "no-service",
            Self::Ambiguous => "ambiguous",
            Self::Partial => "partial",
            Self::Late => "late",
            Self::Repeat => "repeat",
            Self::Refused => "refused",
        }
    }
}

/// The text is not the name of a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "is not one of normal, slow, flaky, no-reports, silent, limit, no-service, ambiguous, partial, \
     late, repeat, refused"
)]
pub struct InvalidProfile;

impl FromStr for Profile {
    type Err = InvalidProfile;

    fn from_str(text: &str) -> Result<Self, InvalidProfile> {
        let named = |profile: &Self| profile.as_str() == text;
        Self::ALL.into_iter().find(named).ok_or(InvalidProfile)
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The status that a network puts in a delivery report (TP-Status, 3GPP TS 23.040, 9.2.3.15).
mod tp_status {
    pub(super) const DELIVERED: u8 = 0x00;
    pub(super) const STILL_TRYING: u8 = 0x30;
    pub(super) const NOT_DELIVERED: u8 = 0x46;
}

/// Codes that prove that nothing was sent, after which the phone tries again.
const RETRIED: [i32; 4] = [13, 106, 118, 132];
/// Codes that prove that nothing was sent, after which the phone gives up.
const GIVEN_UP: [i32; 4] = [3, 8, 14, 110];
/// Codes that hold the SIM until it has service again.
const HELD: [i32; 3] = [2, 4, 116];
/// Codes that prove nothing.
const AMBIGUOUS: [i32; 3] = [1, 101, 124];

/// The delay of the late profile's answers, and the random time on top, in milliseconds.
const LATE_MS: (u64, u64) = (150_000, 90_000);
/// The delay of some of its answers: the phone has given up by then.
const TOO_LATE_MS: u64 = 660_000;
/// How much later the repeating profile reports it again, in milliseconds.
const AGAIN_MS: u64 = 400;

/// What the radio does with one hand-over.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    /// Whether any part of it may have been sent.
    pub(crate) on_air: bool,
    /// Whether the platform's provider has it as sent.
    pub(crate) row: bool,
    /// The answers, each with its delay in milliseconds.
    pub(crate) answers: Vec<(u64, Answer)>,
}

impl Plan {
    /// Makes the plan of a refusal: every part ends with a code that proves that it was not sent.
    pub(crate) fn refusal(parts: u8, code: i32) -> Self {
        Self {
            on_air: false,
            row: false,
            answers: results(parts, 0, code),
        }
    }

    /// Returns the delivery reports to come: the delay in milliseconds, the part, and the
    /// status.
    pub(crate) fn reports(&self) -> impl Iterator<Item = (u64, u8, u8)> {
        let report = |(delay_ms, answer): &(u64, Answer)| match *answer {
            Answer::Report { part, tp_status } => Some((*delay_ms, part, tp_status)),
            Answer::Result { .. } | Answer::ServiceBack => None,
        };
        self.answers.iter().filter_map(report)
    }

    /// Returns the code of a refusal.
    pub(crate) fn refused_with(&self) -> Option<i32> {
        match (self.on_air, self.answers.first()) {
            (false, Some((_, Answer::Result { code, .. }))) => Some(*code),
            _ => None,
        }
    }
}

/// One thing that the radio or the network reports later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// The result of a part, counted from 0.
    Result { part: u8, code: i32 },
    /// A delivery report of a part.
    Report { part: u8, tp_status: u8 },
    /// The SIM has service again.
    ServiceBack,
}

/// Makes the plan for a hand-over of `parts` parts.
pub(crate) fn plan(profile: Profile, dice: &mut Seeded, parts: u8, report: bool) -> Plan {
    let within_ms = match profile {
        Profile::Slow => 20_000,
        _ => 300,
    };
    let mut plan = match profile {
        Profile::Normal | Profile::Limit | Profile::NoService | Profile::Repeat => {
            sent(dice, parts, 0)
        }
        Profile::NoReports => return sent(dice, parts, 0),
        Profile::Slow => sent(dice, parts, 3_000),
        Profile::Silent => return unanswered(false),
        Profile::Flaky => return flaky(dice, parts, report),
        Profile::Ambiguous => return ambiguous(dice, parts),
        Profile::Partial if parts > 1 => return partial(dice, parts),
        Profile::Partial => sent(dice, parts, 0),
        Profile::Late => return late(dice, parts, report),
        Profile::Refused => return Plan::refusal(parts, one_of(dice, GIVEN_UP)),
    };
    if report {
        add_reports(&mut plan, dice, parts, within_ms);
    }
    if profile == Profile::Repeat {
        let again = plan.answers.clone().into_iter();
        let again = again.map(|(delay_ms, answer)| (delay_ms + AGAIN_MS, answer));
        plan.answers.extend(again);
    }
    plan
}

/// Everything is reported minutes later; the platform has no row before.
fn late(dice: &mut Seeded, parts: u8, report: bool) -> Plan {
    let at_ms = if dice.in_percent(25) {
        TOO_LATE_MS
    } else {
        LATE_MS.0 + dice.up_to(LATE_MS.1)
    };
    let mut plan = Plan {
        on_air: true,
        row: false,
        answers: results(parts, at_ms, RESULT_OK),
    };
    if report {
        add_reports(&mut plan, dice, parts, 300);
        for (delay_ms, answer) in &mut plan.answers {
            if let Answer::Report { .. } = answer {
                *delay_ms += at_ms;
            }
        }
    }
    plan
}

/// What the network does with a USSD code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UssdPlan {
    /// It answers after so many milliseconds, perhaps twice.
    Answers { after_ms: u64, twice: bool },
    /// It comes back with a code of the platform, after the code was dialled.
    Fails { code: i32 },
    /// It was never dialled.
    Refused,
    /// There is never an answer.
    Silent,
}

/// The platform's code for a USSD request that failed on its way.
pub(crate) const USSD_FAILED: i32 = -1;
/// The platform's code for a USSD request without a service to take it.
pub(crate) const USSD_NO_SERVICE: i32 = -2;

/// Makes the plan for a USSD code.
pub(crate) fn plan_ussd(profile: Profile, dice: &mut Seeded) -> UssdPlan {
    let answers = |after_ms| UssdPlan::Answers {
        after_ms,
        twice: profile == Profile::Repeat,
    };
    match profile {
        Profile::Normal
        | Profile::NoReports
        | Profile::Limit
        | Profile::NoService
        | Profile::Partial
        | Profile::Repeat => answers(100 + dice.up_to(200)),
        Profile::Slow => answers(2_000 + dice.up_to(3_000)),
        Profile::Late => answers(LATE_MS.0),
        Profile::Silent => UssdPlan::Silent,
        Profile::Ambiguous => UssdPlan::Fails { code: USSD_FAILED },
        Profile::Refused => UssdPlan::Refused,
        Profile::Flaky => match dice.up_to(99) {
            0..=14 => UssdPlan::Fails { code: USSD_FAILED },
            15..=29 => UssdPlan::Refused,
            30..=39 => UssdPlan::Silent,
            _ => UssdPlan::Answers {
                after_ms: dice.up_to(1_000),
                twice: dice.in_percent(20),
            },
        },
    }
}

/// What happens to a placed call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallPlan {
    /// It rings and is perhaps answered.
    Rings { ring_ms: u64, talk_ms: u64 },
    /// It was never dialled.
    Refused,
    /// Nothing is ever reported of it, and no log has it.
    Silent,
}

/// Makes the plan for a call.
pub(crate) fn plan_call(profile: Profile, dice: &mut Seeded) -> CallPlan {
    let rings = |ring_ms, talk_ms| CallPlan::Rings { ring_ms, talk_ms };
    match profile {
        Profile::Normal
        | Profile::NoReports
        | Profile::Limit
        | Profile::NoService
        | Profile::Partial
        | Profile::Repeat => rings(300, 1_000),
        Profile::Slow => rings(3_000, 5_000),
        Profile::Late => rings(3_000, LATE_MS.0),
        Profile::Ambiguous => rings(300, 0),
        Profile::Silent => CallPlan::Silent,
        Profile::Refused => CallPlan::Refused,
        Profile::Flaky => match dice.up_to(99) {
            0..=19 => CallPlan::Refused,
            20..=39 => rings(200, 0),
            40..=44 => CallPlan::Silent,
            _ => rings(dice.up_to(500), 1_000 * dice.up_to(2)),
        },
    }
}

fn sent(dice: &mut Seeded, parts: u8, within_ms: u64) -> Plan {
    let delay_ms = match within_ms {
        0 => 0,
        _ => within_ms / 3 + dice.up_to(within_ms - within_ms / 3),
    };
    Plan {
        on_air: true,
        row: true,
        answers: results(parts, delay_ms, RESULT_OK),
    }
}

fn unanswered(row: bool) -> Plan {
    Plan {
        on_air: true,
        row,
        answers: Vec::new(),
    }
}

fn results(parts: u8, delay_ms: u64, code: i32) -> Vec<(u64, Answer)> {
    let result = |part| (delay_ms, Answer::Result { part, code });
    (0..parts).map(result).collect()
}

fn add_reports(plan: &mut Plan, dice: &mut Seeded, parts: u8, within_ms: u64) {
    for part in 0..parts {
        let delay_ms = within_ms / 6 + dice.up_to(within_ms - within_ms / 6);
        let tp_status = tp_status::DELIVERED;
        let report = Answer::Report { part, tp_status };
        plan.answers.push((delay_ms, report));
    }
}

fn one_of<const N: usize>(dice: &mut Seeded, codes: [i32; N]) -> i32 {
    let last = u64::try_from(N).unwrap_or(1) - 1;
    codes[usize::try_from(dice.up_to(last)).unwrap_or(0)]
}

/// One random number of a hundred decides the kind of trouble.
fn flaky(dice: &mut Seeded, parts: u8, report: bool) -> Plan {
    match dice.up_to(99) {
        0..=7 => Plan::refusal(parts, one_of(dice, RETRIED)),
        8..=11 => {
            let mut plan = Plan::refusal(parts, one_of(dice, HELD));
            plan.answers.push((1_000, Answer::ServiceBack));
            plan
        }
        12..=16 => Plan::refusal(parts, one_of(dice, GIVEN_UP)),
        17..=20 => ambiguous(dice, parts),
        21..=22 => unanswered(true),
        23 => unanswered(false),
        24..=26 if parts > 1 => partial(dice, parts),
        27..=31 => troubled_reports(sent(dice, parts, 20_000), dice, parts, report),
        _ => troubled_reports(sent(dice, parts, 300), dice, parts, report),
    }
}

fn ambiguous(dice: &mut Seeded, parts: u8) -> Plan {
    let code = one_of(dice, AMBIGUOUS);
    Plan {
        on_air: true,
        row: false,
        answers: results(parts, dice.up_to(2_000), code),
    }
}

fn partial(dice: &mut Seeded, parts: u8) -> Plan {
    let code = one_of(dice, GIVEN_UP);
    let mut plan = sent(dice, parts - 1, 300);
    plan.row = false;
    let part = parts - 1;
    plan.answers.push((300, Answer::Result { part, code }));
    plan
}

/// Reports that come late, twice, before the result, after a pending one, bad, or not at all.
fn troubled_reports(mut plan: Plan, dice: &mut Seeded, parts: u8, report: bool) -> Plan {
    if dice.in_percent(5) {
        let again = plan.answers.clone();
        plan.answers.extend(again);
    }
    if !report {
        return plan;
    }
    for part in 0..parts {
        let at_ms = 100 + dice.up_to(2_000);
        let mut tell = |delay_ms, tp_status| {
            plan.answers
                .push((delay_ms, Answer::Report { part, tp_status }));
        };
        match dice.up_to(99) {
            0..=4 => tell(at_ms, tp_status::NOT_DELIVERED),
            5..=9 => {
                tell(at_ms, tp_status::STILL_TRYING);
                tell(at_ms + 1_000, tp_status::DELIVERED);
            }
            10..=14 => {}
            15..=19 => tell(at_ms + 10_000, tp_status::DELIVERED),
            20..=24 => {
                tell(at_ms, tp_status::DELIVERED);
                tell(at_ms + 500, tp_status::STILL_TRYING);
                tell(at_ms + 700, tp_status::DELIVERED);
            }
            25..=29 => tell(0, tp_status::DELIVERED),
            _ => tell(at_ms, tp_status::DELIVERED),
        }
    }
    plan
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_text::result_code::look_up;

    fn many(profile: Profile) -> Vec<Plan> {
        let mut dice = Seeded::new(11);
        (0..2_000)
            .map(|_| plan(profile, &mut dice, 2, true))
            .collect()
    }

    fn codes(plan: &Plan) -> Vec<i32> {
        let code = |(_, answer): &(u64, Answer)| match answer {
            Answer::Result { code, .. } => Some(*code),
            Answer::Report { .. } | Answer::ServiceBack => None,
        };
        plan.answers.iter().filter_map(code).collect()
    }

    #[test]
    fn a_normal_phone_sends_at_once_and_delivers_within_300_ms() {
        for plan in many(Profile::Normal) {
            assert!(plan.on_air && plan.row);
            assert_eq!(plan.answers.len(), 4);
            assert_eq!(plan.answers[0].0, 0);
            assert!(plan.answers.iter().all(|(delay_ms, _)| *delay_ms <= 300));
        }
    }

    #[test]
    fn nothing_is_on_the_air_only_where_every_code_proves_it() {
        for profile in Profile::ALL {
            for plan in many(profile) {
                let codes = codes(&plan);
                let proven =
                    !codes.is_empty() && codes.iter().all(|code| look_up(*code).is_proof());
                assert_eq!(plan.on_air, !proven, "{plan:?}");
            }
        }
    }

    #[test]
    fn a_row_is_written_only_for_what_went_whole() {
        for plan in many(Profile::Flaky).iter().filter(|plan| plan.row) {
            assert!(plan.on_air);
            assert!(codes(plan).iter().all(|code| *code == RESULT_OK));
        }
    }

    #[test]
    fn a_flaky_phone_shows_every_kind_of_trouble() {
        let plans = many(Profile::Flaky);
        let some = |test: &dyn Fn(&Plan) -> bool| plans.iter().any(test);
        assert!(some(&|plan| !plan.on_air));
        assert!(some(&|plan| plan.answers.is_empty() && plan.row));
        assert!(some(&|plan| plan.answers.is_empty() && !plan.row));
        assert!(some(&|plan| plan.on_air && codes(plan).contains(&1)));
        assert!(some(&|plan| codes(plan).len() > 2));
        assert!(some(&|plan| codes(plan).contains(&RESULT_OK) && !plan.row));
    }

    #[test]
    fn a_partial_phone_never_sends_the_last_part_of_a_long_message() {
        for plan in many(Profile::Partial) {
            let codes = codes(&plan);
            assert_eq!(codes.len(), 2);
            assert_eq!(codes[0], RESULT_OK);
            assert!(look_up(codes[1]).is_proof() && plan.on_air && !plan.row);
        }
    }

    #[test]
    fn a_late_phone_answers_after_the_silence_and_sometimes_after_the_end() {
        let plans = many(Profile::Late);
        let first = |plan: &Plan| plan.answers.iter().map(|(delay_ms, _)| *delay_ms).min();
        assert!(plans.iter().all(|plan| first(plan) > Some(120_000)));
        assert!(plans.iter().any(|plan| first(plan) > Some(600_000)));
        assert!(plans.iter().any(|plan| first(plan) < Some(600_000)));
    }

    #[test]
    fn a_repeating_phone_says_everything_twice() {
        for plan in many(Profile::Repeat) {
            let (first, again) = plan.answers.split_at(plan.answers.len() / 2);
            let said = |(_, answer): &(u64, Answer)| *answer;
            assert!(first.iter().map(said).eq(again.iter().map(said)));
        }
    }

    #[test]
    fn a_profile_reads_back_by_its_name() {
        for profile in Profile::ALL {
            assert_eq!(profile.to_string().parse(), Ok(profile));
        }
        assert!("loud".parse::<Profile>().is_err());
    }
}
