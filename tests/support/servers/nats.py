"""A NATS server of the tests' own."""

import os
import secrets
import shutil
import signal

from support.ports import free_port
from support.process import Program
from support.servers import Missing, account
from support.wait import until

# Debian puts it where only root's path leads.
ELSEWHERE = os.pathsep + "/usr/sbin"


def program():
    """Returns the path of the server's program."""
    found = shutil.which("nats-server", path=os.environ.get("PATH", os.defpath) + ELSEWHERE)
    if not found:
        raise Missing("nats-server is missing (on Debian: apt-get install nats-server)")
    return found


class Nats:
    """One server, which keeps nothing; `close` ends it."""

    def __init__(self, port=None, authority=None):
        """With an authority it speaks TLS, under the name `localhost`."""
        self.path = program()
        self.port = port or free_port()
        self.password = secrets.token_hex(16)
        self.folder = account.folder("nats")
        self.tls = authority and authority.issue(self.folder, "localhost")
        self.program = None

    @property
    def url(self):
        """Where clients find it."""
        return f"nats://postrider:{self.password}@127.0.0.1:{self.port}"

    def start(self):
        """Starts the server and waits until it takes connections."""
        settings = self.folder / "nats.conf"
        who = f'authorization {{ user: postrider, password: "{self.password}" }}'
        tls = 'tls {{ cert_file: "{}", key_file: "{}" }}'.format(*self.tls) if self.tls else ""
        settings.write_text(f"listen: 127.0.0.1:{self.port}\n{who}\n{tls}\n")
        self.program = Program(account.command([self.path, "--config", settings]), name="nats-server", cwd=self.folder)
        until(lambda: any("Server is ready" in line for line in self.program.err_lines), "NATS takes connections")
        return self

    def stop(self):
        """Ends it in good order."""
        if self.program:
            self.program.stop(signal.SIGINT)

    def close(self):
        """Ends it and removes its folder."""
        try:
            self.stop()
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)
