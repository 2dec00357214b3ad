//! Clocks that are set: that neither opens a window nor freezes it, and delays no expiry.

use crate::world::*;
use postrider_link::frame::Send;
use postrider_machine::PaceLimits;
use postrider_model::WireState;

const YEAR: i64 = 365 * 24 * 3_600_000;

fn hourly(parts: u32) -> PaceLimits {
    PaceLimits {
        sim_parts_per_hour: Some(parts),
        ..PaceLimits::UNLIMITED
    }
}

/// A phone whose hour is used up, with one message waiting.
fn used_up() -> World {
    let mut world = World::with(hourly(2));
    world.send_all(1..=3);
    world.answer(OK);
    let first = world.handed_over[0].1.token;
    world.result(first, 0, 1, OK);
    assert_eq!(world.order(), [1, 2]);
    world
}

/// Returns how long the third message must still wait.
fn wait_of(world: &mut World) -> u64 {
    let before = world.now.boot;
    for _ in 0..3 * 60 {
        if world.order().len() >= 3 {
            return world.now.boot.since_ms(before);
        }
        world.pass(MINUTE);
    }
    u64::MAX
}

#[test]
fn a_clock_that_is_set_while_the_phone_runs_changes_nothing() {
    for by_ms in [YEAR, -YEAR] {
        let mut world = used_up();
        world.pass(20 * MINUTE);
        world.set_wall(by_ms);
        assert_eq!(wait_of(&mut world), 40 * MINUTE, "{by_ms}");
    }
}

#[test]
fn nor_does_it_when_a_restart_or_a_reboot_follows() {
    for by_ms in [YEAR, -YEAR, 10_000] {
        let mut world = used_up();
        world.pass(20 * MINUTE);
        world.set_wall(by_ms);
        world.restart();
        world.pass(10 * MINUTE);
        assert_eq!(world.order().len(), 2, "{by_ms}");
        world.reboot(10 * MINUTE);
        assert_eq!(wait_of(&mut world), 20 * MINUTE, "{by_ms}");
    }
}

#[test]
fn a_clock_that_went_back_while_the_phone_was_off_costs_no_more_than_one_window() {
    let mut world = used_up();
    world.pass(20 * MINUTE);
    world.now.unix = world.now.unix.plus_ms(-YEAR);
    world.reboot(0);
    let booted = world.now.boot.0;
    world.pass(30 * MINUTE);
    world.reboot(10 * MINUTE);
    assert_eq!(
        wait_of(&mut world),
        (HOUR - 40 * MINUTE - booted).div_ceil(MINUTE) * MINUTE
    );
}

#[test]
fn a_life_goes_on_across_a_reboot_with_a_clock_that_was_set() {
    for by_ms in [YEAR, -YEAR] {
        let mut world = used_up();
        let message = world.send(Send {
            ttl_ms: 30 * MINUTE,
            ..send(4)
        });
        world.pass(10 * MINUTE);
        world.set_wall(by_ms);
        world.reboot(10 * MINUTE);
        assert_eq!(world.told(message), [], "{by_ms}");
        world.pass(10 * MINUTE);
        assert_eq!(world.told(message), [WireState::Expired], "{by_ms}");
    }
}

#[test]
fn two_reboots_make_no_hand_over_younger() {
    let mut world = used_up();
    world.pass(20 * MINUTE);
    world.reboot(10 * MINUTE);
    world.pass(MINUTE);
    world.reboot(9 * MINUTE);
    assert_eq!(wait_of(&mut world), 20 * MINUTE);
}

#[test]
fn a_retry_that_is_written_again_after_the_clock_was_set_comes_no_earlier() {
    let mut world = World::new();
    world.send(send(1));
    world.answer(13);
    world.pass(20_000);
    world.answer(13);
    world.set_wall(YEAR);
    world.send(send(1));
    world.reboot(10_000);
    let left = MINUTE - world.now.boot.0;
    world.pass(left - 1);
    assert_eq!(world.handed_over.len(), 2);
    world.pass(1);
    assert_eq!(world.handed_over.len(), 3);
}

/// Somebody sets the wall clock while the process is away, within one boot.
fn set_while_stopped(world: &mut World, by_ms: i64) {
    world.now.unix = world.now.unix.plus_ms(by_ms);
    world.restart();
}

#[test]
fn a_clock_that_is_set_while_the_app_is_stopped_changes_nothing_either() {
    for by_ms in [YEAR, -YEAR, HOUR.cast_signed(), 10_000] {
        let mut world = used_up();
        world.pass(20 * MINUTE);
        set_while_stopped(&mut world, by_ms);
        world.pass(10 * MINUTE);
        assert_eq!(world.order().len(), 2, "{by_ms}");
        world.reboot(10 * MINUTE);
        assert_eq!(wait_of(&mut world), 20 * MINUTE, "{by_ms}");
    }
}

#[test]
fn nor_for_what_an_earlier_boot_handed_over_once_this_one_wrote_anything() {
    for by_ms in [YEAR, -YEAR] {
        let mut world = used_up();
        world.pass(10 * MINUTE);
        world.reboot(10 * MINUTE);
        world.send(send(4));
        set_while_stopped(&mut world, by_ms);
        assert_eq!(world.order().len(), 2, "{by_ms}");
        assert_eq!(wait_of(&mut world), 40 * MINUTE, "{by_ms}");
    }
}

#[test]
fn nor_for_a_life_and_a_retry() {
    for by_ms in [YEAR, -YEAR] {
        let mut world = World::new();
        let message = world.send(Send {
            ttl_ms: 30 * MINUTE,
            ..send(1)
        });
        for wait in [20_000, MINUTE] {
            world.answer(13);
            world.pass(wait);
        }
        world.answer(13);
        set_while_stopped(&mut world, by_ms);
        world.reboot(MINUTE);
        world.pass(4 * MINUTE - world.now.boot.0 - 1);
        assert_eq!(world.handed_over.len(), 3, "{by_ms}");
        world.pass(world.now.boot.0 + 1);
        assert_eq!(world.handed_over.len(), 4, "{by_ms}");
        world.answer(13);
        world.pass(15 * MINUTE);
        world.answer(13);
        world.pass(10 * MINUTE);
        assert_eq!(world.told(message).last(), Some(&WireState::Expired));
    }
}

#[test]
fn a_clock_that_was_set_forward_while_the_phone_was_off_opens_the_window_once() {
    let mut world = used_up();
    world.send_all(4..=9);
    world.now.unix = world.now.unix.plus_ms(2 * HOUR.cast_signed());
    world.reboot(MINUTE);
    world.answer(OK);
    let earlier = world.handed_over[2].1.token;
    world.result(earlier, 0, 1, OK);
    assert_eq!(world.order(), [1, 2, 3, 4], "nobody can know");
    world.set_wall(-2 * HOUR.cast_signed());
    world.restart();
    world.reboot(MINUTE);
    world.pass(50 * MINUTE);
    assert_eq!(world.order().len(), 4);
    world.pass(10 * MINUTE);
    assert_eq!(world.order().len(), 6);
}

#[test]
fn what_is_over_is_kept_for_its_days_however_the_clock_is_set() {
    const DAY: u64 = 24 * HOUR;
    for by_ms in [29 * DAY.cast_signed(), YEAR, -YEAR] {
        let mut world = World::new();
        let first = world.send(Send {
            report: false,
            ..send(1)
        });
        world.answer(OK);
        world.pass(DAY);
        world.now.unix = world.now.unix.plus_ms(by_ms);
        world.pass(2 * DAY);
        world.restart();
        world.pass(2 * DAY);
        world.send(send(1));
        assert_eq!(world.order(), [1], "{by_ms}");
        world.pass(30 * DAY);
        assert!(world.disk.message(first).is_none(), "{by_ms}");
    }
}
