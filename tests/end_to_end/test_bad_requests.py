"""Bad input over HTTP: never a 5xx, never silence instead of an answer, always the envelope."""

import gzip
import json
import zlib

import pytest

from support.numbers import fresh_number
from support.raw import Wire, basic, exchange, request
from support.rest import error, success

JSON = "Content-Type: application/json"
FORM = "Content-Type: application/x-www-form-urlencoded"
GZIP = "Content-Encoding: gzip"


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


def deep(levels):
    return b'{"content":"x","to_number":"+15005550199","vars":' + b'{"a":' * levels + b"1" + b"}" * levels + b"}"


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b'{"content":',
        b'{"content":"x",}',
        b"{'content':'x'}",
        b'{"content":"x"} trailing',
        b"nonsense",
        b"\x00\x01\x02",
        b'{"content":"x","content":"y","to_number":"+15005550199"}',
        b'{"content":1e999,"to_number":"+15005550199"}',
        b'{"content":"\xff\xfe","to_number":"+15005550199"}',
        b'{"content":"\\ud800","to_number":"+15005550199"}',
        deep(60),
        deep(100_000),
        b"[" * 200_000,
    ],
    ids=lambda body: repr(body[:30]),
)
def test_json_that_is_none_is_refused(demo, path, body):
    envelope(exchange(demo.address, request("POST", path, demo.api_key, [JSON], body)), 400)


@pytest.mark.parametrize("body", [b'"text"', b"17", b"true", b'["a"]', b'[{"content":"x"}]'])
def test_json_that_is_no_object_is_refused(demo, path, body):
    envelope(exchange(demo.address, request("POST", path, demo.api_key, [JSON], body)), 400)


@pytest.mark.parametrize("body", [b"null", b"[]", b"{}", b""])
def test_nothing_in_any_form_is_a_request_without_parameters(demo, path, body):
    inside = envelope(exchange(demo.address, request("POST", path, demo.api_key, [JSON], body)), 400)
    assert inside["code"] == "invalid_param" and inside["param"] in ("to_number", "content")


@pytest.mark.parametrize(
    "wrong",
    [
        {"content": 17},
        {"content": ["x"]},
        {"content": {"a": "b"}},
        {"content": None},
        {"to_number": 15005550199},
        {"to_number": ["+15005550199"]},
        {"vars": 17},
        {"vars": "x"},
        {"vars": {"a": {"b": 1}}},
        {"vars": {"": 1}},
        {"vars": {"a" * 33: 1}},
        {"priority": 1.5},
        {"priority": -1},
        {"priority": 10**30},
        {"simulated": "maybe"},
        {"simulated": 17},
        {"status_url": 17},
        {"status_url": "x" * 10_000},
        {"route_id": 17},
        {"route_id": "x" * 1000},
        {"contact_id": {"a": 1}},
        {"message_type": "SMS?"},
        {"on_unknown": "guess"},
        {"ttl_sec": -5},
        {"ttl_sec": "soon"},
        {"label_ids": ["LB0000000000000001"]},
        {"label_ids": "text"},
        {"route_params": "text"},
        {"media": "text"},
    ],
    ids=str,
)
def test_a_value_of_the_wrong_type_is_refused_and_named(demo, wrong):
    body = {"content": "x", "to_number": fresh_number(), **wrong}
    inside = error(demo.rest.call("POST", "messages/send", json=body), 400, "invalid_param")
    assert inside["param"].split("[")[0].split(".")[0] == next(iter(wrong))


def test_an_unknown_parameter_is_no_server_error(demo):
    response = demo.rest.call("GET", "messages", params={"no_such_filter": "x"})
    assert response.status_code in (200, 400)
    response = demo.rest.call("GET", "messages", params={"status[near]": "x"})
    error(response, 400, "invalid_param")


@pytest.mark.parametrize(
    "query",
    [
        "page_size=1&page_size=2",
        "status=sent&status[ne]=x",
        "time_created=5&time_created[min]=5",
        "time_created[min]=1&time_created[min]=2",
        "vars[a=1",
        "a]b=1",
        "status[[x]]=1",
        "[]=1",
        "=1",
        "%",
        "%zz=1",
        "page_size=%",
        "status=%ff%fe",
        "%ff=1",
        "status=a%00b",
        "a[b]" + "[c]" * 500 + "=1",
        "&" * 5000,
        "page_size=99999999999999999999",
        "offset=9223372036854775807",
        "offset=-9223372036854775808",
        "time_created[min]=1e308",
        "count=perhaps",
        "fields=" + "a," * 2000,
        "marker=" + "A" * 3000,
        "sort_dir=asc;drop",
        "contact_id=' OR 1=1 --",
    ],
)
def test_a_strange_query_is_answered_in_order(demo, query):
    path = f"/v1/projects/{demo.project_id}/messages?{query}".replace(" ", "%20")
    answer = exchange(demo.address, request("GET", path, demo.api_key), "GET")
    assert answer is not None
    if answer.status == 200:
        assert "data" in answer.json() or "count" in answer.json()
    else:
        envelope(answer, 400, 414)


def test_a_parameter_given_twice_is_refused(demo, path):
    body = b"content=x&content=y&to_number=%2B15005550199"
    inside = envelope(exchange(demo.address, request("POST", path, demo.api_key, [FORM], body)), 400)
    assert inside["param"] == "content"
    answer = exchange(
        demo.address,
        request("GET", f"/v1/projects/{demo.project_id}/messages?page_size=1&page_size=2", demo.api_key),
        "GET",
    )
    assert envelope(answer, 400)["param"] == "page_size"


@pytest.mark.parametrize("body", [b"content=%ff&to_number=1", b"\xff\xfe=1", b"content=%&to_number=%zz", b"[=]&&=&"])
def test_a_form_that_is_no_text_is_refused(demo, path, body):
    envelope(exchange(demo.address, request("POST", path, demo.api_key, [FORM], body)), 400)


@pytest.mark.parametrize(
    "body",
    [
        b"not gzip at all",
        b"\x1f\x8b\x08\x00garbage that is no stream",
        gzip.compress(b'{"content":"x"}')[:-6],
        gzip.compress(b'{"content":"x"}')[:12] + b"\x00" * 30,
        zlib.compress(b'{"content":"x"}'),
    ],
    ids=["plain", "header only", "cut", "broken", "zlib"],
)
def test_gzip_that_is_none_is_refused(demo, path, body):
    envelope(exchange(demo.address, request("POST", path, demo.api_key, [JSON, GZIP], body)), 400)


def test_a_gzip_bomb_is_stopped_before_it_grows(demo, path):
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = b"".join(packer.compress(b" " * (1 << 20)) for _ in range(300)) + packer.flush()
    assert len(bomb) < 1 << 20
    envelope(exchange(demo.address, request("POST", path, demo.api_key, [JSON, GZIP], bomb)), 413)
    nested = gzip.compress(bomb)
    envelope(exchange(demo.address, request("POST", path, demo.api_key, [JSON, GZIP], nested)), 400, 413)


def test_an_unknown_encoding_is_refused(demo, path):
    for encoding in ("br", "zstd", "gzip, gzip", "x"):
        data = request("POST", path, demo.api_key, [JSON, f"Content-Encoding: {encoding}"], b"{}")
        envelope(exchange(demo.address, data), 415, 400)


def test_an_oversized_body_is_refused_whether_it_is_announced_or_not(demo, path):
    head = request("POST", path, demo.api_key, [JSON, "Content-Length: 900000000000"], length=False)
    envelope(exchange(demo.address, head), 413)
    head = request("POST", path, demo.api_key, [JSON, "Transfer-Encoding: chunked"], length=False)
    with Wire(demo.address) as wire:
        wire.send(head)
        chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
        for _ in range(64):
            wire.send(chunk)
        answer = wire.answer()
    if answer is not None:
        envelope(answer, 413)


@pytest.mark.parametrize("length", ["-1", "abc", "1, 2", "99999999999999999999999", ""])
def test_a_length_that_is_none_is_a_bad_request(demo, path, length):
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
def test_bytes_that_are_no_request_are_turned_away(demo, data):
    with Wire(demo.address) as wire:
        wire.send(data)
        wire.finish()
        answer = wire.answer()
    assert answer is None or 400 <= answer.status < 500 or answer.status == 505


def test_ten_thousand_bytes_of_header_are_taken_or_refused_in_order(demo, path):
    body = json.dumps({"content": "x", "to_number": fresh_number()}).encode()
    data = request("POST", path, demo.api_key, [JSON, "X-Long: " + "x" * 10_000], body)
    answer = exchange(demo.address, data)
    assert answer is not None
    if answer.status != 200:
        envelope(answer, 431)


def test_far_too_many_headers_are_refused(demo, path):
    for headers in (["X-Long: " + "x" * 200_000], [f"X-{i}: {i}" for i in range(2000)]):
        answer = exchange(demo.address, request("POST", path, demo.api_key, [JSON, *headers], b"{}"))
        assert answer is None or answer.status == 431


def test_a_very_long_url_is_refused(demo):
    answer = exchange(demo.address, request("GET", "/v1/projects?name=" + "x" * 20_000, demo.api_key), "GET")
    if answer is not None and answer.status != 200:
        envelope(answer, 414, 431, 400)


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/v1",
        "/v1/",
        "/v2/projects",
        "/v1/nothing",
        "/v1/projects/",
        "/v1/projects/../projects",
        "/v1/projects/%2e%2e/x",
        "/v1/projects/%00",
        "/v1/projects/%ff",
        "/v1/projects/PJ0000000000000001/messages/send/more",
        "//v1/projects",
        "/v1/projects/" + "x" * 3000,
    ],
)
def test_a_path_that_does_not_exist_is_not_found(demo, path):
    answer = exchange(demo.address, request("GET", path, demo.api_key), "GET")
    envelope(answer, 404, 400)


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


def test_wrong_credentials_are_refused_alike(demo):
    keys = ["", "x", "prk_", "prk_x_y_z", demo.api_key[:-1], demo.api_key + "0", demo.api_key.swapcase(), "ü" * 50]
    for key in keys:
        response = demo.rest.call("GET", "/projects", auth=(key.encode(), b""))
        error(response, 401)
        assert "www-authenticate" in response.headers
    for header in ("Basic", "Basic !!!", "Basic " + "A" * 5000, "Bearer abc", "Digest x", "basic Og=="):
        response = demo.rest.call("GET", "/projects", auth=None, headers={"Authorization": header})
        error(response, 401)
    error(demo.rest.call("GET", "/projects", auth=None), 401)


def test_the_key_is_a_parameter_too(demo):
    assert demo.rest.call("GET", "/projects", auth=None, params={"api_key": demo.api_key}).status_code == 200
    body = {"api_key": demo.api_key, "content": "x", "to_number": fresh_number()}
    assert demo.rest.call("POST", "messages/send", auth=None, json=body).status_code == 200
    assert demo.rest.call("POST", "messages/send", auth=None, data=body).status_code == 200
    error(demo.rest.call("GET", "/projects", auth=None, params={"api_key": "wrong"}), 401)


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
