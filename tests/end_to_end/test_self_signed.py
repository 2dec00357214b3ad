"""A hub with a key of its own: phones know it by the pin that `admin pair` adds."""

import base64
import hashlib
import json
import ssl
from urllib.parse import parse_qs, urlsplit

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from support.hub import Admin, Serve
from support.numbers import fresh_number
from support.operator import backup, restore
from support.phones import VirtualPhone
from support.wait import until

PERMISSIONS = ["send_messages", "view_messages"]


@pytest.fixture
def hub(tmp_path):
    admin = Admin(tmp_path / "data")
    admin.the_project = admin.project(admin.organization())
    server = Serve(admin.folder, arguments=["--tls-self-signed"], scheme="https", verify=False).start()
    yield server, admin
    assert server.program.stop() == 0
    admin.close()


def served_pin(server):
    """Returns the pin of the key that a hub shows."""
    pem = ssl.get_server_certificate(server.address)
    key = x509.load_pem_x509_certificate(pem.encode()).public_key()
    spki = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return base64.b64encode(hashlib.sha256(spki).digest()).decode()


def invited(admin, *arguments):
    """Returns the code and the pins of an invitation; the command waits for the phone."""
    code = admin.pair("--project", admin.the_project, "--yes", *arguments)
    uri = json.loads(admin.pairings[-1].out_lines[0])["uri"]
    return code, parse_qs(urlsplit(uri).query).get("pin", [])


def test_a_phone_joins_by_the_pin_and_comes_back_after_a_restart_and_a_restore(hub, tmp_path):
    server, admin = hub
    code, (pin,) = invited(admin)
    assert pin == served_pin(server)
    root = f"https://127.0.0.1:{server.port}"
    phone = VirtualPhone(tmp_path / "phone", root, code, arguments=["--pin", pin, "--number", fresh_number()]).start()
    rest = server.rest(admin.key(admin.the_project, PERMISSIONS), admin.the_project)
    rest.session.verify = str(admin.folder / "tls" / "self-signed.pem")
    (route,) = until(lambda: [row["id"] for row in admin("phone", "list") if row["device_id"]], "it joins")

    def sends():
        message = rest.send(fresh_number(), "by the pin", route_id=route)["id"]
        until(lambda: [line for line in phone.radio() if line["message_id"] == message], "the phone sends it", 60)

    sends()
    taken = backup(admin.folder, tmp_path / "copy.db")
    assert server.program.stop() == 0
    restore(admin.folder, taken["file"])
    server.start()
    assert served_pin(server) == pin
    sends()
    phone.program.kill()


def test_what_is_made_is_the_owners_alone(hub):
    _, admin = hub
    folder = admin.folder / "tls"
    modes = {path.name: path.stat().st_mode & 0o777 for path in [folder, *folder.iterdir()]}
    assert modes == {"tls": 0o700, "self-signed.key.pem": 0o600, "self-signed.pem": 0o600}


def test_a_pin_that_is_given_stands_in_place_of_the_hubs_own(hub):
    _, admin = hub
    given = base64.b64encode(bytes(32)).decode()
    assert invited(admin, "--pin", given)[1] == [given]


def test_a_hub_that_somebody_else_vouches_for_adds_no_pin(tmp_path):
    admin = Admin(tmp_path / "data")
    admin.the_project = admin.project(admin.organization())
    public = ["--public-url", "https://hub.example"]
    for own, scheme, pins in (["--tls-self-signed"], "https", 1), ([], "http", 0):
        server = Serve(admin.folder, arguments=[*own, *public], scheme=scheme, verify=False).start()
        assert server.program.stop() == 0
        assert len(invited(admin)[1]) == pins
    admin.close()
