"""The hub's own TLS, with a certificate that we make."""

import socket
import ssl
import warnings

import pytest
import requests
from cryptography import x509

from support.certificates import self_signed
from support.hub import Admin, Serve
from support.paths import binary
from support.process import Program
from support.wait import until


@pytest.fixture
def tls(tmp_path):
    admin = Admin(tmp_path / "data")
    project = admin.project(admin.organization())
    cert, key = self_signed(tmp_path, "first")
    arguments = ["--tls-cert", cert, "--tls-key", key]
    server = Serve(admin.folder, arguments=arguments, scheme="https", verify=str(cert)).start()
    yield server, admin, project, cert
    assert server.program.stop() == 0


def served_name(port):
    pem = ssl.get_server_certificate(("127.0.0.1", port))
    return x509.load_pem_x509_certificate(pem.encode()).subject.rfc4514_string()


def test_the_api_speaks_tls_and_reloads_its_certificate(tls, tmp_path):
    server, admin, project, cert = tls
    rest = server.rest(admin.key(project, ["view_projects"]), project)
    rest.session.verify = str(cert)
    assert rest.get("/projects")["data"][0]["id"] == project
    with pytest.raises(requests.exceptions.SSLError):
        rest.call("GET", "/projects", verify=True)
    assert served_name(server.port) == "CN=first"
    self_signed(tmp_path, "second")
    until(lambda: served_name(server.port) == "CN=second", "the new certificate is served", 60)


def test_plain_http_and_old_tls_on_the_tls_port_are_turned_away(tls):
    server, *_ = tls
    with pytest.raises(requests.exceptions.ConnectionError):
        requests.get(f"http://127.0.0.1:{server.port}/healthz", timeout=10)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_ciphers("ALL:@SECLEVEL=0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
    with pytest.raises((ssl.SSLError, ConnectionError, OSError)):
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as raw:
            context.wrap_socket(raw)


def test_plain_http_on_an_open_address_needs_a_word(tmp_path):
    program = Program([binary("route-hub"), "serve", "--dir", tmp_path / "d", "--listen", "0.0.0.0:0"])
    until(lambda: not program.alive(), "it refuses")
    assert program.process.returncode != 0
    program.kill()
    assert "tls" in program.words().lower()
