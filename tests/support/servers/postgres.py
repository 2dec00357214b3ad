"""A durable PostgreSQL of the tests' own, alone or with a synchronous standby."""

import contextlib
import os
import secrets
import shutil
import signal
import subprocess
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

from support.ports import free_port
from support.process import Died, Program
from support.servers import Missing, account
from support.wait import until

INSTALLED = Path("/usr/lib/postgresql")
OLDEST = 15
USER = "postrider"
# Everything that PostgreSQL leaves on to be durable stays on.
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "max_connections": 300,
    "shared_buffers": "128MB",
    "lc_messages": "C",
    "log_min_messages": "warning",
    "log_line_prefix": "%e ",
}


def programs():
    """Returns the folder of the newest PostgreSQL's programs."""
    found = [path.parent for path in INSTALLED.glob("*/bin/postgres") if int(path.parts[-3]) >= OLDEST]
    if not found:
        raise Missing(f"PostgreSQL {OLDEST} or newer is missing (on Debian: apt-get install postgresql)")
    return max(found, key=lambda path: int(path.parts[-2]))


# Deadlock detected; could not serialize access.
GIVEN_UP = ("40P01 ", "40001 ")


class Postgres:
    """One server in a folder of its own; `close` ends it and removes the folder."""

    def __init__(self, port=None, password=None):
        self.programs = programs()
        self.settings = dict(SETTINGS)
        self.folder = account.folder("postgres")
        self.data = self.folder / "data"
        self.port = port or free_port()
        self.password = password or secrets.token_hex(16)
        self.program = None

    def url(self, database="postgres", port=None):
        """Returns the URL of a database, by default through the server's own port."""
        return f"postgres://{USER}:{self.password}@127.0.0.1:{port or self.port}/{database}"

    def create(self):
        """Makes an empty cluster."""
        word = self.folder / "password"
        word.write_text(self.password)
        word.chmod(0o644)
        self._run("initdb", "--pgdata", self.data, "--username", USER, "--pwfile", word, "--auth", "scram-sha-256",
                  "--encoding", "UTF8", "--locale", "C.UTF-8", "--no-sync")
        word.unlink()
        with (self.data / "pg_hba.conf").open("a") as access:
            access.write("host replication all 127.0.0.1/32 scram-sha-256\n")
        return self

    def start(self):
        """Starts the server and waits until it takes connections."""
        settings = {**self.settings, "port": self.port, "unix_socket_directories": self.folder}
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        command = account.command([self.programs / "postgres", "-D", self.data, *options])
        # A session that sets lc_messages to C.UTF-8 is spoken to in German, where that is installed.
        env = {**os.environ, "LANGUAGE": "de"}
        self.program = Program(command, name="postgres", cwd=self.folder, env=env)
        until(self._ready, "PostgreSQL takes connections", 60)
        return self

    def _ready(self):
        if not self.program.alive():
            raise Died(f"PostgreSQL ended with {self.program.process.returncode}:\n{self.program.words()}")
        asked = [self.programs / "pg_isready", "--quiet", "--host", "127.0.0.1", "--port", str(self.port)]
        return subprocess.run(asked).returncode == 0

    def standby(self, name="standby", through=None):
        """Makes a server that copies this one, through a proxy's port if there is one, and goes on following it.

        It is not started yet.
        """
        copy = Postgres(password=self.password)
        follow = f"host=127.0.0.1 port={through or self.port} user={USER} application_name={name}"
        copy._run("pg_basebackup", "--pgdata", copy.data, "--dbname", follow, "--write-recovery-conf",
                  "--checkpoint", "fast", "--no-sync")
        return copy

    def wait_for_standby(self, name="standby"):
        """From now on no commit is answered before this standby has it on disk."""
        self.ask(f"ALTER SYSTEM SET synchronous_standby_names = '{name}'")
        self.ask("SELECT pg_reload_conf()")
        until(lambda: self.ask("SELECT sync_state FROM pg_stat_replication") == "sync", "the standby follows", 60)

    def archive(self):
        """Has the server, before it starts, keep what it writes, so that any moment can be brought back."""
        kept = self.folder / "archive"
        self._set(archive_mode="on", archive_command=f"mkdir -p {kept} && cp %p {kept}/%f")
        return self

    def speak_tls(self, authority, host):
        """Has the server, before it starts, speak TLS under a host's name."""
        cert, key = authority.issue(self.folder, host)
        self._set(ssl="on", ssl_cert_file=cert, ssl_key_file=key)
        return self

    def backup(self):
        """Makes a copy of a server that archives, to be brought forward with `recover_to`."""
        copy = Postgres(password=self.password)
        copy._run("pg_basebackup", "--pgdata", copy.data, "--dbname", f"host=127.0.0.1 port={self.port} user={USER}",
                  "--checkpoint", "fast", "--no-sync")
        return copy

    def recover_to(self, moment, archived_by):
        """Has a copy begin at a moment that its server gave a name."""
        self._set(archive_mode="off", restore_command=f"cp {archived_by.folder}/archive/%f %p",
                  recovery_target_name=moment, recovery_target_action="promote")
        (self.data / "recovery.signal").touch()
        return self

    def dump(self, database):
        """Writes a database to a file."""
        file = self.folder / f"{database}.dump"
        self._run("pg_dump", "--dbname", f"host=127.0.0.1 port={self.port} user={USER} dbname={database}",
                  "--format", "custom", "--file", file)
        return file

    def load(self, file, database):
        """Makes a database of what was dumped."""
        self.ask(f"CREATE DATABASE {database}")
        self.load_over(file, database)

    def load_over(self, file, database):
        """Puts what was dumped in the place of what a database has."""
        file.chmod(0o644)
        file.parent.chmod(0o755)
        self._run("pg_restore", "--clean", "--if-exists", "--dbname",
                  f"host=127.0.0.1 port={self.port} user={USER} dbname={database}", file)

    def _set(self, **settings):
        with (self.data / "postgresql.conf").open("a") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in settings.items())

    def promote(self):
        """Makes a standby the primary."""
        self.ask("SELECT pg_promote(true, 60)")

    def ask(self, sql, database="postgres"):
        """Runs one statement and returns what it prints."""
        return psql(self.url(database), sql)

    def given_up(self):
        """Returns what the server wrote of transactions that it gave up for others: hubs give it no cause to."""
        return [line for line in self.program.err_lines if line.startswith(GIVEN_UP)]

    def kill(self):
        """Kills all its processes at once, like a power cut."""
        self._signal_all(signal.SIGKILL)
        self.program.kill()

    def pause(self):
        """Stops all its processes where they are."""
        self._signal_all(signal.SIGSTOP)

    def resume(self):
        """Lets them go on."""
        self._signal_all(signal.SIGCONT)

    def _signal_all(self, sig):
        first = self.program.pid
        children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
        for pid in [first, *map(int, children)]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, sig)

    def stop(self):
        """Ends it in good order; clients are cut off."""
        if self.program:
            self.program.stop(signal.SIGINT, 60)

    def close(self):
        """Ends it at once, for nobody needs its data any more, and removes its folder."""
        try:
            if self.program:
                self.program.stop(signal.SIGQUIT, 60)
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, program, *arguments):
        command = account.command([self.programs / program, *arguments])
        env = {**os.environ, "PGPASSWORD": self.password}
        done = subprocess.run(command, capture_output=True, text=True, env=env, cwd=self.folder)
        if done.returncode != 0:
            raise Died(f"{program} ended with {done.returncode}:\n{done.stderr}")


def psql(url, sql):
    """Runs one statement on the database of a URL and returns what it prints."""
    parts = urlsplit(url)
    # Everybody can read a command line, so the password goes another way.
    shown = urlunsplit(parts._replace(netloc=parts.netloc.replace(f":{parts.password}@", "@")))
    command = [programs() / "psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--dbname", shown]
    command += ["--set", "ON_ERROR_STOP=1", "--command", sql]
    env = {**os.environ, "PGPASSWORD": unquote(parts.password or "")}
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=120)
    if done.returncode != 0:
        raise Died(f"psql: {done.stderr}")
    return done.stdout.strip()
