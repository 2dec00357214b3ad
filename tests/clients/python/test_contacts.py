"""Contacts: made, found, changed, imported, listed."""

import pytest
import telerivet

from support.numbers import fresh_number
from support.wait import until


def ids(cursor):
    return [item.id for item in cursor]


@pytest.fixture(scope="module")
def crowd(project):
    """Six contacts of one tag, with ages and cities."""
    tag = fresh_number()[-6:]
    made = []
    for i in range(6):
        made.append(
            project.getOrCreateContact(
                name=f"Crowd {tag} {i}",
                phone_number=fresh_number(),
                vars={"tag": f"t{tag}", "age": 20 + i, "city": "Oslo" if i % 2 else "Bergen"},
            )
        )
    return f"t{tag}", made


def test_a_contact_is_made_once_and_updated_by_its_number(project):
    number = fresh_number()
    first = project.getOrCreateContact(name="Ann", phone_number=number, vars={"shoe": 41})
    again = project.getOrCreateContact(phone_number=number[2:], name="Anne", vars={"hat": "red"})
    assert (again.id, again.name, again.phone_number) == (first.id, "Anne", number)
    assert (again.vars.shoe, again.vars.hat) == (41, "red")


def test_each_lookup_key_finds_its_contact(project):
    number = fresh_number()
    code = "code" + number[-5:]
    contact = project.getOrCreateContact(name=f"Lookup {number}", phone_number=number, vars={"code": code})
    assert project.getOrCreateContact(lookup_key="id", id=contact.id).id == contact.id
    assert project.getOrCreateContact(lookup_key="name", name=f"LOOKUP {number}").id == contact.id
    assert project.getOrCreateContact(lookup_key="vars.code", vars={"code": code.upper()}).id == contact.id
    assert project.getOrCreateContact(lookup_key="none", phone_number=number).id != contact.id
    with pytest.raises(telerivet.InvalidParameterException) as refused:
        project.getOrCreateContact(lookup_key="id", id="CT0000000000000001")
    assert refused.value.param == "id"


def test_saving_writes_what_was_changed(project):
    contact = project.getOrCreateContact(phone_number=fresh_number(), vars={"a": 1, "b": 2})
    contact.name = "Renamed"
    contact.conversation_status = "handled"
    contact.send_blocked = True
    contact.vars.a = None
    contact.vars.c = "new"
    contact.save()
    fresh = project.getContactById(contact.id)
    assert (fresh.name, fresh.conversation_status, fresh.send_blocked) == ("Renamed", "handled", True)
    assert fresh.vars.all() == {"b": 2, "c": "new"}
    with pytest.raises(telerivet.InvalidParameterException):
        project.sendMessage(to_number=contact.phone_number, content="blocked")


def test_messages_count_and_are_listed(project, demo):
    contact = project.getOrCreateContact(phone_number=fresh_number())
    assert (contact.message_count, contact.last_message_time, contact.last_message_id) == (0, None, None)
    sent = project.sendMessage(contact_id=contact.id, content="out")
    came = project.receiveMessage(content="in", from_number=contact.phone_number, phone_id=demo.phones[0]["id"])
    until(lambda: project.getMessageById(sent.id).status == "delivered", "delivered")
    contact = project.getContactById(contact.id)
    assert (contact.message_count, contact.incoming_message_count, contact.outgoing_message_count) == (2, 1, 1)
    assert (contact.conversation_status, contact.last_message_id) == ("active", came.id)
    assert contact.last_incoming_message_time >= contact.last_outgoing_message_time
    assert ids(contact.queryMessages()) == [sent.id, came.id]
    assert ids(contact.queryMessages(direction="incoming")) == [came.id]


def test_contacts_are_found_by_their_variables(project, crowd):
    tag, made = crowd
    all_ids = [c.id for c in made]

    def found(vars=None, **more):
        return ids(project.queryContacts(vars={"tag": tag, **(vars or {})}, **more))

    assert found() == all_ids
    assert found({"city": "oslo"}) == all_ids[1::2]
    assert found({"city": {"ne": "Oslo"}}) == all_ids[0::2]
    assert found({"age": {"min": 22, "max": 24}}) == all_ids[2:4]
    assert found({"age": {"gte": "24"}}) == all_ids[4:]
    assert found({"shoe": {"exists": 0}}) == all_ids
    assert found(sort="name", sort_dir="desc") == all_ids[::-1]
    assert found(page_size=2) == all_ids
    assert found(name={"prefix": made[0].name[:-2].lower()}) == all_ids
    assert found(phone_number=made[3].phone_number) == [all_ids[3]]
    assert found(send_blocked=True) == []
    assert found(last_message_time={"exists": False}) == all_ids
    assert project.queryContacts(vars={"tag": tag}).count() == 6
    assert len(project.queryContacts(vars={"tag": tag}, page_size=2).limit(5).all()) == 5


def test_an_import_keeps_its_order(project):
    numbers = [fresh_number() for _ in range(60)]
    group = project.getOrCreateGroup(f"Imported {numbers[0]}")
    result = project.importContacts(
        contacts=[{"phone_number": n, "vars": {"place": i}} for i, n in enumerate(numbers)],
        add_group_ids=[group.id],
    )
    found = [item["id"] for item in result["contacts"]]
    assert found == ids(group.queryContacts())
    assert project.getContactById(found[7]).vars.place == 7
    with pytest.raises(telerivet.InvalidParameterException) as refused:
        project.importContacts(contacts=[{"name": str(i)} for i in range(201)])
    assert refused.value.param == "contacts"


def test_a_deleted_contact_is_gone(project):
    contact = project.getOrCreateContact(phone_number=fresh_number())
    contact.delete()
    with pytest.raises(telerivet.NotFoundException):
        project.getContactById(contact.id)


def test_fields_follow_the_variables(project):
    name = "field_" + fresh_number()[-5:]
    contact = project.getOrCreateContact(phone_number=fresh_number(), vars={name: "x"})
    assert name in [f["variable"] for f in project.getContactFields()]
    size = project.setContactFieldMetadata(
        name, name="Size", type="select", items=[{"value": "s", "label": "Small"}], lookup_key=True
    )
    assert (size["name"], size["type"], size["lookup_key"]) == ("Size", "select", True)
    left = project.updateContactFields(metadata=[{"variable": name, "delete": True}])
    assert name not in [f["variable"] for f in left]
    assert name not in project.getContactById(contact.id).vars.all()


def test_message_fields_keep_their_values(project):
    name = "field_" + fresh_number()[-5:]
    sent = project.sendMessage(to_number=fresh_number(), content="x", vars={name: 5})
    assert name in [f["variable"] for f in project.getMessageFields()]
    assert project.setMessageFieldMetadata(name, hide_values=True)["hide_values"] is True
    project.updateMessageFields(metadata=[{"variable": name, "delete": True}])
    assert project.getMessageById(sent.id).vars.all() == {name: 5}
