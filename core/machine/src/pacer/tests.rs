use super::*;

const HOUR: u64 = SEND_LIMIT_SPAN_MS;

fn sim(slot: u8) -> SimSlot {
    SimSlot::new(slot).unwrap()
}

fn limits(sim_parts: Option<u32>, guard: Option<u32>) -> PaceLimits {
    PaceLimits {
        sim_parts_per_hour: sim_parts,
        phone_parts_per_hour: None,
        guard: guard.map(|parts_max| Guard {
            parts_max,
            span_ms: 60_000,
        }),
    }
}

fn pacer(limits: PaceLimits) -> Pacer {
    restart(limits, &[], &BootId::new("a"), Now::new(0, 0))
}

fn restart(limits: PaceLimits, rows: &[SpentRow], boot: &BootId, now: Now) -> Pacer {
    let mut pacer = Pacer::new(limits, None);
    pacer.take_up(rows, boot, now);
    pacer
}

/// Sends as fast as the pacer allows, `parts` at a time, until `until`.
fn drive(pacer: &mut Pacer, boot: &BootId, parts: u32, from: Now, until: u64) -> Vec<SpentRow> {
    let mut now = from;
    let mut rows = Vec::new();
    while now.boot.0 <= until {
        match pacer.slot(sim(0), parts, 0, now) {
            Slot::Free => rows.extend(pacer.spend(sim(0), parts, boot, now)),
            Slot::At { at, .. } => now = now.plus_ms(at.since_ms(now.boot)),
        }
    }
    rows
}

fn most_in_any(span: u64, rows: &[SpentRow]) -> u32 {
    let in_window = |from: i64| -> u32 {
        let inside = |row: &&SpentRow| (from..from + span.cast_signed()).contains(&row.at.unix.0);
        rows.iter().filter(inside).map(|row| row.parts).sum()
    };
    rows.iter()
        .map(|row| in_window(row.at.unix.0))
        .max()
        .unwrap_or(0)
}

#[test]
fn no_hour_ever_holds_more_than_the_limit_and_each_is_used_up() {
    let boot = BootId::new("a");
    let mut pacer = pacer(limits(Some(10), None));
    let rows = drive(&mut pacer, &boot, 1, Now::new(0, 0), 5 * HOUR);
    assert_eq!(most_in_any(HOUR, &rows), 10);
    assert_eq!(rows.len(), 60);
}

#[test]
fn a_restart_in_the_middle_of_an_hour_does_not_open_it() {
    let boot = BootId::new("a");
    let mut first = pacer(limits(Some(10), None));
    let mut rows = drive(&mut first, &boot, 3, Now::new(0, 0), HOUR / 2);
    assert_eq!(rows.len(), 3);
    let now = Now::new(HOUR / 2, 1_800_000);
    let mut second = restart(limits(Some(10), None), &rows, &boot, now);
    rows.extend(drive(&mut second, &boot, 1, now, 2 * HOUR));
    assert_eq!(most_in_any(HOUR, &rows), 10);
    let numbers: Vec<_> = rows.iter().map(|row| row.no).collect();
    assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]));
}

#[test]
fn a_reboot_counts_by_the_wall_clock_and_never_by_another_boots_clock() {
    let mut first = pacer(limits(Some(2), None));
    let rows = drive(&mut first, &BootId::new("a"), 2, Now::new(0, 0), 0);
    let next = BootId::new("b");
    let after = |unix: i64| {
        let now = Now::new(50_000, unix);
        let second = restart(limits(Some(2), None), &rows, &next, now);
        second.slot(sim(0), 1, 0, now)
    };
    let at = |at| Slot::At {
        at: BootMs(at),
        rule: PaceRule::SendLimit,
    };
    assert_eq!(after(600_000), at(50_000 + HOUR - 600_000));
    assert_eq!(after(-600_000), at(HOUR));
    assert_eq!(after(3_600_000), Slot::Free);
}

#[test]
fn the_guard_counts_a_refused_hand_over_and_the_limit_does_not() {
    let boot = BootId::new("a");
    let now = Now::new(0, 0);
    let mut limited = pacer(limits(Some(1), None));
    let row = limited.spend(sim(0), 1, &boot, now).unwrap();
    limited.recount(row.no, sim(0), 0, 1);
    assert_eq!(limited.slot(sim(0), 1, 0, now), Slot::Free);
    let mut guarded = pacer(limits(None, Some(1)));
    let row = guarded.spend(sim(0), 1, &boot, now).unwrap();
    guarded.recount(row.no, sim(0), 0, 1);
    let at = Slot::At {
        at: BootMs(60_000),
        rule: PaceRule::PlatformGuard,
    };
    assert_eq!(guarded.slot(sim(0), 1, 0, now), at);
}

#[test]
fn sims_have_limits_of_their_own_and_share_the_guard() {
    let boot = BootId::new("a");
    let now = Now::new(0, 0);
    let mut pacer = pacer(limits(Some(1), Some(2)));
    assert!(pacer.spend(sim(0), 1, &boot, now).is_some());
    assert!(matches!(pacer.slot(sim(0), 1, 0, now), Slot::At { .. }));
    assert_eq!(pacer.slot(sim(1), 1, 0, now), Slot::Free);
    assert!(pacer.spend(sim(1), 1, &boot, now).is_some());
    let rule = PaceRule::PlatformGuard;
    let at = BootMs(60_000);
    assert_eq!(pacer.slot(sim(2), 1, 0, now), Slot::At { at, rule });
}

#[test]
fn the_gap_is_kept_even_without_limits() {
    let boot = BootId::new("a");
    let mut pacer = pacer(PaceLimits::UNLIMITED);
    assert_eq!(pacer.spend(sim(0), 1, &boot, Now::new(500, 0)), None);
    let at = Slot::At {
        at: BootMs(1_500),
        rule: PaceRule::SendDelay,
    };
    assert_eq!(pacer.slot(sim(0), 1, 1_000, Now::new(600, 0)), at);
    assert_eq!(pacer.slot(sim(0), 1, 1_000, Now::new(1_500, 0)), Slot::Free);
    assert_eq!(pacer.slot(sim(1), 1, 1_000, Now::new(600, 0)), Slot::Free);
}

#[test]
fn each_halving_halves_the_guard_and_recovery_undoes_one() {
    let boot = BootId::new("a");
    let now = Now::new(0, 0);
    let sends = |pacer: &mut Pacer| drive(pacer, &boot, 1, now, 0).len();
    let halved = |times: usize| {
        let mut pacer = pacer(limits(None, Some(8)));
        for _ in 0..times {
            pacer.halve();
        }
        pacer
    };
    assert_eq!(sends(&mut halved(0)), 8);
    assert_eq!(sends(&mut halved(1)), 4);
    assert_eq!(sends(&mut halved(20)), 1);
    let mut recovering = halved(2);
    assert_eq!(recovering.recover(), 1);
    assert_eq!(sends(&mut recovering), 4);
}

#[test]
fn the_hub_lowers_a_limit_and_never_raises_it() {
    let boot = BootId::new("a");
    let sends = |hub: Option<u32>| {
        let mut pacer = pacer(limits(Some(5), None));
        pacer.set_hub_limit(sim(0), hub);
        drive(&mut pacer, &boot, 1, Now::new(0, 0), 0).len()
    };
    assert_eq!(sends(None), 5);
    assert_eq!(sends(Some(2)), 2);
    assert_eq!(sends(Some(50)), 5);
}

#[test]
fn rows_that_no_window_counts_are_forgotten_once() {
    let boot = BootId::new("a");
    let mut pacer = pacer(limits(Some(5), Some(5)));
    pacer.spend(sim(0), 1, &boot, Now::new(0, 0));
    pacer.spend(sim(0), 1, &boot, Now::new(1_000, 0));
    assert_eq!(pacer.take_forgotten(Now::new(HOUR - 1, 0)), Some(1));
    assert_eq!(pacer.take_forgotten(Now::new(HOUR, 0)), Some(2));
    assert_eq!(pacer.take_forgotten(Now::new(HOUR, 0)), None);
    assert_eq!(pacer.take_forgotten(Now::new(2 * HOUR, 0)), Some(3));
}

#[test]
fn other_limits_count_what_was_handed_over_before() {
    let boot = BootId::new("a");
    let mut pacer = pacer(limits(Some(100), Some(50)));
    drive(&mut pacer, &boot, 1, Now::new(0, 0), 0);
    let now = Now::new(60_000, 60_000);
    assert_eq!(pacer.slot(sim(0), 1, 0, now), Slot::Free);
    pacer.set_limits(PaceLimits {
        guard: Some(Guard::OLD_PHONES),
        ..limits(Some(100), None)
    });
    let at = |at, rule| Slot::At {
        at: BootMs(at),
        rule,
    };
    let guarded = at(Guard::OLD_PHONES.span_ms, PaceRule::PlatformGuard);
    assert_eq!(pacer.slot(sim(0), 1, 0, now), guarded);
    pacer.set_limits(limits(Some(50), None));
    let limited = at(HOUR, PaceRule::SendLimit);
    assert_eq!(pacer.slot(sim(0), 1, 0, now), limited);
    pacer.set_limits(PaceLimits::UNLIMITED);
    assert_eq!(pacer.slot(sim(0), 1, 0, now), Slot::Free);
}
