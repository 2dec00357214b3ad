"""The test route: five numbers, five sequences, each reported by webhook."""

import pytest

from support.wait import until

SEQUENCES = [
    ("+15005550011", ["failed"], "Example error message."),
    ("+15005550012", ["sent", "delivered"], None),
    ("+15005550013", ["sent", "not_delivered"], "Example delivery failure message."),
    ("+15005550014", ["failed_queued", "sent"], None),
    ("+15005550099", ["sent"], None),
]


@pytest.mark.parametrize("to, statuses, error", SEQUENCES)
def test_a_number_runs_its_sequence(project, demo, receiver, to, statuses, error):
    sent = project.sendMessage(
        to_number=to, content="simulate", route_id=demo.test_phone_id, status_url=receiver.url(), status_secret="s"
    )
    assert sent.status == "queued" or sent.status == statuses[0]
    receiver.wait(id=sent.id, status=statuses[-1])
    assert receiver.statuses(sent.id) == statuses
    done = until(
        lambda: (lambda m: m if m.status == statuses[-1] else None)(project.getMessageById(sent.id)), "the last status"
    )
    assert done.error_message == error
    last = receiver.all(id=sent.id)[-1].form
    assert last.get("error_message") == error
    if to.endswith("14"):
        between = receiver.all(id=sent.id, status="failed_queued")[0].form
        assert between["error_message"] == "Example temporary failure message."
    assert not [line for line in demo.radio() if line["message_id"] == sent.id]


def test_the_test_route_is_a_phone_of_its_type(project, demo):
    phone = project.getPhoneById(demo.test_phone_id)
    assert phone.phone_type == "simulated"
