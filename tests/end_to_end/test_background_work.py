"""Killed during long work: a broadcast, an import and due schedules lose nobody and repeat nobody."""

import threading

import pytest
import requests

from support.hub import Demo
from support.ports import free_port
from support.wait import until

PEOPLE = 6_000
IMPORT = 200
SCHEDULES = 1_500


def number(index):
    """Returns a number that no other test of this file's hub uses."""
    return f"+1500555{1_000 + index:04d}"


class Hub:
    """A demo that is killed and restarted at the same address with the same data."""

    def __init__(self, folder):
        self.folder = folder
        self.port = free_port()
        self.start()

    def start(self):
        self.demo = Demo(self.folder, phones=1, listen=f"127.0.0.1:{self.port}")
        self.rest = self.demo.rest

    def kill(self):
        self.demo.program.kill()
        self.start()

    def count(self, path, **filters):
        """Counts the rows of a list."""
        return self.rest.get(path, count=1, **filters)["count"]

    def all(self, path, **filters):
        """Reads every row of a list."""
        rows, marker = [], None
        while True:
            more = {"marker": marker} if marker else {}
            page = self.rest.get(path, page_size=500, **filters, **more)
            rows += page["data"]
            marker = page["next_marker"]
            if not page["truncated"]:
                return rows

    def make_people(self, group, first=0, people=PEOPLE):
        """Imports contacts into a group."""
        for begin in range(first, first + people, IMPORT):
            self.import_some(group, begin)

    def import_some(self, group, begin):
        contacts = [{"phone_number": number(n), "name": f"N{n}"} for n in range(begin, begin + IMPORT)]
        self.rest.post("import_contacts", {"contacts": contacts, "add_group_ids": [group]})


@pytest.fixture
def hub(tmp_path):
    hub = Hub(tmp_path)
    yield hub
    assert hub.demo.program.stop() == 0


def test_a_broadcast_that_kills_cut_off_reaches_everybody_once(hub):
    group = hub.rest.post("create_group", {"name": "Everybody"})["id"]
    hub.make_people(group)
    body = {"group_id": group, "content": "to all", "route_id": hub.demo.test_phone_id}
    broadcast = hub.rest.post("send_broadcast", body)
    path = f"broadcasts/{broadcast['id']}"
    hub.kill()
    cut_off = []
    for least in (1, PEOPLE // 3, 2 * PEOPLE // 3):
        made = until(
            lambda: (seen := hub.rest.get(path, fields="message_count")["message_count"]) >= least and seen,
            f"{least} messages are made",
            patience_s=60,
        )
        cut_off.append(made)
        hub.kill()
    assert any(0 < made < PEOPLE for made in cut_off), "no kill came while messages were made"
    shown = until(lambda: (one := hub.rest.get(path))["status"] == "complete" and one, "all are sent", patience_s=120)
    messages = hub.all("messages", broadcast_id=broadcast["id"])
    assert sorted(message["to_number"] for message in messages) == [number(n) for n in range(PEOPLE)]
    assert shown["message_count"] == shown["estimated_count"] == PEOPLE
    counts = {status: count for status, count in shown["status_counts"].items() if count}
    assert counts == {"sent": PEOPLE}
    assert {message["status"] for message in messages} == {"sent"}
    assert all(contact["outgoing_message_count"] == 1 for contact in hub.all(f"groups/{group}/contacts"))


def test_a_cancel_that_a_kill_cuts_off_goes_on(hub):
    group = hub.rest.post("create_group", {"name": "Everybody"})["id"]
    hub.make_people(group, people=3_000)
    paused = hub.demo.phones[0]["id"]
    hub.rest.post(f"phones/{paused}", {"send_paused": True})
    body = {"group_id": group, "content": "to all", "route_id": paused}
    path = f"broadcasts/{hub.rest.post('send_broadcast', body)['id']}"
    until(lambda: hub.rest.get(path)["status"] == "sending", "all messages are made", patience_s=60)
    assert hub.rest.post(f"{path}/cancel")["status"] == "cancelled"
    hub.kill()
    until(lambda: hub.rest.get(path)["status_counts"]["cancelled"] == 3_000, "all are cancelled", patience_s=60)
    assert hub.count("messages", status="queued") == 0
    assert hub.count("messages", status="cancelled") == 3_000


def test_an_import_that_a_kill_cuts_off_is_there_as_a_whole_or_not_at_all(hub):
    group = hub.rest.post("create_group", {"name": "Everybody"})["id"]
    begun, ended = [], []

    def keep_importing():
        for begin in range(0, PEOPLE, IMPORT):
            begun.append(begin)
            try:
                hub.import_some(group, begin)
            except requests.RequestException:
                return
            ended.append(begin)

    importer = threading.Thread(target=keep_importing)
    importer.start()
    until(lambda: len(ended) >= 5, "imports are on their way")
    hub.demo.program.kill()
    importer.join()
    assert len(begun) == len(ended) + 1, "one import has no answer"
    hub.start()
    there = hub.count("contacts")
    assert there in (len(ended) * IMPORT, len(begun) * IMPORT)
    assert hub.rest.get(f"groups/{group}")["num_members"] == there
    hub.make_people(group)
    numbers = [contact["phone_number"] for contact in hub.all("contacts")]
    assert sorted(numbers) == [number(n) for n in range(PEOPLE)]
    assert hub.rest.get(f"groups/{group}")["num_members"] == PEOPLE


def test_schedules_that_a_kill_catches_as_they_are_due_send_once_each(hub):
    start = 8
    made = hub.rest.post("scheduled", schedule(hub, 0, start_time_offset=start))
    lanes = [
        threading.Thread(target=make_schedules, args=(hub, made["start_time"], range(lane, SCHEDULES, 8)))
        for lane in range(1, 9)
    ]
    for lane in lanes:
        lane.start()
    for lane in lanes:
        lane.join()
    assert hub.count("scheduled") == SCHEDULES
    for least in (1, SCHEDULES // 2):
        until(lambda: hub.count("messages", source="scheduled") >= least, "schedules are fired", patience_s=60)
        hub.kill()
    until(lambda: hub.count("scheduled", **{"next_time[exists]": 1}) == 0, "all have been fired", patience_s=60)
    messages = hub.all("messages", source="scheduled")
    assert sorted(message["to_number"] for message in messages) == [number(n) for n in range(SCHEDULES)]
    assert len({message["scheduled_id"] for message in messages}) == SCHEDULES
    assert {one["occurrences"] for one in hub.all("scheduled")} == {1}


def schedule(hub, index, **when):
    """Returns the body of a schedule to one of the numbers."""
    return {"to_number": number(index), "content": "now", "route_id": hub.demo.test_phone_id, **when}


def make_schedules(hub, start_time, indexes):
    """Schedules a message to each of these numbers."""
    rest = type(hub.rest)(hub.rest.base_url, hub.rest.key, hub.rest.project)
    for index in indexes:
        rest.post("scheduled", schedule(hub, index, start_time=start_time))
