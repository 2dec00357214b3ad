"""Webhooks: each event has the names in the list of the interface, and the other properties of its object."""

import pytest
import requests

from conformance.interface import INTERFACE
from support.receiver import Receiver
from support.wait import until

TOLD_OF = {
    "send_status": ("Message", "messages"),
    "incoming_message": ("Message", "messages"),
    "send_broadcast": ("Broadcast", "broadcasts"),
    "contact_update": ("Contact", "contacts"),
}
# What only a phone's network tells; the hub's own tests show it.
BY_THE_NETWORK = {"incoming_message": {"time_sent"}}
CHANGES = {"status", "status_counts", "message_count", "num_parts", "waiting_for", "next_slot_time", "next_try_time"}


class Told:
    """A project in which one of everything has happened, and the webhooks of it."""

    def __init__(self, world):
        self.world, self.receiver = world, Receiver()
        coming_in = ("--incoming-url", self.receiver.url("/in"), "--incoming-secret", "s")
        self.project = world.admin.project(world.organization, "told of", *coming_in)
        write = self.write
        phone = write("phones", {"phone_type": "simulated", "phone_number": world.number()})["id"]
        events = sorted(INTERFACE.objects["Webhook"].names("events ="))
        write("webhooks", {"url": self.receiver.url("/hook"), "secret": "s", "events": events})
        group = write("create_group", {"name": "told"})["id"]
        named = {"name": "Told", "vars": {"city": "Oslo"}, "add_group_ids": [group]}
        contact = write("contacts", {"phone_number": "+15005550012", **named})
        arriving = {"contact_id": contact["id"], "content": "arrives: https://a.example", "track_clicks": True}
        [link] = write("messages/send", arriving)["short_urls"]
        write("messages/send", {"to_number": "+15005550011", "content": "fails"})
        write("send_broadcast", {"to_numbers": ["+15005550012"], "content": "to all", "route_id": phone})
        write("messages/receive", {"from_number": "+15005550188", "content": "in", "phone_id": phone})
        for event, status in (("send_status", "delivered"), ("send_status", "failed")):
            self.receiver.wait(event=event, status=status)
        browser = {"user-agent": "Mozilla/5.0 (Linux; Android 14) Gecko/20100101 Firefox/127.0"}
        requests.get(link["short_url"], headers=browser, allow_redirects=False, timeout=10)
        until(lambda: any("time_clicked" in one.form for one in self.receiver.all()), "the click is told")
        for event in ("send_broadcast", "incoming_message"):
            self.receiver.wait(event=event)
        for update_type in INTERFACE.events["contact_update"].names("update_type =", "now"):
            self.receiver.wait(event="contact_update", update_type=update_type)

    def write(self, path, body):
        """Posts to the project."""
        return self.world.caller.write(f"/projects/{self.project}/{path}", body)

    def read(self, path):
        """Reads something of the project."""
        return self.world.caller.read(f"/projects/{self.project}/{path}")


@pytest.fixture(scope="module")
def told(world):
    """The webhooks of one of everything."""
    made = Told(world)
    yield made
    made.receiver.close()


def names(delivery):
    """Returns the names of an event's parameters, without what is in brackets."""
    return {name.split("[")[0] for name, _ in delivery.pairs}


@pytest.mark.parametrize("event", sorted(TOLD_OF))
def test_an_event_has_the_parameters_of_the_list(told, event):
    found = set().union(*(names(delivery) for delivery in told.receiver.all(event=event)))
    found |= BY_THE_NETWORK.get(event, set())
    block, properties = INTERFACE.events[event], INTERFACE.objects[TOLD_OF[event][0]]
    assert block.names("tells", "now") - found == set(), "these are never told"
    assert found - block.names("tells", "now") - properties.names("shows", "now", "ours") == set(), "the list lacks these"


@pytest.mark.parametrize("event", sorted(TOLD_OF))
def test_an_event_has_every_property_that_has_a_value(told, event):
    for delivery in told.receiver.all(event=event):
        shown = told.read(f"{TOLD_OF[event][1]}/{delivery.form['id']}")
        valued = {name for name, value in shown.items() if value not in (None, [], {})}
        later = {name for name in valued if name.startswith(("time_", "last_", "error_"))} | CHANGES
        assert valued - later - names(delivery) == set(), delivery


def test_every_event_that_is_here_is_told():
    here = {event for event, block in INTERFACE.events.items() if block.names("tells", "now", "ours")}
    assert here == TOLD_OF.keys()
