"""The official Python client, unchanged except for its base URL, against the demo hub."""

import pytest
import telerivet


@pytest.fixture(scope="session")
def api(demo):
    """The client's entry point."""
    return telerivet.API(demo.api_key, demo.base_url)


@pytest.fixture(scope="session")
def project(api, demo):
    """The demo's project, loaded by the client."""
    return api.getProjectById(demo.project_id)


@pytest.fixture
def paused(project, demo):
    """A phone that keeps its messages queued during a test."""
    phone = project.getPhoneById(demo.phones[1]["id"])
    phone.send_paused = True
    phone.save()
    yield phone
    phone.send_paused = False
    phone.save()
