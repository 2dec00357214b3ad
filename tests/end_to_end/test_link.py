"""The link of the program, with a phone that is written anew in Python; more is in `route-hub/tests/link`."""

import json

import pytest
import requests
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from support.link import Ed25519Key, LinkPhone, P256Key
from support.numbers import fresh_number
from support.rest import error
from support.wait import until

@pytest.fixture
def phone(pair):
    return pair("first", fresh_number())


@pytest.mark.parametrize("key", [Ed25519Key, P256Key])
def test_a_paired_phone_says_hello_and_is_welcome(hub, pair, key):
    phone = pair("first", fresh_number(), key=key())
    link = phone.connect()
    route = hub.first.get(f"phones/{phone.phone_id}")
    assert route["phone_type"] == "android" and route["phone_number"] == phone.number
    link.fact("health", battery=77, charging=True, network="wifi", app_version="9.9", sims=[{"slot": 0}])
    link.wait_acked()
    until(lambda: hub.first.get(f"phones/{phone.phone_id}")["battery"] == 77, "health is shown")
    link.close()


@pytest.mark.parametrize("frame", ["garbage", b"\x00\x01\x02\x03"], ids=["text", "bytes"])
def test_garbage_closes_the_connection_and_nothing_else(phone, frame):
    for link in (phone.open(), phone.connect()):
        link.send(frame)
        assert link.close_code() in (4400, 1007, 1003)
    phone.connect().close()


def test_a_frame_over_64_kib_closes_the_connection(phone):
    for link in (phone.open(), phone.connect()):
        link.send(json.dumps({"t": "x", "pad": "y" * 70_000}))
        assert link.close_code() in (4400, 1009)
    phone.connect().close()


def test_invalid_utf_8_closes_the_connection(phone):
    link = phone.connect()
    from websockets.frames import Frame, Opcode

    raw = Frame(Opcode.TEXT, b'{"t":"x","a":"\xff\xfe"}').serialize(mask=True)
    link.ws.socket.sendall(raw)
    assert link.close_code() in (4400, 1007)
    phone.connect().close()


def test_a_version_that_nobody_speaks_is_refused(phone):
    link = phone.open()
    link.hello(v=[7, 9])
    assert link.close_code() in (4426, 4406)
    newer = phone.connect(v=[1, 9])
    newer.close()


def test_a_frame_of_the_future_is_acked_or_refused_as_it_asks(phone):
    link = phone.connect()
    link.fact("hologram", colour="blue")
    link.wait_acked()
    phone.up += 1
    link.send({"t": "hologram", "s": phone.up, "crit": True})
    assert link.close_code() == 4406


def test_a_cancel_waits_for_the_phones_word(hub, phone):
    yes = hub.first.send(fresh_number(), "yes", route_id=phone.phone_id)
    no = hub.first.send(fresh_number(), "no", route_id=phone.phone_id)
    link = phone.connect()
    frames = {frame["id"]: frame for frame in (link.next("send"), link.next("send"))}
    link.ack()
    for frame in frames.values():
        link.event(frame, "on_phone")
    link.wait_acked()

    import threading

    answers = {}

    def cancel(message_id):
        answers[message_id] = hub.server.rest(hub.first.key, hub.projects["first"]).call(
            "POST", f"messages/{message_id}/cancel"
        )

    for message_id, state in ((yes["id"], "cancelled"), (no["id"], "submitting")):
        thread = threading.Thread(target=cancel, args=(message_id,))
        thread.start()
        asked = link.next("cancel")
        assert asked["id"] == message_id
        link.event(frames[message_id], state)
        thread.join()
    assert answers[yes["id"]].json()["status"] == "cancelled"
    error(answers[no["id"]], 400, "not_cancellable")
    link.ack()
    link.close()


def test_a_silent_phone_and_a_cancel_leave_the_truth_for_later(hub, phone):
    sent = hub.first.send(fresh_number(), "silence", route_id=phone.phone_id)
    link = phone.connect()
    frame = link.next("send")
    link.ack()
    link.event(frame, "on_phone")
    link.wait_acked()
    answer = hub.first.post(f"messages/{sent['id']}/cancel")
    assert answer["status"] == "queued"
    link.next("cancel")
    link.event(frame, "sent")
    link.wait_acked()
    assert hub.first.wait_status(sent["id"], "sent")["status"] == "sent"
    link.close()


def test_an_unknown_outcome_is_told_and_corrected_by_proof(hub, phone):
    sent = hub.first.send(fresh_number(), "perhaps", route_id=phone.phone_id)
    link = phone.connect()
    frame = link.next("send")
    link.ack()
    link.event(frame, "submitting")
    link.event(frame, "unknown")
    link.wait_acked()
    message = hub.first.wait_status(sent["id"], "failed")
    assert message["error_code"] == "unknown_outcome"
    link.event(frame, "delivered")
    link.wait_acked()
    message = hub.first.wait_status(sent["id"], "delivered")
    assert not message.get("error_code")
    link.close()


def test_on_unknown_resend_makes_one_more_attempt(hub, phone):
    sent = hub.first.send(fresh_number(), "twice if need be", route_id=phone.phone_id, on_unknown="resend")
    link = phone.connect()
    first = link.next("send")
    link.ack()
    link.event(first, "submitting")
    link.event(first, "unknown")
    second = link.next("send")
    assert second["id"] == sent["id"] and second["ep"] == first["ep"] + 1
    link.ack()
    link.event(second, "submitting")
    link.event(second, "unknown")
    link.wait_acked()
    message = hub.first.wait_status(sent["id"], "failed")
    assert message["error_code"] == "unknown_outcome" and message["send_attempts"] == 2
    link.close()


def test_a_failure_without_the_air_is_final_and_frees_the_message(hub, phone):
    sent = hub.first.send(fresh_number(), "no service", route_id=phone.phone_id)
    link = phone.connect()
    frame = link.next("send")
    link.ack()
    link.event(frame, "failed", code="3", detail="null pdu", unsent=True)
    link.wait_acked()
    message = hub.first.wait_status(sent["id"], "failed")
    assert str(message["error_code"]) == "3"
    link.close()


def test_an_operator_makes_the_window_of_a_phone_narrower_or_wider(hub, phone):
    assert hub.admin("phone", "set", phone.phone_id, "--window", "2")["window"] == 2
    for index in range(70):
        hub.first.send(fresh_number(), f"window {index}", route_id=phone.phone_id)
    link = phone.connect()
    frames = [link.next("send") for _ in range(2)]
    link.ack()
    link.event(frames[0], "sent")
    assert link.next("send")["text"] == "window 2"
    link.event(frames[1], "on_phone")
    link.wait_acked()
    assert hub.admin("phone", "set", phone.phone_id, "--window", "500")["window"] == 500
    assert [link.next("send")["text"] for _ in range(3, 70)] == [f"window {index}" for index in range(3, 70)]
    link.close()
    for wrong in ("0", "501"):
        assert hub.admin("phone", "set", phone.phone_id, "--window", wrong, check=False).returncode == 2


def test_a_revoked_phone_is_closed_at_once_and_stays_out(hub, phone):
    sent = hub.first.send(fresh_number(), "stranded", route_id=phone.phone_id)
    link = phone.connect()
    link.next("send")
    link.ack()
    hub.admin("device", "revoke", phone.device_id)
    assert link.close_code(5) == 4403
    again = phone.open()
    again.hello()
    assert again.close_code() == 4403
    assert hub.first.wait_status(sent["id"], "failed")["error_code"] == "unknown_outcome"


def test_a_device_that_pairs_again_keeps_its_phones(hub, pair, phone):
    sent = hub.first.send(fresh_number(), "before", route_id=phone.phone_id)
    link = phone.connect()
    link.next("send")
    link.ack()
    link.close()
    replacement = pair("first", phone.number, device=phone.device_id)
    assert replacement.device_id == phone.device_id
    assert replacement.phone_id == phone.phone_id
    link = replacement.connect()
    assert hub.first.wait_status(sent["id"], "failed")["error_code"] == "unknown_outcome"
    link.close()
    old = phone.open()
    old.hello()
    assert old.close_code() == 4403, "its former key is kept, so it is told"


def test_pairing_is_guarded(hub):
    root = f"http://127.0.0.1:{hub.server.port}"
    phone = LinkPhone(root)
    for code in ("", "x", "A" * 500, "ABCD-EFGHIJKL", "prc_nothing"):
        response = phone.pair_once(code)
        assert 400 <= response.status_code < 500, response.text
        assert response.json()["error"]["code"]
    for body in (b"", b"{", b"[]", b"null", b'{"code":17}', b"\xff"):
        response = requests.post(f"{root}/pair", data=body, headers={"Content-Type": "application/json"}, timeout=20)
        assert 400 <= response.status_code < 500, response.text
        assert response.json()["error"]["code"]


def test_a_code_is_used_once(hub):
    code = hub.admin.pair("--project", hub.projects["first"], "--yes")
    root = f"http://127.0.0.1:{hub.server.port}"
    first = LinkPhone(root, number=fresh_number()).pair(code)
    assert first.pair(code).device_id == first.device_id, "a repeat of the same phone is the same pairing"
    second = LinkPhone(root, number=fresh_number()).pair_once(code)
    assert 400 <= second.status_code < 500
    first.connect().close()


def test_a_socket_without_the_protocol_or_the_upgrade_is_refused(hub, phone):
    with pytest.raises((InvalidStatus, ConnectionClosed, AssertionError, TimeoutError)):
        with connect(phone.link_url, proxy=None, open_timeout=10) as ws:
            ws.recv(timeout=5)
            raise AssertionError("it spoke without the sub-protocol") from None
    plain = requests.get(phone.link_url.replace("ws://", "http://"), timeout=20)
    assert 400 <= plain.status_code < 500
    assert plain.json()["error"]["code"]
