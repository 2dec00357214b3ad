"""Broadcasts."""

import pytest
import telerivet

from support.numbers import fresh_number
from support.wait import until


@pytest.fixture
def group(project):
    """A group of its own, with three contacts."""
    group = project.getOrCreateGroup(f"Group {fresh_number()}")
    for _ in range(3):
        project.getOrCreateContact(phone_number=fresh_number(), add_group_ids=[group.id])
    return group


def complete(project, broadcast):
    """Waits until a broadcast is complete, and returns it."""

    def loaded():
        shown = project.getBroadcastById(broadcast.id)
        return shown if shown.status == "complete" else None

    return until(loaded, "the broadcast is complete", 60)


def test_a_broadcast_goes_to_each_of_a_group(project, demo, group):
    contacts = group.queryContacts().all()
    made = project.sendBroadcast(
        group_id=group.id,
        content="Hi [[contact.phone_number]]",
        replace_variables=True,
        exclude_contact_id=contacts[0].id,
        title="News",
        route_id=demo.test_phone_id,
        vars={"round": 1},
    )
    assert (made.title, made.recipients_str, made.source) == ("News", group.name, "api")
    assert made.recipients == [{"type": "group", "group_id": group.id, "group_name": group.name}]
    shown = complete(project, made)
    assert (shown.message_count, shown.reply_count, shown.clicked_count) == (2, 0, None)
    assert shown.status_counts["sent"] == 2 and shown.last_send_time >= shown.time_created
    sent = project.queryMessages(broadcast_id=made.id).all()
    assert {m.content for m in sent} == {f"Hi {c.phone_number}" for c in contacts[1:]}
    assert {m.vars.round for m in sent} == {1}


def test_broadcasts_are_listed_page_by_page(project, demo):
    made = [
        project.sendBroadcast(to_numbers=[fresh_number()], content="x", route_id=demo.test_phone_id).id for _ in range(3)
    ]
    newest = project.queryBroadcasts(sort_dir="desc", page_size=2)
    assert [next(newest).id for _ in range(3)] == made[::-1]
    since = project.getBroadcastById(made[0]).time_created
    assert set(made) <= {one.id for one in project.queryBroadcasts(last_message_time={"min": since}, sort="last_message_time")}
    assert project.queryBroadcasts(time_created={"min": since + 3600}).count() == 0


def test_a_cancelled_broadcast_sends_nothing_more(project, paused):
    made = project.sendBroadcast(to_numbers=[fresh_number() for _ in range(3)], content="x", route_id=paused.id)
    until(lambda: project.getBroadcastById(made.id).message_count == 3, "all messages are made")
    cancelled = made.cancel()
    assert cancelled.status == "cancelled"
    assert cancelled.status_counts["cancelled"] == 3
    assert {m.status for m in project.queryMessages(broadcast_id=made.id)} == {"cancelled"}


def test_requests_are_one_broadcast_by_its_title_and_id(project, demo):
    def send(**options):
        return project.sendMulti(
            messages=[{"to_number": fresh_number(), "content": "x"}], route_id=demo.test_phone_id, **options
        )

    first = send(broadcast_title="In parts")
    second = send(broadcast_id=first["broadcast_id"])
    assert second["broadcast_id"] == first["broadcast_id"]
    shown = complete(project, project.initBroadcastById(first["broadcast_id"]))
    assert (shown.title, shown.message_count, shown.recipients) == ("In parts", 2, [])


def test_the_deprecated_batch_answers_its_broadcast(project, demo, group):
    answer = project.sendMessages(group_id=group.id, content="x", route_id=demo.test_phone_id)
    assert answer["count_queued"] == 3
    broadcast = project.initBroadcastById(answer["broadcast_id"])
    assert complete(project, broadcast).message_count == 3


def test_a_broadcast_to_nobody_is_refused(project):
    with pytest.raises(telerivet.InvalidParameterException) as refused:
        project.sendBroadcast(content="x")
    assert refused.value.param == "to_numbers"
    with pytest.raises(telerivet.NotFoundException):
        project.getBroadcastById("BC0000000000000001")
