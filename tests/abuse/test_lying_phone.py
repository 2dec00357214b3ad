"""A phone that claims messages of others: the victim's messages are sent once and get the right status."""

import pytest

STATES = (
    "on_phone retrying submitting unknown sent failed not_delivered delivered revoked cancelled expired"
).split()
TOLD = ("status", "error_code", "send_attempts", "time_sent")
ROWS_OF_A_PAGE = 500
PAGES = 200
PROOF_OF_NOBODY = "B" * 21 + "A"


def rows_about(ids):
    """Every state for the first exposures of each id, with and without an invented proof."""
    rows = [[id_, ep, state] for id_ in ids for state in STATES for ep in range(4)]
    return rows + [[*row, PROOF_OF_NOBODY] for row in rows]


def pages(rows):
    """The rows in pages, as the link allows them."""
    return [rows[start : start + ROWS_OF_A_PAGE] for start in range(0, len(rows), ROWS_OF_A_PAGE)]


def asked(phone, **lie):
    """Connects with a lying hello, up to the challenge that asks for pages."""
    link = phone.open()
    link.hello(**lie)
    challenge = link.receive()
    assert challenge["t"] == "challenge" and "down_sent" in challenge, challenge
    return link, challenge["gen"]


def show(phone, rows, **lie):
    """Makes a phone show these rows in pages, and returns its open connection."""
    link, _ = asked(phone, **lie)
    listed = pages(rows) or [[]]
    for page in listed:
        link.send({"t": "held", "rows": page, "last": page is listed[-1]})
    phone.down = phone.up = phone.acked = 0
    link.welcome()
    return link


def send_through(hub, link, rest, route, content):
    """Sends a message and lets its phone accept it."""
    message = rest.send("+15005550199", content, route_id=route)
    frame = link.next("send")
    assert frame["id"] == message["id"]
    link.ack()
    return frame


@pytest.fixture
def victim(hub, pair):
    """A phone with one message on its way, one waiting, one simulated and one incoming."""
    phone = pair(number="+15005550160")
    link = phone.connect()
    held = send_through(hub, link, hub.first, phone.phone_id, "held")
    link.event(held, "submitting")
    link.fact("inbound", n=1, kind="sms", sim=0, **{"from": "+15005550161"}, text="came in")
    link.wait_acked()
    routes = hub.first.get("phones", page_size=100)["data"]
    test_route = next(route for route in routes if route["phone_type"] != "android")
    simulated = hub.first.send("+15005550199", "simulated", route_id=test_route["id"])
    hub.first.wait_status(simulated["id"], "sent", "delivered")
    came = hub.first.get("messages", direction="incoming")["data"][0]
    return phone, link, held, [held["id"], simulated["id"], came["id"]]


def told(rest, ids):
    """What the API shows of messages."""
    return [{key: rest.message(id_).get(key) for key in TOLD} for id_ in ids]


def test_pages_about_messages_of_another_phone_change_nothing(hub, pair, victim):
    phone, link, held, ids = victim
    before = told(hub.first, ids)
    liar = pair(number="+15005550170")
    liar.connect().close()
    lied = show(liar, rows_about(ids), gen=liar.gen + 1)
    assert told(hub.first, ids) == before
    # Its own facts about them are accepted, and change nothing either.
    for state in STATES:
        lied.event({"id": held["id"], "ep": 1}, state)
    lied.wait_acked()
    assert told(hub.first, ids) == before
    link.event(held, "sent")
    link.wait_acked()
    sent = hub.first.message(held["id"])
    assert (sent["status"], sent["send_attempts"]) == ("sent", 1)


def test_a_message_of_another_project_is_not_reached(hub, pair, victim):
    _, _, _, ids = victim
    before = told(hub.first, ids)
    liar = pair("foreign", number="+15005550171")
    liar.connect().close()
    show(liar, rows_about(ids), gen=liar.gen + 3)
    assert told(hub.first, ids) == before


@pytest.mark.parametrize("lie", [{"down": 1_000}, {"up_lo": 500, "up_hi": 600}, {"gen": 900}])
def test_numbers_freeze_the_phone_that_says_them_and_nobody_else(hub, pair, victim, lie):
    phone, link, _, _ = victim
    liar = pair(number="+15005550172")
    liar.connect().close()
    lying, generation = asked(liar, **lie)
    assert generation > 1
    frame = send_through(hub, link, hub.first, phone.phone_id, "goes on")
    link.event(frame, "sent")
    link.wait_acked()
    assert hub.first.message(frame["id"])["status"] == "sent"
    # A phone that comes now gets the hub's own generation, as before.
    other = pair(number="+15005550173")
    assert other.open().challenge["gen"] == link.challenge["gen"]
    lying.close()


def test_a_page_without_rows_ends_the_connection_and_pages_without_an_end_hold_up_nobody(hub, pair, victim):
    phone, link, _, _ = victim
    liar = pair(number="+15005550174")
    liar.connect().close()
    empty, generation = asked(liar, gen=liar.gen + 1)
    empty.send({"t": "held", "rows": [], "last": False})
    assert empty.close_code() == 4400
    endless, _ = asked(liar, gen=generation)
    row = ["SM0000000000000007", 1, "sent"]
    for _ in range(PAGES):
        endless.send({"t": "held", "rows": [row] * ROWS_OF_A_PAGE, "last": False})
    frame = send_through(hub, link, hub.first, phone.phone_id, "beside it")
    link.event(frame, "sent")
    link.wait_acked()
    assert hub.first.message(frame["id"])["status"] == "sent"
    endless.close()


def test_a_proven_row_is_the_phones_to_show_and_a_proof_of_another_is_none(hub, pair, victim):
    phone, link, held, _ = victim
    assert len(held["proof"]) == len(PROOF_OF_NOBODY)
    liar = pair(number="+15005550175")
    liar.connect().close()
    before = told(hub.first, [held["id"]])
    show(liar, [[held["id"], ep, "delivered", held["proof"]] for ep in (1, 2)], gen=liar.gen + 1)
    assert told(hub.first, [held["id"]]) == before
