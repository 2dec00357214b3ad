"""One message: read, save, delete, resend, cancel."""

import pytest
import telerivet

from support.numbers import fresh_number
from support.wait import until


def wait_status(project, message_id, *statuses):
    return until(
        lambda: (lambda m: m if m.status in statuses else None)(project.getMessageById(message_id)),
        f"{message_id} becomes {statuses}",
    )


def test_a_lazily_made_message_loads_at_the_first_read(project, api):
    sent = project.sendMessage(to_number=fresh_number(), content="lazy")
    message = project.initMessageById(sent.id)
    before = api.num_requests
    assert message.content == "lazy"
    assert message.to_number == sent.to_number
    assert api.num_requests == before + 1


def test_what_may_change_is_saved(project):
    message = project.sendMessage(to_number=fresh_number(), content="to be starred", vars={"keep": 1, "drop": "x"})
    message.starred = True
    message.vars.added = "new"
    message.vars.drop = None
    message.save()
    again = project.getMessageById(message.id)
    assert again.starred is True
    assert again.vars.all() == {"keep": 1, "added": "new"}
    message.save()
    message.error_message = "noted by hand"
    message.save()
    assert project.getMessageById(message.id).error_message == "noted by hand"


def test_saving_a_lazily_made_message_changes_only_what_was_set(project):
    sent = project.sendMessage(to_number=fresh_number(), content="kept", vars={"a": 1})
    lazy = project.initMessageById(sent.id)
    lazy.starred = True
    lazy.save()
    again = project.getMessageById(sent.id)
    assert again.starred is True and again.content == "kept" and again.vars.a == 1


def test_what_may_not_change_is_refused(project):
    message = project.sendMessage(to_number=fresh_number(), content="fixed")
    message.content = "other"
    with pytest.raises(telerivet.InvalidParameterException) as refused:
        message.save()
    assert refused.value.param == "content"
    assert project.getMessageById(message.id).content == "fixed"


def test_a_deleted_message_is_gone(project):
    message = project.sendMessage(to_number=fresh_number(), content="away")
    wait_status(project, message.id, "delivered")
    message.delete()
    with pytest.raises(telerivet.NotFoundException):
        project.getMessageById(message.id)
    with pytest.raises(telerivet.NotFoundException):
        message.delete()
    assert project.queryMessages(contact_id=message.contact_id).count() == 0


def test_deleting_a_queued_message_takes_it_back(project, paused, demo):
    message = project.sendMessage(to_number=fresh_number(), content="never", route_id=paused.id)
    message.delete()
    paused.send_paused = False
    paused.save()
    later = project.sendMessage(to_number=fresh_number(), content="later", route_id=paused.id)
    wait_status(project, later.id, "delivered")
    assert not [line for line in demo.radio() if line["message_id"] == message.id]


def test_a_queued_message_says_what_it_waits_for(project, paused):
    message = project.sendMessage(to_number=fresh_number(), content="waits", route_id=paused.id)
    assert message.status == "queued"
    stored = project.getMessageById(message.id)
    assert stored.status == "queued"
    assert stored.waiting_for
    message.cancel()


def test_a_queued_message_is_cancelled_and_resent(project, paused, demo):
    message = project.sendMessage(to_number=fresh_number(), content="again", route_id=paused.id)
    cancelled = message.cancel()
    assert cancelled.id == message.id
    assert cancelled.status == "cancelled"
    assert message.cancel().status == "cancelled"
    resent = message.resend(route_id=demo.phones[0]["id"])
    assert resent.id == message.id
    done = wait_status(project, message.id, "delivered")
    assert done.phone_id == demo.phones[0]["id"]
    assert done.send_attempts == 2 or done.send_attempts == 1
    assert len([line for line in demo.radio() if line["message_id"] == message.id]) == 1


def test_resending_a_queued_message_only_changes_its_route(project, paused, demo):
    message = project.sendMessage(to_number=fresh_number(), content="rerouted", route_id=paused.id)
    resent = message.resend(route_id=demo.phones[0]["id"])
    assert resent.id == message.id
    wait_status(project, message.id, "delivered")
    assert len([line for line in demo.radio() if line["message_id"] == message.id]) == 1


def test_what_has_left_cannot_be_cancelled(project, demo):
    message = project.sendMessage(to_number=fresh_number(), content="gone")
    wait_status(project, message.id, "delivered")
    with pytest.raises(telerivet.APIException) as refused:
        message.cancel()
    assert refused.value.code == "not_cancellable"
    incoming = project.receiveMessage(content="in", from_number=fresh_number(), phone_id=demo.phones[0]["id"])
    with pytest.raises(telerivet.APIException) as refused:
        incoming.cancel()
    assert refused.value.code == "not_cancellable"


def test_a_sent_message_is_resent_as_a_new_one(project):
    message = project.sendMessage(to_number=fresh_number(), content="twice", vars={"a": 1})
    wait_status(project, message.id, "delivered")
    resent = message.resend()
    assert resent.id != message.id
    assert resent.content == "twice"
    assert resent.to_number == message.to_number
    wait_status(project, resent.id, "delivered")


def test_a_failed_message_is_resent_as_itself(project, demo):
    message = project.sendMessage(to_number="+15005550011", content="fails", route_id=demo.test_phone_id)
    wait_status(project, message.id, "failed")
    resent = message.resend()
    assert resent.id == message.id
    again = until(
        lambda: (lambda m: m if m.status == "failed" and m.send_attempts == 2 else None)(
            project.getMessageById(message.id)
        ),
        "the second attempt fails too",
    )
    assert again.error_message == "Example error message."


@pytest.mark.parametrize("method", ["cancel", "resend", "delete", "load"])
def test_an_unknown_message_is_not_found(project, method):
    with pytest.raises(telerivet.NotFoundException):
        getattr(project.initMessageById("SM0000000000000001"), method)()
