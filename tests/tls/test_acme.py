"""Certificates from an authority: asked for, kept, renewed, and told of when they cannot be."""

import socket
import ssl

import pytest
from cryptography import x509

from support.hub import Admin, Serve
from support.ports import free_port
from support.wait import until
from tls import authority

PUBLIC, SHORT, ASTRAY = "gateway.example.org", "go.example.org", "astray.example.org"
NOBODY = "127.0.0.9"


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    try:
        return authority.built(tmp_path_factory.mktemp("pebble"))
    except authority.Missing as missing:
        pytest.skip(str(missing))


@pytest.fixture
def start(programs, tmp_path):
    """Starts an authority and a hub that asks it; returns both."""
    begun = []

    def started(*arguments, **options):
        port = free_port()
        pebble = authority.Pebble(programs, tmp_path / "authority", port, **options)
        begun.append(pebble.close)
        admin = Admin(tmp_path / "data")
        admin.organization()
        asked = ["--acme", "admin@example.org", "--acme-directory", pebble.directory, "--acme-root", pebble.root]
        server = Serve(admin.folder, port, [*asked, "--public-url", f"https://{PUBLIC}", *arguments])
        server.admin = admin
        server.is_ready = lambda: is_certified(server, PUBLIC, pebble)
        server.start()
        begun.append(lambda: server.program.kill())
        return pebble, server

    yield started
    for end in reversed(begun):
        end()


def handshake(server, name, issuer=None, protocols=("http/1.1",)):
    """Returns the certificate that a hub shows under a name, if the issuer vouches for it."""
    context = ssl.create_default_context(cafile=str(issuer)) if issuer else ssl._create_unverified_context()
    context.set_alpn_protocols(protocols)
    with socket.create_connection(server.address, timeout=10) as raw:
        with context.wrap_socket(raw, server_hostname=name) as stream:
            return x509.load_der_x509_certificate(stream.getpeercert(binary_form=True))


def certificate(server, name, pebble):
    try:
        return handshake(server, name, pebble.issuer)
    except (ssl.SSLError, ConnectionError):
        return None


def is_certified(server, name, pebble):
    return certificate(server, name, pebble) is not None


def test_each_name_gets_a_certificate_that_a_restart_keeps(start):
    pebble, server = start("--host", "127.0.0.1", "--host", "SMS.example.org")
    until(lambda: is_certified(server, "sms.example.org", pebble), "a name of --host has one", 60)
    assert not is_certified(server, SHORT, pebble)
    server.admin("short-domain", "add", SHORT)
    until(lambda: is_certified(server, SHORT, pebble), "a short domain has one", 60)
    kept = {path.name: path.stat().st_mode & 0o777 for path in (server.folder / "tls").rglob("*") if path.is_file()}
    assert kept == dict.fromkeys(["account.json", *(f"{name}.pem" for name in (PUBLIC, SHORT, "sms.example.org"))], 0o600)
    before = certificate(server, PUBLIC, pebble).serial_number
    assert server.program.stop() == 0
    pebble.close()
    server.start()
    assert certificate(server, PUBLIC, pebble).serial_number == before
    assert not [line for line in server.program.err_lines if "no certificate" in line]


def test_a_certificate_is_renewed_ahead_of_its_end(start):
    pebble, server = start(life_s=12)
    first = certificate(server, PUBLIC, pebble)
    renewed = until(lambda: (now := certificate(server, PUBLIC, pebble)) and now != first and now, "it is renewed", 60)
    assert renewed.not_valid_before_utc < first.not_valid_after_utc


def test_a_name_that_leads_elsewhere_keeps_no_other_from_its_certificate(start):
    pebble, server = start()
    pebble.move(ASTRAY, NOBODY)
    server.admin("short-domain", "add", ASTRAY)
    server.admin("short-domain", "add", SHORT)
    until(lambda: is_certified(server, SHORT, pebble), "the other short domain has one", 60)
    refused = lambda: [line for line in server.program.err_lines if "no certificate was issued" in line and ASTRAY in line]
    (line,) = until(refused, "the log says so", 60)
    assert NOBODY in line and "again_s=300" in line
    assert handshake(server, ASTRAY) == certificate(server, PUBLIC, pebble), "the public one is shown in its place"


def test_nobody_else_is_answered_as_the_authority_is(start):
    pebble, server = start()
    with pytest.raises((ssl.SSLError, ConnectionError)):
        handshake(server, PUBLIC, protocols=["acme-tls/1"])
    assert is_certified(server, PUBLIC, pebble)
