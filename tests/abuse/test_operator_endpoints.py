"""What a stranger can learn from the operator's endpoints, and what they say of a broken database."""

import os
import sqlite3
import subprocess
import threading
from contextlib import closing

import pytest
import requests

from support.hub import Admin, Serve
from support.process import Died
from support.wait import until


def ask(url, path):
    return requests.get(url + path, timeout=30)


def main(server):
    return f"http://127.0.0.1:{server.port}"


def test_a_stranger_learns_yes_or_no_and_nothing_else(hub):
    url = main(hub.server)
    assert ask(url, "/metrics").status_code == 404
    assert ask(url, "/healthz").json() == {"status": "ok"}
    assert ask(url, "/readyz").json() == {"status": "ok"}


def test_the_operator_learns_all_of_it_on_an_address_of_their_own(hub):
    operator = hub.server.operator_url
    told = ask(operator, "/readyz").json()
    assert told == {"status": "ok", "stopping": False, "database": "ok", "database_answers": True, "clock": "ok"}
    metrics = ask(operator, "/metrics").text
    for name in ("messages_queued", "webhooks_waiting", "phones_connected", "store_health", "facts_dropped_total"):
        assert f"route_hub_{name} 0" in metrics, name
    assert ask(operator, "/v1/projects").status_code == 404, "nothing else is there"


def test_many_who_ask_are_counted_for_once(hub):
    """A crowd at both addresses makes few jobs: the store sees less than one for each request."""

    def jobs():
        lines = ask(hub.server.operator_url, "/metrics").text.splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("route_hub_store_jobs_committed_total"))

    def crowd(url, path):
        with requests.Session() as session:
            for _ in range(100):
                assert session.get(url + path, timeout=30).status_code == 200

    before = jobs()
    asked = [(main(hub.server), "/readyz"), (hub.server.operator_url, "/readyz"), (hub.server.operator_url, "/metrics")]
    threads = [threading.Thread(target=crowd, args=which) for which in asked]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert jobs() - before < 100, "200 looks at the database's writer, at most one a second of them a job"


def test_an_address_that_is_taken_is_refused_where_it_was_asked_for(hub, tmp_path):
    taken = f"127.0.0.1:{hub.server.port}"
    commands = Admin(tmp_path / "data")
    commands.organization()
    other = Serve(commands.folder)
    other.operator_port = hub.server.port
    with pytest.raises(Died):
        other.start()
    until(lambda: any(taken in line for line in other.program.err_lines), "the address is named")


def test_there_may_be_no_such_address(tmp_path):
    commands = Admin(tmp_path / "data")
    commands.organization()
    server = Serve(commands.folder, arguments=["--operator-listen", "off"])
    server.start()
    with pytest.raises(requests.ConnectionError):
        ask(server.operator_url, "/metrics")
    assert not any("listening for the operator" in line for line in server.program.err_lines)
    assert server.program.stop() == 0


def filled(folder):
    """A hub with a project whose queue is not sent: messages stay in the database."""
    commands = Admin(folder)
    organization = commands.organization()
    project = commands.project(organization)
    commands("phone", "add-test", "--project", project)
    return commands, project, commands.key(project, ["send_messages", "view_messages"])


def test_a_damaged_database_takes_no_more_writes_and_says_so(tmp_path):
    commands, project, key = filled(tmp_path / "data")
    database = next(commands.folder.glob("*.db"))
    with closing(sqlite3.connect(database)) as file:
        # Rows that are only in the write-ahead log would not be damaged below.
        assert file.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
    server = Serve(commands.folder).start()
    rest = server.rest(key, project)
    with open(database, "r+b") as file:
        size = file.seek(0, os.SEEK_END)
        for page in range(4096, size, 4096):
            file.seek(page)
            file.write(os.urandom(4096))

    def said():
        answer = rest.call("POST", "messages/send", json={"to_number": "+15005550150", "content": "x"})
        assert answer.status_code in (200, 503), answer.text
        return ask(server.operator_url, "/readyz").json()["database"] == "damaged"

    until(said, "the damage is found")
    assert ask(main(server), "/readyz").status_code == 503
    assert "damaged" not in ask(main(server), "/readyz").text, "that is the operator's to know"
    assert ask(main(server), "/healthz").status_code == 200
    answer = rest.call("POST", "messages/send", json={"to_number": "+15005550150", "content": "x"})
    assert answer.status_code == 503
    assert "route_hub_store_health 3" in ask(server.operator_url, "/metrics").text
    until(lambda: any("damaged" in line for line in server.program.err_lines), "the log says so")
    server.program.kill()


@pytest.fixture
def small_disk(tmp_path):
    """A file system with little room; only for users who may mount one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=80m", "tmpfs", folder], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("needs the right to mount a file system")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def test_a_full_disk_is_told_and_a_hub_goes_on_when_there_is_room(small_disk):
    commands, project, key = filled(small_disk / "data")
    server = Serve(commands.folder).start()
    rest = server.rest(key, project)
    ballast = small_disk / "ballast"

    def send():
        body = {"to_number": "+15005550150", "content": "x" * 400}
        return rest.call("POST", "messages/send", json=body).status_code

    accepted = sum(send() == 200 for _ in range(3))
    with open(ballast, "wb", buffering=0) as file:
        try:
            while True:
                file.write(b"\0" * 4096)
        except OSError:
            pass
    refused = 0
    for _ in range(5_000):
        status = send()
        assert status in (200, 503)
        accepted += status == 200
        if status == 503:
            refused += 1
            break
    assert refused, "there is no room"
    assert ask(server.operator_url, "/readyz").json()["database"] == "full"
    assert ask(main(server), "/readyz").status_code == 503
    ballast.unlink()
    until(lambda: ask(main(server), "/readyz").status_code == 200, "it goes on by itself", 30)
    assert send() == 200
    assert rest.call("GET", "messages?count=1").json()["count"] == accepted + 1, "what was answered is there"
    assert server.program.stop() == 0
