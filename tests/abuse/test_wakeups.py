"""A change wakes only those it concerns: phones of other projects get nothing, and no link ends."""

import copy
import re
import sqlite3
import time

import pytest
import requests

from support.numbers import fresh_number
from support.wait import until

TOGGLES = 100
PHONES = 4
IDLE = 100


def connected(pair, project, count):
    """Pairs and connects so many phones of a project; each has got its settings."""
    links = []
    for _ in range(count):
        link = pair(project, fresh_number()).connect()
        link.next("config")
        links.append(link)
    return links


def like(hub, phone, count):
    """Copies a paired device so many times, because pairing them takes long; returns their phones."""
    key = int(phone.device_id[2:], 16)
    made = []
    with sqlite3.connect(hub.admin.folder / "hub.db", timeout=20) as rows:
        rows.row_factory = sqlite3.Row
        device = dict(rows.execute("SELECT * FROM devices WHERE id = ?", (key,)).fetchone())
        device.update(conn=0, gen=0, gen_own=0, down_sent=0, down_acked=0, up=0)
        places = ", ".join("?" * len(device))
        for n in range(1, count + 1):
            device["id"] = key + n
            rows.execute(f"INSERT INTO devices ({', '.join(device)}) VALUES ({places})", tuple(device.values()))
            another = copy.copy(phone)
            another.device_id = f"{phone.device_id[:2]}{key + n:016x}"
            another.conn = another.down = another.up = another.acked = another.gen = 0
            made.append(another)
    return made


def looks(hub):
    """Returns how often a link was told that its settings may have changed."""
    with requests.Session() as session:
        session.trust_env = False
        text = session.get(f"{hub.server.operator_url}/metrics", timeout=20).text
    return int(re.search(r"^route_hub_link_looks_total (\d+)$", text, re.MULTILINE)[1])


def answers(link):
    """Returns whether a link is open: the hub answers a ping, and sends nothing before."""
    link.send({"t": "ping", "n": 7, "mono": int(time.monotonic() * 1000), "next_s": 45})
    heard = []
    while True:
        frame = link.receive()
        if frame["t"] == "pong":
            return heard
        heard.append(frame["t"])


@pytest.fixture(scope="module")
def links(hub, request):
    """Phones of two organizations, connected for the whole file."""
    from support.link import LinkPhone

    def pair(project, number):
        code = hub.admin.pair("--project", hub.projects[project], "--yes")
        return LinkPhone(f"http://127.0.0.1:{hub.server.port}", number=number).pair(code)

    made = {project: connected(pair, project, PHONES) for project in ("first", "foreign")}
    yield made
    for link in (link for links in made.values() for link in links):
        link.close()


def test_a_zone_toggled_a_hundred_times_closes_no_link_and_tells_no_other_project(hub, links):
    for n in range(TOGGLES):
        hub.first.post("", {"timezone_id": ("Africa/Nairobi", "Asia/Kolkata")[n % 2]})
    for link in links["foreign"]:
        assert answers(link) == []
    for link in links["first"]:
        assert answers(link) == [], "no phone has quiet hours: there is nothing to tell"


def test_admin_commands_one_after_the_other_close_no_link(hub, links):
    for n in range(3):
        hub.admin("project", "set", hub.projects["first"], "--timezone", ("UTC", "Africa/Nairobi")[n % 2])
        hub.admin("alerts")
    for link in links["first"] + links["foreign"]:
        assert answers(link) == []


def test_the_operators_change_reaches_its_project_and_no_other(hub, links):
    hub.admin("project", "set", hub.projects["first"], "--stopped", "true")
    for link in links["first"]:
        assert link.next("config")["pause"] is True
    for link in links["foreign"]:
        assert answers(link) == []
    hub.admin("project", "set", hub.projects["first"], "--stopped", "false")
    for link in links["first"]:
        assert link.next("config")["pause"] is False


@pytest.fixture(scope="module")
def idle(hub, links):
    """A hundred more idle phones for each of the two, connected and with their settings."""
    made = {}
    for project, first in links.items():
        made[project] = [phone.connect() for phone in like(hub, first[0].phone, IDLE)]
        for link in made[project]:
            link.next("config")
    yield made
    for link in (link for links in made.values() for link in links):
        link.close()


def test_changes_wake_the_hundred_phones_that_they_concern_and_nobody_else(hub, links, idle):
    """The zone is changed a hundred times, and the operator runs a command: counts what is woken."""
    concerned, before = PHONES + IDLE, looks(hub)
    for n in range(TOGGLES):
        hub.first.post("", {"timezone_id": ("Asia/Kolkata", "Africa/Nairobi")[n % 2]})
    assert looks(hub) - before == TOGGLES * concerned
    for n in range(1, 4):
        hub.admin("project", "set", hub.projects["first"], "--timezone", ("Africa/Nairobi", "UTC")[n % 2])
        until(lambda: looks(hub) - before >= (TOGGLES + n) * concerned, "the operator's change is seen", 10)
    hub.admin("alerts")
    for link in idle["first"] + idle["foreign"] + links["first"] + links["foreign"]:
        assert answers(link) == [], "nothing to tell, and no link closed"
    assert looks(hub) - before == (TOGGLES + 3) * concerned


def test_a_revoked_key_ends_and_other_keys_of_the_organization_go_on(hub):
    made = hub.admin("key", "create", "--project", hub.projects["first"], "--permission", "view_messages")
    rest = hub.server.rest(made["api_key"], hub.projects["first"])
    assert rest.get("messages")["data"] is not None
    hub.admin("key", "revoke", made["id"])
    until(lambda: rest.call("GET", "messages").status_code == 401, "the key ends", 5)
    assert hub.second.get("messages")["data"] is not None


def test_a_revoked_device_is_closed_and_nobody_elses(hub, links, pair):
    link = pair("first", fresh_number()).connect()
    link.next("config")
    hub.admin("device", "revoke", link.phone.device_id)
    assert link.close_code() in range(4400, 4500)
    for other in links["first"] + links["foreign"]:
        assert answers(other) == []
