"""Killed at the wrong moment: what was accepted is still there, and is sent once."""

import socket
import threading

import pytest
import requests

from support.databases import environment
from support.hub import Demo
from support.numbers import fresh_number
from support.paths import binary
from support.ports import free_port
from support.process import Program
from support.rest import success
from support.station import Station
from support.wait import until


def test_a_demo_keeps_its_data_key_and_phones(tmp_path):
    port = free_port()
    first = Demo(tmp_path, listen=f"127.0.0.1:{port}")
    sent = first.rest.send(fresh_number(), "kept")
    first.rest.wait_status(sent["id"], "delivered")
    assert first.program.stop() == 0
    again = Demo(tmp_path, listen=f"127.0.0.1:{port}")
    try:
        for name in ("api_key", "organization_id", "project_id", "phones", "test_phone_id", "base_url"):
            assert again.facts[name] == first.facts[name], name
        assert again.rest.message(sent["id"])["status"] == "delivered"
        more = again.rest.send(fresh_number(), "more")
        again.rest.wait_status(more["id"], "delivered")
        assert [line["message_id"] for line in again.radio()] == [sent["id"], more["id"]]
    finally:
        assert again.program.stop() == 0


@pytest.mark.parametrize("round_", range(3))
def test_accepted_and_killed_at_once_is_sent_once(tmp_path, receiver, round_):
    port = free_port()
    hub = Demo(tmp_path, listen=f"127.0.0.1:{port}")
    accepted = []
    for index in range(20 + round_):
        body = {"content": f"n{index}", "to_number": fresh_number(), "status_url": receiver.url()}
        accepted.append(hub.rest.post("messages/send", body)["id"])
    hub.program.kill()
    again = Demo(tmp_path, listen=f"127.0.0.1:{port}")
    try:
        for message_id in accepted:
            # A phone killed between its journal and its radio cannot know; every other message must be sent.
            again.rest.wait_status(message_id, "delivered", "sent", "failed")
        handed_over = [line["message_id"] for line in again.radio()]
        assert len(handed_over) == len(set(handed_over)), "nothing goes out twice"
        for message_id in accepted:
            message = again.rest.message(message_id)
            if message["status"] == "failed":
                assert message["error_code"] == "unknown_outcome", message
            else:
                assert message_id in handed_over
            receiver.wait(id=message_id, status=message["status"], patience_s=60)
    finally:
        assert again.program.stop() == 0


def test_requests_that_a_kill_cuts_off_make_one_message_each_when_they_are_repeated_with_their_keys(tmp_path):
    station = Station(tmp_path)
    phone, to = station.join(), fresh_number()
    asked, answered = [], {}

    def send(rest, content):
        body = {"content": content, "to_number": to, "route_id": phone.route_id}
        return success(rest.call("POST", "messages/send", json=body, headers={"Idempotency-Key": content}))["id"]

    def keep_sending(name):
        rest = station.server.rest(station.key, station.project_id)
        for index in range(10_000):
            content = f"{name} {index}"
            asked.append(content)
            try:
                answered[content] = send(rest, content)
            except requests.RequestException:
                return

    senders = [threading.Thread(target=keep_sending, args=(name,)) for name in "abcdefgh"]
    for sender in senders:
        sender.start()
    until(lambda: len(answered) >= 40, "requests are on their way")
    station.server.program.kill()
    for sender in senders:
        sender.join()
    assert len(answered) == len(asked) - len(senders), "each sender has one request without an answer"
    station.server.start()
    repeated = {content: send(station.rest, content) for content in asked}
    assert {content: repeated[content] for content in answered} == answered
    for message_id in repeated.values():
        station.rest.wait_status(message_id, "delivered", patience_s=60)
    assert sorted(station.handed_over()) == sorted(repeated.values()), "once each"
    outgoing = station.project.queryMessages(direction="outgoing", page_size=200)
    assert sorted(message.content for message in outgoing) == sorted(asked)
    assert not station.close()


def test_a_graceful_stop_loses_no_accepted_message(tmp_path):
    port = free_port()
    hub = Demo(tmp_path, listen=f"127.0.0.1:{port}")
    accepted = [hub.rest.send(fresh_number(), f"n{i}")["id"] for i in range(30)]
    assert hub.program.stop() == 0
    again = Demo(tmp_path, listen=f"127.0.0.1:{port}")
    try:
        for message_id in accepted:
            # The simulated network forgets its reports with the process; then `sent` is correct.
            again.rest.wait_status(message_id, "delivered", "sent")
        handed_over = [line["message_id"] for line in again.radio()]
        assert sorted(handed_over) == sorted(accepted)
    finally:
        assert again.program.stop() == 0


def test_messages_wait_at_the_hub_for_a_phone_that_is_away(tmp_path, hub, pair):
    phone = pair("second", "+15005550177")
    sent = hub.second.send(fresh_number(), "patience", route_id=phone.phone_id)
    message = hub.second.message(sent["id"])
    assert message["status"] == "queued"
    assert message["waiting_for"]
    hub.server.program.kill()
    hub.server.start()
    link = phone.connect()
    frame = link.next("send")
    assert frame["id"] == sent["id"] and frame["ep"] >= 1 and frame["text"] == "patience"
    link.ack()
    link.event(frame, "submitting")
    link.event(frame, "sent")
    link.wait_acked()
    hub.second.wait_status(sent["id"], "sent")
    link.event(frame, "delivered")
    link.wait_acked()
    hub.second.wait_status(sent["id"], "delivered")
    link.close()


def test_the_hub_says_why_it_cannot_start(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = "127.0.0.1:%d" % taken.getsockname()[1]
        program = Program([binary("route-hub"), "serve", "--dir", tmp_path / "data", "--listen", address])
        until(lambda: not program.alive(), "it gives up")
    assert program.process.returncode not in (0, 101)
    program.kill()
    assert address in program.words() or "in use" in program.words().lower()


def test_a_second_hub_on_the_same_folder_harms_nothing(tmp_path):
    """Two processes on one database are refused, or share it; either way nothing is lost or sent twice."""
    first = Demo(tmp_path)
    command = [binary("route-hub"), "serve", "--dir", tmp_path / "demo", "--listen", "127.0.0.1:0"]
    program = Program(command, env=environment(tmp_path / "demo"))
    try:
        sent = [first.rest.send(fresh_number(), f"n{i}")["id"] for i in range(20)]
        for message_id in sent:
            first.rest.wait_status(message_id, "delivered")
        assert sorted(line["message_id"] for line in first.radio()) == sorted(sent)
    finally:
        program.kill()
        assert first.program.stop() == 0
