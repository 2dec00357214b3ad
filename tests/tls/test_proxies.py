"""The proxies of docs/operating.md, as they are printed there: a phone joins through each, and sends."""

import re
import shutil

import pytest
import requests

from support.certificates import Authority
from support.hub import Admin, Serve
from support.numbers import fresh_number
from support.paths import ROOT
from support.phones import VirtualPhone
from support.ports import free_port
from support.process import Program
from support.wait import until

PLACES = "/usr/sbin:/usr/bin:/usr/local/bin:/usr/local/sbin"
NAME = "gateway.example.org"
HUB = "127.0.0.1:8090"
PERMISSIONS = ["send_messages", "view_messages"]


def printed(language):
    """Returns the one block of a language in the documentation."""
    (block,) = re.findall(rf"^```{language}\n(.*?)^```", (ROOT / "docs" / "operating.md").read_text(), re.M | re.S)
    return block


def replaced(text, words):
    for old, new in words.items():
        assert old in text, f"the documentation has no {old}"
        text = text.replace(old, str(new))
    return text


class Proxy:
    """A proxy's command on the documentation's block, with a certificate for loopback."""

    def __init__(self, folder, port, hub_port):
        self.folder, self.port, self.hub = folder, port, f"127.0.0.1:{hub_port}"
        self.authority = Authority(folder, "authority")
        self.cert, self.key = self.authority.issue(folder, "localhost")

    def nginx(self, program):
        words = {
            "listen 443 ssl;": f"listen 127.0.0.1:{self.port} ssl;",
            NAME: "localhost",
            HUB: self.hub,
            "/etc/ssl/fullchain.pem": self.cert,
            "/etc/ssl/privkey.pem": self.key,
        }
        whole = f"pid {self.folder}/pid; error_log stderr; events {{}} http {{ access_log off; {self._temporary()} "
        (self.folder / "nginx.conf").write_text(whole + replaced(printed("nginx"), words) + "}")
        return [program, "-p", self.folder, "-c", self.folder / "nginx.conf", "-g", "daemon off;"]

    def _temporary(self):
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        return " ".join(f"{kind}_temp_path {self.folder}/{kind};" for kind in kinds)

    def caddy(self, program):
        site = {f"{NAME} {{": f"https://localhost:{self.port} {{\n tls {self.cert} {self.key}", HUB: self.hub}
        options = "{\n admin off\n auto_https disable_redirects\n}\n"
        (self.folder / "Caddyfile").write_text(options + replaced(printed("caddyfile"), site))
        return [program, "run", "--adapter", "caddyfile", "--config", self.folder / "Caddyfile"]


@pytest.mark.parametrize("kind", ("nginx", "caddy"))
def test_a_phone_joins_through_a_proxy_and_sends(kind, tmp_path):
    program = shutil.which(kind) or shutil.which(kind, path=PLACES)
    if not program:
        pytest.skip(f"there is no {kind} here")
    admin = Admin(tmp_path / "data")
    project = admin.project(admin.organization())
    port = free_port()
    server = Serve(admin.folder, arguments=["--public-url", f"https://localhost:{port}"]).start()
    (tmp_path / "proxy").mkdir()
    proxy = Proxy(tmp_path / "proxy", port, server.port)
    trusted = str(proxy.authority.file)
    root = f"https://localhost:{port}"
    own = {"HOME": str(proxy.folder), "XDG_DATA_HOME": str(proxy.folder)}
    running = Program(getattr(proxy, kind)(program), env=own, name=kind)

    def answers():
        assert running.alive(), running.words()
        try:
            return requests.get(f"{root}/readyz", verify=trusted, timeout=10).status_code == 200
        except requests.ConnectionError:
            return False

    until(answers, "the proxy answers")
    code = admin.pair("--project", project, "--yes")
    arguments = ["--ca", trusted, "--number", fresh_number()]
    phone = VirtualPhone(tmp_path / "phone", root, code, arguments=arguments).start()
    (route,) = until(lambda: [row["id"] for row in admin("phone", "list") if row["device_id"]], "it joins", 60)
    rest = server.rest(admin.key(project, PERMISSIONS), project)
    rest.base_url, rest.session.verify = f"{root}/v1", trusted
    message = rest.send(fresh_number(), "through a proxy", route_id=route)["id"]
    until(lambda: [line for line in phone.radio() if line["message_id"] == message], "the phone sends it", 60)
    assert not [line for line in server.program.err_lines if "X-Forwarded-For" in line]
    phone.program.kill()
    admin.close()
    assert server.program.stop() == 0
    assert running.stop() == 0
