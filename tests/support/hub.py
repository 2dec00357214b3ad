"""The hub as a process: the demo with its one line of JSON, and `serve` with the admin commands."""

import json
import subprocess
from pathlib import Path

import requests

from support import databases
from support.paths import binary
from support.ports import free_port
from support.process import Died, Program, loopback_environment
from support.rest import Rest
from support.wait import until


class Demo:
    """`route-hub demo --json`: a hub with phones; the demo's facts are attributes."""

    def __init__(self, folder, phones=2, listen="127.0.0.1:0", arguments=(), env=None):
        self.folder = Path(folder)
        self.radio_log = self.folder / "radio.jsonl"
        command = [binary("route-hub"), "demo", "--json", "--dir", self.folder / "demo", "--listen", listen]
        command += ["--phones", str(phones), "--radio-log", self.radio_log, *arguments]
        self.folder.mkdir(parents=True, exist_ok=True)
        env = {**databases.environment(self.folder / "demo"), **(env or {})}
        self.program = Program(command, env=env, name="route-hub demo")
        try:
            self.facts = json.loads(self.program.line())
        except BaseException:
            self.program.kill()
            raise
        self.base_url = self.facts["base_url"]
        self.api_key = self.facts["api_key"]
        self.organization_id = self.facts["organization_id"]
        self.project_id = self.facts["project_id"]
        self.operator_url = self.facts["operator_url"]
        self.phones = self.facts["phones"]
        self.test_phone_id = self.facts["test_phone_id"]
        self.rest = Rest(self.base_url, self.api_key, self.project_id)

    @property
    def address(self):
        """Host and port of the listener."""
        host, port = self.base_url.split("//")[1].split("/")[0].rsplit(":", 1)
        return host, int(port)

    def radio(self):
        """Returns every line of the radio log so far."""
        return read_radio_log(self.radio_log)


def read_radio_log(path):
    """Reads a radio log; a last line that a kill cut off is left out."""
    path = Path(path)
    if not path.exists():
        return []
    whole = path.read_bytes()
    whole = whole[: whole.rfind(b"\n") + 1]
    return [json.loads(line) for line in whole.splitlines() if line.strip()]


class Admin:
    """`route-hub admin` on one data folder."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.pairings = []

    def __call__(self, *arguments, check=True):
        command = [str(binary("route-hub")), "admin", *map(str, arguments), "--dir", str(self.folder), "--json"]
        env = loopback_environment(databases.environment(self.folder))
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=env)
        if check and done.returncode != 0:
            raise Died(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")
        return json.loads(done.stdout) if check and done.stdout.strip() else done

    def organization(self, name="Org"):
        """Creates an organization and returns its id."""
        return self("organization", "create", "--name", name)["id"]

    def project(self, organization, name="Project", *settings):
        """Creates a project and returns its id."""
        return self("project", "create", "--organization", organization, "--name", name, *settings)["id"]

    def key(self, project=None, permissions=(), *more):
        """Creates an API key and returns its text, which is shown once."""
        arguments = ["key", "create"]
        if project:
            arguments += ["--project", project]
        for permission in permissions:
            arguments += ["--permission", permission]
        answer = self(*arguments, *more)
        return answer.get("api_key") or answer["key"]


    def pair(self, *arguments):
        """Starts `admin pair` with these arguments, and returns its code; it waits for the phone and then ends."""
        command = [binary("route-hub"), "admin", "pair", *arguments, "--dir", self.folder, "--json"]
        program = Program(command, env=databases.environment(self.folder), name="route-hub admin pair")
        self.pairings.append(program)
        return json.loads(program.line())["code"]

    def confirm(self, name):
        """Waits until a phone has used the code of this name, and confirms it."""
        command = [str(part) for part in (binary("route-hub"), "admin", "pair", "--confirm", name, "--yes", "--dir", self.folder)]
        env = loopback_environment(databases.environment(self.folder))
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=env)
        assert done.returncode == 0, done.stderr

    def close(self):
        """Ends commands that still wait for a phone."""
        for program in self.pairings:
            program.kill()

    def alerts(self):
        """Returns the standing alerts."""
        answer = self("alerts")
        return answer if isinstance(answer, list) else answer["alerts"]


class Serve:
    """`route-hub serve` on a folder that the admin commands have filled."""

    def __init__(self, folder, port=None, arguments=(), env=None, scheme="http", verify=True):
        self.folder = Path(folder)
        self.port = port or free_port()
        self.operator_port = free_port()
        self.scheme = scheme
        self.verify = verify
        self.arguments = list(arguments)
        self.env = env
        self.binary = None
        self.base_url = f"{scheme}://127.0.0.1:{self.port}/v1"
        self.program = None

    @property
    def address(self):
        """Host and port of the listener."""
        return "127.0.0.1", self.port

    def start(self):
        """Starts the program and waits until it is ready."""
        program = self.binary or binary("route-hub")
        command = [program, "serve", "--dir", self.folder, "--listen", f"127.0.0.1:{self.port}"]
        if "--operator-listen" not in self.arguments:
            command += ["--operator-listen", f"127.0.0.1:{self.operator_port}"]
        env = {**databases.environment(self.folder), **(self.env or {})}
        self.program = Program(command + self.arguments, env=env, name="route-hub serve")
        until(self._ready, "the hub is ready", 60)
        return self

    def _ready(self):
        if not self.program.alive():
            raise Died(f"route-hub serve ended with {self.program.process.returncode}:\n{self.program.words()}")
        return self.is_ready()

    def is_ready(self):
        """Says whether the hub answers that it is ready."""
        try:
            url = f"{self.scheme}://127.0.0.1:{self.port}/readyz"
            return requests.get(url, timeout=2, verify=self.verify).status_code == 200
        except requests.RequestException:
            return False

    @property
    def operator_url(self):
        """Where the hub shows its operator its state."""
        return f"http://127.0.0.1:{self.operator_port}"

    def rest(self, key, project):
        """Returns a caller of this hub's API."""
        return Rest(self.base_url, key, project)
