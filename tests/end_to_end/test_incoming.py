"""Incoming messages: from a phone's radio over the link to the project's URL."""

import pytest

from support.numbers import fresh_number
from support.phones import VirtualPhone
from support.wait import until


@pytest.fixture
def phone(hub, tmp_path):
    """A virtual phone, paired by code and confirmed by the operator's --yes."""
    code = hub.admin.pair("--project", hub.projects["first"], "--yes")
    phone = VirtualPhone(tmp_path / "phone", f"http://127.0.0.1:{hub.server.port}", code).start()
    yield phone
    phone.program.kill()


def joined(hub, before):
    return until(
        lambda: [p for p in hub.first.get("phones")["data"] if p["id"] not in before and p["last_active_time"]],
        "the phone has joined",
    )[0]


def test_a_phone_joins_sends_and_receives(hub, phone, receiver):
    before = []
    route = joined(hub, before)
    sent = hub.first.send(fresh_number(), "out", route_id=route["id"])
    hub.first.wait_status(sent["id"], "delivered")
    assert [line["text"] for line in phone.radio()] == ["out"]

    hub.admin("project", "set", hub.projects["first"], "--incoming-url", receiver.url("/in"), "--incoming-secret", "inside")
    sender = fresh_number()
    phone.program.type(f"{sender} hello from outside")
    told = receiver.wait(event="incoming_message", content="hello from outside")[0]
    assert told.path == "/in"
    assert told.form["from_number"] == sender
    assert told.form["from_number_e164"] == sender
    assert told.form["message_type"] == "sms"
    assert told.form["phone_id"] == route["id"]
    assert told.form["project_id"] == hub.projects["first"]
    assert told.form["secret"] == "inside"
    assert told.form["contact[phone_number]"] == sender
    stored = hub.first.message(told.form["id"])
    assert stored["direction"] == "incoming" and stored["content"] == "hello from outside"
    assert stored["source"] == "phone"

    phone.program.kill()
    phone.start()
    phone.program.type(f"{sender} again after a restart")
    receiver.wait(event="incoming_message", content="again after a restart")
    received = hub.first.get("messages", direction="incoming", contact_id=stored["contact_id"])["data"]
    assert [m["content"] for m in received] == ["hello from outside", "again after a restart"]


def test_what_came_while_the_hub_was_down_arrives_later(hub, phone, receiver):
    joined(hub, [p["id"] for p in hub.first.get("phones")["data"] if not p["last_active_time"]])
    hub.admin("project", "set", hub.projects["first"], "--incoming-url", receiver.url("/late"))
    hub.server.program.kill()
    sender = fresh_number()
    for index in range(3):
        phone.program.type(f"{sender} offline {index}")
    hub.server.start()
    receiver.wait(count=3, event="incoming_message", patience_s=60)
    told = receiver.all(from_number=sender)
    assert sorted(d.form["content"] for d in told) == [f"offline {i}" for i in range(3)]
    stored = hub.first.get("messages", contact_id=told[0].form["contact_id"])["data"]
    assert [m["content"] for m in stored] == [f"offline {i}" for i in range(3)]
