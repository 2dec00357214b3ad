"""The end of a run of faults: waits until all is settled, collects what is known, and prints what is wrong."""

import time

from crash.check import FINAL, Evidence
from support.rest import success
from support.wait import NeverHappened, until

SHOWN = 10


def settle(world, patience_s):
    """Waits until no message changes any more, or patience ends; the checker judges what still waits."""
    rest = world.rest()

    def settled():
        count = success(rest.call("GET", "messages", params={"status": "queued", "count": 1}))["count"]
        # Reading everything costs the hub much: only when nothing happens any more.
        return count == 0 and still() and all_told()

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
        until(settled, "every message has settled", patience_s)
        until(lambda: time.monotonic() - last_report(world) > 3, "the last reports are in", 30)
        until(settled, "every message has settled", 30)
    except NeverHappened as late:
        print(f"settle: {late}")


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
        contact_numbers=[contact["phone_number"] for contact in world.contacts()],
        server_errors=list(load.server_errors),
        answered_otherwise=list(load.answered_otherwise),
        panics=list(world.panics),
        ended=list(world.ended),
        restores=list(world.restores),
        kinds_ever=[alert["kind"] for alert in world.admin("alerts", "--all")],
    )


def summary(evidence, load):
    """Prints a summary of the run."""
    statuses = {}
    for message in evidence.messages.values():
        status = message["status"]
        if status == "failed":
            status = f"failed ({message.get('error_code')})"
        statuses[status] = statuses.get(status, 0) + 1
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
