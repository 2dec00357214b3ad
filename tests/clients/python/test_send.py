"""Sending one message and many."""

import json
import time

import pytest
import telerivet

from support.numbers import fresh_number
from support.wait import until


def delivered(project, message_id):
    return until(
        lambda: (lambda m: m if m.status == "delivered" else None)(project.getMessageById(message_id)),
        f"{message_id} is delivered",
    )


def test_a_message_goes_out_and_its_delivery_comes_home(project, demo):
    to = fresh_number()
    began = int(time.time())
    sent = project.sendMessage(to_number=to, content="Hello from the client")
    assert sent.id.startswith("SM") and len(sent.id) == 18
    assert sent.direction == "outgoing"
    assert sent.status in ("queued", "sent", "delivered")
    assert sent.message_type == "sms"
    assert sent.source == "api"
    assert sent.to_number == to
    assert sent.content == "Hello from the client"
    assert sent.project_id == project.id
    assert sent.contact_id.startswith("CT")
    assert sent.starred is False and sent.simulated is False
    assert sent.priority == 1
    assert sent.label_ids == []
    assert began - 1 <= sent.time_created <= time.time() + 1

    done = delivered(project, sent.id)
    assert done.time_sent >= sent.time_created
    assert done.time_updated >= done.time_sent
    assert done.phone_id in [p["id"] for p in demo.phones]
    assert done.from_number == next(p["phone_number"] for p in demo.phones if p["id"] == done.phone_id)
    assert done.num_parts == 1
    assert done.send_attempts == 1
    assert done.error_message is None
    handed_over = [line for line in demo.radio() if line["message_id"] == sent.id]
    assert [line["to"] for line in handed_over] == [to]
    assert [line["text"] for line in handed_over] == ["Hello from the client"]


@pytest.mark.parametrize("length", [399, 400, 401, 5000 // 3])
def test_a_request_is_read_whether_the_client_compresses_it_or_not(project, length):
    """The client compresses from 400 characters of JSON on."""
    body = {"to_number": fresh_number(), "content": ""}
    body["content"] = "x" * (length - len(json.dumps(body)))
    sent = project.sendMessage(**body)
    assert sent.content == body["content"]
    assert project.getMessageById(sent.id).content == body["content"]
    assert delivered(project, sent.id).num_parts == (1 if len(body["content"]) <= 160 else -(-len(body["content"]) // 153))


def test_any_script_arrives_as_it_was_written(project, demo):
    for content in ["Ünïcödé €", "Привет", "你好世界", "a\nb\tc", "👩‍👩‍👧 family", "quote \" & <b> \\ %41 [x]"]:
        sent = project.sendMessage(to_number=fresh_number(), content=content)
        assert sent.content == content
        delivered(project, sent.id)
        line = next(line for line in demo.radio() if line["message_id"] == sent.id)
        assert line["text"] == content


def test_a_route_chooses_the_phone(project, demo):
    for phone in demo.phones:
        sent = project.sendMessage(to_number=fresh_number(), content="by route", route_id=phone["id"])
        assert sent.phone_id == phone["id"]
        assert sent.from_number == phone["phone_number"]
        delivered(project, sent.id)


def test_variables_priority_and_simulation_are_kept(project, demo):
    sent = project.sendMessage(
        to_number=fresh_number(),
        content="with variables",
        vars={"order": "A-1", "count": 3, "paid": True, "half": 0.5},
        priority=2,
    )
    assert sent.vars.order == "A-1" and sent.vars.count == 3 and sent.vars.paid is True and sent.vars.half == 0.5
    assert sent.priority == 2
    again = project.getMessageById(sent.id)
    assert again.vars.all() == {"order": "A-1", "count": 3, "paid": True, "half": 0.5}

    pretended = project.sendMessage(to_number=fresh_number(), content="not on the air", simulated=True)
    assert pretended.simulated is True
    until(lambda: project.getMessageById(pretended.id).status == "sent", "the simulated message is sent")
    assert not [line for line in demo.radio() if line["message_id"] == pretended.id]


def test_a_contact_id_is_a_recipient(project):
    number = fresh_number()
    first = project.sendMessage(to_number=number, content="first")
    second = project.sendMessage(contact_id=first.contact_id, content="second")
    assert second.to_number == number
    assert second.contact_id == first.contact_id
    delivered(project, second.id)
    with pytest.raises(telerivet.APIException):
        project.sendMessage(contact_id="CT0000000000000001", content="nobody")


def test_one_number_is_one_contact(project):
    number = fresh_number()
    first = project.sendMessage(to_number=number, content="a")
    spaced = f"{number[:2]} ({number[2:5]}) {number[5:8]}-{number[8:]}"
    second = project.sendMessage(to_number=spaced, content="b")
    assert first.contact_id == second.contact_id


def test_status_webhooks_follow_the_message(project, receiver):
    sent = project.sendMessage(
        to_number=fresh_number(), content="tell me", status_url=receiver.url(), status_secret="s3cret", vars={"k": "v"}
    )
    receiver.wait(event="send_status", id=sent.id, status="delivered")
    assert receiver.statuses(sent.id) == ["sent", "delivered"]
    told = receiver.all(id=sent.id)[-1]
    assert told.headers["content-type"].startswith("application/x-www-form-urlencoded")
    assert told.form["secret"] == "s3cret"
    assert told.form["content"] == "tell me"
    assert told.form["to_number"] == sent.to_number
    assert told.form["project_id"] == project.id
    assert told.form["contact_id"] == sent.contact_id
    assert told.form["contact[phone_number]"]
    assert told.form["vars[k]"] == "v"
    assert told.form["starred"] == "0"
    assert int(told.form["time_sent"]) >= int(told.form["time_created"])
    assert "error_message" not in told.form


def test_send_multi_answers_in_the_order_of_the_request(project, receiver, demo):
    messages = [{"content": f"number {i}", "to_number": fresh_number()} for i in range(100)]
    messages[3]["vars"] = {"place": "own"}
    messages[4]["priority"] = 2
    messages[5]["status_url"] = receiver.url("/own")
    messages[5]["status_secret"] = "own"
    answer = project.sendMulti(
        messages=messages, vars={"place": "all"}, status_url=receiver.url("/all"), status_secret="all"
    )
    assert len(answer["messages"]) == 100
    assert all(set(item) <= {"id", "status", "error_message"} for item in answer["messages"])
    assert "broadcast_id" not in answer or answer["broadcast_id"] is None
    ids = [item["id"] for item in answer["messages"]]
    assert len(set(ids)) == 100
    for index in (0, 3, 4, 5, 99):
        stored = project.getMessageById(ids[index])
        assert stored.content == messages[index]["content"]
        assert stored.to_number == messages[index]["to_number"]
        assert stored.vars.place == ("own" if index == 3 else "all")
        assert stored.priority == (2 if index == 4 else 1)
    for message_id in ids:
        delivered(project, message_id)
    receiver.wait(id=ids[5], status="delivered")
    receiver.wait(id=ids[6], status="delivered")
    assert {d.path for d in receiver.all(id=ids[5])} == {"/own"}
    assert {d.form["secret"] for d in receiver.all(id=ids[5])} == {"own"}
    assert {d.path for d in receiver.all(id=ids[6])} == {"/all"}
    assert {d.form["secret"] for d in receiver.all(id=ids[6])} == {"all"}
    lines = [line["message_id"] for line in demo.radio()]
    assert all(lines.count(message_id) == 1 for message_id in ids)


def test_send_multi_refuses_more_than_a_hundred_and_what_is_incomplete(project):
    one = {"content": "x", "to_number": fresh_number()}
    before = project.queryMessages(direction="outgoing").count()
    for wrong in ([dict(one) for _ in range(101)], [], [one, {"content": "nobody"}], "text", [one, "text"]):
        with pytest.raises(telerivet.InvalidParameterException) as refused:
            project.sendMulti(messages=wrong)
        assert refused.value.param.startswith("messages")
    assert project.queryMessages(direction="outgoing").count() == before


@pytest.mark.parametrize(
    "wrong, param",
    [
        ({"content": "x"}, "to_number"),
        ({"to_number": "+15005550199"}, "content"),
        ({"to_number": "+15005550199", "content": ""}, "content"),
        ({"to_number": "no number", "content": "x"}, "to_number"),
        ({"to_number": "+1", "content": "x"}, "to_number"),
        ({"to_number": "+15005550199", "content": "x", "message_type": "pigeon"}, "message_type"),
        ({"to_number": "+15005550199", "content": "x", "priority": 9}, "priority"),
        ({"to_number": "+15005550199", "content": "x", "priority": "high"}, "priority"),
        ({"to_number": "+15005550199", "content": "x", "vars": {"a": [1]}}, "vars"),
        ({"to_number": "+15005550199", "content": "x", "vars": {"a b": 1}}, "vars"),
        ({"to_number": "+15005550199", "content": "x", "vars": "text"}, "vars"),
        ({"to_number": "+15005550199", "content": "x", "vars": {"a": "x" * 4097}}, "vars"),
        ({"to_number": "+15005550199", "content": "x", "vars": {f"v{i}": i for i in range(101)}}, "vars"),
        ({"to_number": "+15005550199", "content": "x", "route_id": "PN0000000000000001"}, "route_id"),
        ({"to_number": "+15005550199", "content": "x", "status_url": "ftp://example.org/x"}, "status_url"),
        ({"to_number": "+15005550199", "content": "x" * 5000}, "content"),
    ],
)
def test_a_wrong_parameter_is_named(project, wrong, param):
    with pytest.raises(telerivet.InvalidParameterException) as refused:
        project.sendMessage(**wrong)
    assert refused.value.code == "invalid_param"
    assert (refused.value.param or "").split("[")[0].split(".")[0] == param
    assert str(refused.value)
