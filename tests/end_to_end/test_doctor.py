"""`route-hub doctor`: what it says of a good hub, of bad settings, and of what stands around a hub."""

import json
import os
import socket
import sqlite3
import subprocess
import threading
from contextlib import closing

import pytest

from support.certificates import self_signed
from support.databases import environment, server
from support.hub import Admin, Serve
from support.operator import backup
from support.paths import ROOT, binary
from support.ports import free_port
from support.process import loopback_environment

HEADER = b"x-forwarded-for: 192.0.2.9"


def doctor(*arguments, **more):
    """Returns what the program did; further arguments are variables."""
    command = [str(part) for part in (binary("route-hub"), "doctor", *arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env=loopback_environment(more))


def report(*arguments, **more):
    """Returns the verdicts of each check, what it says, and whether the program ended well."""
    done = doctor(*arguments, "--json", **more)
    told = json.loads(done.stdout)
    found = {}
    for line in told["checks"]:
        found.setdefault(line["check"], []).append((line["verdict"], line["says"]))
        assert (line["verdict"] == "good") == ("to_do" not in line), line
    assert (done.returncode == 1) == (told["verdict"] == "bad"), done.stderr
    return found


def verdicts(found):
    return {check: [verdict for verdict, _ in lines] for check, lines in found.items()}


class Around:
    """A hub, and the doctor with the same settings."""

    def __init__(self, folder, public_port=None, scheme="http", arguments=(), host="localhost"):
        self.admin = Admin(folder / "data")
        self.project = self.admin.project(self.admin.organization())
        port = free_port()
        more = ["--public-url", f"{scheme}://{host}:{public_port or port}", *map(str, arguments)]
        verify = str(folder / "cert.pem") if scheme == "https" else True
        tls = "--tls-cert" in more
        self.server = Serve(self.admin.folder, port, more, scheme="https" if tls else "http", verify=verify)
        self.settings = ["--dir", self.admin.folder, "--listen", f"127.0.0.1:{port}"]
        self.settings += ["--operator-listen", f"127.0.0.1:{self.server.operator_port}", *more]

    def report(self, *more):
        return report(*self.settings, *more, **environment(self.admin.folder))


class Proxy:
    """Passes one connection after another on to a port of this machine, with a change of each request's head."""

    def __init__(self, to_port, change=lambda head: head):
        self.to_port, self.change = to_port, change
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            with near, socket.create_connection(("127.0.0.1", self.to_port)) as far:
                head = b""
                while b"\r\n\r\n" not in head:
                    head += near.recv(4096)
                far.sendall(self.change(head))
                # A hub writes a small answer at once.
                near.sendall(far.recv(65536))

    def close(self):
        self.listener.close()


@pytest.fixture
def around(tmp_path):
    one = Around(tmp_path)
    one.server.start()
    yield one
    assert one.server.program.stop() == 0


def test_beside_a_good_hub_nothing_is_bad(around, tmp_path):
    on_file = not server()
    if on_file:
        (tmp_path / "backups").mkdir()
        backup(around.admin.folder, tmp_path / "backups")
    before = sorted(os.listdir(around.admin.folder))
    found = around.report("--backups", tmp_path / "backups")
    assert "bad" not in sum(verdicts(found).values(), []), found
    expected = {"settings", "public URL", "link", "forwarded", "database", "conditions", "backup"}
    good = {check for check, lines in verdicts(found).items() if lines == ["good"]}
    assert expected | ({"folder"} if on_file else set()) <= good, found
    assert verdicts(found)["ports"] == ["good", "good"]
    assert all("the hub answers" in says for _, says in found["ports"])
    checks = expected | {"ports", "memory", "open files", "clock"} | ({"folder", "flushes"} if on_file else set())
    assert set(found) == checks
    assert sorted(os.listdir(around.admin.folder)) == before, "it leaves nothing"


def test_a_person_gets_a_line_each(around):
    done = doctor(*around.settings, **environment(around.admin.folder))
    assert done.returncode == 0 and not done.stderr, done
    lines = done.stdout.splitlines()
    assert len(lines) > 10
    assert all(line.split()[0] in ("good", "doubtful") for line in lines), done.stdout


def test_before_a_start_the_addresses_are_free_and_the_public_url_is_not_tried(tmp_path):
    found = Around(tmp_path).report()
    assert verdicts(found)["ports"] == ["good", "good"]
    assert all("is free" in says for _, says in found["ports"])
    assert verdicts(found)["public URL"] == ["doubtful"] and "link" not in found
    assert "bad" not in sum(verdicts(found).values(), []), found


def test_settings_that_serve_refuses_are_bad_and_named(tmp_path):
    missing = tmp_path / "missing"
    arguments = ["--listen", "0.0.0.0:0", "--operator-listen", "off", "--app-file", missing, "--nats", "nats://nats"]
    arguments += ["--public-url", "http://gateway.example.org", "--files", "s3://"]
    found = report("--dir", missing, *arguments)
    assert verdicts(found)["settings"] == ["bad"] * 4
    for flag in ("--allow-plain-http", "--app-file", "--nats", "--files"):
        assert any(flag in says for _, says in found["settings"]), flag
    for check in ("folder", "public URL"):
        assert verdicts(found)[check] == ["bad"], check
    assert not missing.exists(), "it makes nothing"


def test_a_file_of_settings_that_cannot_be_read_is_the_only_line(tmp_path):
    config = tmp_path / "hub.toml"
    config.write_text('listne = "127.0.0.1:1"\n')
    found = report("--config", config)
    assert verdicts(found) == {"settings": ["bad"]}
    assert "listne" in found["settings"][0][1]
    config.write_text(f'dir = "{tmp_path / "none"}"\nlisten = "127.0.0.1:0"\n')
    assert str(config) in report("--config", config)["settings"][0][1]


def test_an_address_of_another_program_is_bad_and_one_of_another_hub_too(around, tmp_path):
    other = Admin(tmp_path / "other")
    other.organization()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        taken.settimeout(30)
        threading.Thread(target=lambda: taken.accept()[0].close(), daemon=True).start()
        listen = ["--listen", f"127.0.0.1:{around.server.port}"]
        operator = ["--operator-listen", f"127.0.0.1:{taken.getsockname()[1]}"]
        found = report("--dir", other.folder, *listen, *operator, **environment(other.folder))
    says = " ".join(says for _, says in found["ports"])
    assert "another program" in says
    if not server():
        assert verdicts(found)["ports"] == ["bad", "bad"]
        assert "another hub" in says


@pytest.mark.parametrize(
    ("change", "expected"),
    (
        (lambda head: head.replace(b"\r\n", b"\r\n" + HEADER + b"\r\n", 1), {"link": "good", "forwarded": "good"}),
        (lambda head: head, {"link": "good", "forwarded": "bad"}),
        (lambda head: head.replace(b"upgrade: websocket\r\n", b""), {"link": "bad", "forwarded": "bad"}),
    ),
    ids=("with its header", "without", "no WebSockets"),
)
def test_a_proxy_is_judged_by_what_the_hub_sees(tmp_path, change, expected):
    proxy = Proxy(0, change)
    one = Around(tmp_path, proxy.port)
    proxy.to_port = one.server.port
    one.server.start()
    found = one.report()
    assert {check: found[check][0][0] for check in expected} == expected, found
    if expected["forwarded"] == "good":
        assert "192.0.2.9" in found["forwarded"][0][1]
    assert one.server.program.stop() == 0
    proxy.close()


def test_what_the_hub_sees_is_for_its_operator_alone(around):
    import requests

    url = f"http://127.0.0.1:{around.server.port}/healthz"
    operator = around.server.operator_url
    for word in ("", "guessed"):
        assert requests.get(url, headers={"postrider-doctor": word}, timeout=10).json() == {"status": "ok"}
    word = requests.post(f"{operator}/doctor", timeout=10).json()["word"]
    seen = requests.get(url, headers={"postrider-doctor": word}, timeout=10).json()
    assert seen == {"status": "ok", "peer": "127.0.0.1", "client": "127.0.0.1", "is_proxy": True, "has_header": False}
    assert requests.post(f"http://127.0.0.1:{around.server.port}/doctor", timeout=10).status_code == 404


def test_a_certificate_is_judged_in_its_file_and_as_it_is_shown(tmp_path):
    cert, key = self_signed(tmp_path, "first")
    one = Around(tmp_path, scheme="https", arguments=["--tls-cert", cert, "--tls-key", key, "--host", "other.example"])
    one.server.start()
    found = one.report()
    says = [says for _, says in found["certificate"]]
    assert "bad" in verdicts(found)["certificate"]
    assert any("other.example" in line and str(cert) in line for line in says), says
    assert any("itself" in line and "localhost" in line for line in says), says
    for check in ("public URL", "link", "forwarded"):
        assert verdicts(found)[check] == ["good"], found
    assert verdicts(found)["ports"] == ["good", "good"]
    assert doctor(*one.settings, "--ready", **environment(one.admin.folder)).returncode == 0
    assert one.server.program.stop() == 0


def test_readiness_is_one_quick_answer(tmp_path):
    one = Around(tmp_path)
    ready = [*one.settings, "--ready"]
    done = doctor(*ready)
    assert done.returncode == 1 and "does not answer" in done.stderr and not done.stdout
    one.server.start()
    done = doctor(*ready)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    anywhere = ["--listen", f"0.0.0.0:{one.server.port}", "--allow-plain-http", "--ready"]
    assert doctor(*anywhere).returncode == 0
    assert one.server.program.stop() == 0
    assert doctor(*ready).returncode == 1


@pytest.mark.skipif(bool(server()), reason="about a data folder's own file")
class TestFile:
    def test_an_earlier_schema_is_told_and_stays(self, tmp_path):
        folder = tmp_path / "data"
        folder.mkdir(mode=0o755)
        with closing(sqlite3.connect(folder / "hub.db")) as connection:
            connection.executescript((ROOT / "route-hub/tests/fixtures/planned.sql").read_text())
        found = report("--dir", folder, "--listen", "127.0.0.1:0", "--operator-listen", "off")
        assert verdicts(found)["database"] == ["doubtful"] and "schema 21" in found["database"][0][1]
        assert verdicts(found)["folder"] == ["doubtful"] and "mode 755" in found["folder"][0][1]
        with closing(sqlite3.connect(folder / "hub.db")) as connection:
            assert connection.execute("SELECT max(version) FROM refinery_schema_history").fetchone() == (21,)
        assert not (folder / "before-upgrade").exists()

    def test_groups_and_views_that_say_nothing_are_named(self, around):
        rest = around.server.rest(around.admin.key(around.project, ["view_contacts", "edit_contacts"]), around.project)
        group = rest.post("create_group", {"name": "Everybody", "filters": {"name": {"prefix": "A"}}})["id"]
        assert verdicts(around.report())["conditions"] == ["good"]
        with closing(sqlite3.connect(around.admin.folder / "hub.db", timeout=30)) as connection, connection:
            connection.execute("""UPDATE contact_groups SET filters = '{"name":{"prefix":""}}'""")
        found = around.report()
        assert verdicts(found)["conditions"] == ["doubtful"]
        assert f"group {group} of {around.project} (filters[name][prefix])" in found["conditions"][0][1]

    def test_a_damaged_file_is_bad(self, tmp_path):
        admin = Admin(tmp_path / "data")
        admin.organization()
        path = admin.folder / "hub.db"
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            root = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'api_requests'").fetchone()[0]
        with open(path, "r+b") as file:
            file.seek((root - 1) * 4096)
            file.write(b"\xa5" * 4096)
        found = report("--dir", admin.folder, "--listen", "127.0.0.1:0", "--operator-listen", "off")
        assert verdicts(found)["database"] == ["bad"] and "damaged" in found["database"][0][1]

    def test_root_keeps_out_of_another_users_folder(self, tmp_path):
        if os.geteuid() != 0:
            pytest.skip("needs root")
        folder = tmp_path / "data"
        folder.mkdir()
        os.chown(folder, 12345, 12345)
        done = doctor("--dir", folder)
        assert done.returncode == 1 and "sudo -u" in done.stderr
        assert not list(folder.iterdir())
