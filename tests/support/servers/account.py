"""The account that the tests' servers run as: PostgreSQL refuses to be root's."""

import os
import pwd
import tempfile
from pathlib import Path


def _unprivileged():
    """Returns the account to drop to, or `None` if this process is not root's."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    return known.get("postgres") or known["nobody"]


def folder(name):
    """Makes a temporary folder that belongs to the servers' account."""
    made = Path(tempfile.mkdtemp(prefix=f"postrider-{name}-"))
    if account := _unprivileged():
        os.chown(made, account.pw_uid, account.pw_gid)
    return made


def command(arguments):
    """Returns a command line that drops root, and gets SIGINT if the process that starts it dies."""
    drop = ["setpriv", "--pdeathsig", "INT"]
    if account := _unprivileged():
        drop += ["--reuid", str(account.pw_uid), "--regid", str(account.pw_gid), "--clear-groups"]
    return [*drop, *map(str, arguments)]
