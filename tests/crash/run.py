#!/usr/bin/env python3
"""Kills hub and phones at random moments under load, and then checks that every promise was kept.

The seed is printed; it decides what is killed and when, and what is sent. The machine's own timing is not
repeated, so a seed makes one kind of trouble more likely, but not the same trouble every time.
"""

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from crash.check import FINAL, Evidence, findings  # noqa: E402
from crash.load import Load  # noqa: E402
from crash.world import World  # noqa: E402
from support import databases  # noqa: E402
from support.paths import ROOT, TARGET  # noqa: E402
from support.rest import success  # noqa: E402
from support.wait import NeverHappened, until  # noqa: E402

PROFILES = ["normal", "normal", "no-reports", "slow", "normal", "ambiguous", "partial", "repeat"]
WEIGHTS = [45, 45, 30, 1, 20, 4, 6, 20]
# How often a round replaces the hub by a backup instead of only killing something.
RESTORES = 0.2
SHOWN = 10
# The phone's wrong orders, and the check that each must fail. An ack that was written too early shows in the hello
# after the kill: the phone's journal is behind its ack, as only a copied or rolled-back one should be.
FAULTS = [
    ("radio-first", "the radio is called before the commit", "in the radio log twice without a sender's choice"),
    ("ack-first", "the ack is written before the commit", "a sound phone taken for a copied one"),
]
# The hub's own, as (its name, what it means, the check that must fail). A frame that was written too early shows in the
# hello after the kill: the phone has what the hub never sent, as after a restore.
HUB_FAULTS = [
    ("answer-first", "a request is answered before the commit", "accepted and lost"),
    (
        "frame-first",
        "a message is written to the phone before its exposure is committed",
        "a hub that kept its data taken for one that went backwards",
    ),
]
# Wrong orders keep rows off the disk for a while, which makes such a phone slow.
FAULTY_RATE = 25


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=12, help="how often something is killed (default: 12)")
    parser.add_argument("--seed", type=int, help="default: a fresh one")
    parser.add_argument("--rate", type=float, default=250, help="messages per second (default: 250)")
    parser.add_argument("--hubs", type=int, default=1, help="how many hubs work on the PostgreSQL (default: 1)")
    parser.add_argument("--keep", action="store_true", help="keep the folder for a look")
    parser.add_argument(
        "--show-faults", action="store_true", help="take out each order of commit and effect, and show that it is caught"
    )
    return parser.parse_args()


def main():
    options = arguments()
    if options.hubs > 1 and not databases.server():
        sys.exit("crash: several hubs need a database on a server, see scripts/test --database")
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 32)
    if options.show_faults:
        options.rate = min(options.rate, FAULTY_RATE)
        passed, failed = show_faults(options, seed)
    else:
        wrong = run(options, seed)
        passed, failed = report(wrong)
    print(f"crash: {passed} passed, {failed} failed")
    return 1 if failed else 0


def run(options, seed, phone_arguments=(), phone_binary=None, hub_fault=None):
    """Does one whole run and returns the findings."""
    print(f"crash: seed {seed}, {options.rounds} rounds, {options.hubs} hubs", flush=True)
    folder = Path(tempfile.mkdtemp(prefix="postrider-crash-"))
    dice = random.Random(seed)
    faulty = bool(phone_binary or hub_fault)
    profiles = PROFILES[:4] if faulty else PROFILES
    world = World(folder, profiles, dice, phone_arguments, phone_binary, hub_fault, options.hubs)
    world.weights = WEIGHTS[: len(profiles)]
    try:
        load = Load(world, seed, options.rate)
        kills = []
        for number in range(1, options.rounds + 1):
            # Faults are shown only by kills: a restore excuses what they do.
            restores = not faulty and not databases.server() and dice.random() < RESTORES
            kills += world.restore_round(number) if restores else world.kill_round(number)
        load.stop()
        settle(world, options.rounds)
        world.note_ends()
        evidence = gather(world, load)
        summary(evidence, load, kills)
        wrong = findings(evidence)
        wrong["sends that were never answered"] = load.unanswered
        return wrong
    finally:
        world.close()
        if options.keep:
            print(f"kept: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


def settle(world, rounds):
    """Waits until no message changes any more, or patience ends; the checker judges what still waits.

    The slow phone sends about one message a second: the longer the run, the more it has left.
    """

    def settled():
        count = success(world.rest.call("GET", "messages", params={"status": "queued", "count": 1}))["count"]
        return count == 0 and all_told()

    def all_told():
        final = {m["id"]: m["status"] for m in world.messages().values() if m["status"] in FINAL}
        told = {d.form.get("id"): d.form.get("status") for d in world.receiver.all(event="send_status")}
        return all(told.get(message_id) == status for message_id, status in final.items())

    def still():
        # Delivery reports of the slow network take 20 s; a change within the last second means: not yet.
        before = len(world.receiver.all()), len(world.radio())
        time.sleep(1)
        return (len(world.receiver.all()), len(world.radio())) == before

    try:
        until(lambda: settled() and still(), "every message has settled", 75 + 2 * rounds)
        until(lambda: time.monotonic() - last_report(world) > 3, "the last reports are in", 30)
        until(settled, "every message has settled", 30)
    except NeverHappened as late:
        print(f"crash: {late}")


def last_report(world):
    """Returns when the last webhook came."""
    deliveries = world.receiver.all()
    return deliveries[-1].at if deliveries else 0


def gather(world, load):
    """Collects what the radio, the API and the webhooks say."""
    messages = world.messages()
    return Evidence(
        accepted=list(load.accepted),
        messages=messages,
        radio=world.radio(),
        webhooks=[(d.form["id"], d.form["status"]) for d in world.receiver.all(event="send_status")],
        alerts=[alert["kind"] for alert in world.admin.alerts()],
        incoming_texts=[m["content"] for m in messages.values() if m["direction"] == "incoming"],
        server_errors=list(load.server_errors),
        answered_otherwise=list(load.answered_otherwise),
        panics=list(world.panics),
        ended=list(world.ended),
        restores=list(world.restores),
        kinds_ever=[alert["kind"] for alert in world.admin("alerts", "--all")],
    )


def summary(evidence, load, kills):
    """Prints a summary of the run."""
    statuses = {}
    for message in evidence.messages.values():
        status = message["status"]
        if status == "failed":
            status = f"failed ({message.get('error_code')})"
        statuses[status] = statuses.get(status, 0) + 1
    killed = {kind: sum(1 for k, _ in kills if k == kind) for kind in ("hub", "phone")}
    print(f"kills: {killed['hub']} of the hub, {killed['phone']} of phones, {len(evidence.restores)} restores")
    print(f"accepted {len(evidence.accepted)}, repeated requests {load.repeats}, statuses {statuses}")
    print(f"radio log {len(evidence.radio)} lines, webhooks {len(evidence.webhooks)}, alerts {sorted(set(evidence.alerts))}")


def report(wrong):
    """Prints the findings and returns how many checks passed and failed."""
    for name, found in wrong.items():
        print(f"{'FAILED' if found else 'ok    '} {name}: {len(found)}")
        for one in found[:SHOWN]:
            print(f"         {one}")
    failed = sum(1 for found in wrong.values() if found)
    return len(wrong) - failed, failed


def build(package, features=()):
    """Builds a program, with the wrong orders or without."""
    command = ["cargo", "build", "--locked", "-p", package, *features]
    subprocess.run(command, cwd=ROOT, check=True)


def build_faulty(package, folder):
    """Builds a program with its wrong orders, and leaves the right one where it was."""
    faulty = Path(folder) / package
    try:
        build(package, ["--features", "fault-order"])
        shutil.copy2(TARGET / "debug" / package, faulty)
    finally:
        build(package)
    return faulty


def show_faults(options, seed):
    """Runs with each wrong order; a check passes if the checker has found the fault."""
    with tempfile.TemporaryDirectory(prefix="postrider-faults-") as folder:
        phone = build_faulty("virtual-phone", folder)
        hub = build_faulty("route-hub", folder)
        runs = [(meaning, check, (["--fault", fault], phone)) for fault, meaning, check in FAULTS]
        runs += [(meaning, check, ((), None, (hub, fault))) for fault, meaning, check in HUB_FAULTS]
        passed = failed = 0
        for meaning, caught_by, parts in runs:
            print(f"\n-- the wrong order: {meaning} --", flush=True)
            wrong = run(options, seed, *parts)
            report(wrong)
            found = bool(wrong[caught_by])
            print(f"{'caught' if found else 'NOT CAUGHT'}: {meaning}")
            passed, failed = passed + found, failed + (not found)
        return passed, failed


if __name__ == "__main__":
    sys.exit(main())
