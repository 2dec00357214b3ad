use super::*;
use crate::Zone;
use jiff::Timestamp;
use postrider_model::UnixMs;
use proptest::prelude::*;

mod model;

fn at(text: &str) -> UnixMs {
    UnixMs(text.parse::<Timestamp>().unwrap().as_millisecond())
}

fn shown(at: UnixMs) -> String {
    Timestamp::from_millisecond(at.0).unwrap().to_string()
}

fn series(rule: &str, start: &str, zone: &str) -> Series {
    Series {
        rule: Rule::parse(rule).unwrap(),
        start: at(start),
        end: None,
        zone: Zone::find(zone).unwrap(),
    }
}

/// Returns the first moments of a series, at most `most`.
fn moments(series: &Series, most: usize) -> Vec<UnixMs> {
    let mut found = Vec::new();
    let mut next = series.first(UnixMs(0));
    while let Some(instance) = next.filter(|_| found.len() < most) {
        assert_eq!(instance.number as usize, found.len() + 1);
        found.push(instance.at);
        next = series.next(instance, instance.at);
    }
    found
}

/// Returns the local days (and hours) of the first moments in New York, from 2 September 1997, 9:00.
fn of_the_standard(rule: &str, most: usize) -> Vec<String> {
    let series = series(rule, "1997-09-02T13:00:00Z", "America/New_York");
    let clock = |at| series.zone.clock(at).unwrap();
    let found = moments(&series, most);
    found
        .into_iter()
        .map(|at| clock(at).strftime("%Y-%m-%d %H:%M").to_string())
        .collect()
}

fn days(rule: &str, expected: &[&str]) {
    let found = of_the_standard(rule, expected.len());
    let expected: Vec<_> = expected.iter().map(|day| format!("{day} 09:00")).collect();
    assert_eq!(found, expected, "{rule}");
}

#[test]
fn rules_name_the_days_that_the_standard_says() {
    days(
        "FREQ=DAILY;COUNT=3",
        &["1997-09-02", "1997-09-03", "1997-09-04"],
    );
    days(
        "FREQ=DAILY;INTERVAL=10",
        &["1997-09-02", "1997-09-12", "1997-09-22"],
    );
    days(
        "FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=TU,TH",
        &["1997-09-02", "1997-09-04", "1997-09-16", "1997-09-18"],
    );
    days(
        "FREQ=MONTHLY;BYDAY=1FR",
        &["1997-09-02", "1997-09-05", "1997-10-03", "1997-11-07"],
    );
    days(
        "FREQ=MONTHLY;INTERVAL=2;BYDAY=1SU,-1SU",
        &["1997-09-02", "1997-09-07", "1997-09-28", "1997-11-02"],
    );
    days(
        "FREQ=MONTHLY;BYMONTHDAY=-3",
        &["1997-09-02", "1997-09-28", "1997-10-29", "1997-11-28"],
    );
    days(
        "FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13",
        &["1997-09-02", "1998-02-13", "1998-03-13", "1998-11-13"],
    );
    days(
        "FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3",
        &["1997-09-02", "1997-09-04", "1997-10-07"],
    );
    days(
        "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2",
        &["1997-09-02", "1997-09-29", "1997-10-30", "1997-11-27"],
    );
    days(
        "FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8",
        &["1997-09-02", "1997-11-04", "2001-11-06"],
    );
    days(
        "FREQ=YEARLY;BYDAY=20MO",
        &["1997-09-02", "1998-05-18", "1999-05-17"],
    );
    days(
        "FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO",
        &["1997-09-02", "1998-05-11", "1999-05-17"],
    );
    days(
        "FREQ=YEARLY;INTERVAL=3;BYYEARDAY=1,100,200",
        &["1997-09-02", "2000-01-01", "2000-04-09", "2000-07-18"],
    );
    days(
        "FREQ=YEARLY;BYMONTH=6,7",
        &["1997-09-02", "1998-06-02", "1998-07-02", "1999-06-02"],
    );
    days(
        "FREQ=YEARLY;BYMONTH=3;BYDAY=TH",
        &["1997-09-02", "1998-03-05", "1998-03-12"],
    );
}

#[test]
fn hours_are_hours_on_the_wall() {
    let found = of_the_standard(
        "FREQ=HOURLY;INTERVAL=3;BYHOUR=9,10,11,12,13,14,15,16,17;COUNT=4",
        9,
    );
    assert_eq!(
        found,
        [
            "1997-09-02 09:00",
            "1997-09-02 12:00",
            "1997-09-02 15:00",
            "1997-09-03 09:00"
        ]
    );
    let found = of_the_standard("FREQ=DAILY;BYHOUR=9,17;BYMINUTE=0,30", 5);
    let expected = [
        "1997-09-02 09:00",
        "1997-09-02 09:30",
        "1997-09-02 17:00",
        "1997-09-02 17:30",
        "1997-09-03 09:00",
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_month_without_the_day_is_passed_over() {
    let last = series("FREQ=MONTHLY", "2026-01-31T12:00:00Z", "UTC");
    let found: Vec<_> = moments(&last, 4).into_iter().map(shown).collect();
    assert_eq!(
        found,
        [
            "2026-01-31T12:00:00Z",
            "2026-03-31T12:00:00Z",
            "2026-05-31T12:00:00Z",
            "2026-07-31T12:00:00Z"
        ]
    );
    let ends = series("FREQ=MONTHLY;BYMONTHDAY=-1", "2028-01-31T12:00:00Z", "UTC");
    let found: Vec<_> = moments(&ends, 3).into_iter().map(shown).collect();
    assert_eq!(
        found,
        [
            "2028-01-31T12:00:00Z",
            "2028-02-29T12:00:00Z",
            "2028-03-31T12:00:00Z"
        ]
    );
    let leap = series("FREQ=YEARLY", "2024-02-29T12:00:00Z", "UTC");
    let found: Vec<_> = moments(&leap, 3).into_iter().map(shown).collect();
    assert_eq!(
        found,
        [
            "2024-02-29T12:00:00Z",
            "2028-02-29T12:00:00Z",
            "2032-02-29T12:00:00Z"
        ]
    );
}

#[test]
fn the_time_of_day_stays_when_clocks_change() {
    // New York leaves 02:00 to 03:00 out on 2026-03-08, and has 01:00 to 02:00 twice on 2026-11-01.
    let daily = series("FREQ=DAILY", "2026-03-07T07:30:00Z", "America/New_York");
    let found: Vec<_> = moments(&daily, 3).into_iter().map(shown).collect();
    assert_eq!(
        found,
        [
            "2026-03-07T07:30:00Z",
            "2026-03-08T07:30:00Z",
            "2026-03-09T06:30:00Z"
        ]
    );
    let daily = series("FREQ=DAILY", "2026-10-31T05:30:00Z", "America/New_York");
    let found: Vec<_> = moments(&daily, 3).into_iter().map(shown).collect();
    assert_eq!(
        found,
        [
            "2026-10-31T05:30:00Z",
            "2026-11-01T05:30:00Z",
            "2026-11-02T06:30:00Z"
        ]
    );
    let hourly = series("FREQ=HOURLY", "2026-03-08T06:30:00Z", "America/New_York");
    let found: Vec<_> = moments(&hourly, 3).into_iter().map(shown).collect();
    assert_eq!(
        found,
        [
            "2026-03-08T06:30:00Z",
            "2026-03-08T07:30:00Z",
            "2026-03-08T08:30:00Z"
        ]
    );
}

#[test]
fn a_start_in_the_second_passage_is_the_first_moment() {
    let daily = series(
        "FREQ=DAILY;COUNT=3",
        "2026-11-01T06:30:00Z",
        "America/New_York",
    );
    let found: Vec<_> = moments(&daily, 9).into_iter().map(shown).collect();
    assert_eq!(
        found,
        [
            "2026-11-01T06:30:00Z",
            "2026-11-02T06:30:00Z",
            "2026-11-03T06:30:00Z"
        ]
    );
}

#[test]
fn times_within_a_skipped_hour_keep_their_order() {
    let rule = "FREQ=DAILY;BYHOUR=2,3;BYMINUTE=30,45";
    let daily = series(rule, "2026-03-08T05:00:00Z", "America/New_York");
    let found: Vec<_> = moments(&daily, 4).into_iter().map(shown).collect();
    assert_eq!(
        found,
        [
            "2026-03-08T05:00:00Z",
            "2026-03-08T07:30:00Z",
            "2026-03-08T07:45:00Z",
            "2026-03-09T06:30:00Z"
        ]
    );
}

#[test]
fn a_day_that_a_country_skipped_is_read_as_the_next() {
    let daily = series("FREQ=DAILY", "2011-12-29T20:00:00Z", "Pacific/Apia");
    let found: Vec<_> = moments(&daily, 3).into_iter().map(shown).collect();
    assert_eq!(
        found,
        [
            "2011-12-29T20:00:00Z",
            "2011-12-30T20:00:00Z",
            "2011-12-31T20:00:00Z"
        ]
    );
}

#[test]
fn count_and_end_end_a_series() {
    let three = series("FREQ=DAILY;COUNT=3", "2026-01-01T12:00:00Z", "UTC");
    assert_eq!(moments(&three, 9).len(), 3);
    let until = Series {
        end: Some(at("2026-01-02T12:00:00Z")),
        ..series("FREQ=DAILY", "2026-01-01T12:00:00Z", "UTC")
    };
    assert_eq!(moments(&until, 9).len(), 2);
    let once = Series {
        end: Some(at("2026-01-01T00:00:00Z")),
        ..series("COUNT=1", "2026-01-01T12:00:00Z", "UTC")
    };
    assert_eq!(moments(&once, 9).len(), 1);
    let over = Series {
        end: Some(at("2026-01-01T00:00:00Z")),
        ..series("FREQ=DAILY", "2026-01-01T12:00:00Z", "UTC")
    };
    assert_eq!(moments(&over, 9).len(), 0);
}

#[test]
fn what_was_missed_is_counted_and_passed_over() {
    let daily = series("FREQ=DAILY;COUNT=5", "2026-01-01T12:00:00Z", "UTC");
    let first = daily.first(UnixMs(0)).unwrap();
    let next = daily.next(first, at("2026-01-03T18:00:00Z")).unwrap();
    assert_eq!(
        (shown(next.at).as_str(), next.number),
        ("2026-01-04T12:00:00Z", 4)
    );
    assert_eq!(daily.next(first, at("2026-01-06T00:00:00Z")), None);
    let late = daily.first(at("2026-01-05T12:00:00Z")).unwrap();
    assert_eq!(
        (shown(late.at).as_str(), late.number),
        ("2026-01-05T12:00:00Z", 5)
    );
    let once = series("", "2026-01-01T12:00:00Z", "UTC");
    assert_eq!(
        once.first(at("2027-01-01T00:00:00Z")).unwrap().at,
        once.start
    );
}

#[test]
fn rules_that_are_none_are_refused() {
    use InvalidRule::{Frequency, Malformed, Mismatch, TooLong, TooOften, UnknownPart, Value};
    for (rule, expected) in [
        ("FREQ", Malformed),
        ("FREQ=DAILY;FREQ=DAILY", Malformed),
        ("DAILY", Malformed),
        ("FREQ=FORTNIGHTLY", Frequency),
        ("COUNT=3", Frequency),
        ("INTERVAL=2", Frequency),
        ("BYDAY=MO", Frequency),
        ("FREQ=DAILY;FOO=1", UnknownPart),
        ("FREQ=MINUTELY", TooOften),
        ("FREQ=SECONDLY;INTERVAL=86400", TooOften),
        ("FREQ=HOURLY;BYMINUTE=0,30", TooOften),
        (
            "FREQ=DAILY;BYHOUR=1,2,3;BYMINUTE=1,2,3,4,5,6,7,8,9",
            TooOften,
        ),
        ("FREQ=DAILY;INTERVAL=0", Value("INTERVAL")),
        ("FREQ=DAILY;INTERVAL=-1", Value("INTERVAL")),
        (
            "FREQ=DAILY;INTERVAL=99999999999999999999",
            Value("INTERVAL"),
        ),
        ("FREQ=DAILY;COUNT=0", Value("COUNT")),
        ("FREQ=DAILY;COUNT=10001", Value("COUNT")),
        ("FREQ=DAILY;BYMONTH=13", Value("BYMONTH")),
        ("FREQ=DAILY;BYMONTH=", Value("BYMONTH")),
        ("FREQ=DAILY;BYMONTH=-1", Value("BYMONTH")),
        ("FREQ=DAILY;BYHOUR=24", Value("BYHOUR")),
        ("FREQ=DAILY;BYSECOND=60", Value("BYSECOND")),
        ("FREQ=MONTHLY;BYMONTHDAY=0", Value("BYMONTHDAY")),
        ("FREQ=MONTHLY;BYMONTHDAY=32", Value("BYMONTHDAY")),
        ("FREQ=WEEKLY;BYDAY=XX", Value("BYDAY")),
        ("FREQ=WEEKLY;BYDAY=É", Value("BYDAY")),
        ("FREQ=YEARLY;BYDAY=54MO", Value("BYDAY")),
        ("FREQ=MONTHLY;BYDAY=0MO", Value("BYDAY")),
        ("FREQ=WEEKLY;WKST=1", Value("WKST")),
        ("FREQ=WEEKLY;BYDAY=1MO", Mismatch("BYDAY")),
        ("FREQ=MONTHLY;BYDAY=6MO", Mismatch("BYDAY")),
        ("FREQ=MONTHLY;BYWEEKNO=1", Mismatch("BYWEEKNO")),
        ("FREQ=WEEKLY;BYMONTHDAY=1", Mismatch("BYMONTHDAY")),
        ("FREQ=DAILY;BYYEARDAY=1", Mismatch("BYYEARDAY")),
        ("FREQ=DAILY;BYSETPOS=1", Mismatch("BYSETPOS")),
    ] {
        assert_eq!(Rule::parse(rule), Err(expected), "{rule}");
    }
    assert_eq!(Rule::parse(&"A".repeat(RULE_LENGTH_MAX + 1)), Err(TooLong));
}

#[test]
fn rules_are_read_generously() {
    for rule in [
        "",
        "COUNT=1",
        "count=1",
        "UNTIL=20260101T000000Z",
        "RRULE:COUNT=1",
        "WKST=MO",
    ] {
        assert_eq!(
            Rule::parse(rule).map(|rule| rule.recurs()),
            Ok(false),
            "{rule}"
        );
    }
    let plain = Rule::parse("FREQ=WEEKLY;BYDAY=MO").unwrap();
    for rule in [
        "rrule:freq=weekly;byday=mo;",
        " FREQ=WEEKLY;UNTIL=x;BYDAY=MO ",
        "FREQ=WEEKLY;BYDAY=MO;WKST=MO",
    ] {
        assert_eq!(Rule::parse(rule).as_ref(), Ok(&plain), "{rule}");
    }
    assert!(!Rule::parse("FREQ=DAILY;COUNT=1").unwrap().recurs());
}

#[test]
fn what_never_comes_ends_within_the_steps() {
    for rule in [
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=HOURLY;INTERVAL=2;BYHOUR=1,3,5",
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=31;BYHOUR=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23",
        "FREQ=YEARLY;INTERVAL=10000",
        "FREQ=YEARLY;BYWEEKNO=53,-53;BYMONTH=6",
        "FREQ=MONTHLY;INTERVAL=12;BYMONTH=3;BYMONTHDAY=1",
        "FREQ=YEARLY;BYYEARDAY=366;BYMONTHDAY=1,2,3;BYSETPOS=366",
    ] {
        let never = series(rule, "2026-02-01T12:00:00Z", "UTC");
        assert_eq!(moments(&never, 9).len(), 1, "{rule}");
    }
    let rare = series(
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29;BYDAY=SU",
        "2026-02-01T12:00:00Z",
        "UTC",
    );
    let found: Vec<_> = moments(&rare, 3).into_iter().map(shown).collect();
    assert_eq!(
        found,
        [
            "2026-02-01T12:00:00Z",
            "2032-02-29T12:00:00Z",
            "2060-02-29T12:00:00Z"
        ]
    );
}

/// Rules as people and machines may write them.
fn rules() -> impl Strategy<Value = String> {
    let list = |range: std::ops::RangeInclusive<i16>, most| {
        prop::collection::vec(range, 1..most).prop_map(|numbers| {
            let numbers: Vec<_> = numbers
                .iter()
                .filter(|n| **n != 0)
                .map(i16::to_string)
                .collect();
            if numbers.is_empty() {
                "1".to_owned()
            } else {
                numbers.join(",")
            }
        })
    };
    let day = prop::sample::select(vec!["MO", "TU", "WE", "TH", "FR", "SA", "SU"]);
    let nth = prop::sample::select(vec![
        "", "", "", "1", "2", "-1", "5", "-5", "+3", "20", "-30",
    ]);
    let days = prop::collection::vec((nth, day.clone()), 1..4).prop_map(|days| {
        let days: Vec<_> = days
            .iter()
            .map(|(nth, day)| format!("{nth}{day}"))
            .collect();
        days.join(",")
    });
    let maybe = |name: &'static str, values: BoxedStrategy<String>, weight| {
        prop::option::weighted(weight, values)
            .prop_map(move |value| value.map_or(String::new(), |value| format!(";{name}={value}")))
    };
    let frequency = prop::sample::select(vec!["HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY"]);
    let interval = (1_u32..8).prop_map(|n| n.to_string()).boxed();
    (
        frequency,
        maybe("INTERVAL", interval, 0.5),
        maybe("BYMONTH", list(1..=12, 4).boxed(), 0.3),
        maybe("BYMONTHDAY", list(-31..=31, 4).boxed(), 0.3),
        maybe("BYDAY", days.boxed(), 0.4),
        maybe("BYYEARDAY", list(-366..=366, 4).boxed(), 0.1),
        maybe("BYWEEKNO", list(-53..=53, 4).boxed(), 0.1),
        maybe("BYHOUR", list(1..=23, 3).boxed(), 0.3),
        maybe("BYSETPOS", list(-6..=6, 3).boxed(), 0.2),
        maybe("WKST", day.prop_map(str::to_owned).boxed(), 0.2),
    )
        .prop_map(|(frequency, a, b, c, d, e, f, g, h, i)| {
            format!("FREQ={frequency}{a}{b}{c}{d}{e}{f}{g}{h}{i}")
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_series_is_what_the_plain_model_says(text in rules(), start_min in 0_i64..4 * 365 * 24 * 60) {
        let Ok(rule) = Rule::parse(&text) else { return Ok(()) };
        let start = at("2025-01-01T00:00:00Z").plus_ms(start_min * 60_000);
        let expected = model::moments(&rule, start, 20);
        let series = Series { rule, start, end: None, zone: Zone::UTC };
        let until = expected.last().copied().unwrap_or(start).max(model::horizon(start));
        let mut found = moments(&series, expected.len().max(20));
        found.retain(|at| *at <= until);
        found.truncate(20);
        prop_assert_eq!(found, expected, "{}", text);
    }

    #[test]
    fn moments_rise_and_keep_their_clocks_in_every_zone(
        text in rules(), start_min in 0_i64..4 * 365 * 24 * 60, jump_h in 0_i64..9_000,
        zone in prop::sample::select(vec![
            "America/New_York", "Europe/Dublin", "Australia/Lord_Howe", "Africa/Casablanca",
            "America/Havana", "Pacific/Chatham", "Asia/Beirut",
        ]),
    ) {
        let Ok(rule) = Rule::parse(&text) else { return Ok(()) };
        let start = at("2025-01-01T00:00:00Z").plus_ms(start_min * 60_000);
        let series = Series { rule, start, end: None, zone: Zone::find(zone).unwrap() };
        let first = series.first(UnixMs(0)).unwrap();
        let from = start.plus_ms(jump_h * 3_600_000);
        let mut walked = Some(first);
        while let Some(instance) = walked.filter(|instance| instance.at < from) {
            let next = series.next(instance, UnixMs(0));
            prop_assert!(next.is_none_or(|next| next.at > instance.at));
            walked = next;
        }
        let jumped = series.first(from).map(|instance| instance.at);
        prop_assert_eq!(jumped, walked.map(|instance| instance.at), "{}", text);
    }

    #[test]
    fn any_text_is_a_rule_or_refused(
        parts in prop::collection::vec(prop::sample::select(vec![
            "FREQ=", "DAILY", "YEARLY", "HOURLY", ";", "=", ",", "-", "+", "1", "53", "366", "99999",
            "BYDAY=", "MO", "-1SU", "BYSETPOS=", "BYMONTHDAY=", "COUNT=", "INTERVAL=", "é", " ",
        ]), 0..20),
    ) {
        if let Ok(rule) = Rule::parse(&parts.concat()) {
            let series = Series { rule, start: UnixMs(0), end: None, zone: Zone::UTC };
            prop_assert!(moments(&series, 3).windows(2).all(|pair| pair[0] < pair[1]));
        }
    }
}
