"""The page that a phone's camera opens: its content, what it accepts, and that opening it costs nothing."""

import base64
import hashlib
import json
import re
import shutil
import struct
import subprocess
from urllib.parse import quote

import pytest
import requests

from support.hub import Admin, Serve
from support.link import LinkPhone
from support.paths import binary
from support.process import loopback_environment

APK = b"PK\x03\x04" + b"an app" * 1000
CERTIFICATE = "ab:" * 31 + "cd"
HUB = "https://gateway.example.org"


@pytest.fixture(scope="module")
def admin(tmp_path_factory):
    commands = Admin(tmp_path_factory.mktemp("page") / "data")
    commands.the_project = commands.project(commands.organization())
    yield commands
    commands.close()


@pytest.fixture(scope="module")
def served(admin):
    apk = admin.folder.parent / "postrider.apk"
    apk.write_bytes(APK)
    arguments = ["--app-file", apk, "--app-certificate", CERTIFICATE, "--log", "trace"]
    server = Serve(admin.folder, arguments=arguments).start()
    yield server
    assert server.program.stop() == 0


def root(server):
    return f"http://127.0.0.1:{server.port}"


def source(policy, kind):
    return re.search(rf"{kind}-src ([^;]*)", policy).group(1)


def hashed(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def test_the_page_runs_its_own_script_alone_and_loads_and_sends_nothing(served):
    answer = requests.get(root(served) + "/pair", timeout=10)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    policy = answer.headers["Content-Security-Policy"]
    assert source(policy, "default") == "'none'"
    (script,) = re.findall(r"<script[^>]*>(.*?)</script>", answer.text, re.S)
    (style,) = re.findall(r"<style[^>]*>(.*?)</style>", answer.text, re.S)
    assert source(policy, "script") == hashed(script)
    assert source(policy, "style") == hashed(style)
    assert "frame-ancestors 'none'" in policy and "form-action 'none'" in policy and "base-uri 'none'" in policy
    assert "postrider://pair?hub=" in script
    assert 'id="code"' in answer.text


# A page with four parts, as far as the script uses it.
BROWSER = """
const parts = {};
const part = (id) => (parts[id] = parts[id] || { hidden: null, value: "", addEventListener: (_, act) => (parts[id].act = act) });
const window = { addEventListener: () => {} };
const document = { getElementById: part };
"""


def run_page(page, address, typed=None):
    """Opens the page at an address, as a browser would; returns where its button leads, or what was typed into it."""
    script = re.search(r"<script>(.*?)</script>", page, re.S).group(1)
    typing = f'part("code").value = {typed!r}; part("form").act({{ preventDefault() {{}} }});' if typed else ""
    told = f"""
        const location = new URL({address!r});
        {BROWSER}
        Object.defineProperty(location, "href", {{ set: (to) => (part("went").to = to) }});
        {script.replace('"use strict";', "")}
        {typing}
        console.log(JSON.stringify({{ button: part("open").href, went: part("went").to, wrong: part("wrong").hidden }}));
    """
    done = subprocess.run(["node", "-e", told], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.skipif(not shutil.which("node"), reason="there is no JavaScript here")
def test_the_button_leads_into_the_app_with_the_hub_and_the_code(served):
    page = requests.get(root(served) + "/pair", timeout=10).text
    link = "postrider://pair?hub=https%3A%2F%2Fgateway.example.org%2Fsms&code="
    code = "ABCD" + "0" * 26
    assert run_page(page, f"{HUB}/sms/pair#code={code}")["button"] == link + code
    typed = run_page(page, f"{HUB}/sms/pair", "abcd-efgh-jkmn")
    assert "button" not in typed and typed["went"] == link + "abcd-efgh-jkmn"
    for wrong in ("javascript:alert(1)//", "ABCD&hub=https://elsewhere.example"):
        refused = run_page(page, f"{HUB}/pair#code={quote(wrong)}", wrong)
        assert "button" not in refused and "went" not in refused and refused["wrong"] is False


def test_looking_uses_nothing_up_and_no_log_has_the_code(admin, served):
    invited = admin("pair", "--project", admin.the_project, "--no-wait")
    for path in ("/pair", "/pair", "/pair%23code=" + invited["full_code"], "/pair?code=" + invited["full_code"]):
        requests.get(root(served) + path, timeout=10)
        requests.head(root(served) + path, timeout=10)
    phone = LinkPhone(root(served))
    assert phone.pair_once(invited["code"]).status_code == 200
    words = served.program.words()
    for secret in (invited["code"], invited["full_code"], invited["full_code"][4:]):
        assert secret not in words


def test_the_app_comes_as_a_phone_takes_it(served):
    page = requests.get(root(served) + "/pair", timeout=10).text
    (link,) = re.findall(r'href="([^"]*\.apk)"', page)
    answer = requests.get(f"{root(served)}/{link}", timeout=10)
    assert answer.content == APK
    assert answer.headers["Content-Type"] == "application/vnd.android.package-archive"
    assert "attachment" in answer.headers["Content-Disposition"]


def test_the_statement_names_the_certificate(served):
    answer = requests.get(root(served) + "/.well-known/assetlinks.json", timeout=10)
    assert answer.headers["Content-Type"] == "application/json"
    (statement,) = answer.json()
    assert statement["relation"] == ["delegate_permission/common.handle_all_urls"]
    assert statement["target"] == {
        "namespace": "android_app",
        "package_name": "org.postrider.agent",
        "sha256_cert_fingerprints": [CERTIFICATE.upper()],
    }


def test_without_the_settings_there_is_the_page_alone(tmp_path):
    bare = Admin(tmp_path / "data")
    bare.organization()
    server = Serve(bare.folder).start()
    page = requests.get(root(server) + "/pair", timeout=10)
    assert page.status_code == 200 and ".apk" not in page.text
    for path in ("/pair/postrider.apk", "/.well-known/assetlinks.json"):
        assert requests.get(root(server) + path, timeout=10).status_code == 404
    assert server.program.stop() == 0


@pytest.mark.parametrize(
    ("argument", "value"),
    [("--app-file", "/nowhere/postrider.apk"), ("--app-file", __file__), ("--app-certificate", "AB:CD")],
)
def test_what_cannot_be_offered_is_named_at_the_start(admin, argument, value):
    command = [str(binary("route-hub")), "serve", "--dir", str(admin.folder), argument, value]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=loopback_environment(), check=False)
    assert done.returncode in (1, 2)
    assert argument in done.stderr


def test_the_code_in_the_qr_leads_to_the_page_where_a_browser_can_check_the_hub(admin, tmp_path):
    pin = base64.b64encode(bytes(32)).decode()
    # No hub runs here that would know better: the address decides.
    other = Admin(tmp_path / "data")
    project = other.project(other.organization())
    asked = ["pair", "--project", project, "--no-wait", "--hub"]
    page = other(*asked, HUB)
    assert page["qr"] == f"{HUB}/pair#code={page['full_code']}"
    assert page["uri"].startswith("postrider://pair?")
    for answer in (other(*asked, HUB, "--pin", pin), other(*asked, "http://127.0.0.1:8090")):
        assert answer["qr"] == answer["uri"]


def test_the_picture_is_a_png_that_nobody_else_may_read(tmp_path):
    admin = Admin(tmp_path / "data")
    project = admin.project(admin.organization())
    file = tmp_path / "code.png"
    admin("pair", "--project", project, "--no-wait", "--hub", HUB, "--png", file)
    data = file.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", data[16:24])
    assert width == height > 200
    assert file.stat().st_mode & 0o077 == 0
    refused = admin("pair", "--project", project, "--no-wait", "--png", tmp_path / "no" / "code.png", "--hub", HUB, check=False)
    assert refused.returncode == 1 and "--png" in refused.stderr
