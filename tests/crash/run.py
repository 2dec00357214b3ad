#!/usr/bin/env python3
"""Kills hub and phones at random moments under load, and then checks that every promise was kept.

The seed is printed; it decides what is killed and when, and what is sent. The machine's own timing is not
repeated, so a seed makes one kind of trouble more likely, but not the same trouble every time.
"""

import argparse
import random
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from crash.check import findings  # noqa: E402
from crash.judge import gather, report, settle, summary  # noqa: E402
from crash.load import Load  # noqa: E402
from crash.rounds import kill_round, restore_round  # noqa: E402
from crash.world import World  # noqa: E402
from support import databases  # noqa: E402

PROFILES = ["normal", "normal", "no-reports", "slow", "normal", "ambiguous", "partial", "repeat"]
WEIGHTS = [45, 45, 30, 1, 20, 4, 6, 20]
# How often a round replaces the hub by a backup instead of only killing something.
RESTORES = 0.2
# The phone's wrong orders, as (the planted mistake, what it means, the check that must fail). An ack that was written
# too early shows in the hello after the kill: the phone's journal is behind its ack, as only a copied or rolled-back
# one should be.
FAULTS = [
    ("radio_first", "the radio is called before the commit", "in the radio log twice without a sender's choice"),
    ("ack_first", "the ack is written before the commit", "a sound phone taken for a copied one"),
]
# The hub's own. A frame that was written too early shows in the hello after the kill: the phone has what the hub never
# sent, as after a restore.
HUB_FAULTS = [
    ("answer_first", "a request is answered before the commit", "accepted and lost"),
    (
        "frame_first",
        "a message is written to the phone before its exposure is committed",
        "a hub that kept its data taken for one that went backwards",
    ),
]
# Wrong orders keep rows off the disk for a while, which makes such a phone slow.
FAULTY_RATE = 50


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=12, help="how often something is killed (default: 12)")
    parser.add_argument("--seed", type=int, help="default: a fresh one")
    parser.add_argument("--rate", type=float, default=500, help="messages per second (default: 500)")
    parser.add_argument("--keep", action="store_true", help="keep the folder for a look")
    parser.add_argument(
        "--show-faults", action="store_true", help="take out each order of commit and effect, and show that it is caught"
    )
    return parser.parse_args()


def main():
    options = arguments()
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 32)
    if options.show_faults:
        options.rate = min(options.rate, FAULTY_RATE)
        passed, failed = show_faults(options, seed)
    else:
        wrong = run(options, seed)
        passed, failed = report(wrong)
    print(f"crash: {passed} passed, {failed} failed")
    return 1 if failed else 0


def run(options, seed, phone_fault=None, hub_fault=None):
    """Does one whole run, perhaps with programs that work in a wrong order, and returns the findings."""
    print(f"crash: seed {seed}, {options.rounds} rounds", flush=True)
    folder = Path(tempfile.mkdtemp(prefix="postrider-crash-"))
    dice = random.Random(seed)
    faulty = bool(phone_fault or hub_fault)
    profiles = PROFILES[:4] if faulty else PROFILES
    world = World(folder, dice)
    try:
        world.serve(["--fault", hub_fault] if hub_fault else [])
        for profile, weight in zip(profiles, WEIGHTS):
            world.join(profile, weight, ["--fault", phone_fault] if phone_fault else [])
        load = Load(world, seed, options.rate)
        kills = []
        for number in range(1, options.rounds + 1):
            # Faults are shown only by kills: a restore excuses what they do.
            restores = not faulty and not databases.server() and dice.random() < RESTORES
            kills += restore_round(world, number) if restores else kill_round(world, number)
        load.stop()
        # The slow phone sends about one message a second: the longer the run, the more it has left.
        settle(world, 75 + 2 * options.rounds)
        world.note_ends()
        evidence = gather(world, load)
        killed = {kind: kills.count(kind) for kind in ("hub", "phone")}
        print(f"kills: {killed['hub']} of the hub, {killed['phone']} of phones, {len(world.restores)} restores")
        summary(evidence, load)
        wrong = findings(evidence)
        wrong["sends that were never answered"] = load.unanswered
        return wrong
    finally:
        world.close()
        if options.keep:
            print(f"kept: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


def show_faults(options, seed):
    """Runs with each wrong order; a check passes if the checker has found the fault."""
    runs = [(meaning, check, {"phone_fault": fault}) for fault, meaning, check in FAULTS]
    runs += [(meaning, check, {"hub_fault": fault}) for fault, meaning, check in HUB_FAULTS]
    passed = failed = 0
    for meaning, caught_by, fault in runs:
        print(f"\n-- the wrong order: {meaning} --", flush=True)
        wrong = run(options, seed, **fault)
        report(wrong)
        found = bool(wrong[caught_by])
        print(f"{'caught' if found else 'NOT CAUGHT'}: {meaning}")
        passed, failed = passed + found, failed + (not found)
    return passed, failed


if __name__ == "__main__":
    sys.exit(main())
