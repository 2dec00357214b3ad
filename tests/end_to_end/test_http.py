"""HTTP as bytes arrive at the program: what is no request, what comes in pieces, what is in the log.

Parameters, bodies and answers are tested in `hub-web` and in `conformance`.
"""

import gzip
import json

import pytest

from support.numbers import fresh_number
from support.raw import Wire, basic, exchange, request
from support.rest import error, success

JSON = "Content-Type: application/json"


@pytest.fixture
def path(demo):
    return f"/v1/projects/{demo.project_id}/messages/send"


@pytest.fixture(autouse=True)
def the_hub_still_works(demo):
    yield
    success(demo.rest.call("GET", "/projects"))


def envelope(answer, *statuses):
    """Checks that an answer is the error envelope with one of the statuses."""
    assert answer is not None, "the hub closed without an answer"
    assert answer.status in statuses, answer
    assert answer.headers["content-type"].split(";")[0] == "application/json", answer.headers
    inside = answer.json()["error"]
    assert inside["message"] and inside["code"], inside
    return inside


def test_an_oversized_body_is_refused_whether_it_is_announced_or_not(demo, path):
    head = request("POST", path, demo.api_key, [JSON, "Content-Length: 900000000000"], length=False)
    envelope(exchange(demo.address, head), 413)
    head = request("POST", path, demo.api_key, [JSON, "Transfer-Encoding: chunked"], length=False)
    with Wire(demo.address) as wire:
        wire.send(head)
        chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
        for _ in range(160):
            wire.send(chunk)
        answer = wire.answer()
    if answer is not None:
        envelope(answer, 413)


@pytest.mark.parametrize("length", ["-1", "abc", "1, 2", "99999999999999999999999", ""])
def test_a_length_that_is_no_number_is_a_bad_request(demo, path, length):
    head = request("POST", path, demo.api_key, [JSON, f"Content-Length: {length}"], length=False)
    answer = exchange(demo.address, head)
    assert answer is None or 400 <= answer.status < 500


@pytest.mark.parametrize(
    "data",
    [
        b"\r\n\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 200,
        b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
        b"GET / HTTP/1.1\r\nA: \x00\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\nHost: x\r\n\r\n",
        b"POST /v1/projects HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"POST /v1/projects HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
        b"\x00" * 100_000,
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ],
    ids=lambda data: repr(data[:24]),
)
def test_bytes_that_are_not_a_request_are_refused(demo, data):
    with Wire(demo.address) as wire:
        wire.send(data)
        wire.finish()
        answer = wire.answer()
    assert answer is None or 400 <= answer.status < 500 or answer.status == 505


def test_far_too_many_headers_are_refused(demo, path):
    for headers in (["X-Long: " + "x" * 200_000], [f"X-{i}: {i}" for i in range(2000)]):
        answer = exchange(demo.address, request("POST", path, demo.api_key, [JSON, *headers], b"{}"))
        assert answer is None or answer.status == 431


def test_a_client_that_hangs_up_midway_leaves_no_message(demo, path):
    number = fresh_number()
    body = json.dumps({"content": "cut", "to_number": number}).encode()
    whole = request("POST", path, demo.api_key, [JSON], body)
    with Wire(demo.address) as wire:
        wire.send(whole[:-5])
    lists = demo.rest.get("messages", sort_dir="desc", page_size=20)
    assert number not in [m["to_number"] for m in lists["data"]]


def test_requests_on_one_connection_are_answered_in_order(demo):
    with Wire(demo.address) as wire:
        for path, status in (("/v1/projects", 200), ("/v1/nothing", 404), ("/v1/projects", 200)):
            wire.send(request("GET", path, demo.api_key))
            assert wire.answer("GET").status == status


def test_nothing_secret_is_in_the_log(demo):
    number = fresh_number()
    demo.rest.send(number, "the secret text of this test", vars={"pin": "4711-4711"})
    error(demo.rest.call("POST", "messages/send", json={"content": "another secret text", "to_number": "x"}), 400)
    words = "\n".join(demo.program.err_lines)
    for secret in (number[1:], "secret text", "4711-4711", demo.api_key):
        assert secret not in words


def test_a_request_to_another_protocol_version_is_served(demo):
    data = f"GET /v1/projects HTTP/1.0\r\n{basic(demo.api_key)}\r\n\r\n".encode()
    assert exchange(demo.address, data, "GET").status == 200


def test_chunked_and_compressed_bodies_are_read(demo):
    path = f"/v1/projects/{demo.project_id}/messages/send"
    plain = json.dumps({"content": "chunk by chunk", "to_number": fresh_number()}).encode()
    for encoding, body in (([], plain), (["Content-Encoding: gzip"], gzip.compress(plain))):
        headers = ["Content-Type: application/json; charset=utf-8", "Transfer-Encoding: chunked", *encoding]
        head = request("POST", path, demo.api_key, headers, length=False)
        with Wire(demo.address) as wire:
            wire.send(head)
            for start in range(0, len(body), 7):
                piece = body[start : start + 7]
                wire.send(b"%x\r\n%s\r\n" % (len(piece), piece))
            wire.send(b"0\r\n\r\n")
            answer = wire.answer()
        assert answer.status == 200, answer
        assert answer.json()["content"] == "chunk by chunk"


def test_head_is_answered_without_a_body(demo):
    path = f"/v1/projects/{demo.project_id}/messages"
    with Wire(demo.address) as wire:
        wire.send(request("HEAD", path, demo.api_key))
        answer = wire.answer("HEAD")
        assert answer.status in (200, 405)
        assert answer.body == b""
        wire.send(request("GET", "/v1/projects", demo.api_key))
        assert wire.answer("GET").status == 200


def test_health_is_open_metrics_are_the_operators_and_nothing_says_anything_private(demo):
    operator = ("127.0.0.1", int(demo.operator_url.rsplit(":", 1)[1]))
    for address, path, status in (
        (demo.address, "/healthz", 200),
        (demo.address, "/readyz", 200),
        (demo.address, "/metrics", 404),
        (operator, "/healthz", 200),
        (operator, "/readyz", 200),
        (operator, "/metrics", 200),
    ):
        answer = exchange(address, request("GET", path, None), "GET")
        assert answer.status == status, path
        assert b"+1500555" not in answer.body
