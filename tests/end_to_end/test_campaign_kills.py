"""Killed between a campaign and its broadcast: each campaign becomes one, and each contact gets it once."""

import time

import pytest

from support.hub import Demo
from support.numbers import fresh_number
from support.ports import free_port
from support.wait import until

CAMPAIGNS = 40
MEMBERS = 3


def prepare(rest, route):
    """Has campaigns wait for the same second; returns their ids."""
    group = rest.post("groups", {"name": f"All {fresh_number()}"})["id"]
    contacts = [{"phone_number": fresh_number()} for _ in range(MEMBERS)]
    rest.post("import_contacts", {"contacts": contacts, "add_group_ids": [group]})
    at = int(time.time()) + 3
    made = []
    for number in range(CAMPAIGNS):
        body = {"campaign_type": "broadcast_text", "content": f"campaign {number}", "schedule_time": at}
        made.append(rest.post("campaigns", {**body, "group_id": group, "route_id": route})["id"])
        assert rest.post(f"campaigns/{made[-1]}/send", {})["status"] == "scheduled"
    return made


def begun(rest):
    """Says whether a campaign went out."""
    return rest.get("broadcasts?count=1")["count"] > 0


def judge(rest, made):
    """Waits until all went out, and counts what that came to."""
    count = lambda path: rest.get(path)["count"]
    until(lambda: count("campaigns?status=sent&count=1") == CAMPAIGNS, "every campaign goes out", 60)
    until(lambda: count("messages?count=1") >= CAMPAIGNS * MEMBERS, "every message is made", 60)
    broadcasts = rest.get("broadcasts?page_size=500")["data"]
    assert sorted(one["campaign_id"] for one in broadcasts) == sorted(made)
    messages = rest.get("messages?page_size=500")["data"]
    sent = [(one["contact_id"], one["content"]) for one in messages]
    assert len(sent) == len(set(sent)) == CAMPAIGNS * MEMBERS


@pytest.mark.parametrize("_round", range(2))
def test_a_hub_that_is_killed_as_campaigns_go_out_sends_each_once(tmp_path, _round):
    port = free_port()
    demo = Demo(tmp_path, listen=f"127.0.0.1:{port}")
    made = prepare(demo.rest, demo.facts["test_phone_id"])
    until(lambda: begun(demo.rest), "the first goes out", 30)
    demo.program.kill()
    again = Demo(tmp_path, listen=f"127.0.0.1:{port}")
    try:
        judge(again.rest, made)
    finally:
        assert again.program.stop() == 0
