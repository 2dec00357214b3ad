"""Webhooks: retried, in order, signed, and never sent where they must not go."""

import base64
import hashlib
import hmac
import socket
import sqlite3
import threading
import time
from contextlib import closing

import pytest

from support.numbers import fresh_number
from support.receiver import Answer, Receiver
from support.rest import error
from support.wait import until


def send(demo, receiver, path="/hook", **more):
    return demo.rest.send(fresh_number(), "webhook", status_url=receiver.url(path), status_secret="topsecret", **more)


def test_a_receiver_that_hangs_delays_nobody_else(demo, receiver):
    hanging = Receiver()
    try:
        hanging.answer = lambda delivery: Answer(200, hang_s=30)
        for _ in range(12):
            send(demo, hanging)
        hanging.wait(count=1, event="send_status")
        sent = send(demo, receiver)
        receiver.wait(id=sent["id"], status="delivered")
        assert len(hanging.all()) <= 4, "four at a time per endpoint, and none of them had to end first"
    finally:
        hanging.close()


def test_a_dead_receiver_and_one_that_breaks_off_delay_nobody_else(demo, receiver):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        dead = f"http://127.0.0.1:{probe.getsockname()[1]}/gone"
    breaker = socket.create_server(("127.0.0.1", 0))
    stop = threading.Event()

    def break_off():
        breaker.settimeout(0.1)
        while not stop.is_set():
            try:
                connection, _ = breaker.accept()
            except TimeoutError:
                continue
            connection.recv(100)
            connection.close()

    thread = threading.Thread(target=break_off, daemon=True)
    thread.start()
    try:
        for _ in range(10):
            demo.rest.send(fresh_number(), "dead", status_url=dead)
            demo.rest.send(fresh_number(), "broken", status_url=f"http://127.0.0.1:{breaker.getsockname()[1]}/")
        sent = send(demo, receiver)
        receiver.wait(id=sent["id"], status="delivered")
    finally:
        stop.set()
        thread.join()
        breaker.close()


def test_an_answer_of_any_size_and_kind_does_no_harm(demo, receiver):
    receiver.answer = lambda delivery: Answer(200, {"Content-Type": "application/json"}, b"[" * 3_000_000)
    sent = send(demo, receiver)
    receiver.wait(id=sent["id"], status="delivered")


def test_every_webhook_is_signed_with_the_secret(demo, receiver):
    sent = send(demo, receiver)
    told = receiver.wait(id=sent["id"], status="delivered")[0]
    stamp, identifier = told.headers["webhook-timestamp"], told.headers["webhook-id"]
    assert abs(int(stamp) - time.time()) < 60
    signed = f"{identifier}.{stamp}.".encode() + told.body
    expected = base64.b64encode(hmac.new(b"topsecret", signed, hashlib.sha256).digest()).decode()
    assert f"v1,{expected}" in told.headers["webhook-signature"].split()
    assert told.form["secret"] == "topsecret"
    others = {d.headers["webhook-id"] for d in receiver.all(id=sent["id"])}
    assert len(others) == len(receiver.all(id=sent["id"]))


def test_the_statuses_of_many_messages_keep_their_order(demo, receiver):
    sent = [send(demo, receiver) for _ in range(60)]
    for message in sent:
        receiver.wait(id=message["id"], status="delivered")
        assert [d.form["status"] for d in receiver.all(id=message["id"])] == ["sent", "delivered"]


INTERNAL = [
    "http://127.0.0.1:{port}/",
    "http://localhost:{port}/",
    "http://0.0.0.0:{port}/",
    "http://[::1]:{port}/",
    "http://[::ffff:127.0.0.1]:{port}/",
    "http://2130706433:{port}/",
    "http://0x7f.1:{port}/",
    "http://127.1:{port}/",
    "http://10.0.0.1/",
    "http://192.168.1.1/",
    "http://172.16.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[fe80::1]/",
    "http://[fd00::1]/",
    "http://100.64.0.1/",
    "http://user:pass@127.0.0.1:{port}/",
]


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    """A hub that sends webhooks only to public addresses."""
    from support.hub import Admin, Serve

    admin = Admin(tmp_path_factory.mktemp("guarded") / "data")
    project = admin.project(admin.organization())
    admin("phone", "add-test", "--project", project)
    server = Serve(admin.folder).start()
    permissions = ["view_messages", "send_messages", "manage_webhooks", "view_routes"]
    rest = server.rest(admin.key(project, permissions), project)
    rest.database = admin.folder / "hub.db"
    yield rest
    assert server.program.stop() == 0


def attempts(guarded, message_id):
    """Returns the outcome of each attempt to deliver a message's webhook."""
    key = int(message_id[2:], 16)
    with closing(sqlite3.connect(f"file:{guarded.database}?mode=ro", uri=True)) as connection:
        rows = connection.execute("SELECT outcome FROM webhook_log WHERE message_id = ?", (key,)).fetchall()
    return [outcome for (outcome,) in rows]


@pytest.mark.parametrize("url", INTERNAL)
def test_an_internal_address_is_never_called(guarded, receiver, url):
    url = url.format(port=receiver.port)
    body = {"content": "x", "to_number": "+15005550012", "simulated": True, "status_url": url}
    response = guarded.call("POST", "messages/send", json=body)
    if response.status_code == 200:
        guarded.wait_status(response.json()["id"], "sent", "failed", "delivered")
    else:
        error(response, 400, "invalid_param", "status_url")
    assert receiver.all() == []


def test_after_all_of_them_nothing_has_been_called(guarded, receiver):
    body = {"content": "x", "to_number": "+15005550012", "simulated": True, "status_url": receiver.url()}
    response = guarded.call("POST", "messages/send", json=body)
    # A literal address of this machine is accepted when it is set, and refused when it would be called.
    assert response.status_code == 200
    tried = until(lambda: attempts(guarded, response.json()["id"]), "it was tried")
    assert set(tried) <= {"address_refused", "url_refused"}
    assert receiver.all() == []


@pytest.mark.parametrize("url", ["file:///etc/passwd", "gopher://x/", "javascript:alert(1)", "//x/", "http://", "http://a b/", "x"])
def test_an_address_that_is_none_is_refused(demo, url):
    body = {"content": "x", "to_number": fresh_number(), "status_url": url}
    error(demo.rest.call("POST", "messages/send", json=body), 400, "invalid_param", "status_url")
