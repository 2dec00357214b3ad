"""Where the hubs of a test keep their data: in files of their folders, or each folder in a PostgreSQL database."""

import contextlib
import os
import secrets
import sqlite3
import subprocess
import threading
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from support.paths import binary
from support.process import loopback_environment
from support.servers.postgres import psql

VARIABLE = "POSTRIDER_TEST_DATABASE"
TEMPLATE = Path("template")
GATES_CHECK = Path(__file__).with_name("gates_check.sql")
_made = {}
_given = {}
_files = {}
_making = threading.Lock()


def server():
    """Returns the URL of the server that holds the databases, or `None` where they are files."""
    chosen = os.environ.get(VARIABLE) or "sqlite"
    return None if chosen == "sqlite" else chosen


def url(folder):
    """Returns the URL of a data folder's database on the server; the first call makes it, without rows."""
    key = Path(folder)
    with _making:
        if key not in _made:
            _made[key] = _create(f"TEMPLATE {_name(_with_schema())}")
    return _made[key]


def _with_schema():
    """Returns the URL of a database that no hub uses: copying it is faster than making its tables each time.

    It refuses the change of a row whose gate its job did not name.
    """
    if TEMPLATE not in _made:
        _made[TEMPLATE] = _create()
        command = [str(binary("route-hub")), "migrate"]
        env = loopback_environment({"ROUTE_HUB_DATABASE": _made[TEMPLATE]})
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=120, env=env)
        psql(_made[TEMPLATE], GATES_CHECK.read_text())
    return _made[TEMPLATE]


def _create(how=""):
    name = f"postrider_test_{secrets.token_hex(6)}"
    psql(server(), f"CREATE DATABASE {name} {how}")
    return urlunsplit(urlsplit(server())._replace(path=f"/{name}"))


def _name(url):
    return urlsplit(url).path[1:]


def fresh_url():
    """Returns the URL of a new database without a table."""
    made = _create()
    _made[made] = made
    return made


def use(folder, url):
    """Has the hubs of a data folder keep their data in this database, or for `None` in a file, whatever the others do."""
    _given[Path(folder)] = url


def environment(folder):
    """Returns the variables that a hub on a data folder, or a command beside it, is started with."""
    key = Path(folder)
    found = _given[key] if key in _given else (url(folder) if server() else None)
    if not found:
        return {}
    # The files of all hubs on a database are where those of the first are.
    files = _files.setdefault(found, key / "files")
    return {"ROUTE_HUB_DATABASE": found, "ROUTE_HUB_FILES": str(files), "ROUTE_HUB_FILES_SHARED": "true"}


def query(folder, sql):
    """Returns the rows of a statement, as lists of texts."""
    if server():
        lines = psql(url(folder), sql).splitlines()
        return [line.split("|") for line in lines]
    path = f"file:{Path(folder) / 'hub.db'}?mode=ro"
    with contextlib.closing(sqlite3.connect(path, uri=True)) as database:
        return [["" if value is None else str(value) for value in row] for row in database.execute(sql)]


def drop_all():
    """Removes the databases that were made; whoever still uses one is cut off."""
    while _made:
        _, made = _made.popitem()
        psql(server(), f"DROP DATABASE {_name(made)} WITH (FORCE)")
