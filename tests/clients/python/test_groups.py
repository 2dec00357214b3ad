"""Groups, normal and dynamic, and labels."""

import pytest
import telerivet

from support.numbers import fresh_number


def ids(cursor):
    return [item.id for item in cursor]


@pytest.fixture
def name():
    """A name that no other test uses."""
    return f"Group {fresh_number()}"


def test_a_group_is_made_once_and_filled(project, name):
    group = project.getOrCreateGroup(name)
    assert project.getOrCreateGroup(name.upper()).id == group.id
    assert (group.dynamic, group.num_members, group.filters) == (False, 0, None)
    a, b = (project.getOrCreateContact(phone_number=fresh_number()) for _ in range(2))
    a.addToGroup(group)
    b.addToGroup(group)
    assert a.isInGroup(group) and project.getContactById(b.id).isInGroup(group)
    assert ids(group.queryContacts()) == [a.id, b.id]
    assert ids(a.queryGroups()) == [group.id]
    assert ids(project.queryContacts(group_id=group.id)) == [a.id, b.id]
    a.removeFromGroup(group)
    assert not project.getContactById(a.id).isInGroup(group)
    assert project.getGroupById(group.id).num_members == 1


def test_a_group_is_changed_listed_and_deleted(project, name):
    group = project.createGroup(name=name, allow_sending=False, add_time_variable="joined", vars={"x": 1})
    assert (group.allow_sending, group.add_time_variable, group.vars.x) == (False, "joined", 1)
    member = project.getOrCreateContact(phone_number=fresh_number(), add_group_ids=[group.id])
    assert isinstance(member.vars.joined, int)
    group.name = name + " renamed"
    group.vars.x = None
    group.save()
    assert ids(project.queryGroups(name=name + " RENAMED")) == [group.id]
    assert project.getGroupById(group.id).vars.all() == {}
    group.delete()
    with pytest.raises(telerivet.NotFoundException):
        project.getGroupById(group.id)
    assert project.getContactById(member.id).name is None


def test_a_dynamic_group_is_always_current(project, name):
    group = project.createGroup(name=name, filters={"vars": {"team": name}, "send_blocked": False})
    assert (group.dynamic, group.num_members) == (True, None)
    assert ids(group.queryContacts()) == []
    contact = project.getOrCreateContact(phone_number=fresh_number(), vars={"team": name})
    assert ids(group.queryContacts()) == [contact.id]
    assert group.id in ids(contact.queryGroups(dynamic=True))
    contact.send_blocked = True
    contact.save()
    assert group.queryContacts().count() == 0
    group.filters = {"vars.team": name}
    group.save()
    assert ids(project.queryContacts(group_id=group.id)) == [contact.id]
    with pytest.raises(telerivet.InvalidParameterException):
        contact.addToGroup(group)
    with pytest.raises(telerivet.InvalidParameterException) as refused:
        project.createGroup(name=name + " 2", filters={"shoe": 1})
    assert refused.value.param == "filters[shoe]"


def test_messages_of_a_group_are_found(project, name):
    group = project.getOrCreateGroup(name)
    contact = project.getOrCreateContact(phone_number=fresh_number(), add_group_ids=[group.id])
    sent = [project.sendMessage(contact_id=contact.id, content=str(i)).id for i in range(3)]
    assert ids(project.queryMessages(group_id=group.id)) == sent


def test_labels_are_put_on_messages_and_taken_off(project, name):
    label = project.getOrCreateLabel(name)
    assert project.getOrCreateLabel(name.lower()).id == label.id
    sent = project.sendMessage(to_number=fresh_number(), content="labelled", label_ids=[label.id])
    other = project.sendMessage(to_number=fresh_number(), content="bare")
    assert sent.hasLabel(label) and not other.hasLabel(label)
    other.addLabel(label)
    assert ids(label.queryMessages()) == [sent.id, other.id]
    assert ids(project.queryMessages(label_id=label.id, sort_dir="desc")) == [other.id, sent.id]
    sent.removeLabel(label)
    assert project.getMessageById(sent.id).label_ids == []
    label.name = name + " renamed"
    label.save()
    assert ids(project.queryLabels(name={"prefix": name})) == [label.id]
    label.delete()
    with pytest.raises(telerivet.NotFoundException):
        project.getLabelById(label.id)
    assert project.getMessageById(other.id).label_ids == []
