"""The servers of the tests: durable, ended with whoever started them, and with a standby that takes over."""

import contextlib
import json
import os
import signal
import socket
import sys

import pytest

from cluster.gossip import Gossip
from cluster.proxied import Proxied
from support.paths import ROOT
from support.process import Died, Program
from support.servers.nats import Nats
from support.servers.postgres import Postgres, psql
from support.wait import until

TELL = "import json, os, signal; print(json.dumps(dict(os.environ)), flush=True); signal.pause()"


@pytest.fixture(scope="module")
def primary():
    with contextlib.closing(Postgres()) as server:
        yield server.create().start()


def with_servers(*arguments):
    return Program([sys.executable, ROOT / "tests/with_servers.py", *arguments], name="with_servers")


def test_a_command_finds_its_servers_and_a_signal_ends_them():
    program = with_servers("--database", "postgres", "--nats", sys.executable, "-c", TELL)
    env = json.loads(program.line())
    for setting in ("fsync", "full_page_writes", "synchronous_commit"):
        assert psql(env["POSTRIDER_TEST_DATABASE"], f"SHOW {setting}") == "on", setting
    folder = psql(env["POSTRIDER_TEST_DATABASE"], "SHOW data_directory")
    assert env["POSTRIDER_TEST_NATS"].startswith("nats://")
    assert program.stop(signal.SIGTERM) == 128 + signal.SIGTERM
    assert not os.path.exists(folder)


def test_a_run_fails_in_which_the_server_gave_up_a_transaction():
    give_up = "DO $$ BEGIN RAISE EXCEPTION 'for another' USING ERRCODE = '40P01'; END $$"
    code = f"import os, sys; sys.path.insert(0, {str(ROOT / 'tests')!r})\n"
    code += "from support.servers.postgres import Died, psql\n"
    code += f"try: psql(os.environ['POSTRIDER_TEST_DATABASE'], {give_up!r})\nexcept Died: pass"
    program = with_servers("--database", "postgres", sys.executable, "-c", code)
    assert program.process.wait(60) == 1
    assert "40P01" in program.words()


def test_the_servers_end_even_with_a_program_that_is_killed():
    program = with_servers("--database", "postgres", sys.executable, "-c", TELL)
    url = json.loads(program.line())["POSTRIDER_TEST_DATABASE"]
    server = int(psql(url, "SELECT split_part(pg_read_file('postmaster.pid'), chr(10), 1)"))
    program.kill()
    until(lambda: not is_running(server), "PostgreSQL ends", 30)


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_the_exit_code_of_the_command_is_passed_on():
    program = with_servers("--database", "sqlite", sys.executable, "-c", "raise SystemExit(7)")
    assert program.process.wait(30) == 7


def test_a_killed_server_keeps_what_it_committed(primary):
    primary.ask("CREATE TABLE killed AS SELECT 1 AS n")
    primary.kill()
    primary.start()
    assert primary.ask("SELECT n FROM killed") == "1"


def test_a_commit_whose_answer_is_lost_was_done(primary):
    with contextlib.closing(Proxied(primary.port, postgres=True)) as proxy:
        proxy.swallow_commits(1)
        url = primary.url(port=proxy.port) + "?sslmode=disable&gssencmode=disable"
        with pytest.raises(Died, match="terminated|closed|connection"):
            psql(url, "BEGIN; CREATE TABLE answered AS SELECT 1 AS n; COMMIT")
        assert proxy.seen()["swallowed"] == 1
        assert primary.ask("SELECT n FROM answered") == "1"
        assert psql(url, "BEGIN; UPDATE answered SET n = 2; COMMIT; SELECT n FROM answered") == "2"


def test_a_standby_has_each_answered_commit_and_takes_over(primary):
    with contextlib.closing(primary.standby()) as standby:
        standby.start()
        primary.wait_for_standby()
        primary.ask("CREATE TABLE kept (n BIGINT)")
        primary.ask("INSERT INTO kept VALUES (1)")
        primary.kill()
        standby.promote()
        assert standby.ask("SELECT n FROM kept") == "1"
        standby.ask("INSERT INTO kept VALUES (2)")
        assert standby.ask("SELECT count(*) FROM kept") == "2"


def test_nats_takes_only_who_has_the_password():
    with contextlib.closing(Nats().start()) as server:
        assert b"PONG" in greeted(server.port, server.password)
        assert b"Authorization Violation" in greeted(server.port, "another")


def test_what_one_client_of_nats_says_another_hears_until_it_listens_no_more():
    with contextlib.closing(Nats().start()) as server, contextlib.closing(Gossip(server)) as one:
        with contextlib.closing(Gossip(server)) as other:
            other.say(b"postrider.test", b"first", b"", b"a\r\nb")
            assert [one.hear() for _ in range(3)] == [(b"postrider.test", text) for text in (b"first", b"", b"a\r\nb")]
            one.deafen()
            one.say(b"postrider.test", b"last")
            while other.hear()[1] != b"last":
                pass


def greeted(port, password):
    """Returns what NATS answers to a client with a password."""
    hello = json.dumps({"user": "postrider", "pass": password, "verbose": False})
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(f"CONNECT {hello}\r\nPING\r\n".encode())
        answer = b""
        while not answer.endswith((b"PONG\r\n", b"Violation'\r\n")):
            answer += client.recv(4096) or pytest.fail(f"cut off after {answer!r}")
        return answer
