"""Work that the hub does for everybody: one project's damaged rows and backlogs do not affect others."""

import contextlib
import sqlite3
import time

import pytest

from support.numbers import fresh_number
from support.wait import until

TO = "+15005550101"


def damage(hub, sql, of):
    """Changes one row on the disk, like a failing disk, while the hub runs."""
    with contextlib.closing(sqlite3.connect(hub.admin.folder / "hub.db", timeout=20)) as database, database:
        assert database.execute(sql, (int(of[2:], 16),)).rowcount == 1


def told(hub):
    """Returns the projects with an alert about an unreadable row."""
    return {alert["project_id"] for alert in hub.admin.alerts() if alert["kind"] == "row_unreadable"}


@pytest.fixture(scope="module")
def routes(hub):
    """A test route of each project."""
    phones = {name: getattr(hub, name).get("phones")["data"] for name in ("first", "foreign")}
    return {name: next(p["id"] for p in found if p["phone_type"] == "simulated") for name, found in phones.items()}


def test_a_damaged_schedule_stops_nobody(hub, routes):
    at = int(time.time()) + 4
    plan = {"to_number": TO, "start_time": at}
    damaged = hub.first.post("scheduled", {**plan, "content": "damaged", "route_id": routes["first"]})
    hub.first.post("scheduled", {**plan, "content": "sound", "route_id": routes["first"]})
    hub.foreign.post("scheduled", {**plan, "content": "theirs", "route_id": routes["foreign"]})
    damage(hub, "UPDATE schedules SET instance = 'x' WHERE id = ?", damaged["id"])

    def texts(rest):
        return {message["content"] for message in rest.get("messages")["data"]}

    until(lambda: "theirs" in texts(hub.foreign), "the other project's schedule sends", 30)
    until(lambda: "sound" in texts(hub.first), "the project's other schedule sends", 30)
    assert "damaged" not in texts(hub.first)
    until(lambda: hub.projects["first"] in told(hub), "its project is told", 10)
    assert hub.projects["foreign"] not in told(hub)


def test_a_damaged_message_whose_life_ends_stops_nobody(hub, pair):
    phones = {name: pair(name, fresh_number()).phone_id for name in ("first", "foreign")}
    waiting = [hub.first.send(TO, "x", route_id=phones["first"]) for _ in range(2)]
    waiting.append(hub.foreign.send(TO, "x", route_id=phones["foreign"]))
    damage(hub, "UPDATE messages SET priority = 'x' WHERE id = ?", waiting[0]["id"])
    for message in waiting:
        damage(hub, "UPDATE messages SET life_end = 1 WHERE id = ?", message["id"])
    assert hub.first.wait_status(waiting[1]["id"], "failed")["error_message"]
    assert hub.foreign.wait_status(waiting[2]["id"], "failed")["error_message"]
    assert hub.projects["first"] in told(hub)


def test_a_damaged_message_of_a_test_route_stops_nobody(hub, routes):
    route = f"phones/{routes['first']}"
    hub.first.post(route, {"send_paused": True})
    held = [hub.first.send(TO, "x", route_id=routes["first"]) for _ in range(2)]
    damage(hub, "UPDATE messages SET vars = X'00' WHERE id = ?", held[0]["id"])
    hub.first.post(route, {"send_paused": False})
    hub.first.wait_status(held[1]["id"], "sent")
    theirs = hub.foreign.send(TO, "x", route_id=routes["foreign"])
    hub.foreign.wait_status(theirs["id"], "sent")


def test_the_backlog_of_a_slow_test_route_delays_no_other(hub, routes):
    slow = hub.first.post("phones", {"name": "Slow", "phone_type": "simulated", "phone_number": "+15005550177"})["id"]
    hub.first.post(f"phones/{slow}", {"send_delay": 3_600})
    for _ in range(3):
        backlog = [{"to_number": TO, "content": f"{n}"} for n in range(100)]
        hub.first.post("send_multi", {"messages": backlog, "route_id": slow})
    for _ in range(5):
        theirs = hub.foreign.send(TO, "x", route_id=routes["foreign"])
        hub.foreign.wait_status(theirs["id"], "sent")
    waiting = hub.first.get("messages", status="queued", phone_id=slow, count=1)["count"]
    assert waiting >= 299
