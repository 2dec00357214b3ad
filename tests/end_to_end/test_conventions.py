"""Request conventions: forms, brackets, compression, fields, methods, ids, lists."""

import gzip
import json

import pytest

from support.numbers import fresh_number
from support.raw import Wire, exchange, request
from support.rest import error, success


def test_a_form_and_json_mean_the_same(demo):
    number = fresh_number()
    form = {
        "content": "by form & more",
        "to_number": number,
        "vars[a]": "1",
        "vars[b]": "two",
        "priority": "2",
        "simulated": "1",
    }
    by_form = success(demo.rest.call("POST", "messages/send", data=form))
    body = {"content": "by form & more", "to_number": number, "vars": {"a": 1, "b": "two"}, "priority": 2}
    by_json = demo.rest.post("messages/send", {**body, "simulated": True})
    for field in ("content", "to_number", "priority", "simulated", "contact_id", "message_type"):
        assert by_form[field] == by_json[field], field
    assert by_form["vars"] == {"a": "1", "b": "two"}


def test_messages_in_a_form_are_numbered_in_brackets(demo):
    numbers = [fresh_number() for _ in range(12)]
    form = {}
    for index, number in enumerate(numbers):
        form[f"messages[{index}][content]"] = f"text {index}"
        form[f"messages[{index}][to_number]"] = number
        form[f"messages[{index}][vars][i]"] = str(index)
    answer = success(demo.rest.call("POST", "send_multi", data=form))
    stored = [demo.rest.message(item["id"]) for item in answer["messages"]]
    assert [m["to_number"] for m in stored] == numbers
    assert [m["vars"]["i"] for m in stored] == [str(i) for i in range(12)]


@pytest.mark.parametrize("word, value", [("1", True), ("true", True), ("0", False), ("false", False)])
def test_booleans_have_their_words(demo, word, value):
    form = {"content": "x", "to_number": fresh_number(), "simulated": word}
    assert success(demo.rest.call("POST", "messages/send", data=form))["simulated"] is value
    assert demo.rest.get("messages", count=word, page_size=1).keys() >= ({"count"} if value else {"data"})


@pytest.mark.parametrize("form", ["messages?status%5Bx%5D=1", "messages?time_created[min]=5&count=1"])
def test_brackets_are_read_encoded_and_plain(demo, form):
    path = f"/v1/projects/{demo.project_id}/{form}"
    answer = exchange(demo.address, request("GET", path, demo.api_key), "GET")
    assert answer.status == (400 if "%5B" in form else 200)


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


def test_a_gzip_of_several_members_is_one_body(demo):
    body = json.dumps({"content": "members", "to_number": fresh_number()}).encode()
    packed = gzip.compress(body[:20]) + gzip.compress(body[20:])
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    response = demo.rest.call("POST", "messages/send", data=packed, headers=headers)
    assert response.status_code in (200, 400)


def test_answers_are_compressed_for_those_who_ask(demo):
    for _ in range(3):
        demo.rest.send(fresh_number(), "y" * 500, simulated=True)
    path = f"/v1/projects/{demo.project_id}/messages?page_size=50"
    packed = exchange(demo.address, request("GET", path, demo.api_key, ["Accept-Encoding: gzip"]), "GET")
    assert packed.headers["content-encoding"] == "gzip"
    assert "accept-encoding" in packed.headers.get("vary", "").lower()
    plain = exchange(demo.address, request("GET", path, demo.api_key), "GET")
    assert "content-encoding" not in plain.headers
    assert len(json.loads(gzip.decompress(packed.body))["data"]) == len(plain.json()["data"])
    refused = exchange(demo.address, request("GET", path, demo.api_key, ["Accept-Encoding: gzip;q=0"]), "GET")
    assert "content-encoding" not in refused.headers


def test_the_get_of_some_clients_carries_a_form_type_and_no_body(demo):
    headers = ["Content-Type: application/x-www-form-urlencoded"]
    answer = exchange(demo.address, request("GET", "/v1/projects", demo.api_key, headers), "GET")
    assert answer.status == 200


def test_fields_reduce_an_object_and_a_list(demo):
    sent = demo.rest.send(fresh_number(), "fields")
    assert set(demo.rest.get(f"messages/{sent['id']}", fields="content,status")) == {"id", "content", "status"}
    page = demo.rest.get("messages", fields="direction", page_size=3)
    assert all(set(item) == {"id", "direction"} for item in page["data"])
    assert set(demo.rest.get(f"messages/{sent['id']}", fields="nothing_of_the_kind")) == {"id"}
    made = demo.rest.post("messages/send", {"content": "x", "to_number": fresh_number(), "fields": "status"})
    assert set(made) == {"id", "status"}


def test_the_envelope_of_a_list_is_complete(demo):
    page = demo.rest.get("messages", page_size=1)
    assert set(page) >= {"data", "truncated", "next_marker", "sort", "sort_dir"}
    assert page["sort"] == "default" and page["sort_dir"] == "asc"
    none = demo.rest.get("messages", contact_id="CT0000000000000001")
    assert none["data"] == [] and none["truncated"] is False and none["next_marker"] is None
    assert demo.rest.get("messages", contact_id="CT0000000000000001", count="1") == {"count": 0}


def test_a_marker_belongs_to_its_list(demo):
    for _ in range(3):
        demo.rest.send(fresh_number(), "paged", simulated=True)
    marker = demo.rest.get("messages", page_size=1)["next_marker"]
    assert marker
    assert demo.rest.get("messages", page_size=1, marker=marker)["data"]
    assert demo.rest.get("messages", page_size=1, marker="")["data"]
    for wrong in (marker[:-1], marker + "x", "x" * 40):
        error(demo.rest.call("GET", "messages", params={"marker": wrong}), 400, "invalid_param", "marker")


@pytest.mark.parametrize(
    "method, path, allowed",
    [
        ("PUT", "messages", {"GET"}),
        ("DELETE", "messages/send", {"POST"}),
        ("PATCH", "phones", {"GET"}),
        ("POST", "/projects", {"GET"}),
    ],
)
def test_another_method_is_not_allowed(demo, method, path, allowed):
    response = demo.rest.call(method, path)
    error(response, 405)
    offered = {word.strip() for word in response.headers["allow"].split(",")}
    assert allowed <= offered


def test_head_is_answered_without_a_body(demo):
    path = f"/v1/projects/{demo.project_id}/messages"
    with Wire(demo.address) as wire:
        wire.send(request("HEAD", path, demo.api_key))
        answer = wire.answer("HEAD")
        assert answer.status in (200, 405)
        assert answer.body == b""
        wire.send(request("GET", "/v1/projects", demo.api_key))
        assert wire.answer("GET").status == 200


@pytest.mark.parametrize("kind", ["text/plain", "application/xml", "multipart/form-data; boundary=x", "garbage", "application/jsonx"])
def test_another_content_type_is_refused(demo, kind):
    response = demo.rest.call("POST", "messages/send", data=b"content=x", headers={"Content-Type": kind})
    error(response, 415)


def test_every_answer_has_a_request_id_and_keeps_a_sound_one(demo):
    first = demo.rest.call("GET", "/projects").headers["x-request-id"]
    second = demo.rest.call("GET", "/projects").headers["x-request-id"]
    assert first and second and first != second
    given = demo.rest.call("GET", "/nothing", headers={"X-Request-Id": "my-own-id-17"})
    assert given.headers["x-request-id"]
    hostile = exchange(demo.address, request("GET", "/v1/projects", demo.api_key, ["X-Request-Id: " + "<x>" * 200]), "GET")
    assert "<x>" not in hostile.headers["x-request-id"]


def test_a_void_answer_is_an_empty_object(demo):
    sent = demo.rest.send(fresh_number(), "void", simulated=True)
    assert demo.rest.call("DELETE", f"messages/{sent['id']}").json() == {}
    assert demo.rest.post(f"phones/{demo.phones[0]['id']}/reset_sent_message_count") == {}


def test_every_object_has_what_clients_build_on(demo):
    sent = demo.rest.send(fresh_number(), "shape")
    message = demo.rest.wait_status(sent["id"], "delivered")
    nulls = {"route_id", "broadcast_id", "scheduled_id", "external_id"}
    assert nulls <= set(message) and all(message[name] is None for name in nulls)
    assert message["label_ids"] == [] and message["vars"] == {}
    for flag in ("starred", "simulated", "track_clicks"):
        assert message[flag] is False
    for moment in ("time_created", "time_sent", "time_updated"):
        assert isinstance(message[moment], int) and message[moment] < 10**10
    assert message["project_id"] == demo.project_id
    phone = demo.rest.get(f"phones/{demo.phones[0]['id']}")
    assert phone["vars"] == {} and phone["project_id"] == demo.project_id


def test_what_comes_later_is_refused_by_name_and_its_default_taken(demo):
    body = {"content": "x", "to_number": fresh_number()}
    for name, value in (("track_clicks", True), ("audio_url", "http://a.example/x.mp3"), ("tts_lang", "fr-FR")):
        error(demo.rest.call("POST", "messages/send", json={**body, name: value}), 400, "invalid_param", name)
    for name, value in (("track_clicks", False), ("replace_variables", False), ("label_ids", []), ("media", [])):
        success(demo.rest.call("POST", "messages/send", json={**body, "simulated": True, name: value}))


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
