//! Reading parameters takes steps in proportion to their size, whatever their shape.

mod nasty;

use hub_web::Params;
use nasty::SHAPES;
use proptest::prelude::*;

const KIB: usize = 1024;

fn steps(content_type: &str, body: &str) -> u64 {
    let read = Params::from_parts("", Some((content_type, body.as_bytes())));
    read.expect("a shape that is refused shows nothing").steps()
}

#[test]
fn ten_times_the_size_takes_about_ten_times_the_steps() {
    for shape in &SHAPES {
        let [small, large] = [100 * KIB, KIB * KIB].map(|bytes| {
            let body = shape.body(bytes);
            assert!(
                body.len() <= bytes && body.len() > bytes - 100,
                "{}",
                shape.name
            );
            steps(shape.content_type, &body)
        });
        assert!(large <= 12 * small, "{}: {small} and {large}", shape.name);
    }
}

/// One kind of name, written many times in a row.
#[derive(Debug, Clone)]
enum Run {
    Pushes(&'static str),
    NumbersFrom(&'static str, usize),
    NumbersDownTo(&'static str, usize),
    EverySecondFrom(&'static str, usize),
    Names(&'static str),
}

const LISTS: [&str; 4] = ["a", "b", "a2[b]", "a3[b][c]"];

impl Run {
    /// Returns name number `i` of `count`; offsets grow with the count as an attacker's would.
    fn name(&self, i: usize, count: usize, run: usize) -> String {
        match self {
            Self::Pushes(list) => format!("{list}[]"),
            Self::NumbersFrom(list, at) => format!("{list}[{}]", number(run, at * count + i)),
            Self::NumbersDownTo(list, at) => {
                format!("{list}[{}]", number(run, at * count + count - i))
            }
            Self::EverySecondFrom(list, at) => {
                format!("{list}[{}]", number(run, at * count + 2 * i))
            }
            Self::Names(list) => format!("{list}[n{run}x{i}]"),
        }
    }
}

/// Keeps the numbers of different runs apart by a leading zero each: a number given twice would be
/// refused.
fn number(run: usize, value: usize) -> String {
    match run {
        0 => value.to_string(),
        run => format!("{}{value}", "0".repeat(run)),
    }
}

fn runs() -> impl Strategy<Value = Vec<Run>> {
    let list = prop::sample::select(&LISTS[..]);
    let run = (list, 0..6_usize, 0..5_u8).prop_map(|(list, at, kind)| match kind {
        0 => Run::NumbersFrom(list, at),
        1 => Run::NumbersDownTo(list, at),
        2 => Run::EverySecondFrom(list, at),
        3 => Run::Names(list),
        _ => Run::Pushes(list),
    });
    prop::collection::vec(run, 1..6)
}

/// Writes all runs with `count` names each: plain numbers first, so that no push takes one of
/// them before it comes.
fn form(runs: &[Run], count: usize) -> String {
    let mut runs: Vec<_> = runs.iter().enumerate().collect();
    runs.sort_by_key(|(_, run)| matches!(run, Run::Pushes(_)));
    let name = |(at, run): &(usize, &Run)| {
        let names = (0..count).map(|i| run.name(i, count, *at));
        names.map(|name| name + "=x&").collect::<String>()
    };
    runs.iter().map(name).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn steps_grow_no_faster_than_the_text(runs in runs()) {
        const FORM: &str = "application/x-www-form-urlencoded";
        let (small, large) = (form(&runs, 300), form(&runs, 2_400));
        let (few, many) = (steps(FORM, &small), steps(FORM, &large));
        let growth = large.len() as u64 * 100 / small.len() as u64;
        prop_assert!(many * 100 <= few * growth * 3 / 2, "{few} to {many}, grown by {growth} %");
    }
}
