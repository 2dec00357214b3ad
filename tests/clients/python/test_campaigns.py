"""Campaigns."""

import time

import pytest
import telerivet

from support.numbers import fresh_number
from support.wait import until

YEAR_S = 365 * 24 * 3600


@pytest.fixture
def group(project):
    """A group of its own, with two contacts."""
    group = project.getOrCreateGroup(f"Group {fresh_number()}")
    for _ in range(2):
        project.getOrCreateContact(phone_number=fresh_number(), add_group_ids=[group.id])
    return group


def test_a_campaign_is_prepared_sent_and_answered(project, demo, group):
    contacts = group.queryContacts().all()
    silent = project.getOrCreateGroup(f"Group {fresh_number()}")
    answered = project.getOrCreateGroup(f"Group {fresh_number()}")
    contacts[1].addToGroup(silent)
    name = f"Campaign {fresh_number()}"
    made = project.createCampaign(campaign_type="broadcast_text", name=name, group_id=group.id, vars={"round": 1})
    assert (made.status, made.estimated_count, made.schedule_mode) == ("draft", 2, "immediate")
    with pytest.raises(telerivet.InvalidParameterException) as refused:
        made.send()
    assert refused.value.param == "content"
    made.content, made.route_id = "Hi [[contact.phone_number]]", demo.test_phone_id
    made.exclude_group_id, made.respondent_group_id = silent.id, answered.id
    made.save()
    sent = made.send()
    assert sent.status == "sent"
    until(lambda: project.getBroadcastById(sent.broadcast_id).status == "complete", "the broadcast is complete", 60)
    messages = project.queryMessages(broadcast_id=sent.broadcast_id).all()
    assert [(one.content, one.vars.round) for one in messages] == [(f"Hi {contacts[0].phone_number}", 1)]
    until(lambda: project.getMessageById(messages[0].id).status == "sent", "the message is sent", 60)
    project.receiveMessage(content="Yes", from_number=contacts[0].phone_number, phone_id=demo.test_phone_id)
    assert [contact.id for contact in answered.queryContacts()] == [contacts[0].id]
    assert project.initCampaignById(made.id).message_count == 1
    with pytest.raises(telerivet.InvalidParameterException):
        sent.unschedule()
    found = project.queryCampaigns(name={"prefix": name}, status="sent", sort="name")
    assert [campaign.id for campaign in found] == [made.id]
    sent.delete()
    with pytest.raises(telerivet.NotFoundException):
        project.getCampaignById(made.id).load()


def test_a_campaign_waits_for_its_time_and_is_taken_back(project, group):
    at = int(time.time()) + YEAR_S
    made = project.createCampaign(
        campaign_type="broadcast_text", group_id=group.id, content="later", schedule_time=at
    )
    waiting = made.send()
    assert (waiting.status, waiting.schedule_mode, waiting.schedule_time) == ("scheduled", "at_time", at)
    found = project.queryCampaigns(group_id=group.id, schedule_time={"min": at}, sort="schedule_time")
    assert [campaign.id for campaign in found] == [made.id]
    assert waiting.unschedule().status == "draft"
    made.delete()


def test_a_campaign_by_dates_is_scheduled_for_each_contact(project, group):
    contact = group.queryContacts().all()[0]
    contact.vars.due = "2100-01-01"
    contact.save()
    made = project.createCampaign(campaign_type="relative", group_id=group.id, date_variable="due")
    made.items = [
        {"time_of_day": "09:30", "content": "today"},
        {"time_of_day": "09:30", "offset_count": -1, "content": "tomorrow"},
    ]
    made.save()
    running = made.send()
    assert running.status == "scheduled"
    until(lambda: len(contact.queryScheduledMessages().all()) == 2, "both are scheduled", 60)
    running.unschedule()
    until(lambda: contact.queryScheduledMessages().all() == [], "none is scheduled any more", 60)
    made.delete()
