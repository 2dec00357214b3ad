"""Statistics of messages, contacts, rows and airtime."""

from datetime import date, timedelta

import pytest
import telerivet

from support.numbers import fresh_number
from support.wait import until

SPAN = {"start_date": str(date.today() - timedelta(days=2)), "end_date": str(date.today() + timedelta(days=2))}


def counted(project, **options):
    """The groups of all days together: their properties and their metrics."""
    answer = project.getMessageStats(**SPAN, rollup="all", metrics="count,num_parts", **options)
    return [(group["properties"], group["metrics"]) for one in answer["intervals"] for group in one["groups"]]


def test_messages_are_counted_by_what_they_have_in_common(project, demo):
    phone = project.createPhone(phone_type="simulated", phone_number=fresh_number())
    assert counted(project, filters={"phone_id": phone.id}) == []
    texts = ("one part", "x" * 200)
    sent = [project.sendMessage(to_number="+15005550100", content=text, route_id=phone.id) for text in texts]
    done = lambda: all(project.getMessageById(one.id).status in ("sent", "delivered") for one in sent)  # noqa: E731
    until(done, "the messages are sent", 20)
    groups = counted(project, filters={"phone_id": phone.id}, properties="direction, phone_id")
    assert groups == [({"direction": "outgoing", "phone_id": phone.id}, {"count": 2, "num_parts": 3})]
    by_status = counted(project, filters={"phone_id": phone.id, "direction": "outgoing"}, properties="status")
    assert sum(metrics["count"] for _, metrics in by_status) == 2
    sent[0].delete()
    assert counted(project, filters={"phone_id": phone.id})[0][1] == {"count": 2, "num_parts": 3}
    with pytest.raises(telerivet.InvalidParameterException):
        project.getMessageStats(**SPAN, metrics="shoes")


def test_contacts_are_counted_by_when_they_came(project):
    group = project.getOrCreateGroup(f"Counted {fresh_number()}")
    for _ in range(3):
        project.getOrCreateContact(phone_number=fresh_number(), add_group_ids=[group.id])
    answer = project.getContactStats(**SPAN, cumulative=False, series=f"{group.id},total")
    values = [one["values"] for one in answer["intervals"]]
    assert sum(value[group.id] for value in values) == 3
    assert sum(value["total"] for value in values) >= 3
    whole = project.getContactStats(**SPAN, rollup="year", series=group.id)["intervals"]
    assert whole[-1]["values"] == {group.id: 3}


def test_rows_are_counted_by_when_they_were_made(project):
    table = project.getOrCreateDataTable(f"Counted {fresh_number()}")
    for answer in ("yes", "yes", "no"):
        table.createRow(vars={"answer": answer})
    view = table.createView(name="Yes", filters={"vars.answer": "yes"})
    answer = project.getDataTableStats(**SPAN, rollup="year", series=f"{table.id},{view.id}")
    assert answer["intervals"][-1]["values"] == {table.id: 3, view.id: 2}


def test_there_is_no_airtime(project):
    assert project.getAirtimeStats(**SPAN, metrics="count,value.USD", properties="country") == {"intervals": []}
