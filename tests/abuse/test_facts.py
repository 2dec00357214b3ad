"""A phone that sends more than its share: others are acked first, nothing is lost, and what is kept is bounded."""

import contextlib
import sqlite3

import pytest
import requests

from support.hub import Admin, Serve
from support.link import LinkPhone
from support.process import ended_after

KEYS = ["view_messages", "view_projects"]
PER_S = 4
BURST = 25 * PER_S
FLOOD = BURST + 150
KEPT_ASIDE = 1_000
KEPT_INSTALLS = 100


class Hub:
    """A served hub with two projects and the limits that a test chooses."""

    def __init__(self, folder):
        self.admin = Admin(folder)
        organization = self.admin.organization()
        self.projects = [self.admin.project(organization, name) for name in ("Loud", "Quiet")]
        self.keys = [self.admin.key(project, KEYS) for project in self.projects]
        self.server = None

    def serve(self, *arguments):
        """Restarts the hub with these arguments, on the port that its phones know."""
        port = None
        if self.server:
            port = self.server.port
            assert self.server.program.stop() == 0, self.server.program.words()
        self.server = Serve(self.admin.folder, port, arguments=list(arguments)).start()
        return self

    def pair(self, project, number):
        """Pairs a phone with a project."""
        code = self.admin.pair("--project", self.projects[project], "--yes")
        return LinkPhone(f"http://127.0.0.1:{self.server.port}", number=number).pair(code)

    def incoming(self, project):
        """Returns the incoming texts in their order of arrival."""
        rest = self.server.rest(self.keys[project], self.projects[project])
        texts, more = [], {}
        while True:
            page = rest.get("messages", direction="incoming", page_size=500, sort_dir="asc", **more)
            texts += [message["content"] for message in page["data"]]
            if not page["truncated"]:
                return texts
            more = {"marker": page["next_marker"]}

    def metric(self, name):
        """Returns a value that the operator sees."""
        text = requests.get(f"{self.server.operator_url}/metrics", timeout=10).text
        return int(next(line.split()[1] for line in text.splitlines() if line.startswith(name + " ")))

    def rows(self, sql):
        """Reads the database of the stopped hub."""
        assert self.server.program.stop() == 0, self.server.program.words()
        with contextlib.closing(sqlite3.connect(f"file:{self.admin.folder}/hub.db?mode=ro", uri=True)) as database:
            return database.execute(sql).fetchall()


@pytest.fixture
def hub(tmp_path):
    """A hub of one test."""
    with ended_after():
        yield Hub(tmp_path / "data")


def comes_in(link, n, text, **more):
    """A text comes in on a phone."""
    link.fact("inbound", n=n, kind="sms", sim=0, **{"from": "+15005550161"}, text=text, **more)


def test_beside_a_flood_others_are_acked_first_and_the_rest_of_it_waits_on_its_phone(hub):
    """The facts of two phones, one in the same project, are all acked while most of the flood waits."""
    hub.serve("--facts-per-s", str(PER_S))
    loud = hub.pair(0, "+15005550150")
    others = [hub.pair(0, "+15005550151"), hub.pair(1, "+15005550152")]
    flood = loud.connect()
    links = [phone.connect() for phone in others]
    for n in range(1, FLOOD + 1):
        comes_in(flood, n, f"flood {n}")
    flood.wait_acked(BURST)
    for n in range(1, 11):
        for link in links:
            comes_in(link, n, f"other {n}")
            link.wait_acked()
    link_is_open = flood.ws.protocol.state.name == "OPEN"
    flood.close()
    told = [text for text in hub.incoming(0) if text.startswith("flood")]
    assert link_is_open and BURST <= len(told) < FLOOD, len(told)
    assert told == [f"flood {n}" for n in range(1, len(told) + 1)]
    assert hub.incoming(1) == [f"other {n}" for n in range(1, 11)]

    hub.serve("--facts-per-s", "0")
    flood = loud.connect()
    first = loud.acked + 1
    assert first == len(told) + 1, "what was not stored is not acked"
    loud.up = loud.acked
    for n in range(first, FLOOD + 1):
        comes_in(flood, n, f"flood {n}")
    flood.wait_acked()
    told = [text for text in hub.incoming(0) if text.startswith("flood")]
    assert told == [f"flood {n}" for n in range(1, FLOOD + 1)]
    flood.close()


def test_of_facts_that_cannot_be_applied_a_device_keeps_the_newest_and_the_others_are_counted(hub):
    """Reports on unknown messages are acked and set aside, up to a limit for each device."""
    hub.serve("--facts-per-s", "0")
    loud, other = hub.pair(0, "+15005550150"), hub.pair(0, "+15005550151")
    link, over = loud.connect(), 25
    with contextlib.closing(other.connect()) as quiet:
        quiet.fact("event", id="SM00000000000000ff", ep=1, state="sent")
        quiet.wait_acked()
    for _ in range(KEPT_ASIDE + over):
        link.fact("event", id="SM00000000000000ff", ep=1, state="sent")
        if loud.up % 200 == 0:
            link.wait_acked()
    link.wait_acked()
    link.close()
    assert hub.metric("route_hub_facts_dropped_total") == over
    kept = hub.rows("SELECT count(*), min(s), max(s) FROM facts_aside GROUP BY device_id ORDER BY count(*)")
    assert kept == [(1, 1, 1), (KEPT_ASIDE, over + 1, KEPT_ASIDE + over)]


def test_what_came_in_on_the_newest_hundred_installations_counts_once_however_late_it_is_told(hub):
    """A journal that was set aside may come late; a device that invents new ones fills nothing."""
    hub.serve("--facts-per-s", "0")
    phone = hub.pair(0, "+15005550150")
    link = phone.connect()
    installs = [f"{number:032x}" for number in range(1, KEPT_INSTALLS + 11)]
    for number, install in enumerate(installs):
        comes_in(link, 1, f"of {number}", install=install)
        link.wait_acked()
    # Some may have counted in the same millisecond: nobody knows which of these is older.
    for number, install in list(enumerate(installs))[-KEPT_INSTALLS + 5 :]:
        comes_in(link, 1, f"of {number}", install=install)
    link.wait_acked()
    link.close()
    assert hub.incoming(0) == [f"of {number}" for number in range(len(installs))]
    assert hub.rows("SELECT count(*) FROM inbound_counted") == [(KEPT_INSTALLS,)]
