"""Webhooks of the program: receivers that break off, signatures, and addresses that must not be called."""

import base64
import hashlib
import hmac
import json
import socket
import threading
import time

import pytest

from support.databases import query
from support.numbers import fresh_number
from support.receiver import Answer
from support.wait import until


def send(demo, receiver, path="/hook", **more):
    return demo.rest.send(fresh_number(), "webhook", status_url=receiver.url(path), status_secret="topsecret", **more)


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
    rest.folder = admin.folder
    yield rest
    assert server.program.stop() == 0


def attempts(guarded, message_id):
    """Returns the outcome of each attempt to deliver a message's webhook."""
    key = int(message_id[2:], 16)
    kept = query(guarded.folder, f"SELECT attempts FROM webhook_deliveries WHERE message_id = {key}")
    return [attempt["outcome"] for (attempts,) in kept for attempt in json.loads(attempts)]


def test_an_internal_address_is_never_called(guarded, receiver):
    body = {"content": "x", "to_number": "+15005550012", "simulated": True, "status_url": receiver.url()}
    response = guarded.call("POST", "messages/send", json=body)
    # A literal address of this machine is accepted when it is set, and refused when it would be called.
    assert response.status_code == 200
    tried = until(lambda: attempts(guarded, response.json()["id"]), "it was tried")
    assert set(tried) <= {"address_refused", "url_refused"}
    assert receiver.all() == []
