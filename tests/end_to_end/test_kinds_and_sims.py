"""Every kind of message, outgoing and incoming, and phones with two SIMs: over the link, with the official client."""

import base64
import datetime

import pytest

from support.numbers import fresh_number
from support.station import Station
from support.wait import until


@pytest.fixture
def station(tmp_path):
    """A hub without phones."""
    one = Station(tmp_path)
    yield one
    assert not one.close()


def came_in(station, kind):
    """Returns the incoming messages of one kind, in the order of their arrival."""
    return station.project.queryMessages(direction="incoming", message_type=kind).all()


def test_two_sims_are_two_phones_and_the_pause_of_one_does_not_stop_the_other(station, receiver):
    station.tell(receiver)
    phone = station.join(sims=2)
    first, second = (station.project.getPhoneById(route) for route in phone.routes)
    assert [first.phone_number, second.phone_number] == phone.numbers
    station.set(first.id, send_paused=True)
    waits = station.send(phone, "by the first", fresh_number(), sim=0)
    goes = station.send(phone, "by the second", fresh_number(), sim=1)
    station.rest.wait_status(goes.id, "delivered")
    waiting = station.rest.message(waits.id)
    assert (waiting["status"], waiting["waiting_for"]) == ("queued", "paused")
    assert station.handed_over() == [goes.id]
    station.set(first.id, send_paused=False)
    station.rest.wait_status(waits.id, "delivered")
    assert station.handed_over() == [goes.id, waits.id]
    for slot, route in enumerate(phone.routes):
        phone.happens("sms", **{"from": fresh_number()}, text=f"to slot {slot}", sim=slot)
        told = receiver.wait(event="incoming_message", content=f"to slot {slot}")[0].form
        assert (told["phone_id"], told["to_number"]) == (route, phone.numbers[slot])


def quiet_now():
    """Returns quiet hours in UTC that began an hour ago and last for two more."""
    now = datetime.datetime.now(datetime.timezone.utc)
    start, end = (now + datetime.timedelta(hours=hours) for hours in (-1, 2))
    return {"timezone_id": "UTC", "quiet_start": f"{start:%H:%M}", "quiet_end": f"{end:%H:%M}"}


def test_quiet_hours_outlive_the_hubs_death_and_end_by_the_operators_word(station):
    phone = station.join(sims=2)
    before = station.send(phone, "before", fresh_number())
    station.rest.wait_status(before.id, "delivered")
    station.set(phone.routes[0], quiet_mode="confirm", **quiet_now())
    quiet = station.send(phone, "quiet", fresh_number(), sim=0)
    until(lambda: station.rest.message(quiet.id)["waiting_for"] == "quiet_hours", "it waits for the end")
    station.server.program.kill()
    station.server.start()
    later = station.send(phone, "later", fresh_number(), sim=0)
    other = station.send(phone, "not quiet", fresh_number(), sim=1)
    station.rest.wait_status(other.id, "delivered", patience_s=60)
    for message in (quiet, later):
        waiting = station.rest.message(message.id)
        assert (waiting["status"], waiting["waiting_for"]) == ("queued", "quiet_hours")
    assert station.handed_over() == [before.id, other.id]
    station.admin("phone", "release-quiet-hours", phone.routes[0])
    for message in (quiet, later):
        station.rest.wait_status(message.id, "delivered")
    assert station.handed_over() == [before.id, other.id, quiet.id, later.id]


def test_a_send_delay_holds_the_next_message_of_its_sim_alone(station):
    phone = station.join(sims=2)
    station.set(phone.routes[0], send_delay=3600)
    first = station.send(phone, "first", fresh_number(), sim=0)
    station.rest.wait_status(first.id, "delivered")
    second = station.send(phone, "second", fresh_number(), sim=0)
    other = station.send(phone, "other", fresh_number(), sim=1)
    station.rest.wait_status(other.id, "delivered")
    assert station.rest.message(second.id)["status"] == "queued"
    assert station.handed_over() == [first.id, other.id]
    station.set(phone.routes[0], send_delay=0)
    station.rest.wait_status(second.id, "delivered")


def test_a_call_that_comes_in_tells_its_length_and_its_ring_and_a_missed_one_has_none(station, receiver):
    station.tell(receiver)
    phone = station.join(sims=2)
    caller, missed = fresh_number(), fresh_number()
    phone.happens("call", **{"from": caller}, ring_s=1, duration_s=2, sim=1)
    answered = receiver.wait(event="incoming_message", from_number=caller)[0].form
    assert (answered["message_type"], answered["phone_id"]) == ("call", phone.routes[1])
    assert (answered["duration"], answered["ring_time"]) == ("2", "1")
    assert answered["secret"] == "in" and "content" not in answered
    phone.happens("call", **{"from": missed}, ring_s=1)
    told = receiver.wait(event="incoming_message", from_number=missed)[0].form
    assert (told["message_type"], told["duration"], told["ring_time"]) == ("call", "-1", "1")
    phone.happens("call", ring_s=1)
    withheld = receiver.wait(count=3, event="incoming_message", message_type="call")[2].form
    assert "from_number" not in withheld and withheld["duration"] == "-1"
    calls = came_in(station, "call")
    assert [(call.from_number, call.duration, call.ring_time) for call in calls] == [
        (caller, 2, 1),
        (missed, -1, 1),
        (None, -1, 1),
    ]


def test_a_multimedia_notice_and_a_data_message_come_in_though_the_hub_was_down(station, receiver):
    station.tell(receiver)
    phone = station.join()
    sender, payload = fresh_number(), base64.b64encode(bytes([0, 255, 7])).decode()
    station.server.program.kill()
    phone.happens("mms", **{"from": sender}, subject="a picture", text="of a cat")
    phone.happens("data", **{"from": sender}, port=16000, base64=payload)
    station.server.start()
    mms = receiver.wait(event="incoming_message", message_type="mms", patience_s=60)[0].form
    assert (mms["from_number"], mms["phone_id"]) == (sender, phone.route_id)
    assert "a picture" in mms["content"] and "of a cat" in mms["content"]
    data = receiver.wait(event="incoming_message", **{"route_params[port]": "16000"})[0].form
    assert (data["message_type"], data["route_params[data]"]) == ("sms", payload)
    assert len(came_in(station, "mms")) == 1
    (stored,) = came_in(station, "sms")
    assert stored.route_params["data"] == payload
    parts = came_in(station, "mms")[0].getMMSParts()
    assert [part["type"] for part in parts] == ["text/plain"]


def test_a_code_and_a_call_go_out_by_the_sim_that_was_named(station, receiver):
    station.tell(receiver)
    phone = station.join(sims=2)
    code = station.project.sendMessage(message_type="ussd", to_number="*100#", route_id=phone.routes[1])
    assert station.rest.wait_status(code.id, "sent", "failed")["status"] == "sent"
    answer = receiver.wait(event="incoming_message", message_type="ussd")[0].form
    assert (answer["from_number"], answer["phone_id"]) == ("*100#", phone.routes[1])
    assert "balance" in answer["content"]
    to = fresh_number()
    call = station.project.sendMessage(
        message_type="call", to_number=to, route_id=phone.routes[0], status_url=receiver.url("/status"), status_secret="s"
    )
    told = receiver.wait(event="send_status", id=call.id, status="sent")[0].form
    assert (told["message_type"], told["to_number"], told["phone_id"]) == ("call", to, phone.routes[0])
    assert int(told["duration"]) >= 1
    refused = station.project.sendMessage(message_type="ussd", to_number="*#06#", route_id=phone.routes[0])
    assert station.rest.wait_status(refused.id, "sent", "failed")["error_code"] == "ussd_refused"
