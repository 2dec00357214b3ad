"""Custom routes, and phones that are made."""

import pytest
import telerivet

from support.numbers import fresh_number
from support.wait import until


@pytest.fixture
def create_phone(project, demo):
    """Makes phones and removes them at the test's end, which no official client can do."""
    made = []

    def create(**options):
        made.append(project.createPhone(phone_number=fresh_number(), **options))
        return made[-1]

    yield create
    for phone in made:
        assert demo.rest.call("DELETE", f"phones/{phone.id}").status_code == 200


@pytest.fixture
def simulated(create_phone):
    """A test route of one's own."""
    return create_phone(phone_type="simulated", name="Rehearsal")


def test_a_test_route_is_made_and_sends(project, simulated):
    assert simulated.id.startswith("PN") and simulated.phone_type == "simulated"
    assert simulated.id in [p.id for p in project.queryPhones(name="rehearsal")]
    sent = project.sendMessage(to_number=fresh_number(), content="x", route_id=simulated.id)
    until(lambda: project.getMessageById(sent.id).status == "sent", "it is sent")
    simulated.send_delay = 3
    simulated.save()
    assert project.getPhoneById(simulated.id).send_delay == 3


def test_a_message_by_a_provider_fails_at_once(project, create_phone):
    phone = create_phone(phone_type="twilio", external_account_id="AC1", external_secret="hush")
    assert phone.external_account_id == "AC1"
    sent = project.sendMessage(to_number=fresh_number(), content="x", route_id=phone.id)
    assert (sent.status, sent.error_code) == ("failed", "no_connector")
    with pytest.raises(telerivet.InvalidParameterException) as refused:
        sent.resend()
    assert refused.value.param == "route_id"
    with pytest.raises(telerivet.InvalidParameterException) as refused:
        create_phone(phone_type="pigeon")
    assert refused.value.param == "phone_type"


def test_a_route_is_created_changed_listed_and_used(project, demo, simulated):
    offer = {"type": "use_phone", "phone_ids": [simulated.id]}
    route = project.createRoute(name="Rehearsals", actions=[offer], vars={"a": 1})
    assert route.id.startswith("RT") and route.vars.a == 1
    sent = project.sendMessage(to_number=fresh_number(), content="x", route_id=route.id)
    assert (sent.route_id, sent.phone_id) == (route.id, simulated.id)
    route.name = "Renamed"
    test = {"type": "starts_with", "variable": "to_number", "value": "+1500"}
    elsewhere = {"type": "use_phone", "phone_id": demo.test_phone_id}
    route.actions = [{"type": "condition", "conditions": [test], "actions": [elsewhere]}, offer]
    route.vars.a = None
    route.save()
    again = project.getRouteById(route.id)
    assert again.name == "Renamed" and again.vars.all() == {}
    assert again.actions[0]["actions"][0]["phone_ids"] == [demo.test_phone_id]
    sent = project.sendMessage(to_number=fresh_number(), content="x", route_id=route.id)
    assert sent.phone_id == demo.test_phone_id
    assert route.id in [r.id for r in project.queryRoutes(name={"prefix": "ren"}, sort="name")]
    assert project.queryRoutes(name="no such route").count() == 0
    known = [entry["id"] for entry in project.getRouteList()]
    assert route.id in known and simulated.id in known
    assert project.initRouteById(route.id).name == "Renamed"


def test_rules_that_cannot_be_are_refused_by_their_place(project):
    with pytest.raises(telerivet.InvalidParameterException) as refused:
        project.createRoute(name="x", actions=[{"type": "pigeon"}])
    assert refused.value.param == "actions[0][type]"
    with pytest.raises(telerivet.NotFoundException):
        project.getRouteById("RT0000000000000001")
