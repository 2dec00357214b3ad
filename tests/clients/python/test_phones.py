"""Phones: list, get, update, reset of the counter."""

import time

import pytest
import telerivet

from support.numbers import fresh_number
from support.wait import until


def test_every_phone_is_listed_with_its_fields(project, demo):
    found = {p.id: p for p in project.queryPhones()}
    for expected in demo.phones:
        phone = found[expected["id"]]
        assert phone.phone_number == expected["phone_number"]
        assert phone.phone_type == "android"
        assert phone.send_paused is False
        assert phone.project_id == project.id
        assert phone.time_created <= time.time()
        assert phone.vars.all() == {} or phone.vars.all()
    assert demo.test_phone_id in found


def test_phones_are_filtered_and_sorted(project, demo):
    number = demo.phones[0]["phone_number"]
    ids = lambda **f: [p.id for p in project.queryPhones(**f)]
    assert ids(phone_number=number) == [demo.phones[0]["id"]]
    assert demo.phones[0]["id"] in ids(phone_number={"prefix": number[:5]})
    assert demo.phones[0]["id"] not in ids(phone_number={"ne": number})
    assert demo.phones[0]["id"] not in ids(phone_number={"not_prefix": number[:5]})
    assert demo.phones[0]["id"] in ids(phone_number={"gte": number})
    assert demo.phones[0]["id"] not in ids(phone_number={"gt": number})
    assert demo.phones[0]["id"] not in ids(phone_number={"lt": number})
    assert demo.phones[0]["id"] in ids(phone_number={"lte": number})
    name = project.getPhoneById(demo.phones[0]["id"]).name
    assert demo.phones[0]["id"] in ids(name=name.upper())
    assert demo.phones[0]["id"] in ids(name={"prefix": name[:3]})
    names = [p.name for p in project.queryPhones(sort="name")]
    assert names == sorted(names, key=str.lower)
    numbers = [p.phone_number for p in project.queryPhones(sort="phone_number", sort_dir="desc") if p.phone_number]
    assert numbers == sorted(numbers, reverse=True)
    assert project.queryPhones().count() == len(demo.phones) + 1
    with pytest.raises(telerivet.InvalidParameterException):
        project.queryPhones(sort="battery").all()


def test_a_phone_that_speaks_has_been_active(project, demo):
    until(lambda: project.getPhoneById(demo.phones[0]["id"]).last_active_time, "the phone was active")
    now = int(time.time())
    ids = lambda **f: [p.id for p in project.queryPhones(**f)]
    assert demo.phones[0]["id"] in ids(last_active_time={"min": now - 3600})
    assert demo.phones[0]["id"] not in ids(last_active_time={"max": now - 3600})
    assert demo.phones[0]["id"] in ids(last_active_time={"exists": True})


def test_health_fills_the_fields_of_an_android_phone(project, demo):
    phone = until(
        lambda: (lambda p: p if p.battery is not None else None)(project.getPhoneById(demo.phones[0]["id"])),
        "the phone told its battery",
    )
    assert 0 <= phone.battery <= 100
    assert isinstance(phone.charging, bool)
    assert phone.app_version


def test_a_phone_is_renamed_and_gets_variables(project, demo):
    phone = project.getPhoneById(demo.phones[1]["id"])
    old = phone.name
    phone.name = "Renamed"
    phone.vars.place = "desk"
    phone.save()
    again = project.getPhoneById(phone.id)
    assert again.name == "Renamed" and again.vars.place == "desk"
    again.name = old
    again.vars.place = None
    again.save()
    assert project.getPhoneById(phone.id).vars.all() == {}


def test_a_paused_phone_keeps_its_messages(project, paused, demo):
    message = project.sendMessage(to_number=fresh_number(), content="patience", route_id=paused.id)
    through = project.sendMessage(to_number=fresh_number(), content="passing", route_id=demo.phones[0]["id"])
    until(lambda: project.getMessageById(through.id).status == "delivered", "the other phone sends")
    assert project.getMessageById(message.id).status == "queued"
    paused.send_paused = False
    paused.save()
    until(lambda: project.getMessageById(message.id).status == "delivered", "it goes when the phone goes on")


def test_a_limit_pauses_and_a_reset_resumes(project, demo):
    phone = project.getPhoneById(demo.phones[1]["id"])
    phone.resetSentMessageCount()
    phone.sent_message_limit = 2
    phone.save()
    try:
        sent = [project.sendMessage(to_number=fresh_number(), content=f"{i}", route_id=phone.id) for i in range(3)]
        for message in sent[:2]:
            until(lambda: project.getMessageById(message.id).status == "delivered", "the first two go")
        stopped = until(
            lambda: (lambda p: p if p.send_paused else None)(project.getPhoneById(phone.id)), "the phone pauses itself"
        )
        assert stopped.sent_message_count == 2
        assert project.getMessageById(sent[2].id).status == "queued"
        phone.resetSentMessageCount()
        until(lambda: project.getMessageById(sent[2].id).status == "delivered", "the third goes after the reset")
        again = project.getPhoneById(phone.id)
        assert again.send_paused is False
        assert again.sent_message_count == 1
        assert again.sent_message_epoch >= time.time() - 60
    finally:
        phone.sent_message_limit = None
        phone.save()
        phone.resetSentMessageCount()


def test_quiet_hours_hold_the_test_route_until_they_are_released(project, demo):
    phone = project.getPhoneById(demo.test_phone_id)
    clock = lambda seconds: time.strftime("%H:%M", time.gmtime(time.time() + seconds))
    phone.timezone_id = "UTC"
    phone.quiet_mode, phone.quiet_start, phone.quiet_end = "confirm", clock(-7200), clock(7200)
    phone.save()
    try:
        shown = project.getPhoneById(phone.id)
        assert (shown.quiet_mode, shown.timezone_id) == ("confirm", "UTC")
        message = project.sendMessage(to_number=fresh_number(), content="shh", route_id=phone.id)
        assert message.waiting_for == "quiet_hours"
        assert 0 < message.next_slot_time - time.time() <= 7260
        assert project.getMessageById(message.id).status == "queued"
        demo.rest.post(f"phones/{phone.id}/release_quiet_hours", {})
        until(lambda: project.getMessageById(message.id).status == "sent", "it goes when it is released")
    finally:
        phone.quiet_mode, phone.quiet_start, phone.quiet_end, phone.timezone_id = "off", None, None, None
        phone.save()


def test_a_phone_sends_only_where_it_may(project, demo):
    phone = project.getPhoneById(demo.test_phone_id)
    phone.allowed_recipient_countries = ["KE"]
    phone.validate_recipient_numbers = True
    phone.save()
    try:
        shown = project.getPhoneById(phone.id)
        assert shown.allowed_recipient_countries == ["KE"]
        assert shown.validate_recipient_numbers is True
        with pytest.raises(telerivet.InvalidParameterException) as refused:
            project.sendMessage(to_number=fresh_number(), content="x", route_id=phone.id)
        assert refused.value.param == "to_number"
    finally:
        phone.allowed_recipient_countries = None
        phone.validate_recipient_numbers = False
        phone.save()


@pytest.mark.parametrize(
    "named, value",
    [("quiet_start", "10 pm"), ("quiet_mode", "delay"), ("timezone_id", "Mars/Olympus"), ("send_limit_max", 0)],
)
def test_a_setting_that_cannot_be_is_refused_by_name(project, demo, named, value):
    phone = project.initPhoneById(demo.test_phone_id)
    setattr(phone, named, value)
    with pytest.raises(telerivet.InvalidParameterException) as refused:
        phone.save()
    assert refused.value.param == ("quiet_start" if named == "quiet_mode" else named)


def test_a_phone_loads_lazily_and_an_unknown_one_is_not_found(project, api, demo):
    phone = project.initPhoneById(demo.phones[0]["id"])
    before = api.num_requests
    assert phone.phone_number == demo.phones[0]["phone_number"]
    assert api.num_requests == before + 1
    with pytest.raises(telerivet.NotFoundException):
        project.getPhoneById("PN0000000000000001")


def test_what_is_read_only_on_a_phone_is_refused(project, demo):
    phone = project.initPhoneById(demo.phones[0]["id"])
    phone.battery = 1
    with pytest.raises(telerivet.InvalidParameterException) as refused:
        phone.save()
    assert refused.value.param == "battery"
