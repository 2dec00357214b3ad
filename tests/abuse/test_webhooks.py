"""One project's webhooks pile up, hang or lead nowhere: those of another project are not affected."""

import threading
import types

import pytest
import requests

from end_to_end.conftest import ALL
from support.hanging import Hanging
from support.hub import Serve
from support.names import Names
from support.receiver import Answer, Receiver
from support.rest import error
from support.wait import until

TO = "+15005550100"
STATES = ["queued", "sent"]
OBJECTS_MAX = 5
WAITING_MAX = 2_000
PORTS = 1_000
SHARE_OF_SLOTS = 128
SHARE_OF_LOOKUPS = 32


@pytest.fixture(scope="module")
def names():
    """A name server."""
    server = Names()
    yield server
    server.close()


@pytest.fixture(scope="module")
def hub(admin, names):
    """A served hub with our name server and low limits, and two projects with a test phone each."""
    organization = admin.organization("Ours")
    projects = {name: admin.project(organization, name) for name in ("loud", "quiet", "busy")}
    phones = {name: admin("phone", "add-test", "--project", project)["id"] for name, project in projects.items()}
    settings = ["--webhook-allow", "127.0.0.0/8", "--dns-server", names.address]
    settings += ["--webhooks-max", str(OBJECTS_MAX), "--webhooks-waiting-max", str(WAITING_MAX)]
    server = Serve(admin.folder, arguments=settings).start()
    rests = {name: server.rest(admin.key(project, ALL), project) for name, project in projects.items()}
    yield types.SimpleNamespace(admin=admin, server=server, projects=projects, phones=phones, **rests)
    assert server.program.alive(), server.program.words()
    server.program.kill()


@pytest.fixture
def receiver():
    """A receiver that answers at once."""
    server = Receiver()
    yield server
    server.close()


def send(rest, urls):
    """Sends a message for each of these status URLs, by the hundred, and returns their ids."""
    ids = []
    for first in range(0, len(urls), 100):
        messages = [{"to_number": TO, "content": "x", "status_url": url} for url in urls[first : first + 100]]
        ids += [message["id"] for message in rest.post("send_multi", {"messages": messages})["messages"]]
    return ids


def waiting(hub):
    """Returns how many events wait, as the operator sees it."""
    told = requests.get(hub.server.operator_url + "/metrics", timeout=30).text.splitlines()
    return next(int(line.split()[1]) for line in told if line.startswith("route_hub_webhooks_waiting "))


def all_told(receiver, ids):
    """Waits until the final event of each message has come, and checks the order of its states."""

    def told():
        states = {one: [] for one in ids}
        for delivery in receiver.all(event="send_status"):
            # An earlier test had the same port: what it had not answered comes here once more.
            of_message = states.get(delivery.form["id"])
            if of_message is not None and delivery.form["status"] not in of_message:
                of_message.append(delivery.form["status"])
        return states if all(len(found) == len(STATES) for found in states.values()) else None

    states = until(told, "every message was told of", 60)
    assert all(found == STATES for found in states.values()), states


def test_a_thousand_ports_that_hang_leave_slots_for_another_project(hub, receiver):
    """They get their share of the requests, whatever waits for them; the others' all arrive, in order."""
    hanging = Hanging(PORTS)
    try:
        send(hub.loud, [f"http://127.0.0.1:{port}/" for port in hanging.ports * 2])
        until(lambda: hanging.open >= 32, "the ports hang")
        all_told(receiver, send(hub.quiet, [receiver.url()] * 50))
        assert hanging.open > 0, "they still hang"
        assert hanging.most <= SHARE_OF_SLOTS
    finally:
        hanging.close()


def test_beyond_the_cap_the_oldest_go_and_the_operator_knows(hub, receiver):
    """The loud project's alert is raised, and nobody else's; what waits for it is bounded."""
    hanging = Hanging(1)
    try:
        url = f"http://127.0.0.1:{hanging.ports[0]}/"
        send(hub.loud, [url] * WAITING_MAX)
        kinds = lambda: [one["kind"] for one in hub.admin.alerts()]
        until(lambda: "webhooks_waiting" in kinds(), "an alert stands", 60)
        all_told(receiver, send(hub.quiet, [receiver.url()] * 10))
        assert kinds().count("webhooks_waiting") == 1
        assert waiting(hub) <= WAITING_MAX
    finally:
        hanging.close()


def test_names_that_nobody_answers_for_delay_nobody(hub, names, receiver):
    """Two thousand of them wait among themselves; a name that exists is found and served."""
    send(hub.busy, [f"http://silent{n}.example:9/" for n in range(2_000)])
    until(lambda: len(names.asked("silent")) >= SHARE_OF_LOOKUPS, "names are looked up", 60)
    url = f"http://good.example:{receiver.port}/hook"
    all_told(receiver, send(hub.quiet, [url] * 20))
    assert names.asked("good"), "our name server was asked"
    assert len(names.asked("silent")) < 2_000, "the others still wait"


def test_a_server_that_answers_gets_more_at_a_time_and_everything_in_order(hub, receiver):
    """More than its four slots and never more than 64, while nobody else waits; nothing is lost."""
    at_once = Concurrency(receiver)
    all_told(receiver, send(hub.quiet, [receiver.url()] * 600))
    assert 4 < at_once.most <= 64


class Concurrency:
    """Counts how many requests a receiver gets at once, each for a moment."""

    def __init__(self, receiver):
        self._lock = threading.Lock()
        self._now = 0
        self.most = 0
        receiver.answer = self._answer

    def _answer(self, _delivery):
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)
        threading.Event().wait(0.03)
        with self._lock:
            self._now -= 1
        return Answer()


def test_a_project_makes_so_many_webhook_objects(hub):
    """One more is refused with the parameter; another project has its own limit."""
    body = {"url": "http://127.0.0.1:9/"}
    made = [hub.loud.post("webhooks", body)["id"] for _ in range(OBJECTS_MAX)]
    error(hub.loud.call("POST", "webhooks", json=body), 400, "invalid_param", "url")
    hub.quiet.post("webhooks", body)
    assert hub.loud.call("DELETE", f"webhooks/{made[0]}").status_code == 200
    hub.loud.post("webhooks", body)
