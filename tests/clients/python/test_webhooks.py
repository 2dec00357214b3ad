"""Webhook objects: made, read, changed, deleted, and called with Basic credentials."""

import pytest
import telerivet

from support.numbers import fresh_number


@pytest.fixture
def webhook(project, receiver):
    """A webhook object that lives for one test."""
    hook = project.createWebhook(url=receiver.url("/object"), secret="p4ss", events=["send_status"])
    yield hook
    try:
        hook.delete()
    except telerivet.NotFoundException:
        pass


def test_a_webhook_object_is_kept_as_it_was_made(project, webhook, receiver):
    assert webhook.url == receiver.url("/object")
    assert webhook.events == ["send_status"]
    assert webhook.project_id == project.id
    again = project.getWebhookById(webhook.id)
    assert again.url == webhook.url and again.events == ["send_status"]
    assert webhook.id in [w.id for w in project.queryWebhooks()]
    assert project.initWebhookById(webhook.id).url == webhook.url


def test_its_events_are_posted_with_its_secret(project, webhook, receiver):
    message = project.sendMessage(to_number=fresh_number(), content="event")
    told = receiver.wait(id=message.id, status="delivered")[0]
    assert told.path == "/object"
    assert told.basic() == ("telerivet", "p4ss")
    assert receiver.statuses(message.id) == ["sent", "delivered"]


def test_a_status_url_of_the_message_comes_before_the_object(project, webhook, receiver):
    message = project.sendMessage(to_number=fresh_number(), content="own", status_url=receiver.url("/own"))
    receiver.wait(id=message.id, status="delivered")
    receiver.wait(id=message.id, status="sent")
    assert {d.path for d in receiver.all(id=message.id)} == {"/own"}


def test_an_object_without_the_event_stays_silent(project, webhook, receiver):
    webhook.events = ["contact_update"]
    webhook.save()
    message = project.sendMessage(to_number=fresh_number(), content="quiet", status_url=receiver.url("/own"))
    receiver.wait(id=message.id, status="delivered")
    assert not [d for d in receiver.on("/object") if d.form["event"] == "send_status"]


def test_a_changed_object_posts_to_its_new_address(project, webhook, receiver):
    webhook.url = receiver.url("/moved")
    webhook.secret = "other"
    webhook.save()
    message = project.sendMessage(to_number=fresh_number(), content="moved")
    told = receiver.wait(id=message.id, status="delivered")[0]
    assert told.path == "/moved"
    assert told.basic() == ("telerivet", "other")


def test_a_deleted_object_is_gone(project, webhook):
    webhook.delete()
    with pytest.raises(telerivet.NotFoundException):
        project.getWebhookById(webhook.id)
    assert webhook.id not in [w.id for w in project.queryWebhooks()]


@pytest.mark.parametrize(
    "wrong, param",
    [
        ({"events": ["send_status"]}, "url"),
        ({"url": "ftp://example.org/"}, "url"),
        ({"url": "no url"}, "url"),
        ({"url": "http://127.0.0.1:9/", "events": ["sunrise"]}, "events"),
        ({"url": "http://127.0.0.1:9/", "secret": "x" * 201}, "secret"),
    ],
)
def test_a_wrong_object_is_refused_and_named(project, wrong, param):
    with pytest.raises(telerivet.InvalidParameterException) as refused:
        project.createWebhook(**wrong)
    assert (refused.value.param or "").split("[")[0] == param
