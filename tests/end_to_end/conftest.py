"""A served hub with two organizations, as an operator sets it up with the admin commands."""

import types

import pytest

from support.databases import server
from support.hub import Admin, Serve

# What is about a data folder's own files, or about PostgreSQL.
of_a_folder = ["test_backup.py", "test_one_hub_a_folder.py", "test_root.py", "test_self_signed.py", "test_upgrade.py"]
collect_ignore = of_a_folder if server() else ["test_moving.py", "test_postgresql.py"]

ALL = (
    "view_messages send_messages delete_messages view_contacts edit_contacts "
    "view_routes edit_routes view_projects edit_project manage_webhooks"
).split()


@pytest.fixture(scope="module")
def admin(tmp_path_factory):
    """The admin commands on a fresh folder, one for all tests of a file."""
    commands = Admin(tmp_path_factory.mktemp("hub") / "data")
    yield commands
    commands.close()


@pytest.fixture(scope="module")
def hub(admin):
    """A served hub: two projects of one organization, one of another, keys, webhooks to loopback allowed."""
    ours, theirs = admin.organization("Ours"), admin.organization("Theirs")
    projects = {
        "first": admin.project(ours, "First"),
        "second": admin.project(ours, "Second"),
        "foreign": admin.project(theirs, "Foreign"),
    }
    for project in projects.values():
        admin("phone", "add-test", "--project", project)
    server = Serve(admin.folder, arguments=["--webhook-allow", "127.0.0.0/8"]).start()
    rests = {name: server.rest(admin.key(project, ALL), project) for name, project in projects.items()}
    yield types.SimpleNamespace(admin=admin, server=server, organization=ours, projects=projects, **rests)
    panics = [line for line in server.program.err_lines if "panicked" in line]
    assert server.program.alive(), server.program.words()
    assert server.program.stop() == 0, server.program.words()
    assert not panics, panics


@pytest.fixture
def pair(hub):
    """Pairs one of our own phones with a project and returns it."""
    from support.link import LinkPhone

    def paired(project="first", number="+15005550150", key=None, device=None):
        arguments = ["--project", hub.projects.get(project, project), "--yes", *(["--device", device] if device else [])]
        code = hub.admin.pair(*arguments)
        return LinkPhone(f"http://127.0.0.1:{hub.server.port}", key=key, number=number).pair(code)

    return paired
