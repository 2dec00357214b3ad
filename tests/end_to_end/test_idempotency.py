"""Idempotency-Key: one message, however often and at the same time a send is repeated."""

import threading

import pytest

from support.numbers import fresh_number
from support.rest import Rest, error, success


def outgoing(demo, contact_id):
    return demo.rest.get("messages", contact_id=contact_id, direction="outgoing", page_size=200)["data"]


def test_a_repeat_gets_the_saved_answer(demo):
    body = {"content": "once", "to_number": fresh_number()}
    first = demo.rest.call("POST", "messages/send", json=body, headers={"Idempotency-Key": "repeat-1"})
    demo.rest.wait_status(success(first)["id"], "delivered")
    again = demo.rest.call("POST", "messages/send", json=body, headers={"Idempotency-Key": "repeat-1"})
    assert again.json() == first.json()
    assert len(outgoing(demo, first.json()["contact_id"])) == 1


def test_another_body_under_the_same_key_is_refused(demo):
    body = {"content": "once", "to_number": fresh_number()}
    success(demo.rest.call("POST", "messages/send", json=body, headers={"Idempotency-Key": "other-body"}))
    other = demo.rest.call(
        "POST", "messages/send", json={**body, "content": "twice"}, headers={"Idempotency-Key": "other-body"}
    )
    error(other, 422)


def test_a_refused_send_is_not_saved(demo):
    number = fresh_number()
    headers = {"Idempotency-Key": "after-an-error"}
    error(demo.rest.call("POST", "messages/send", json={"to_number": number}, headers=headers), 400)
    success(demo.rest.call("POST", "messages/send", json={"to_number": number, "content": "x"}, headers=headers))


def test_repeats_at_the_same_moment_make_one_message(demo):
    body = {"content": "at once", "to_number": fresh_number()}
    barrier = threading.Barrier(16)
    answers = []

    def send():
        rest = Rest(demo.base_url, demo.api_key, demo.project_id)
        barrier.wait()
        answers.append(rest.call("POST", "messages/send", json=body, headers={"Idempotency-Key": "at-once"}))

    threads = [threading.Thread(target=send) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [a.status_code for a in answers] == [200] * 16
    assert len({a.json()["id"] for a in answers}) == 1
    assert len(outgoing(demo, answers[0].json()["contact_id"])) == 1


def test_send_multi_and_receive_take_a_key_too(demo):
    messages = [{"content": str(i), "to_number": fresh_number()} for i in range(5)]
    first = demo.rest.post("send_multi", {"messages": messages}, **{"Idempotency-Key": "multi"})
    again = demo.rest.post("send_multi", {"messages": messages}, **{"Idempotency-Key": "multi"})
    assert first == again
    incoming = {"content": "in", "from_number": fresh_number(), "phone_id": demo.phones[0]["id"]}
    one = demo.rest.post("messages/receive", incoming, **{"Idempotency-Key": "receive"})
    two = demo.rest.post("messages/receive", incoming, **{"Idempotency-Key": "receive"})
    assert one["id"] == two["id"]


def test_without_a_key_each_request_is_its_own(demo):
    number = fresh_number()
    assert demo.rest.send(number, "same")["id"] != demo.rest.send(number, "same")["id"]


@pytest.mark.parametrize("key", ["", "x" * 300, "a\tb"])
def test_a_key_that_is_none_is_refused(demo, key):
    body = {"content": "x", "to_number": fresh_number()}
    response = demo.rest.call("POST", "messages/send", json=body, headers={"Idempotency-Key": key})
    assert response.status_code in (200, 400)
    if response.status_code == 400:
        error(response, 400)
