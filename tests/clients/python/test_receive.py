"""Incoming messages, added through the API as if a phone had received them."""

import pytest
import telerivet

from support.numbers import fresh_number


def test_an_incoming_message_is_stored_with_its_contact(project, demo):
    sender = fresh_number()
    phone = demo.phones[0]
    message = project.receiveMessage(
        content="Hi there", from_number=sender, phone_id=phone["id"], starred=True, vars={"via": "test"}
    )
    assert message.direction == "incoming"
    assert message.message_type == "sms"
    assert message.content == "Hi there"
    assert message.from_number == sender
    assert message.to_number == phone["phone_number"]
    assert message.phone_id == phone["id"]
    assert message.starred is True
    assert message.vars.via == "test"
    assert message.status in ("received", "processing")
    assert message.contact_id.startswith("CT")
    assert [m.id for m in project.queryMessages(contact_id=message.contact_id)] == [message.id]


def test_a_reply_belongs_to_the_same_contact(project, demo):
    sender = fresh_number()
    incoming = project.receiveMessage(content="question", from_number=sender, phone_id=demo.phones[0]["id"])
    reply = project.sendMessage(contact_id=incoming.contact_id, content="answer")
    assert reply.to_number == sender
    both = project.queryMessages(contact_id=incoming.contact_id).all()
    assert [m.direction for m in both] == ["incoming", "outgoing"]


def test_a_call_needs_no_content(project, demo):
    call = project.receiveMessage(message_type="call", from_number=fresh_number(), phone_id=demo.phones[0]["id"])
    assert call.message_type == "call"
    assert call.content is None


@pytest.mark.parametrize("missing", ["content", "from_number", "phone_id"])
def test_what_is_required_is_named_when_it_is_missing(project, demo, missing):
    body = {"content": "x", "from_number": fresh_number(), "phone_id": demo.phones[0]["id"]}
    del body[missing]
    with pytest.raises(telerivet.InvalidParameterException) as refused:
        project.receiveMessage(**body)
    assert refused.value.param == missing


def test_a_short_code_and_a_name_are_senders_too(project, demo):
    for sender in ("12345", "MyBank"):
        message = project.receiveMessage(content="code", from_number=sender, phone_id=demo.phones[0]["id"])
        assert message.from_number == sender
