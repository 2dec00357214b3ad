"""A phone that is removed, replaced or lost: nothing is sent twice, and nobody waits for ever."""

import pytest

from support.databases import query
from support.numbers import fresh_number
from support.station import Station
from support.wait import until


@pytest.fixture
def station(tmp_path):
    """A hub without phones."""
    one = Station(tmp_path)
    yield one
    assert not one.close()


def on_its_way(station, phone):
    """Returns a message that a phone holds without a result of its radio."""
    message = station.send(phone, "held", fresh_number())
    until(lambda: message.id in station.handed_over(), "its radio has it")
    return message


def exposed(station, messages):
    """Returns whether all these messages have been given to a phone."""
    keys = ", ".join(str(int(message.id[2:], 16)) for message in messages)
    given = f"SELECT count(*) FROM messages WHERE id IN ({keys}) AND down_s IS NOT NULL"
    return query(station.admin.folder, given) == [[str(len(messages))]]


def test_a_phone_that_is_removed_leaves_what_it_held_unknown(station):
    phone, other = station.join("silent"), station.join()
    held = on_its_way(station, phone)
    station.admin("device", "revoke", phone.device_id)
    message = station.rest.wait_status(held.id, "failed")
    assert message["error_code"] == "unknown_outcome"
    assert station.device(phone)["state"] == "revoked"
    until(lambda: not station.is_connected(phone), "its link is closed", 10)
    # Only the sender's own request sends it again, by the other phone.
    again = station.project.getMessageById(held.id).resend(route_id=other.route_id)
    assert again.id == held.id
    station.rest.wait_status(held.id, "delivered")
    assert station.handed_over().count(held.id) == 2
    assert station.rest.message(held.id)["send_attempts"] == 2


def test_a_phone_that_its_owner_unpairs_gives_back_what_waits_and_is_out_of_service(station):
    phone, other = station.join("silent"), station.join()
    held = on_its_way(station, phone)
    phone.happens("pause", on=True)
    waits = [station.send(phone, f"waits {n}", fresh_number()) for n in range(3)]
    until(lambda: exposed(station, waits), "the phone has them")
    phone.happens("unpair", within_s=2)
    until(lambda: not phone.program.alive(), "it ends by itself", 60)
    assert phone.program.stop() == 0
    until(lambda: station.device(phone)["state"] == "revoked", "its device is out of service")
    message = station.rest.wait_status(held.id, "failed")
    assert message["error_code"] == "unknown_outcome", "its radio never said a word"
    for message in waits:
        assert station.rest.message(message.id)["status"] == "queued", "it gave it back with proof"
        assert station.project.getMessageById(message.id).resend(route_id=other.route_id).id == message.id
        station.rest.wait_status(message.id, "delivered")
    assert station.handed_over() == [held.id, *(message.id for message in waits)]
    assert station.alerts() == []
    # It counts as another phone now: its folder joins only with a new code.
    phone.code = None
    phone.start()
    until(lambda: not phone.program.alive(), "there is nothing to start")
    assert not station.is_connected(phone)


def test_a_phone_that_is_replaced_keeps_its_routes_and_its_queue(station):
    old = station.join("silent")
    held = on_its_way(station, old)
    station.leave(old)
    queued = station.send(old, "queued", fresh_number())
    new = station.join(device=old.device_id)
    assert new.route_id == old.route_id
    assert station.rest.wait_status(held.id, "failed")["error_code"] == "unknown_outcome"
    station.rest.wait_status(queued.id, "delivered")
    assert [line["message_id"] for line in new.radio()] == [queued.id]
    assert station.handed_over().count(held.id) == 1
    again = station.send(new, "to the new one", fresh_number())
    old.start()
    until(lambda: not old.program.alive(), "the old one is out")
    assert old.program.stop() == 0
    assert "must be paired again" in old.program.err_lines
    log = station.server.program.err_lines
    until(lambda: any("a phone was refused" in line and "4403" in line for line in log), "the hub says so")
    left = {path.name for path in old.folder.iterdir()}
    assert not {name for name in left if name == "pairing.json" or "journal" in name}, "4403: it erases itself"
    station.rest.wait_status(again.id, "delivered")
    assert [line["message_id"] for line in new.radio()] == [queued.id, again.id]
    assert [line["message_id"] for line in old.radio()] == [held.id]
    assert station.is_connected(new)


def test_a_phone_that_is_lost_for_ever_holds_its_message_until_its_life_is_over(station):
    phone, other = station.join("silent"), station.join()
    held = on_its_way(station, phone)
    phone.program.kill()
    mortal = station.rest.send(fresh_number(), "never exposed", route_id=phone.route_id, ttl_sec=1)
    ended = station.rest.wait_status(mortal["id"], "failed")
    assert ended["error_code"] == "expired", "no phone ever had it"
    lost = station.join("silent")
    short = station.rest.send(fresh_number(), "short", route_id=lost.route_id, ttl_sec=20)
    until(lambda: short["id"] in station.handed_over(), "its radio has it")
    lost.program.kill()
    message = station.rest.wait_status(short["id"], "failed", patience_s=120)
    assert message["error_code"] == "unknown_outcome"
    assert station.rest.message(held.id)["status"] == "queued", "its life is not over"
    for message_id in (held.id, short["id"]):
        assert station.handed_over().count(message_id) == 1
    assert other.radio() == []
