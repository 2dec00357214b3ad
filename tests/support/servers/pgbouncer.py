"""A pooler of the tests' own, Debian's pgbouncer, before a PostgreSQL."""

import os
import shutil
import signal

from support.ports import free_port
from support.process import Program
from support.servers import Missing, account
from support.servers.postgres import USER
from support.wait import until

# Debian puts it where only root's path leads.
ELSEWHERE = os.pathsep + "/usr/sbin"


def program():
    """Returns the path of the pooler's program."""
    found = shutil.which("pgbouncer", path=os.environ.get("PATH", os.defpath) + ELSEWHERE)
    if not found:
        raise Missing("pgbouncer is missing (on Debian: apt-get install pgbouncer)")
    return found


class PgBouncer:
    """One pooler in a mode (`session`, `transaction`, `statement`); `close` ends it."""

    def __init__(self, server, mode, **settings):
        self.path = program()
        self.server = server
        self.settings = {"pool_mode": mode, **settings}
        self.port = free_port()
        self.folder = account.folder("pgbouncer")
        self.program = None

    def url(self, database):
        """Returns the URL of a database through the pooler."""
        return self.server.url(database, self.port)

    def start(self):
        """Starts the pooler and waits until it takes connections."""
        users, file = self.folder / "users", self.folder / "pgbouncer.ini"
        users.write_text(f'"{USER}" "{self.server.password}"\n')
        settings = {
            "listen_addr": "127.0.0.1",
            "listen_port": self.port,
            "unix_socket_dir": "",
            "auth_type": "scram-sha-256",
            "auth_file": users,
            **self.settings,
        }
        lines = [f"{name} = {value}" for name, value in settings.items()]
        databases = f"[databases]\n* = host=127.0.0.1 port={self.server.port}\n"
        file.write_text(databases + "\n".join(["[pgbouncer]", *lines]) + "\n")
        self.program = Program(account.command([self.path, file]), name="pgbouncer", cwd=self.folder)
        until(lambda: any("process up" in line for line in self.program.err_lines), "the pooler takes connections")
        return self

    def close(self):
        """Ends it and removes its folder."""
        try:
            if self.program:
                self.program.stop(signal.SIGINT)
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)
