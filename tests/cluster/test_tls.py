"""TLS between hubs and their servers: a certificate of another name, or of an unknown authority, is refused."""

import contextlib
import subprocess
import types

import pytest

from cluster.test_hints import metric
from support import databases
from support.certificates import Authority
from support.hub import Admin, Serve
from support.paths import binary
from support.process import loopback_environment
from support.servers.nats import Nats
from support.servers.postgres import Postgres
from support.wait import until

HOST = "db.example.org"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A database with a hub's tables, servers that speak TLS, their authority and another one."""
    folder = tmp_path_factory.mktemp("tls")
    ours, other = Authority(folder, "ours"), Authority(folder, "other")
    with contextlib.ExitStack() as parts:
        primary = parts.enter_context(contextlib.closing(Postgres())).create().speak_tls(ours, HOST).start()
        secret, plain = [parts.enter_context(contextlib.closing(Nats(authority=one))).start() for one in (ours, None)]
        primary.ask("CREATE DATABASE hub")
        databases.use(folder / "hub", primary.url("hub"))
        Admin(folder / "hub").organization()
        yield types.SimpleNamespace(
            folder=folder / "hub", primary=primary, secret=secret, plain=plain, ours=ours.file, other=other.file
        )


@pytest.fixture
def hub(site):
    """Starts a hub that hints through a NATS, by a name of it, believing an authority."""
    with contextlib.ExitStack() as parts:

        def start(nats, host, authority):
            env = {
                "ROUTE_HUB_NATS": f"tls://postrider@{host}:{nats.port}",
                "ROUTE_HUB_NATS_PASSWORD": nats.password,
                "ROUTE_HUB_NATS_CA": str(authority),
            }
            started = Serve(site.folder, env=env).start()
            parts.callback(started.program.kill)
            return started

        yield start


def said(program, text):
    """Says whether a program has written this."""
    return any(text in line for line in program.err_lines)


def test_hints_go_through_a_nats_that_shows_who_it_is(site, hub):
    started = hub(site.secret, "localhost", site.ours)
    until(lambda: metric(started, "hints_arrive") == 1, "hints arrive", 60)


@pytest.mark.parametrize(("host", "authority"), [("127.0.0.1", "ours"), ("localhost", "other")])
def test_a_nats_of_another_name_or_an_unknown_authority_is_refused(site, hub, host, authority):
    def refusals():
        return sum("TLS handshake error" in line for line in site.secret.program.err_lines)

    before = refusals()
    started = hub(site.secret, host, getattr(site, authority))
    until(lambda: said(started.program, "NATS cannot be reached, or refuses"), "the hub says so", 60)
    until(lambda: refusals() > before, "it was TLS", 60)
    assert metric(started, "hints_arrive") == 0


def test_a_nats_without_tls_is_told_nothing_where_tls_is_demanded(site, hub):
    started = hub(site.plain, "localhost", site.ours)
    until(lambda: said(started.program, "NATS cannot be reached, or refuses"), "the hub says so", 60)
    assert metric(started, "hints_arrive") == 0


@pytest.mark.parametrize(
    ("host", "authority", "why"),
    [
        (HOST, "ours", ""),
        ("another.example.org", "ours", "not valid for name"),
        (HOST, "other", "UnknownIssuer"),
    ],
)
def test_a_database_is_believed_by_its_name_and_authority(site, host, authority, why):
    address = site.primary.url("hub").replace("127.0.0.1", host) + "?hostaddr=127.0.0.1"
    env = loopback_environment({"ROUTE_HUB_DATABASE": address, "ROUTE_HUB_DATABASE_CA": str(getattr(site, authority))})
    command = [binary("route-hub"), "admin", "organization", "list"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=env)
    assert (done.returncode == 0) == (why == ""), done.stderr
    assert why in done.stderr
