"""Strangers: their requests cost little, and clients with a key are served meanwhile.

A stranger here is a request that the hub's proxy passed on: tests connect from loopback, which may
say for whom (`X-Forwarded-For`). Clients from loopback itself, like the victims, have no limit.
"""

import gzip
import json
from urllib.parse import urlencode

import pytest
from support.raw import Wire, exchange, request
from support.rest import error, success
from support.wait import until

FORM = "Content-Type: application/x-www-form-urlencoded"
JSON = "Content-Type: application/json"
KIB = 1024
STRANGER_BODY_BYTES_MAX = 256 * KIB


def from_address(address):
    """The header line of a request that the proxy passed on for an address."""
    return f"X-Forwarded-For: {address}"


def close_all(wires):
    for wire in wires:
        wire.close()


@pytest.fixture
def path(hub):
    return f"/v1/projects/{hub.projects['first']}/messages/send"


def nasty_form():
    """Ten thousand numbers in the way of ten thousand pushes."""
    numbers = [f"a[{number}]=x" for number in range(10_000, 19_990)]
    return "&".join(numbers + ["a[]=x"] * 9_990).encode()


def test_nasty_parameters_are_read_in_no_time(hub, path):
    body = nasty_form()
    nasty = request("POST", path, None, [FORM, from_address("192.0.2.1")], body)
    strangers = [Wire(hub.server.address) for _ in range(60)]
    try:
        for wire in strangers:
            wire.send(nasty)
        success(hub.first.call("GET", "/projects"))
        answers = [wire.answer() for wire in strangers]
        assert {answer.status for answer in answers} == {401}
    finally:
        close_all(strangers)


def test_a_key_in_the_head_is_checked_before_the_body_comes(hub, path):
    head = request("POST", path, "prk_wrong", [JSON, f"Content-Length: {1 << 20}"], length=False)
    assert exchange(hub.server.address, head).status == 401
    body = {"to_number": "+15005550100", "content": "hello", "unknown": "x" * 700_000}
    success(hub.first.call("POST", "messages/send", json=body))


def test_a_body_that_brings_its_key_may_have_256_kib(hub):
    hindi = "क" * 70
    form = {"api_key": hub.first.key}
    for number in range(100):
        form[f"messages[{number}][to_number]"] = "+15005550100"
        form[f"messages[{number}][content]"] = hindi
    body = urlencode(form)
    assert 60 * KIB < len(body) < STRANGER_BODY_BYTES_MAX
    success(hub.first.call("POST", "send_multi", data=form, auth=None))
    form["unknown"] = "x" * STRANGER_BODY_BYTES_MAX
    error(hub.first.call("POST", "send_multi", data=form, auth=None), 413, "too_large")
    del form["api_key"]
    success(hub.first.call("POST", "send_multi", data=form))


def test_what_inflates_beyond_256_kib_needs_its_key_before(hub, path):
    body = {"to_number": "+15005550100", "content": "hello", "unknown": "x" * STRANGER_BODY_BYTES_MAX}
    headers = {"Content-Encoding": "gzip", "Content-Type": "application/json"}

    def post(body, **options):
        data = gzip.compress(json.dumps(body).encode())
        return hub.first.call("POST", "messages/send", data=data, headers=headers, **options)

    success(post(body))
    error(post({**body, "api_key": hub.first.key}, auth=None), 413, "too_large")
    success(post({**body, "unknown": "", "api_key": hub.first.key}, auth=None))


def test_bodies_without_a_key_share_a_bound_and_those_with_one_do_not_wait(hub, path):
    """All of them together have 32 MiB, one address 8 MiB; a stalled one ends after 10 s."""
    begun = b"a=" + b"x" * 249_998
    share, room = (8 << 20) // len(begun), (32 << 20) // len(begun)
    strangers = []

    def send_from(address, count):
        length = f"Content-Length: {STRANGER_BODY_BYTES_MAX}"
        head = request("POST", path, None, [FORM, from_address(address), length], length=False)
        wires = [Wire(hub.server.address) for _ in range(count)]
        strangers.extend(wires)
        for wire in wires:
            wire.send(head + begun)
        return wires

    try:
        first = send_from("192.0.2.1", share + 7)
        for last in range(2, 6):
            send_from(f"192.0.2.{last}", share + 2)
        body = {"to_number": "+15005550100", "content": "hello", "unknown": "x" * 700_000}
        success(hub.first.call("POST", "messages/send", json=body))
        success(hub.first.call("GET", "/projects"))
        statuses = [wire.answer().status for wire in strangers]
        assert set(statuses) == {503, 408}, set(statuses)
        assert statuses[: len(first)].count(503) >= 7, "an address has its share"
        assert statuses.count(503) >= len(strangers) - room, "all together have their bound"
        assert statuses.count(408) >= share, "most of the room was used"
    finally:
        close_all(strangers)
    form = {"api_key": hub.first.key, "to_number": "+15005550100", "content": "hello"}
    success(hub.first.call("POST", "messages/send", data=form, auth=None))


def test_256_requests_of_one_address_may_wait_without_a_key(hub, path):
    line = from_address("2001:db8::1")
    head = request("POST", path, None, [FORM, line, "Content-Length: 100"], length=False)
    strangers = [Wire(hub.server.address) for _ in range(256)]
    try:
        for wire in strangers:
            wire.send(head + b"a=")

        def status(address, key=None):
            ask = request("GET", "/v1/projects", key, [from_address(address)])
            return exchange(hub.server.address, ask, "GET").status

        until(lambda: status("2001:db8::ffff") == 503, "the last of them have come")
        assert status("2001:db8::ffff", hub.first.key) == 200, "who has a key is no stranger"
        assert status("2001:db8:0:1::1") == 401, "a network of its own"
        assert status("192.0.2.1") == 401
        assert not any(wire.has_answer() for wire in strangers)
    finally:
        close_all(strangers)
    until(lambda: status("2001:db8::1") == 401, "their places are free again")


def test_what_a_client_writes_into_the_header_itself_does_not_count(hub, path):
    line = from_address("203.0.113.1, 198.51.100.7")
    head = request("POST", path, None, [FORM, line, "Content-Length: 100"], length=False)
    strangers = [Wire(hub.server.address) for _ in range(256)]
    try:
        for wire in strangers:
            wire.send(head + b"a=")

        def status(forwarded):
            ask = request("GET", "/v1/projects", None, [f"X-Forwarded-For: {forwarded}"])
            return exchange(hub.server.address, ask, "GET").status

        until(lambda: status("203.0.113.9, 198.51.100.7") == 503, "the last of them have come")
        assert status("203.0.113.1") == 401
        assert status("198.51.100.7, 127.0.0.1") == 503, "a proxy's own address is passed over"
    finally:
        close_all(strangers)
