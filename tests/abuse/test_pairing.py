"""Guessing pairing codes is stopped; a phone with a real code pairs beside it."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from support.link import LinkPhone
from support.wait import until

ADDRESS_TRIES = 30
CODE_TRIES = 5
ROOM = 30
MISTYPED = 10


@pytest.fixture
def root(hub):
    """Where phones find the hub."""
    return f"http://127.0.0.1:{hub.server.port}"


def behind(address):
    """The header by which a proxy on this machine names the client."""
    return {"X-Forwarded-For": address}


def guesses(count):
    """Codes in the right form, each with a different name, that nobody has."""
    return [f"00{n // 32:02d}-{n % 32:04d}-0000" for n in range(count)]


def error_of(answer):
    """Returns status and error code of a refusal."""
    return answer.status_code, answer.json()["error"]["code"]


def answers(root, codes, address, at_once=50):
    """Tries codes at the same time, and returns the error code of each answer."""

    def tried(code):
        return error_of(LinkPhone(root).pair_once(code, headers=behind(address)))[1]

    with ThreadPoolExecutor(at_once) as pool:
        return list(pool.map(tried, codes))


@pytest.fixture
def code(hub):
    """A fresh code, which the operator confirms as soon as a phone has used it."""
    return hub.admin.pair("--project", hub.projects["first"], "--yes")


def test_of_a_thousand_guesses_at_once_thirty_are_looked_at(root):
    answered = answers(root, guesses(1_000), "192.0.2.1")
    looked_at = [code for code in answered if code != "rate_limited"]
    assert looked_at == ["pairing_refused"] * len(looked_at)
    assert len(looked_at) == ADDRESS_TRIES


def test_five_wrong_tries_end_a_code(root, code):
    name = code.split("-")[0]
    wrong = [f"{name}-{n:04d}-0000" for n in range(CODE_TRIES)]
    assert answers(root, wrong, "192.0.2.2", at_once=1) == ["pairing_refused"] * CODE_TRIES
    assert answers(root, [code], "192.0.2.3") == ["pairing_refused"]


def test_a_training_room_pairs_while_somebody_else_guesses(hub, root):
    asked = ["pair", "--project", hub.projects["first"], "--no-wait"]
    codes = [hub.admin(*asked)["code"] for _ in range(ROOM)]
    room = behind("192.0.2.10")

    def joins(n):
        phone = LinkPhone(root, number=f"+1500555{1000 + n}")
        if n < MISTYPED:
            mistyped = phone.pair_once(guesses(ROOM)[n], headers=room)
            assert mistyped.json()["error"]["code"] in ("pairing_refused", "rate_limited")
        return phone.pair(codes[n], headers=room).device_id

    def confirms():
        """One operator goes from phone to phone."""
        for code in codes:
            hub.admin.confirm(code.split("-")[0])

    with ThreadPoolExecutor(ROOM + 2) as pool:
        operator = pool.submit(confirms)
        grinder = pool.submit(answers, root, guesses(3 * ADDRESS_TRIES), "192.0.2.11", 10)
        joined = list(pool.map(joins, range(ROOM)))
        operator.result()
        looked_at = [answer for answer in grinder.result() if answer != "rate_limited"]
    assert len(set(joined)) == ROOM
    assert looked_at == ["pairing_refused"] * ADDRESS_TRIES


def test_repeats_get_the_same_answers(root, code):
    phone = LinkPhone(root)
    first = [phone.post_pair(phone.commit_request(code)).json() for _ in range(3)]
    assert first[0]["status"] == "committed"
    assert first == [first[0]] * 3
    digits = {phone.post_pair(phone.pair_request(code)).json()["digits"] for _ in range(3)}
    assert digits == {phone.digits(code, first[0]["number"])}
    device = phone.pair(code).device_id
    assert phone.pair(code).device_id == device
    phone.connect().close()


def test_a_second_commitment_is_refused_and_harms_nobody(root, code):
    phone, other = LinkPhone(root), LinkPhone(root)
    assert phone.post_pair(phone.commit_request(code)).status_code == 200
    assert error_of(other.post_pair(other.commit_request(code))) == (401, "pairing_refused")
    phone.pair(code).connect().close()
    assert error_of(other.pair_once(code)) == (401, "pairing_refused")
    assert error_of(other.post_pair(other.pair_request(code))) == (401, "pairing_refused")


def test_an_opening_of_another_key_ends_the_code(hub, root, code):
    phone, other = LinkPhone(root), LinkPhone(root)
    before = hub.admin("device", "list")
    assert phone.post_pair(phone.commit_request(code)).status_code == 200
    assert error_of(other.post_pair(other.pair_request(code))) == (401, "pairing_refused")
    assert error_of(phone.pair_once(code)) == (401, "pairing_refused")
    assert hub.admin("device", "list") == before


def test_an_old_phone_is_told_to_be_updated(hub, root, code):
    phone = LinkPhone(root)
    old = phone.pair_request(code)
    del old["number"], old["hub_url"]
    answer = phone.post_pair(old)
    assert error_of(answer) == (400, "app_too_old")
    assert "update" in answer.json()["error"]["message"]
    phone.pair(code)


def test_a_phone_that_came_over_https_is_not_led_to_a_plain_link(hub, root, code):
    """A proxy that ends TLS, and a hub that was not told the address that phones dial."""
    phone = LinkPhone(root)
    commit = {**phone.commit_request(code), "hub_url": "https://gateway.example.org"}
    answer = phone.post_pair(commit)
    assert error_of(answer) == (400, "public_url_missing")
    assert "--public-url" in answer.json()["error"]["message"]
    until(lambda: any("--public-url" in line for line in hub.server.program.err_lines), "the log says it")
    assert phone.pair(code).link_url.startswith("ws://"), "the code is still good where TLS is not expected"


def test_no_code_is_drawn_for_an_https_address_that_the_hub_does_not_know(hub):
    asked = ["pair", "--project", hub.projects["first"], "--no-wait", "--hub"]
    refused = hub.admin(*asked, "https://gateway.example.org", check=False)
    assert refused.returncode == 1
    assert "--public-url" in refused.stderr
    assert hub.admin(*asked, f"http://127.0.0.1:{hub.server.port}")["code"]
