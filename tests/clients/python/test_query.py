"""Lists of messages: every filter with its modifiers, cursors, limits, markers and counts."""

import time

import pytest
import telerivet

from support.numbers import fresh_number
from support.wait import until


@pytest.fixture(scope="module")
def history(project, demo):
    """Twelve messages with one contact: nine outgoing, three incoming, two of them starred."""
    number = fresh_number()
    phones = [p["id"] for p in demo.phones]
    out = [project.sendMessage(to_number=number, content=f"out {i}", route_id=phones[i % 2]) for i in range(9)]
    into = [
        project.receiveMessage(content=f"in {i}", from_number=number, phone_id=phones[0], starred=i < 2)
        for i in range(3)
    ]
    for message in out:
        until(lambda: project.getMessageById(message.id).status == "delivered", "delivered")
    return {"contact_id": out[0].contact_id, "out": [m.id for m in out], "in": [m.id for m in into], "phones": phones}


def ids(cursor):
    return [m.id for m in cursor]


def test_the_default_order_is_the_order_of_creation(project, history):
    assert ids(project.queryMessages(contact_id=history["contact_id"])) == history["out"] + history["in"]


def test_the_order_turns_around(project, history):
    newest_first = project.queryMessages(contact_id=history["contact_id"], sort_dir="desc")
    assert ids(newest_first) == (history["out"] + history["in"])[::-1]
    assert ids(project.queryMessages(contact_id=history["contact_id"], sort="default", sort_dir="asc"))[0] == history["out"][0]


def test_each_filter_selects(project, history):
    def found(**filters):
        return ids(project.queryMessages(contact_id=history["contact_id"], **filters))

    everything = history["out"] + history["in"]
    assert found(direction="incoming") == history["in"]
    assert found(direction="outgoing") == history["out"]
    assert found(message_type="sms") == everything
    assert found(message_type="call") == []
    assert found(source="api") == everything or found(source="api") == history["out"]
    assert found(source="mcp") == []
    assert found(starred=True) == history["in"][:2]
    assert found(starred=False) == history["out"] + history["in"][2:]
    assert found(status="delivered") == history["out"]
    assert found(status="cancelled") == []
    assert found(phone_id=history["phones"][1]) == history["out"][1::2]
    assert found(phone_id="PN0000000000000001") == []
    assert found(direction="outgoing", phone_id=history["phones"][0], status="delivered") == history["out"][0::2]


def test_times_are_inclusive_below_and_exclusive_above(project, history):
    first = project.getMessageById(history["out"][0]).time_created
    last = project.getMessageById(history["in"][-1]).time_created

    def found(**bounds):
        return ids(project.queryMessages(contact_id=history["contact_id"], time_created=bounds))

    assert found(min=first) == history["out"] + history["in"]
    assert found(min=last + 1) == []
    assert found(max=first) == []
    assert found(min=first, max=last + 1) == history["out"] + history["in"]
    assert found(max=int(time.time()) + 60) == history["out"] + history["in"]


def test_contact_and_outside_ids_have_their_modifiers(project, history):
    others = project.queryMessages(contact_id={"ne": history["contact_id"]}, sort_dir="desc").limit(20)
    assert all(m.contact_id != history["contact_id"] for m in others)
    with_contact = project.queryMessages(contact_id={"exists": True}).count()
    without = project.queryMessages(contact_id={"exists": False}).count()
    assert with_contact + without == project.queryMessages().count()
    assert project.queryMessages(contact_id=history["contact_id"], external_id={"exists": False}).count() == 12
    assert project.queryMessages(contact_id=history["contact_id"], external_id={"exists": True}).count() == 0
    assert project.queryMessages(contact_id=history["contact_id"], external_id={"ne": "x"}).count() == 12


@pytest.mark.parametrize("name", ["label_id", "broadcast_id", "scheduled_id", "group_id"])
def test_an_id_of_nothing_matches_nothing(project, name):
    assert project.queryMessages(**{name: "XX0000000000000001"}).count() == 0


def test_a_phone_lists_its_own(project, history):
    phone = project.getPhoneById(history["phones"][1])
    assert ids(phone.queryMessages(contact_id=history["contact_id"])) == history["out"][1::2]
    assert phone.queryMessages(contact_id=history["contact_id"], direction="incoming").count() == 0


def test_pages_are_walked_by_marker_and_miss_nothing(project, history, api):
    cursor = project.queryMessages(contact_id=history["contact_id"], page_size=5)
    before = api.num_requests
    assert ids(cursor) == history["out"] + history["in"]
    assert api.num_requests - before == 3
    backwards = project.queryMessages(contact_id=history["contact_id"], page_size=5, sort_dir="desc")
    assert ids(backwards) == (history["out"] + history["in"])[::-1]


def test_a_full_last_page_ends_without_a_repeat(project, history, api):
    before = api.num_requests
    assert ids(project.queryMessages(contact_id=history["contact_id"], page_size=12)) == history["out"] + history["in"]
    assert api.num_requests - before == 2, "a full page says that more may follow; the next one is empty"
    assert ids(project.queryMessages(contact_id=history["contact_id"], page_size=6)) == history["out"] + history["in"]


def test_an_offset_counts_once_although_the_client_repeats_it(project, history):
    cursor = project.queryMessages(contact_id=history["contact_id"], page_size=3, offset=4)
    assert ids(cursor) == (history["out"] + history["in"])[4:]


def test_messages_that_come_while_pages_are_walked_disturb_nothing(project, demo):
    sender = fresh_number()
    first = [project.receiveMessage(content=str(i), from_number=sender, phone_id=demo.phones[0]["id"]) for i in range(4)]
    cursor = project.queryMessages(contact_id=first[0].contact_id, page_size=2, sort_dir="desc")
    seen = [next(cursor).id, next(cursor).id]
    project.receiveMessage(content="late", from_number=sender, phone_id=demo.phones[0]["id"])
    seen += ids(cursor)
    assert seen == [m.id for m in reversed(first)]


def test_a_limit_asks_for_no_more_than_it_needs(project, history, api):
    before = api.num_requests
    assert ids(project.queryMessages(contact_id=history["contact_id"]).limit(4)) == history["out"][:4]
    assert api.num_requests - before == 1
    assert len(ids(project.queryMessages(contact_id=history["contact_id"], page_size=3).limit(7))) == 7


def test_a_count_needs_no_page(project, history, api):
    cursor = project.queryMessages(contact_id=history["contact_id"], direction="outgoing")
    before = api.num_requests
    assert cursor.count() == 9
    assert api.num_requests - before == 1


def test_has_next_and_next_walk_by_hand(project, history):
    cursor = project.queryMessages(contact_id=history["contact_id"], page_size=4)
    seen = []
    while cursor.hasNext():
        seen.append(cursor.next().id)
    assert seen == history["out"] + history["in"]


def test_fields_choose_what_comes_back(project, history):
    message = next(project.queryMessages(contact_id=history["contact_id"], fields="content,status"))
    assert set(message._data) == {"id", "content", "status"}


@pytest.mark.parametrize(
    "wrong, param",
    [
        ({"direction": "sideways"}, "direction"),
        ({"status": "lost"}, "status"),
        ({"message_type": "pigeon"}, "message_type"),
        ({"source": "nowhere"}, "source"),
        ({"starred": "maybe"}, "starred"),
        ({"status": {"prefix": "s"}}, "status"),
        ({"direction": {"ne": "incoming"}}, "direction"),
        ({"contact_id": {"prefix": "CT"}}, "contact_id"),
        ({"time_created": {"gte": 1}}, "time_created"),
        ({"time_created": {"min": "yesterday"}}, "time_created"),
        ({"sort": "content"}, "sort"),
        ({"sort_dir": "up"}, "sort_dir"),
        ({"page_size": 0}, "page_size"),
        ({"page_size": 501}, "page_size"),
        ({"page_size": "many"}, "page_size"),
        ({"offset": -1}, "offset"),
        ({"marker": "no-such-marker"}, "marker"),
    ],
)
def test_a_wrong_filter_is_refused_and_named(project, wrong, param):
    with pytest.raises(telerivet.InvalidParameterException) as refused:
        project.queryMessages(**wrong).all()
    assert (refused.value.param or "").split("[")[0] == param
