"""Plans, set by the operator beside a running hub."""

import time

import pytest

from support.numbers import fresh_number
from support.rest import Rest, error
from support.wait import until

PLAN = (
    *("--name", "Small", "--price", "9.50 KES", "--rrule", "FREQ=MONTHLY", "--end-time", "4102444800"),
    *("--limit", "groups=1", "--feature", "click_tracking=false", "--overage-rate", "message=0.0025 USD"),
)


def set_plan(hub, *settings, check=True):
    return hub.admin("organization", "set-plan", hub.organization, *settings, check=check)


@pytest.fixture(scope="module")
def whole(hub):
    """A key of the whole organization."""
    key = hub.admin.key(None, (), "--organization", hub.organization)
    return Rest(hub.server.base_url, key, hub.projects["first"])


def billing(whole, hub):
    return whole.call("GET", f"/organizations/{hub.organization}/billing").json()


def test_a_plan_is_set_shown_and_holds_beside_a_running_hub(hub, whole):
    shown = set_plan(hub, *PLAN)
    assert (shown["plan_name"], shown["plan_price"], shown["plan_currency"]) == ("Small", "9.50", "KES")
    assert (shown["plan_limits"]["groups"], shown["plan_limits"]["contacts"]) == (1, None)
    assert hub.admin("organization", "plan", hub.organization) == shown
    bill = until(lambda: (found := billing(whole, hub))["plan_name"] == "Small" and found, "the plan is shown")
    assert (bill["plan_rrule"], bill["plan_end_time"]) == ("FREQ=MONTHLY", 4102444800)
    assert bill["plan_features"]["click_tracking"] is False
    assert "overage_rates" not in bill
    hub.first.post("groups", {"name": "One"})
    beyond = hub.second.call("POST", "groups", json={"name": "Two"})
    error(beyond, 402, "limit_exceeded")
    assert "limit groups is 1, 1 are used" in beyond.json()["error"]["message"]
    set_plan(hub, "--limit", "groups=none", "--feature", "soft_limits=true")
    until(lambda: hub.second.call("POST", "groups", json={"name": "Two"}).status_code == 200, "limits are soft")
    rates = {"message": {"amount": 0.0025, "currency": "USD"}}
    assert billing(whole, hub)["overage_rates"] == rates


def test_a_suspended_organization_sends_nothing_until_that_is_taken_back(hub):
    def sent():
        body = {"to_number": fresh_number(), "content": "x"}
        return hub.first.call("POST", "messages/send", json=body).status_code

    set_plan(hub, "--suspend-time", "1700000000")
    until(lambda: sent() == 402, "sending is suspended")
    set_plan(hub, "--suspend-time", "")
    until(lambda: sent() == 200, "sending goes on")


def test_a_broadcast_that_a_limit_holds_says_so_until_it_is_lifted(hub):
    set_plan(hub, "--limit", "external_messages_day=0", "--feature", "soft_limits=false")
    body = {"to_numbers": [fresh_number()], "content": "x"}
    made = hub.first.post("send_broadcast", body)
    path = f"broadcasts/{made['id']}"

    def shown():
        return hub.first.get(path)

    held = until(lambda: (found := shown())["waiting_for"] and found, "the broadcast says what it waits for")
    assert (held["status"], held["waiting_for"], held["message_count"]) == ("queuing", "plan_limit", 0)
    assert 0 < held["next_try_time"] - time.time() <= 86_400
    [listed] = [one for one in hub.first.get("broadcasts")["data"] if one["id"] == made["id"]]
    assert (listed["waiting_for"], listed["next_try_time"]) == ("plan_limit", held["next_try_time"])
    set_plan(hub, "--limit", "external_messages_day=none")
    until(lambda: shown()["message_count"] == 1, "the broadcast goes on")
    assert (shown()["waiting_for"], shown()["next_try_time"]) == (None, None)


@pytest.mark.parametrize(
    "wrong",
    [
        ("--limit", "shoes=1"),
        ("--limit", "contacts=-1"),
        ("--limit", "contacts"),
        ("--limit", "external_messages_week=1"),
        ("--feature", "soft_limits=maybe"),
        ("--price", "9.50"),
        ("--price=-1 USD",),
        ("--overage-rate", "message=1 usd"),
        ("--rrule", "FREQ=SOMETIMES"),
        ("--suspend-time", "tomorrow"),
    ],
)
def test_what_is_wrong_about_a_plan_names_its_flag(hub, wrong):
    refused = set_plan(hub, *wrong, check=False)
    assert refused.returncode != 0
    assert wrong[0].partition("=")[0] in refused.stderr
