"""A change wakes whom it concerns: the phones of other projects hear nothing, and nobody's link ends."""

import time

import pytest

from support.numbers import fresh_number
from support.wait import until

TOGGLES = 100
PHONES = 4


def connected(pair, project, count):
    """Pairs and connects so many phones of a project, each told its settings."""
    links = []
    for _ in range(count):
        link = pair(project, fresh_number()).connect()
        link.next("config")
        links.append(link)
    return links


def answers(link):
    """Says whether a link is open: the hub answers a ping, and tells nothing before it."""
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
