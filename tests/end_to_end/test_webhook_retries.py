"""Failed webhooks are repeated. (A separate file, because it waits for the schedule.)"""

from end_to_end.test_webhooks import send
from support.receiver import Answer, Receiver


def test_only_a_200_counts_and_failures_are_repeated_in_order(demo, receiver):
    refused = []

    def fail_twice(delivery):
        if len(refused) < 2:
            refused.append(delivery)
            return Answer(201 if len(refused) == 1 else 503)
        return Answer(200)

    receiver.answer = fail_twice
    sent = send(demo, receiver)
    receiver.wait(id=sent["id"], status="delivered", patience_s=90)
    statuses = [d.form["status"] for d in receiver.all(id=sent["id"])]
    assert statuses == ["sent", "sent", "sent", "delivered"]
    bodies = {d.body for d in receiver.all(id=sent["id"], status="sent")}
    assert len(bodies) == 1, "a repeat says the same"


def test_a_redirect_is_a_failure_and_is_not_followed(demo, receiver):
    target = Receiver()
    try:
        seen = []

        def redirect_once(delivery):
            seen.append(delivery)
            return Answer(302, {"Location": target.url("/elsewhere")}) if len(seen) == 1 else Answer(200)

        receiver.answer = redirect_once
        sent = send(demo, receiver)
        receiver.wait(id=sent["id"], status="delivered", patience_s=60)
        assert target.all() == []
        assert len(receiver.all(id=sent["id"], status="sent")) == 2
    finally:
        target.close()


def test_a_slow_answer_of_ten_seconds_is_a_failure(demo, receiver):
    slow = []

    def slow_once(delivery):
        slow.append(delivery)
        return Answer(200, hang_s=14 if len(slow) == 1 else 0)

    receiver.answer = slow_once
    sent = send(demo, receiver)
    receiver.wait(id=sent["id"], status="delivered", patience_s=60)
    assert len(receiver.all(id=sent["id"], status="sent")) == 2
