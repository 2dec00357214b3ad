"""Mistakes of the operator: no phone loses anything, nothing is sent twice, and all phones come back by themselves."""

import re
import socket
from collections import Counter

import pytest
from websockets.sync.client import connect

from support.hub import Admin, Serve
from support.link import _PLAIN, SUB_PROTOCOL, Ed25519Key, LinkPhone, LinkSocket
from support.operator import backup, restore
from support.paths import binary
from support.phones import VirtualPhone
from support.ports import free_port
from support.process import Program, ended_after
from support.wait import until

PHONES = 50
MESSAGES_EACH = 3
NAME = "hub.example"
NOT_KNOWN = "is not known to the hub, and keeps trying"
ALL = ["send_messages", "view_messages", "view_routes", "edit_routes", "view_projects"]


class Fleet:
    """A served hub that phones know by a name, and its phones in their own processes."""

    def __init__(self, folder, count):
        self.folder, self.port = folder, free_port()
        self.admin = Admin(folder / "hub")
        self.project = self.admin.project(self.admin.organization(), "Fleet")
        self.key = self.admin.key(self.project, ALL)
        self.right = ["--public-url", f"http://{NAME}:{self.port}"]
        self.phones = []
        self.hub = None
        self.serve(self.admin.folder, *self.right)
        for number in range(count):
            self.phones.append(self.join(number))

    @property
    def rest(self):
        return self.hub.rest(self.key, self.project)

    def serve(self, folder, *arguments):
        """Starts the hub with these arguments; every phone looks for it at once, as on a new network."""
        self.hub = Serve(folder, self.port, arguments=list(arguments)).start()
        for phone in self.phones:
            phone.happens("network", up=True, name="wifi")

    def join(self, number):
        """Pairs a phone."""
        code = self.admin.pair("--project", self.project, "--yes")
        sim = f"+1500555{7000 + number}"
        phone = VirtualPhone(
            self.folder / f"phone{number}", f"http://127.0.0.1:{self.port}", code, arguments=["--number", sim]
        ).start()
        until(lambda: "is connected" in phone.program.err_lines, f"phone {number} is connected", 60)
        routes = self.rest.get("phones", page_size=500)["data"]
        phone.route_id = next(row["id"] for row in routes if row["phone_number"] == sim)
        return phone

    def devices(self):
        return self.admin("device", "list")

    def is_on(self, phone, message):
        """Returns whether a phone's journal has a message; while the phone runs, its log counts too."""
        key = int(message[2:], 16).to_bytes(8, "big").lstrip(b"\0")
        return any(key in path.read_bytes() for path in phone.folder.glob("journal.db*"))

    def slip(self, folder, *arguments):
        """Starts the hub wrongly, waits until every phone was told that it is not known, and stops it."""
        before = [phone.program.err_lines.count(NOT_KNOWN) for phone in self.phones]
        self.hub.program.stop()
        self.serve(folder, *arguments)
        told = lambda: [phone.program.err_lines.count(NOT_KNOWN) for phone in self.phones]  # noqa: E731
        until(lambda: all(now > then for now, then in zip(told(), before)), "all are told", 60)

    def handed_over(self):
        return Counter(line["message_id"] for phone in self.phones for line in phone.radio())

    def incoming(self):
        found = self.rest.get("messages", direction="incoming", page_size=500)["data"]
        return Counter(message["content"] for message in found)

    def close(self):
        for phone in self.phones:
            phone.program.kill()
        self.hub.program.kill()
        self.admin.close()


@pytest.fixture
def fleet(tmp_path):
    """Makes a fleet of so many phones, and stops it at the end."""
    made = []

    def make(count):
        made.append(Fleet(tmp_path, count))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_fifty_phones_come_through_a_wrong_name_a_wrong_url_and_an_empty_folder(fleet, tmp_path):
    """Nothing is lost or doubled: with messages on the phones, others in the queue, and incoming texts."""
    fleet = fleet(PHONES)
    for phone in fleet.phones:
        phone.happens("pause", on=True)
    sent = []
    for number, phone in enumerate(fleet.phones):
        text = f"to {number}, "
        given = [fleet.rest.send("+15005550210", text + str(n), route_id=phone.route_id) for n in range(MESSAGES_EACH)]
        sent += [message["id"] for message in given]
        until(lambda: fleet.is_on(phone, given[-1]["id"]), "the phone has them")
    slips = [
        (fleet.admin.folder, "--host", "other.example"),
        (fleet.admin.folder, "--public-url", f"http://wrong.example:{fleet.port}"),
        (tmp_path / "elsewhere", "--create", *fleet.right),
    ]
    for turn, (folder, *arguments) in enumerate(slips):
        fleet.slip(folder, *arguments)
        for number, phone in enumerate(fleet.phones):
            phone.happens("pause", on=False)
            phone.happens("sms", **{"from": "+15005550199", "text": f"in {turn} at {number}"})
    assert not fleet.handed_over(), "a phone that is not known hands nothing over"
    fleet.hub.program.stop()
    queued = []
    fleet.serve(fleet.admin.folder, *fleet.right)
    queued += [fleet.rest.send("+15005550250", "later", route_id=p.route_id)["id"] for p in fleet.phones]
    delivered = lambda: set(fleet.handed_over()) == set(sent + queued)  # noqa: E731
    until(delivered, "all of it is sent", 60)
    for one in sent + queued:
        fleet.rest.wait_status(one, "delivered", patience_s=30)
    expected = {f"in {turn} at {number}" for turn in range(len(slips)) for number in range(PHONES)}
    until(lambda: set(fleet.incoming()) == expected, "all that came in is told", 30)
    assert set(fleet.handed_over().values()) == {1}
    assert set(fleet.incoming().values()) == {1}
    assert len(fleet.devices()) == PHONES
    assert all(phone.program.alive() for phone in fleet.phones)


def test_a_backup_from_before_two_phones_were_paired_sends_nothing_twice(fleet, tmp_path):
    """Another phone may have their messages by then: they send none of them."""
    fleet = fleet(1)
    early = fleet.phones[0]
    early.program.stop()
    held = [fleet.rest.send("+15005550260", f"n{n}", route_id=early.route_id)["id"] for n in range(2)]
    fleet.hub.program.stop()
    backup(fleet.admin.folder, tmp_path / "backup.db")
    fleet.phones = []
    fleet.serve(fleet.admin.folder, *fleet.right)
    fleet.phones = late = [fleet.join(number) for number in (1, 2)]
    for phone, message in zip(late, held):
        phone.happens("pause", on=True)
        fleet.rest.post(f"messages/{message}/resend", {"route_id": phone.route_id})
        until(lambda: fleet.is_on(phone, message), "it is moved to its disk")
    fleet.hub.program.stop()
    restore(fleet.admin.folder, tmp_path / "backup.db")
    fleet.serve(fleet.admin.folder, *fleet.right)
    for phone in late:
        until(lambda: NOT_KNOWN in phone.program.err_lines, "it is told", 30)
        phone.happens("pause", on=False)
    early.start()
    fleet.phones = [early, *late]
    for message in held:
        fleet.rest.wait_status(message, "delivered", patience_s=30)
    assert fleet.handed_over() == Counter(held)
    assert all(not phone.radio() for phone in late)
    assert all(phone.program.alive() for phone in late), "only its owner unpairs it"


def test_a_fleet_that_fails_to_gather_leaves_no_program_behind(tmp_path, monkeypatch):
    """If making a fleet fails, nobody owns it yet; what it started is stopped anyway."""
    begun = []

    def fails(fleet, _number):
        begun.append(fleet.hub.program)
        raise RuntimeError("not connected")

    monkeypatch.setattr(Fleet, "join", fails)
    with pytest.raises(RuntimeError), ended_after():
        Fleet(tmp_path, 1)
    assert begun and not begun[0].alive()


def test_a_folder_without_a_database_is_refused_unless_one_is_to_be_made(tmp_path):
    """A hub that starts empty by mistake would know no phone."""
    def serve(*arguments):
        return Program([binary("route-hub"), "serve", "--listen", "127.0.0.1:0", *arguments])

    missing, empty = tmp_path / "missing", tmp_path / "empty"
    empty.mkdir()
    for folder in (missing, empty):
        program = serve("--dir", folder)
        until(lambda: not program.alive(), "it refuses")
        assert program.stop() == 1
        assert str(folder) in program.words() and "--create" in program.words(), program.words()
    assert not missing.exists() and not list(empty.glob("hub.db*"))
    for more in (["--create"], []):
        program = serve("--dir", missing, *more)
        until(lambda: any("listening" in line and "url=" in line for line in program.err_lines), "it serves")
        assert program.stop() == 0


class Named(LinkSocket):
    """A connection whose request names the host by which the phone knows the hub."""

    def __init__(self, phone, port):
        self.phone = phone
        self.ws = connect(
            f"ws://{phone.host}:{port}/link",
            sock=socket.create_connection(("127.0.0.1", port)),
            subprotocols=[SUB_PROTOCOL],
            compression=None,
            proxy=None,
            **_PLAIN,
        )
        self.challenge = self.receive()


def test_the_log_names_the_host_that_is_missing_and_strangers_put_no_word_into_it(hub, pair):
    """A phone's signature for the name that it dialled proves that this was the hub's name."""
    phone = pair()
    phone.host = "gateway.example"
    link = Named(phone, hub.server.port)
    link.hello()
    assert link.close_code() == 4401
    log = lambda: [re.sub("\x1b\\[[0-9;]*m", "", line) for line in hub.server.program.err_lines]  # noqa: E731
    until(lambda: any("gateway.example" in line and "--host" in line for line in log()), "the log names it")
    stranger = LinkPhone(phone.hub_root, key=Ed25519Key())
    stranger.device_id, stranger.install, stranger.host = phone.device_id, phone.install, "stranger.example"
    link = Named(stranger, hub.server.port)
    link.hello()
    assert link.close_code() == 4401
    assert not any("stranger.example" in line for line in log())
    phone.host = "127.0.0.1"
    phone.connect().close()


def test_a_phone_that_was_replaced_is_told_so_and_others_learn_nothing(hub, pair):
    """It shows its former key; whoever lacks that key is only told that it is not known."""
    old = pair()
    old.connect().close()
    new = pair(device=old.device_id)
    new.connect().close()
    link = old.open()
    link.hello()
    assert link.close_code() == 4403
    thief = LinkPhone(old.hub_root)
    thief.host, thief.link_url, thief.device_id, thief.install = old.host, old.link_url, old.device_id, old.install
    link = thief.open()
    link.hello()
    assert link.close_code() == 4401
    new.connect().close()
