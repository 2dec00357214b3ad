"""USSD requests, placed calls and data messages: over the phones and over the test route."""

import base64

import pytest
import telerivet

from support.numbers import fresh_number
from support.wait import until


def wait_status(project, message_id, *statuses):
    return until(
        lambda: (lambda m: m if m.status in statuses else None)(project.getMessageById(message_id)),
        f"{message_id} is one of {statuses}",
    )


def answers_to(project, phone_id, code):
    came = project.queryMessages(direction="incoming", message_type="ussd", phone_id=phone_id)
    return [m for m in came if m.from_number == code]


def test_a_code_is_dialled_and_its_answer_comes_in(project, demo):
    phone = demo.phones[0]
    before = len(answers_to(project, phone["id"], "*100#"))
    sent = project.sendMessage(message_type="ussd", to_number="*100#", route_id=phone["id"])
    assert sent.message_type == "ussd"
    assert sent.to_number == "*100#"
    assert sent.content is None and sent.contact_id is None
    done = wait_status(project, sent.id, "sent", "failed")
    assert done.status == "sent" and done.time_sent >= done.time_created
    came = until(lambda: answers_to(project, phone["id"], "*100#")[before:], "the answer comes in")
    assert len(came) == 1
    assert came[0].content.startswith("Your balance is")
    assert came[0].to_number == phone["phone_number"]
    assert came[0].status == "received"


def test_a_placed_call_has_its_length_and_its_ring(project, demo):
    to = fresh_number()
    call = project.sendMessage(message_type="call", to_number=to, route_id=demo.phones[0]["id"])
    assert call.message_type == "call" and call.content is None
    done = wait_status(project, call.id, "sent", "failed")
    assert done.status == "sent"
    assert done.to_number == to
    assert done.duration >= 1
    assert done.ring_time is None or done.ring_time >= 0
    assert done.in_progress is False
    assert call.contact_id.startswith("CT")


def test_a_data_message_goes_out_as_one_part(project, demo):
    to = fresh_number()
    payload = {"port": 16000, "data": base64.b64encode(bytes(range(133))).decode()}
    sent = project.sendMessage(to_number=to, route_params=payload, route_id=demo.phones[0]["id"])
    assert sent.message_type == "sms" and sent.content is None
    assert sent.route_params["port"] == 16000
    done = wait_status(project, sent.id, "delivered", "failed")
    assert done.status == "delivered"
    assert done.num_parts == 1
    assert done.route_params == {**payload, "encoding": "base64"}


def test_the_test_route_answers_every_kind(project, demo, receiver):
    route = demo.test_phone_id
    before = len(answers_to(project, route, "*123#"))
    code = project.sendMessage(message_type="ussd", to_number="*123#", route_id=route)
    wait_status(project, code.id, "sent")
    answer = until(lambda: answers_to(project, route, "*123#")[before:], "the answer comes in")[0]
    assert answer.content == "Example USSD answer." and answer.simulated is True
    call = project.sendMessage(
        message_type="call", to_number=fresh_number(), route_id=route, status_url=receiver.url(), status_secret="s"
    )
    told = receiver.wait(id=call.id, status="sent")[0].form
    assert (told["message_type"], told["duration"], told["ring_time"]) == ("call", "10", "3")
    missed = project.sendMessage(message_type="call", to_number="+15005550013", route_id=route)
    assert wait_status(project, missed.id, "not_delivered").duration == -1


def test_many_are_called_at_once(project, demo):
    to = [{"to_number": fresh_number()}, {"to_number": fresh_number()}]
    sent = project.sendMulti(messages=to, message_type="call", route_id=demo.test_phone_id)
    for item in sent["messages"]:
        assert wait_status(project, item["id"], "sent").duration == 10


@pytest.mark.parametrize(
    "named, request_",
    [
        ("to_number", {"message_type": "ussd", "to_number": "+15005550100"}),
        ("to_number", {"message_type": "ussd", "to_number": "*100"}),
        ("content", {"message_type": "ussd", "to_number": "*100#", "content": "1"}),
        ("to_number", {"message_type": "call", "to_number": "911"}),
        ("service_id", {"message_type": "call", "to_number": "+15005550100", "service_id": "SV1"}),
        ("content", {"message_type": "call", "to_number": "+15005550100", "content": "Hello"}),
        ("route_params[data]", {"to_number": "+15005550100", "route_params": {"port": 1, "data": "A" * 180}}),
        ("route_params[port]", {"to_number": "+15005550100", "route_params": {"port": 0, "data": "AA=="}}),
        ("message_type", {"message_type": "chat", "to_number": "+15005550100", "content": "x"}),
    ],
)
def test_what_cannot_be_sent_is_refused_by_name(project, named, request_):
    with pytest.raises(telerivet.InvalidParameterException) as refused:
        project.sendMessage(**request_)
    assert refused.value.param == named


def test_only_multimedia_messages_that_came_in_have_parts(project):
    sent = project.sendMessage(to_number=fresh_number(), content="no parts")
    assert sent.getMMSParts() == []
