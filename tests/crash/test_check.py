"""The checker finds each kind of fault, and nothing if there is none."""

import copy

import pytest

from crash.check import Accepted, Evidence, Restore, findings


def message(content, status, **more):
    return {"direction": "outgoing", "content": content, "to_number": "+15005550101", "status": status, **more}


def line(message_id, text, exposure=1):
    return {"message_id": message_id, "exposure": exposure, "to": "+15005550101", "text": text}


@pytest.fixture
def sound():
    return Evidence(
        accepted=[Accepted("A", "a"), Accepted("B", "b"), Accepted("C", "c", on_unknown="resend"), Accepted("D", "d")],
        messages={
            "A": message("a", "delivered"),
            "B": message("b", "failed", error_code="unknown_outcome"),
            "C": message("c", "sent"),
            "D": message("d", "cancelled"),
        },
        radio=[line("A", "a"), line("B", "b"), line("C", "c", 1), line("C", "c", 2)],
        webhooks=[("A", "sent"), ("A", "sent"), ("B", "failed"), ("A", "delivered"), ("C", "sent"), ("D", "cancelled")],
        incoming_texts=["x", "y"],
    )


def wrong(evidence):
    return {name for name, found in findings(evidence).items() if found}


def test_nothing_is_found_where_nothing_is_wrong(sound):
    assert wrong(sound) == set()


def change(evidence, edit):
    changed = copy.deepcopy(evidence)
    edit(changed)
    return wrong(changed)


def test_each_wrong_is_found(sound):
    def lose(e):
        del e.messages["D"]

    def repeat(e):
        e.messages["E"] = message("a", "delivered")
        e.radio.append(line("E", "a"))

    def answer_otherwise(e):
        e.answered_otherwise.append(e.accepted[0])

    def send_twice(e):
        e.radio.append(line("A", "a", 2))

    def send_one_exposure_twice(e):
        e.radio.append(line("C", "c", 2))
        e.radio.pop(2)

    def claim_sent(e):
        e.radio.pop(0)

    def claim_cancelled(e):
        e.radio.append(line("D", "d"))

    def claim_failed(e):
        e.messages["B"]["error_code"] = "3"

    def forget(e):
        e.messages["A"]["status"] = "queued"

    def change_text(e):
        e.radio[0]["text"] = "z"

    def keep_quiet(e):
        e.webhooks.remove(("A", "delivered"))

    def turn_around(e):
        e.webhooks.append(("A", "sent"))

    def receive_twice(e):
        e.incoming_texts.append("x")

    def meet_twice(e):
        e.contact_numbers += ["+15005550101", "+15005550101"]

    def freeze(e):
        e.kinds_ever.append("hub_frozen")

    def invent(e):
        e.radio.append(line("F", "f"))

    expected = {
        lose: "accepted and lost",
        repeat: "one request, two messages",
        answer_otherwise: "one request, two messages",
        send_twice: "in the radio log twice without a sender's choice",
        send_one_exposure_twice: "in the radio log twice without a sender's choice",
        claim_sent: "a status that contradicts the radio log",
        claim_cancelled: "a status that contradicts the radio log",
        claim_failed: "a status that contradicts the radio log",
        forget: "neither final nor truthfully waiting",
        change_text: "a text or a recipient that was changed on the way",
        keep_quiet: "a final status without its webhook",
        turn_around: "webhooks of one message out of order",
        receive_twice: "an incoming message twice",
        meet_twice: "two contacts of one number",
        freeze: "a hub that kept its data taken for one that went backwards",
        invent: "a status that contradicts the radio log",
    }
    for edit, name in expected.items():
        assert name in change(sound, edit), edit.__name__


def test_a_restore_excuses_what_it_forgets_and_nothing_else(sound):
    def lose(e, at):
        del e.messages["D"]
        e.accepted[3].at = at
        e.restores.append(Restore(backup_begun=10, restored=20, webhooks_before=4))
        e.kinds_ever.append("hub_frozen")

    assert change(sound, lambda e: lose(e, 15)) == set()
    assert change(sound, lambda e: lose(e, 9)) == {"accepted and lost"}
    assert change(sound, lambda e: lose(e, 21)) == {"accepted and lost"}

    def send_twice(e):
        lose(e, 15)
        e.radio.append(line("A", "a", 2))

    assert change(sound, send_twice) == {"in the radio log twice without a sender's choice"}

    def tell_again(e, cut):
        e.restores.append(Restore(backup_begun=10, restored=20, webhooks_before=cut))
        e.webhooks += [("A", "sent"), ("A", "delivered")]

    assert change(sound, lambda e: tell_again(e, 6)) == set()
    assert change(sound, lambda e: tell_again(e, 2)) == {"webhooks of one message out of order"}
