"""Keys reach only what they are for; ids of others are as unknown as ids that do not exist."""

import re

import pytest

from support.numbers import fresh_number
from support.rest import error, success

UNKNOWN = {"messages": "SM0000000000000001", "phones": "PN0000000000000001", "webhooks": "WH0000000000000001"}


@pytest.fixture(scope="module")
def theirs(hub):
    """One message, one phone and one webhook of the foreign organization, and of the second project."""
    made = {}
    for name in ("foreign", "second"):
        rest = getattr(hub, name)
        rest.post("messages/send", {"content": "private words", "to_number": fresh_number(), "simulated": True})
        message = rest.get("messages")["data"][0]
        webhook = rest.post("webhooks", {"url": "http://127.0.0.1:9/", "events": ["send_status"]})
        phone = rest.get("phones")["data"][0]
        made[name] = {
            "messages": message["id"],
            "webhooks": webhook["id"],
            "phones": phone["id"],
            "contact": message["contact_id"],
        }
    return made


def told(response, identifier):
    """Returns an answer's text without ids and request ids."""
    return response.status_code, re.sub(r"[A-Z]{2}[0-9a-f]{16}", "ID", response.text)


OPERATIONS = [
    ("GET", "messages", "", None),
    ("POST", "messages", "", {"starred": True}),
    ("DELETE", "messages", "", None),
    ("POST", "messages", "/cancel", {}),
    ("POST", "messages", "/resend", {}),
    ("GET", "phones", "", None),
    ("POST", "phones", "", {"name": "stolen"}),
    ("POST", "phones", "/reset_sent_message_count", None),
    ("GET", "phones", "/messages", None),
    ("GET", "webhooks", "", None),
    ("POST", "webhooks", "", {"url": "http://127.0.0.1:9/"}),
    ("DELETE", "webhooks", "", None),
]


@pytest.mark.parametrize("owner", ["second", "foreign"])
@pytest.mark.parametrize("method, kind, more, body", OPERATIONS)
def test_an_id_of_another_project_is_like_one_of_nothing(hub, theirs, owner, method, kind, more, body):
    their_id = theirs[owner][kind]
    probe = hub.first.call(method, f"{kind}/{their_id}{more}", json=body)
    nothing = hub.first.call(method, f"{kind}/{UNKNOWN[kind]}{more}", json=body)
    error(probe, 404, "not_found")
    assert told(probe, their_id) == told(nothing, UNKNOWN[kind])
    assert getattr(hub, owner).call("GET", f"{kind}/{their_id}").status_code == 200


def test_a_project_out_of_reach_is_not_found(hub):
    for name in ("second", "foreign"):
        other = hub.projects[name]
        for method, path in (("GET", ""), ("GET", "/messages"), ("POST", "/messages/send"), ("GET", "/phones")):
            response = hub.first.call(method, f"/projects/{other}{path}", json={"content": "x", "to_number": "+15005550199"})
            nothing = hub.first.call(method, f"/projects/PJ0000000000000001{path}", json={"content": "x", "to_number": "+15005550199"})
            error(response, 404, "not_found")
            assert told(response, other) == told(nothing, "")
    assert [p["id"] for p in hub.first.get("/projects")["data"]] == [hub.projects["first"]]


def test_ids_of_others_in_parameters_are_unknown_too(hub, theirs):
    body = {"content": "x", "to_number": fresh_number()}
    for owner in ("second", "foreign"):
        stranger = hub.first.call("POST", "messages/send", json={"content": "x", "contact_id": theirs[owner]["contact"]})
        nobody = hub.first.call("POST", "messages/send", json={"content": "x", "contact_id": "CT0000000000000001"})
        assert told(stranger, "") == told(nobody, "")
        assert stranger.status_code in (400, 404)
        error(hub.first.call("POST", "messages/send", json={**body, "route_id": theirs[owner]["phones"]}), 400)
        assert hub.first.get("messages", contact_id=theirs[owner]["contact"])["data"] == []


def test_a_marker_of_another_project_shows_nothing_of_it(hub, theirs):
    for _ in range(3):
        hub.second.send(fresh_number(), "private words", simulated=True)
    marker = hub.second.get("messages", page_size=1)["next_marker"]
    response = hub.first.call("GET", "messages", params={"marker": marker})
    assert "private words" not in response.text


@pytest.mark.parametrize(
    "permission, allowed",
    [
        ("view_messages", {("GET", "messages")}),
        ("send_messages", {("POST", "messages/send")}),
        ("view_routes", {("GET", "phones")}),
        ("manage_webhooks", {("GET", "webhooks"), ("POST", "webhooks")}),
    ],
)
def test_a_key_may_do_what_it_was_made_for_and_nothing_else(hub, permission, allowed):
    rest = hub.server.rest(hub.admin.key(hub.projects["first"], [permission]), hub.projects["first"])
    bodies = {
        "messages/send": {"content": "x", "to_number": fresh_number(), "simulated": True},
        "webhooks": {"url": "http://127.0.0.1:9/", "events": ["send_status"]},
    }
    for method, path in (
        ("GET", "messages"),
        ("POST", "messages/send"),
        ("GET", "phones"),
        ("GET", "webhooks"),
        ("POST", "webhooks"),
    ):
        response = rest.call(method, path, json=bodies.get(path) if method == "POST" else None)
        if (method, path) in allowed:
            success(response)
        else:
            error(response, 401)


def test_a_limited_key_is_slowed_down(hub):
    key = hub.admin.key(hub.projects["first"], ["view_projects"], "--rate-per-s", "5")
    rest = hub.server.rest(key, hub.projects["first"])
    answers = [rest.call("GET", "/projects") for _ in range(40)]
    assert answers[0].status_code == 200
    refused = [a for a in answers if a.status_code != 200]
    assert refused, "forty requests at once are more than five a second"
    error(refused[0], 429, "rate_limited")
    assert int(refused[0].headers["retry-after"]) >= 1
    assert "ratelimit-limit" in {name.lower() for name in answers[0].headers} or "ratelimit" in {
        name.lower() for name in answers[0].headers
    }
    other = hub.first.call("GET", "/projects")
    assert other.status_code == 200


def test_a_full_queue_refuses_politely(hub, pair):
    project = hub.admin.project(hub.organization, "Capped", "--queue-cap", "3")
    pair(project)
    rest = hub.server.rest(hub.admin.key(project, ["send_messages", "view_messages"]), project)
    answers = [rest.call("POST", "messages/send", json={"content": "x", "to_number": fresh_number()}) for _ in range(6)]
    statuses = [a.status_code for a in answers]
    assert statuses[:3] == [200] * 3 and 429 in statuses, statuses
    full = next(a for a in answers if a.status_code == 429)
    error(full, 429)
    assert int(full.headers["retry-after"]) >= 1
    assert rest.get("messages", count=1)["count"] == statuses.count(200)
