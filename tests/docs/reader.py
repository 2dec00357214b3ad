"""Somebody who types what a document shows, with their own folders, ids and address in the place of the examples."""

import json
import os
import re
import subprocess

import requests
import urllib3

from support import databases
from support.certificates import self_signed
from support.hub import Admin, Demo
from support.link import LinkPhone
from support.paths import binary
from support.ports import free_port
from support.process import Program, loopback_environment
from support.wait import until

urllib3.disable_warnings()

# Commands of an administrator, done in the reader's own folders.
SHIMS = {
    "sudo": 'shift 2\nexec "$@"',
    "useradd": "exit 0",
    "install": 'kept=()\nwhile [ $# -gt 0 ]; do case $1 in --owner|--group) shift ;; *) kept+=("$1") ;; esac; shift; done\n'
    'exec /usr/bin/install "${kept[@]}"',
}
ID = re.compile(r"\b(OR|PJ|PN|DV|AL)[0-9a-z]{10,}\b")


class Reader:
    """Types one document's blocks in order, in folders of its own."""

    def __init__(self, home):
        self.home = home
        self.env = {"PATH": f"{home / 'bin'}:{binary('route-hub').parent}:{os.environ['PATH']}", "HOME": str(home)}
        self.known = {}
        self.python = ""
        self.hub = self.demo = None
        self.port = free_port()
        self.data = home / "var/lib/route-hub"
        for folder in ("bin", "var/lib", "var/backups", "etc/route-hub"):
            (home / folder).mkdir(parents=True)
        for name, text in SHIMS.items():
            shim = home / "bin" / name
            shim.write_text(f"#!/bin/bash\n{text}\n")
            shim.chmod(0o755)
        certificate, key = self_signed(home, "hub")
        for name in ("cert", "fullchain"):
            (home / f"{name}.pem").write_bytes(certificate.read_bytes())
        for name in ("key", "privkey"):
            (home / f"{name}.pem").write_bytes(key.read_bytes())

    def type(self, command):
        """Types one command, and waits until it has ended, or serves."""
        typed = self.filled_in(command)
        if re.match(r"(sudo -u \S+ )?systemctl ", typed):
            self.systemctl(*typed.split()[1:])
        elif typed.startswith("export "):
            name, value = typed.removeprefix("export ").split("=", 1)
            self.env[name] = value
        elif re.search(r"\broute-hub serve\b", typed):
            self.serve(typed)
        elif re.search(r"\badmin\b.* pair\b", typed):
            self.pair(typed)
        else:
            self.run(typed)

    def run(self, typed):
        """Runs a command in bash, and keeps the ids that it prints."""
        env = loopback_environment({**databases.environment(self.data), **self.env})
        done = subprocess.run(["bash", "-ec", typed], capture_output=True, text=True, timeout=120, env=env, cwd=self.home)
        assert done.returncode == 0, f"{typed}\nended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
        if typed.startswith("curl "):
            assert "error" not in json.loads(done.stdout), done.stdout
        else:
            self.keep(done.stdout)

    def keep(self, printed):
        """Remembers the last id of each kind, and the last key."""
        for found in ID.finditer(printed):
            self.known[found[1]] = found[0]

    def filled_in(self, text):
        """Puts the reader's own folders, ids and address in the place of the document's."""
        for folder in ("/var/lib/route-hub", "/var/backups/route-hub", "/etc/route-hub", "/tmp/trial"):
            text = text.replace(folder, str(self.home) + folder)
        text = text.replace("/usr/local/bin/route-hub", str(binary("route-hub"))).replace("/usr/bin/route-hub", str(binary("route-hub")))
        text = re.sub(r"hub-2026\w+\.db", lambda _: self.newest_backup(), text)
        if "API_KEY" in text:
            text = self.filled_in_for_demo(text)
        text = re.sub(r"\b(OR|PJ|PN|DV|AL)…", lambda kind: self.id(kind[1]), text)
        text = re.sub(r"(?<=--secret )…|(?<=-secret )…", "a-secret-of-the-readers", text)
        return re.sub(r"(0\.0\.0\.0|127\.0\.0\.1):(443|8090)\b", f"127.0.0.1:{self.port}", text)

    def filled_in_for_demo(self, text):
        """Puts the demo's key, project and address in their place; it is started for that."""
        if self.demo is None:
            self.demo = Demo(self.home / "demo")
        address = "{}:{}".format(*self.demo.address)
        text = text.replace("API_KEY", self.demo.api_key).replace("PROJECT_ID", self.demo.project_id)
        text = text.replace("PJ…", self.demo.project_id)
        return text.replace("127.0.0.1:8090", address).replace("https://gateway.example.org", f"http://{address}")

    def newest_backup(self):
        """Returns the name of the newest backup."""
        return max(path.name for path in (self.home / "var/backups/route-hub").glob("hub-*.db"))

    def id(self, kind):
        """Returns an id that was printed, or that of something made for a document that begins in the middle."""
        if kind not in self.known:
            admin = Admin(self.data)
            if kind == "OR":
                self.known[kind] = admin.organization("Clinic")
            elif kind == "PJ":
                self.known[kind] = admin.project(self.id("OR"), "Reminders")
            elif kind in ("PN", "DV"):
                self.run_hub()
                self.pair(f"route-hub admin --dir {self.data} pair --project {self.id('PJ')}")
            else:
                raise AssertionError(f"nobody has printed an id of {kind}")
        return self.known[kind]

    def run_hub(self):
        """Starts the hub on the data folder, unless it runs."""
        if self.hub is None:
            self.serve(f"route-hub serve --dir {self.data} --listen 127.0.0.1:{self.port}")

    def serve(self, typed):
        """Starts a hub in the place of the one before, and waits until it is ready."""
        self.stop()
        scheme = "https" if "--tls-" in typed else "http"
        self.address = f"{scheme}://127.0.0.1:{self.port}"
        env = {**databases.environment(self.data), **self.env}
        self.hub = Program(["bash", "-ec", f"exec {typed} --operator-listen off"], env=env, cwd=self.home, name=typed)
        until(self._is_ready, f"the hub is ready: {typed}", 60)

    def _is_ready(self):
        assert self.hub.alive(), f"{self.hub.name}\nended:\n{self.hub.words()}"
        try:
            return requests.get(f"{self.address}/readyz", timeout=2, verify=False).status_code == 200
        except requests.RequestException:
            return False

    def systemctl(self, verb, *units):
        """Does what systemd would do with the hub's unit."""
        assert "route-hub" in " ".join(units) or verb == "daemon-reload", units
        if verb in ("stop", "restart"):
            self.stop()
        if verb in ("start", "restart") or (verb, *units)[:2] == ("enable", "--now"):
            self.run_hub()

    def pair(self, typed):
        """Types the command, has a phone use the code, compares nothing and answers `y`."""
        self.run_hub()
        typed = re.sub(r"--hub \S+", f"--hub {self.address}", typed)
        program = Program(["bash", "-ec", f"exec {typed} --json"], env={**databases.environment(self.data), **self.env}, cwd=self.home)
        code = json.loads(program.line())["code"]
        program.type("y")
        phone = Phone(self.address).pair(code)
        self.known["DV"], self.known["PN"] = phone.device_id, phone.phone_id
        assert program.process.wait(20) == 0, program.words()

    def stop(self):
        """Ends the hub in order."""
        if self.hub is not None:
            code, words = self.hub.stop(), self.hub.words()
            assert code == 0, words
        self.hub = None

    def close(self):
        """Ends everything."""
        self.stop()
        if self.demo is not None:
            assert self.demo.program.stop() == 0, self.demo.program.words()


class Phone(LinkPhone):
    """A phone that takes the reader's certificate."""

    def post_pair(self, body, headers=None):
        with requests.Session() as session:
            session.trust_env = False
            return session.post(f"{self.hub_root}/pair", json=body, headers=headers, timeout=20, verify=False)
