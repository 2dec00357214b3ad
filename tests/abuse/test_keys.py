"""A key that may only send learns nothing of a contact but whom its messages are for."""

import pytest

from support.rest import error

SECRET = "blood group AB negative"
TEMPLATE = "Dear [[contact.name]]: [[contact.vars.blood]]"
SHOWN = {"contact[id]", "contact[name]", "contact[phone_number]"}


@pytest.fixture(scope="module")
def patient(hub):
    """A contact with private data; its number simulates a delivery on the test route."""
    vars_ = {"blood": SECRET}
    return hub.first.post("contacts", {"phone_number": "+15005550012", "name": "Ann", "vars": vars_})


@pytest.fixture(scope="module")
def sender(hub):
    """The holder of a key that may only send."""
    return hub.server.rest(hub.admin.key(hub.projects["first"], ["send_messages"]), hub.projects["first"])


def test_a_sender_finds_no_field_in_any_answer(hub, sender, patient):
    """Each call that such a key may make shows the template, while the recipient gets the text."""
    asked = {"contact_id": patient["id"], "content": TEMPLATE, "replace_variables": True}
    sent = sender.post("messages/send", asked)
    answers = [sent]
    for call in ("", "/resend"):
        answers.append(sender.post(f"messages/{sent['id']}{call}", {}))
    for answer in answers:
        assert answer["content"] == TEMPLATE
        assert SECRET not in str(answer)
    assert hub.first.message(sent["id"])["content"] == f"Dear Ann: {SECRET}"
    for path in (f"contacts/{patient['id']}", "contacts", f"messages/{sent['id']}", "messages"):
        error(sender.call("GET", path), 401, "unauthorized")


def test_a_senders_own_reports_hold_no_field(sender, patient, receiver):
    """Every report of every kind of send, up to the delivery."""
    reports = {"replace_variables": True, "status_url": receiver.url()}
    with_reports = {"content": TEMPLATE, **reports}
    sender.post("messages/send", {"contact_id": patient["id"], **with_reports})
    sender.post("send_multi", {"messages": [{"contact_id": patient["id"], "content": TEMPLATE}], **reports})
    sender.post("send_broadcast", {"to_numbers": [patient["phone_number"]], **with_reports})
    sender.post("messages/send_batch", {"to_numbers": [patient["phone_number"]], **with_reports})
    sender.post("scheduled", {"contact_id": patient["id"], "start_time_offset": 0, **with_reports})
    receiver.wait(5, event="send_status", status="delivered")
    for told in receiver.all():
        assert SECRET not in str(told.form)
        assert told.form["content"] == TEMPLATE
        assert {name for name in told.form if name.startswith("contact[")} == SHOWN
        assert told.form["contact[name]"] == "Ann"
