#!/usr/bin/env python3
"""Runs a command with servers of the tests' own, which it finds by environment variables, and ends them after it.

    tests/with_servers.py --database postgres COMMAND…    POSTRIDER_TEST_DATABASE is the URL of a fresh PostgreSQL, …_PID its process
    tests/with_servers.py --database URL COMMAND…         … of one where the tests may make databases
    tests/with_servers.py --nats COMMAND…                 POSTRIDER_TEST_NATS
    tests/with_servers.py --check                         only says what is not installed
"""

import argparse
import contextlib
import os
import signal
import subprocess
import sys

from support import faketime
from support.servers import Missing
from support.servers import nats as nats_server
from support.servers import postgres
from support.servers.nats import Nats
from support.servers.postgres import Postgres


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", default="sqlite", metavar="sqlite|postgres|URL", help="where hubs keep their data")
    parser.add_argument("--nats", action="store_true", help="start NATS")
    parser.add_argument("--check", action="store_true", help="only say what is not installed")
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="COMMAND…")
    return parser.parse_args()


def missing():
    """Returns what is not installed, in words."""
    found = []
    for look in (postgres.programs, nats_server.program, faketime.library):
        try:
            look()
        except Missing as error:
            found.append(str(error))
    return found


def end(sig, _frame):
    """Turns a signal into an exception, so that the servers are ended."""
    sys.exit(128 + sig)


def main():
    wanted = arguments()
    if wanted.check:
        return "\n".join(missing()) or 0
    for sig in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(sig, end)
    env, server = dict(os.environ), None
    with contextlib.ExitStack() as servers:
        env["POSTRIDER_TEST_DATABASE"] = wanted.database
        if wanted.database == "postgres":
            server = servers.enter_context(contextlib.closing(Postgres()))
            env["POSTRIDER_TEST_DATABASE"] = server.create().start().url()
            env["POSTRIDER_TEST_DATABASE_PID"] = str(server.program.pid)
        if wanted.nats:
            env["POSTRIDER_TEST_NATS"] = servers.enter_context(contextlib.closing(Nats())).start().url
        ended = subprocess.run(wanted.command, env=env).returncode
    given_up = server.given_up() if server else []
    if given_up:
        print("with_servers: the server gave up transactions for others:", *given_up, sep="\n  ", file=sys.stderr)
    return ended or bool(given_up)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Missing as error:
        sys.exit(f"with_servers: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
