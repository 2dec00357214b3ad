"""Scheduled and relative scheduled messages."""

import time

import pytest
import telerivet

from support.numbers import fresh_number
from support.wait import until

YEAR_S = 365 * 24 * 3600


@pytest.fixture
def in_a_year():
    """A time so far away that nothing is sent."""
    return int(time.time()) + YEAR_S


@pytest.fixture
def group(project):
    """A group of its own."""
    return project.getOrCreateGroup(f"Group {fresh_number()}")


def ids(cursor):
    return [item.id for item in cursor]


def test_a_schedule_is_made_listed_changed_and_deleted(project, in_a_year):
    contact = project.getOrCreateContact(phone_number=fresh_number())
    made = project.scheduleMessage(
        contact_id=contact.id, content="weekly", start_time=in_a_year, rrule="FREQ=WEEKLY;COUNT=3", timezone_id="Europe/Paris"
    )
    assert (made.next_time, made.prev_time, made.occurrences) == (in_a_year, None, 0)
    assert ids(contact.queryScheduledMessages()) == [made.id]
    assert made.id in ids(project.queryScheduledMessages(next_time={"min": in_a_year}))
    made.content = "changed"
    made.save()
    assert project.getScheduledMessageById(made.id).content == "changed"
    made.delete()
    with pytest.raises(telerivet.NotFoundException):
        project.getScheduledMessageById(made.id)


def test_what_is_due_goes_out_to_each_of_the_group(project, group):
    contacts = [project.getOrCreateContact(phone_number=fresh_number(), add_group_ids=[group.id]) for _ in range(3)]
    made = project.scheduleMessage(group_id=group.id, content="now [[contact.phone_number]]", start_time=int(time.time()), replace_variables=True)
    sent = until(lambda: (lambda found: found if len(found) == 3 else None)(project.queryMessages(scheduled_id=made.id).all()), "three messages")
    assert {m.contact_id for m in sent} == {c.id for c in contacts}
    assert {m.content for m in sent} == {f"now {c.phone_number}" for c in contacts}
    until(lambda: project.getScheduledMessageById(made.id).occurrences == 1, "one occurrence")


def test_an_impossible_rule_is_refused(project, in_a_year):
    with pytest.raises(telerivet.InvalidParameterException) as refused:
        project.scheduleMessage(to_number=fresh_number(), content="x", start_time=in_a_year, rrule="FREQ=OFTEN")
    assert refused.value.param == "rrule"


def test_a_relative_schedule_follows_its_contact(project, group):
    year = time.gmtime().tm_year + 1
    contact = project.getOrCreateContact(phone_number=fresh_number(), vars={"due": f"{year}-05-05"}, add_group_ids=[group.id])
    made = project.createRelativeScheduledMessage(
        group_id=group.id, content="a day before", date_variable="due", time_of_day="09:00", offset_scale="D", offset_count=-1
    )
    assert ids(project.queryRelativeScheduledMessages(group_id=group.id)) == [made.id]
    single = until(lambda: contact.queryScheduledMessages().all(), "its own schedule")[0]
    assert single.relative_scheduled_id == made.id
    contact.vars.due = f"{year}-06-06"
    contact.save()
    until(lambda: any(s.start_time > single.start_time for s in contact.queryScheduledMessages()), "a later time")
    made.delete()
    until(lambda: ids(contact.queryScheduledMessages()) == [], "nothing planned any more")
