"""Who guesses pairing codes is stopped; whoever has a code pairs beside it."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from support.link import LinkPhone

ADDRESS_TRIES = 30
CODE_TRIES = 5


@pytest.fixture
def root(hub):
    """Where phones find the hub."""
    return f"http://127.0.0.1:{hub.server.port}"


def behind(address):
    """The header with which a proxy on this machine names whom it speaks for."""
    return {"X-Forwarded-For": address}


def guesses(count):
    """Codes that have the form of one, each with another name: none of them is anybody's."""
    return [f"00{n // 32:02d}-{n % 32:04d}-0000" for n in range(count)]


def answers(root, codes, address, at_once=50):
    """Tries codes at the same time, and returns the error code of each answer."""

    def tried(code):
        answer = LinkPhone(root).pair_once(code, headers=behind(address))
        return answer.json()["error"]["code"]

    with ThreadPoolExecutor(at_once) as pool:
        return list(pool.map(tried, codes))


def test_of_a_thousand_guesses_at_once_thirty_are_looked_at(root):
    answered = answers(root, guesses(1_000), "192.0.2.1")
    looked_at = [code for code in answered if code != "rate_limited"]
    assert looked_at == ["pairing_refused"] * len(looked_at)
    assert len(looked_at) == ADDRESS_TRIES


def test_five_wrong_tries_end_a_code(hub, root):
    code = hub.admin.pair("--project", hub.projects["first"], "--yes")
    name = code.split("-")[0]
    wrong = [f"{name}-{n:04d}-0000" for n in range(CODE_TRIES)]
    assert answers(root, wrong, "192.0.2.2", at_once=1) == ["pairing_refused"] * CODE_TRIES
    assert answers(root, [code], "192.0.2.3") == ["pairing_refused"]
