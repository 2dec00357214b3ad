"""Connections: limits for each address, for each project and in total.

Loopback has no limit, and by default the hub trusts all of it. These hubs trust another proxy, so
that 127.0.0.2 and its neighbours are ordinary addresses; 127.0.0.1 stays this machine's own.
"""

import os

import pytest
from support.hub import Admin, Serve
from support.link import LinkPhone
from support.numbers import fresh_number
from support.paths import binary
from support.raw import Wire, request
from support.wait import until

PER_ADDRESS = 256
PER_PROJECT = 4
FILES = 240
IN_ALL = FILES - FILES // 2


def ask(key=None, *lines):
    """Returns a request for the list of projects."""
    return request("GET", "/v1/projects", key, lines)


class Front:
    """A hub and the connections that a test opened."""

    def __init__(self, folder, arguments, program=None):
        self.admin = Admin(folder / "data")
        organization = self.admin.organization()
        self.projects = [self.admin.project(organization, name) for name in ("One", "Two")]
        self.keys = [self.admin.key(project, ["view_projects"]) for project in self.projects]
        self.server = Serve(self.admin.folder, arguments=["--trusted-proxy", "192.0.2.1", *arguments])
        self.server.binary = program
        self.server.start()
        self.wires = []

    def connect(self, source, count=None):
        """Opens connections from an address."""
        wires = [Wire(self.server.address, source=source) for _ in range(count or 1)]
        self.wires += wires
        return wires if count else wires[0]

    def status(self, wire, key=None, *lines):
        """Asks for something; 503 where the hub closed instead."""
        wire.send(ask(key, *lines))
        answer = wire.answer("GET")
        return answer.status if answer else 503

    def clear(self):
        """Closes every connection."""
        while self.wires:
            self.wires.pop().close()

    def close(self):
        """Ends the hub."""
        self.clear()
        self.admin.close()
        panics = [line for line in self.server.program.err_lines if "panicked" in line]
        assert self.server.program.stop() == 0, self.server.program.words()
        assert not panics, panics


@pytest.fixture(scope="module")
def roomy(tmp_path_factory):
    """A hub with many places in total, but few for each project."""
    front = Front(tmp_path_factory.mktemp("roomy"), ["--project-connections", str(PER_PROJECT)])
    yield front
    front.close()


@pytest.fixture(scope="module")
def narrow(tmp_path_factory):
    """A hub that may open few files."""
    folder = tmp_path_factory.mktemp("narrow")
    program = folder / "hub"
    program.write_text(f'#!/bin/sh\nulimit -n {FILES}\nexec "{binary("route-hub")}" "$@"\n')
    program.chmod(0o755)
    front = Front(folder, [], program)
    yield front
    front.close()


@pytest.fixture(autouse=True)
def cleared(request):
    """Closes what a test opened."""
    yield
    for name in ("roomy", "narrow"):
        if name in request.fixturenames:
            request.getfixturevalue(name).clear()


def test_an_address_has_256_strangers_and_others_have_theirs(roomy):
    strangers = roomy.connect("127.0.0.2", PER_ADDRESS)
    assert roomy.status(strangers[-1]) == 401
    beyond = roomy.connect("127.0.0.2")
    assert roomy.status(beyond, None, "X-Forwarded-For: 198.51.100.1") == 503, "its word does not count"
    assert roomy.status(roomy.connect("127.0.0.3")) == 401
    assert roomy.status(roomy.connect("127.0.0.1"), roomy.keys[0]) == 200
    strangers[0].close()
    until(lambda: roomy.status(roomy.connect("127.0.0.2")) == 401, "a place is free again")


def test_this_machine_has_no_cap(roomy):
    many = roomy.connect("127.0.0.1", PER_ADDRESS + 50)
    assert roomy.status(many[-1]) == 401


def test_who_showed_a_key_counts_for_its_project_and_not_for_its_address(roomy):
    members = roomy.connect("127.0.0.4", PER_PROJECT)
    assert [roomy.status(wire, roomy.keys[0]) for wire in members] == [200] * PER_PROJECT
    one_more = roomy.connect("127.0.0.4")
    assert roomy.status(one_more, roomy.keys[0]) == 503
    assert roomy.status(roomy.connect("127.0.0.4"), roomy.keys[1]) == 200, "the other project has its own"
    assert roomy.status(members[0], roomy.keys[0]) == 200, "whoever is in stays in"
    rest = PER_ADDRESS - 1  # of the strangers one has asked in vain and is still here
    strangers = roomy.connect("127.0.0.4", rest)
    assert roomy.status(strangers[-1]) == 401
    assert roomy.status(roomy.connect("127.0.0.4")) == 503
    members[0].close()
    until(lambda: roomy.status(one_more, roomy.keys[0]) == 200, "the place is another's")


def test_phones_behind_a_crowd_of_strangers_are_none(roomy):
    """A phone that has said hello counts for its project, so its address keeps all its places for strangers."""
    code = roomy.admin.pair("--project", roomy.projects[1], "--yes")
    root = f"http://127.0.0.1:{roomy.server.port}"
    link = LinkPhone(root, number=fresh_number(), source="127.0.0.6").pair(code).connect()
    strangers = roomy.connect("127.0.0.6", PER_ADDRESS)
    assert roomy.status(strangers[-1]) == 401
    assert roomy.status(roomy.connect("127.0.0.6")) == 503
    link.fact("health", battery=77, charging=True, network="wifi", sims=[{"slot": 0}])
    link.wait_acked()
    link.close()


def test_a_full_hub_gives_the_places_of_strangers_to_whoever_comes(narrow):
    member = narrow.connect("127.0.0.2")
    assert narrow.status(member, narrow.keys[0]) == 200
    strangers = [wire for last in (3, 4) for wire in narrow.connect(f"127.0.0.{last}", IN_ALL)]
    assert until(lambda: sum(wire.has_answer() for wire in strangers) >= IN_ALL, "the oldest are ended")
    newcomer = narrow.connect("127.0.0.5")
    assert narrow.status(newcomer, narrow.keys[0]) == 200
    assert narrow.status(member, narrow.keys[0]) == 200
    assert narrow.status(narrow.connect("127.0.0.1"), narrow.keys[1]) == 200
    assert len(os.listdir(f"/proc/{narrow.server.program.pid}/fd")) < FILES
