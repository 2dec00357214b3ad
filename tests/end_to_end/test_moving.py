"""A hub that moves from PostgreSQL to a file and back: nothing changes for its callers, and at most one of the two is served."""

import subprocess

import pytest
import requests

from support.databases import environment, fresh_url, url, use
from support.hub import Demo, Serve
from support.numbers import fresh_number
from support.paths import binary
from support.process import Program, loopback_environment
from support.rest import FINAL
from support.servers.postgres import psql
from support.wait import until

LISTS = """
messages contacts groups labels routes phones scheduled relative_scheduled broadcasts webhooks contact_fields
message_fields
""".split()


def run(*arguments, **variables):
    """Runs the program and returns what it did."""
    env = loopback_environment(variables)
    command = [str(part) for part in (binary("route-hub"), *arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=env, check=False)


def refused(*arguments, **variables):
    """Runs the program and returns why it refuses."""
    done = run(*arguments, **variables)
    assert done.returncode == 1, done
    return done.stderr


def migrate(*arguments):
    """Moves a hub, and returns the last line that the program prints."""
    done = run("migrate", *arguments)
    assert done.returncode == 0, done
    return done.stdout.splitlines()[-1]


def serves_not(folder):
    """Returns why a data folder's hub does not start."""
    return refused("serve", "--dir", folder, "--listen", "127.0.0.1:0", "--operator-listen", "off", **environment(folder))


def lived_in(folder):
    """Fills the database of a folder as people and phones do; returns the key and the project of its hub."""
    demo = Demo(folder)
    rest = demo.rest
    numbers = [fresh_number() for _ in range(3)]
    sent = [rest.send(number, "in use")["id"] for number in numbers]
    for message in sent:
        rest.wait_status(message, "delivered", patience_s=60)
    group = rest.post("groups", {"name": "Staff"})["id"]
    contacts = [rest.post("contacts", {"phone_number": number, "name": "Ä", "vars": {"city": "Linz", "age": 7.5}}) for number in numbers]
    rest.call("PUT", f"groups/{group}/contacts/{contacts[0]['id']}")
    label = rest.post("labels", {"name": "Done"})["id"]
    rest.call("PUT", f"labels/{label}/messages/{sent[0]}")
    rest.post("scheduled", {"group_id": group, "content": "later", "start_time_offset": 86400})
    rest.post("send_broadcast", {"group_id": group, "content": "to all"})
    until(lambda: is_settled(rest), "all is delivered", 60)
    rest.post("webhooks", {"url": "http://127.0.0.1:9/hook", "events": ["send_status"]})
    assert demo.program.stop() == 0, demo.program.words()
    return demo.api_key, demo.project_id


def is_settled(rest):
    messages = rest.get("messages", page_size=200)["data"]
    return len(messages) == 4 and all(message["status"] in FINAL for message in messages)


def reading(rest):
    """Everything that a program can read of a project."""
    found = {}
    for name in LISTS:
        found[name] = rest.call("GET", name, params={"page_size": 200}).json()
    for name in ("messages", "contacts", "broadcasts"):
        for row in found[name]["data"]:
            found[row["id"]] = rest.get(f"{name}/{row['id']}")
    return found


def read_served(folder, key, project):
    """Serves a data folder for a moment, and returns everything that a program can read."""
    hub = Serve(folder).start()
    try:
        return reading(hub.rest(key, project))
    finally:
        assert hub.program.stop() == 0, hub.program.words()


@pytest.fixture
def in_file(tmp_path):
    """A data folder whose hub keeps its data in a file."""
    folder = tmp_path / "file"
    use(folder, None)
    return folder


def test_all_that_a_program_reads_is_the_same_there_and_back(tmp_path, in_file):
    key, project = lived_in(tmp_path / "lived")
    first = tmp_path / "lived" / "demo"
    before = read_served(first, key, project)
    assert all(before[name]["data"] for name in ("messages", "contacts", "groups", "labels", "broadcasts", "webhooks"))
    assert "--undo" in migrate("--from", url(first), "--to", in_file)
    assert "were moved to the file" in serves_not(first)
    assert read_served(in_file, key, project) == before
    back = tmp_path / "back"
    use(back, fresh_url())
    migrate("--from", in_file, "--to", environment(back)["ROUTE_HUB_DATABASE"])
    assert "were moved to the database" in serves_not(in_file)
    # They are numbers of another server's transactions: a hub would see changes that lie ahead of it.
    assert psql(environment(back)["ROUTE_HUB_DATABASE"], "SELECT count(*) FROM change_versions") == "0"
    assert read_served(back, key, project) == before


def test_a_move_that_is_killed_is_done_again_and_taken_back_only_before_the_target_was_served(tmp_path, in_file):
    key, project = lived_in(tmp_path / "lived")
    first = tmp_path / "lived" / "demo"
    before = read_served(first, key, project)
    ends = ("--from", url(first), "--to", in_file)
    for lines in (1, 2, 7, 30):
        program = Program([binary("route-hub"), "migrate", *ends], name="route-hub migrate")
        for _ in range(lines):
            program.line()
        program.kill()
        if program.process.returncode == 0:
            break  # It was done before the kill came.
        assert "being moved into it" in serves_not(in_file)
    migrate(*ends, "--undo")
    advice = serves_not(in_file)
    assert "taken back" in advice and "use the database that they came from" in advice, advice
    assert read_served(first, key, project) == before
    migrate(*ends)
    assert "already" in migrate(*ends)
    assert read_served(in_file, key, project) == before
    assert "has been served" in refused("migrate", *ends, "--undo")
    assert "were moved to" in serves_not(first)


def test_a_hub_that_is_refused_its_files_leaves_the_way_back_open(tmp_path, in_file):
    demo = Demo(tmp_path / "lived", phones=0)
    first = tmp_path / "lived" / "demo"
    file = demo.rest.post("files", {"data": "S2VwdA==", "type": "text/vcard"})
    assert demo.program.stop() == 0
    ends = ("--from", url(first), "--to", in_file)
    assert "--files" in migrate(*ends)
    assert "--files-here" in serves_not(in_file)
    migrate(*ends, "--undo")
    migrate(*ends)
    hub = Serve(in_file, arguments=["--files", environment(first)["ROUTE_HUB_FILES"]]).start()
    shown = hub.rest(demo.api_key, demo.project_id).get(f"files/{file['id']}")
    assert requests.get(shown["url"], timeout=10).content == b"Kept"
    assert hub.program.stop() == 0
    # Lost files are one word away, once.
    hub = Serve(in_file, arguments=["--files-here"]).start()
    assert hub.program.stop() == 0
    hub = Serve(in_file).start()
    assert requests.get(hub.rest(demo.api_key, demo.project_id).get(f"files/{file['id']}")["url"], timeout=10).status_code == 404
    assert hub.program.stop() == 0


def test_a_database_that_a_hub_works_on_is_left_alone(tmp_path, in_file):
    demo = Demo(tmp_path)
    try:
        said = refused("migrate", "--from", url(tmp_path / "demo"), "--to", in_file)
        assert "--from" in said and "works on it" in said, said
        said = refused("migrate", "--from", in_file, "--to", url(tmp_path / "demo"))
        assert "--from" in said and "no database" in said, said
        demo.rest.get("messages")
    finally:
        assert demo.program.stop() == 0
