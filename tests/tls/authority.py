"""An authority of the tests' own: Pebble, which speaks ACME and looks at hubs as Let's Encrypt does."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import requests

from support.certificates import Authority
from support.ports import free_port
from support.process import Program
from support.wait import until

MODULE = "github.com/letsencrypt/pebble/v2"
VERSION = "v2.10.3"
GO_PLACES = os.pathsep.join([os.environ.get("PATH", ""), "/usr/local/go/bin"])


class Missing(Exception):
    """Pebble cannot be built here."""


def built(folder):
    """Builds Pebble and its name server, and returns the folder of both."""
    go = shutil.which("go", path=GO_PLACES)
    if not go:
        raise Missing("there is no Go here")
    programs = [f"{MODULE}/cmd/{name}@{VERSION}" for name in ("pebble", "pebble-challtestsrv")]
    env = {**os.environ, "GOBIN": str(folder), "GOFLAGS": "-modcacherw", "CGO_ENABLED": "0"}
    for program in programs:
        done = subprocess.run([go, "install", program], env=env, capture_output=True, text=True, timeout=900)
        if done.returncode != 0:
            raise Missing(f"Pebble cannot be built: {done.stderr.strip()}")
    return Path(folder)


class Pebble:
    """An authority that looks for every name at one port of loopback, and what it is trusted by."""

    def __init__(self, programs, folder, hub_port, life_s=90 * 24 * 3600):
        folder.mkdir()
        self.names_port, self.port, self.own_port, names_udp = (free_port() for _ in range(4))
        own = Authority(folder, "pebble")
        cert, key = own.issue(folder, "localhost")
        self.root = own.file
        config = {
            "listenAddress": f"127.0.0.1:{self.port}",
            "managementListenAddress": f"127.0.0.1:{self.own_port}",
            "certificate": str(cert),
            "privateKey": str(key),
            "httpPort": free_port(),
            "tlsPort": hub_port,
            "ocspResponderURL": "",
            "profiles": {"default": {"description": "for tests", "validityPeriod": life_s}},
        }
        (folder / "config.json").write_text(json.dumps({"pebble": config}))
        names = [programs / "pebble-challtestsrv", "-management", f"127.0.0.1:{self.names_port}"]
        names += ["-dnsserver", f"127.0.0.1:{names_udp}", "-defaultIPv4", "127.0.0.1", "-defaultIPv6", ""]
        names += ["-http01", "", "-https01", "", "-tlsalpn01", "", "-doh", ""]
        self.programs = [Program(names, name="pebble-challtestsrv")]
        command = [programs / "pebble", "-config", folder / "config.json", "-dnsserver", f"127.0.0.1:{names_udp}"]
        env = {"PEBBLE_VA_NOSLEEP": "1", "PEBBLE_WFE_NONCEREJECT": "0"}
        self.programs.append(Program(command, env=env, name="pebble"))
        self.issuer = folder / "issuer.pem"
        self.issuer.write_text(until(self._issuer, "the authority answers", 60))

    @property
    def directory(self):
        """Where a hub begins."""
        return f"https://localhost:{self.port}/dir"

    def _issuer(self):
        for program in self.programs:
            assert program.alive(), program.words()
        try:
            answer = requests.get(f"https://localhost:{self.own_port}/roots/0", verify=str(self.root), timeout=10)
        except requests.ConnectionError:
            return None
        return answer.text

    def move(self, name, address):
        """Has the authority find a name at another address."""
        body = {"host": f"{name}.", "addresses": [address]}
        requests.post(f"http://127.0.0.1:{self.names_port}/add-a", json=body, timeout=10).raise_for_status()

    def close(self):
        """Ends both programs."""
        for program in self.programs:
            program.kill()
