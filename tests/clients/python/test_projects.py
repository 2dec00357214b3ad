"""Projects: list, get, lazy loading."""

import pytest
import telerivet

from support.numbers import fresh_number


def test_the_key_sees_its_project(api, demo):
    found = api.queryProjects().all()
    assert demo.project_id in [p.id for p in found]
    assert all(p.id.startswith("PJ") and p.name for p in found)


def test_a_project_has_its_fields(api, demo):
    project = api.getProjectById(demo.project_id)
    assert project.organization_id == demo.organization_id
    assert project.timezone_id
    assert {"url_slug", "default_route_id", "auto_create_contacts", "message_retention_days"} <= set(project._data)
    assert project.vars.all() is not None


def test_projects_are_filtered_by_name_whatever_its_case(api, demo):
    name = api.getProjectById(demo.project_id).name
    assert demo.project_id in [p.id for p in api.queryProjects(name=name.upper())]
    assert demo.project_id in [p.id for p in api.queryProjects(name={"prefix": name[:2].lower()})]
    assert demo.project_id not in [p.id for p in api.queryProjects(name={"ne": name})]
    assert demo.project_id not in [p.id for p in api.queryProjects(name={"not_prefix": name[:2]})]
    assert api.queryProjects(name="no such project").count() == 0
    assert api.queryProjects(sort="name", sort_dir="desc").count() >= 1


def test_a_lazily_made_project_loads_at_the_first_read(api, demo):
    project = api.initProjectById(demo.project_id)
    before = api.num_requests
    assert project.id == demo.project_id
    assert api.num_requests == before
    assert project.name
    assert api.num_requests == before + 1


def test_an_unknown_project_is_not_found(api):
    with pytest.raises(telerivet.NotFoundException):
        api.getProjectById("PJ0000000000000001")


def test_another_key_is_refused_as_a_general_error(demo):
    stranger = telerivet.API("prk_nobody", demo.base_url)
    with pytest.raises(telerivet.APIException) as refused:
        stranger.getProjectById(demo.project_id)
    assert refused.value.code not in ("invalid_param", "not_found")


@pytest.fixture
def organization(api, demo):
    """The organization of the demo's key."""
    return api.getOrganizationById(demo.organization_id)


def test_the_organization_is_listed_and_loads_lazily(api, demo):
    assert [o.id for o in api.queryOrganizations()] == [demo.organization_id]
    organization = api.initOrganizationById(demo.organization_id)
    assert organization.name and organization.timezone_id
    assert api.queryOrganizations(name=organization.name.upper()).count() == 1
    assert api.queryOrganizations(name={"ne": organization.name}).count() == 0
    with pytest.raises(telerivet.NotFoundException):
        api.getOrganizationById("OR0000000000000001")


def test_the_organization_is_renamed(api, organization):
    old = organization.name
    organization.name = "Another name"
    organization.save()
    try:
        assert api.getOrganizationById(organization.id).name == "Another name"
    finally:
        organization.name = old
        organization.save()


def test_a_project_is_created_changed_and_found(api, organization):
    name = f"Project {fresh_number()}"
    made = organization.createProject(name=name, timezone_id="Africa/Nairobi", vars={"place": "desk"})
    assert made.id.startswith("PJ") and made.name == name
    assert made.timezone_id == "Africa/Nairobi" and made.vars.place == "desk"
    assert made.auto_create_contacts is True and made.message_retention_days is None
    assert 3 <= len(made.url_slug) <= 18
    assert made.id in [p.id for p in organization.queryProjects(name={"prefix": name})]
    made.message_retention_days = 30
    made.vars.place = None
    made.save()
    again = api.getProjectById(made.id)
    assert again.message_retention_days == 30 and again.vars.all() == {}
    assert again.getUsers() == []
    with pytest.raises(telerivet.InvalidParameterException) as refused:
        organization.createProject(name=name.upper())
    assert refused.value.param == "name"
    with pytest.raises(telerivet.InvalidParameterException) as refused:
        again.timezone_id = "Mars/Olympus"
        again.save()
    assert refused.value.param == "timezone_id"


def test_projects_come_page_by_page(organization):
    for _ in range(3):
        organization.createProject(name=f"Page {fresh_number()}")
    cursor = organization.queryProjects(name={"prefix": "page "}, page_size=1, sort="name")
    names = [p.name for p in cursor]
    assert len(names) >= 3 and names == sorted(names)


def test_billing_and_usage_tell_what_there_is(organization):
    billing = organization.getBillingDetails(usage=True)
    assert billing["plan_name"] and billing["balance"] == "0.00"
    assert billing["usage"]["projects"] >= 1 and billing["usage"]["phones"] >= 3
    assert set(billing["plan_limits"].values()) == {None}
    history = organization.getUsageHistory(usage_type="projects", start_date="2026-01-01", end_date="2026-01-03")
    assert history["usage_type"] == "projects"
    assert [day["date"] for day in history["history"]] == ["2026-01-01", "2026-01-02", "2026-01-03"]


def test_a_plan_counts_external_messages_by_the_day_unless_the_operator_says_otherwise(organization):
    assert "external_messages_period" not in organization.getBillingDetails()["plan_limits"]


def test_how_much_is_used_is_more_than_this_client_reads(organization):
    # The answer is a number, as the interface has it; the client looks for an error in it as in an object.
    with pytest.raises(TypeError):
        organization.getUsage("phones")
    with pytest.raises(telerivet.NotFoundException):
        organization.getUsage("pigeons")
