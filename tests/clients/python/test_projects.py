"""Projects: list, get, lazy loading."""

import pytest
import telerivet


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
