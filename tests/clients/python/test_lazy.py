"""Objects made from their id, which load when first read; and later data of contacts and messages."""

import time

import pytest
import telerivet

from support.numbers import fresh_number

YEAR_S = 365 * 24 * 3600


def contact(project):
    return project.getOrCreateContact(phone_number=fresh_number())


def group(project):
    return project.getOrCreateGroup(f"Group {fresh_number()}")


def label(project):
    return project.getOrCreateLabel(f"Label {fresh_number()}")


def scheduled(project):
    return project.scheduleMessage(to_number=fresh_number(), content="x", start_time=int(time.time()) + YEAR_S)


def relative(project):
    return project.createRelativeScheduledMessage(
        to_number=fresh_number(), content="x", date_variable="a_date", time_of_day="09:00"
    )


@pytest.mark.parametrize(
    "kind, make, field",
    [
        ("Contact", contact, "phone_number"),
        ("Group", group, "name"),
        ("Label", label, "name"),
        ("ScheduledMessage", scheduled, "start_time"),
        ("RelativeScheduledMessage", relative, "date_variable"),
    ],
)
def test_what_is_made_of_its_id_loads_at_the_first_read(project, api, kind, make, field):
    made = make(project)
    lazy = getattr(project, f"init{kind}ById")(made.id)
    before = api.num_requests
    assert getattr(lazy, field) == getattr(made, field) is not None
    assert api.num_requests == before + 1
    got = getattr(project, f"get{kind}ById")(made.id)
    assert getattr(got, field) == getattr(made, field)
    nothing = getattr(project, f"init{kind}ById")(made.id[:2] + "0000000000000001")
    with pytest.raises(telerivet.NotFoundException):
        nothing.load()


@pytest.mark.parametrize(
    "query, wanted",
    [
        ("queryDataRows", {"time_created": {"min": 1}}),
        ("queryServiceStates", {"id": {"prefix": "a"}, "vars": {"step": {"min": 1}}}),
    ],
)
def test_a_contact_has_no_rows_and_no_states_yet(project, query, wanted):
    asked = getattr(project.initContactById(contact(project).id), query)
    assert asked().all() == [] and asked(**wanted).all() == []
    assert asked().count() == 0
    with pytest.raises(telerivet.InvalidParameterException) as refused:
        asked(sort="name").all()
    assert refused.value.param == "sort"
    with pytest.raises(telerivet.NotFoundException):
        getattr(project.initContactById("CT0000000000000001"), query)().all()


@pytest.mark.parametrize("method", ["sendReadReceipt", "sendTypingIndicator"])
def test_what_only_whatsapp_takes_is_refused(project, demo, method):
    came = project.receiveMessage(content="in", from_number=fresh_number(), phone_id=demo.phones[0]["id"])
    with pytest.raises(telerivet.InvalidParameterException):
        getattr(came, method)()
    with pytest.raises(telerivet.NotFoundException):
        getattr(project.initMessageById("SM0000000000000001"), method)()
