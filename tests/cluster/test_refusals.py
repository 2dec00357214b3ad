"""Servers that could lose what they answered, or that a hub cannot work on: each is refused, with why."""

import contextlib
import socket
import subprocess
import threading

import pytest

from support.paths import binary
from support.process import loopback_environment
from support.servers.postgres import Postgres
from support.wait import until


@pytest.fixture(scope="module")
def shared():
    """A server with a hub's database, and a command on a database that returns why it was refused."""
    def look(address, *command):
        env = loopback_environment({"ROUTE_HUB_DATABASE": address})
        command = [str(binary("route-hub")), *(command or ("admin", "organization", "list"))]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=env)
        return done.stderr

    with contextlib.closing(Postgres()) as server:
        server.create().start().ask("CREATE DATABASE hub")
        env = loopback_environment({"ROUTE_HUB_DATABASE": server.url("hub")})
        subprocess.run([str(binary("route-hub")), "migrate"], check=True, capture_output=True, timeout=60, env=env)
        yield server, look


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("ALTER SYSTEM SET fsync = off", "its fsync is off"),
        ("ALTER SYSTEM SET full_page_writes = off", "its full_page_writes is off"),
        ("ALTER ROLE postrider SET synchronous_commit = off", "its synchronous_commit is off"),
        ("ALTER ROLE postrider SET synchronous_commit = local", "its synchronous_commit is off or local"),
        ("ALTER DATABASE hub SET default_transaction_read_only = on", "takes no writes"),
    ],
)
def test_a_server_that_could_lose_something_is_refused(shared, change, why):
    server, look = shared
    server.ask(change)
    server.ask("SELECT pg_reload_conf()")
    until(lambda: why in look(server.url("hub")), why)
    undo = change.replace(" = ", " TO ").split(" TO ")[0].replace(" SET ", " RESET ")
    server.ask(undo)
    server.ask("SELECT pg_reload_conf()")
    until(lambda: look(server.url("hub")) == "", "it is taken again")


def test_a_database_that_is_not_utf_8_is_refused(shared):
    server, look = shared
    server.ask("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    assert "not UTF-8" in look(server.url("latin"))


def test_a_standby_is_refused(shared):
    server, look = shared
    with contextlib.closing(server.standby()) as standby:
        assert "it is a standby" in look(standby.start().url("hub"))


@pytest.mark.parametrize(
    ("limit", "setting"),
    [
        ("ALTER ROLE clerk CONNECTION LIMIT 5", "connection limit of its user"),
        ("ALTER DATABASE hub CONNECTION LIMIT 6", "connection limit of the database"),
    ],
)
def test_a_server_without_room_for_all_connections_is_refused(shared, limit, setting):
    server, look = shared
    server.ask("DROP ROLE IF EXISTS clerk")
    server.ask("CREATE ROLE clerk LOGIN PASSWORD 'clerk'")
    server.ask("GRANT ALL ON ALL TABLES IN SCHEMA public TO clerk", "hub")
    address = f"postgres://clerk:clerk@127.0.0.1:{server.port}/hub"
    assert look(address) == ""
    server.ask(limit)
    told = look(address)
    assert f"raise the {setting}" in told and "are needed" in told, told
    server.ask("ALTER DATABASE hub CONNECTION LIMIT -1")
    server.ask("REVOKE ALL ON ALL TABLES IN SCHEMA public FROM clerk", "hub")


def test_a_server_with_too_few_connections_is_refused(shared):
    _, look = shared
    with contextlib.closing(Postgres()) as server:
        server.settings["max_connections"] = 10
        server.create().start().ask("CREATE DATABASE hub")
        told = look(server.url("hub"), "migrate")
        assert "raise the max_connections of the server" in told and "are needed" in told, told


def test_a_pooler_that_does_not_know_the_settings_of_a_session_is_refused(shared):
    _, look = shared
    with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as pooler:
        threading.Thread(target=refuse_parameters, args=(pooler,), daemon=True).start()
        assert "a pooler" in look(f"postgres://hub@127.0.0.1:{pooler.getsockname()[1]}/hub")


def refuse_parameters(listener):
    """Answers each client as PgBouncer does that was not told to ignore what it does not know."""
    fields = b"SFATAL\0VFATAL\0C08P01\0Munsupported startup parameter: options\0\0"
    with contextlib.suppress(OSError):
        while True:
            client, _ = listener.accept()
            with client:
                client.recv(4096)
                client.sendall(b"E" + (4 + len(fields)).to_bytes(4, "big") + fields)
