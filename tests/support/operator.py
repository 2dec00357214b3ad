"""What an operator does with a data folder while the hub runs, or without it: backup, restore."""

import json
import shutil
import subprocess
from pathlib import Path

from support.paths import binary
from support.process import Died, Program, loopback_environment


class Refused(AssertionError):
    """The command refused."""


def backup_command(folder, to):
    """Returns the command line of a backup."""
    return [binary("route-hub"), "backup", "--dir", folder, "--to", to, "--json"]


def restore_command(folder, from_file, replace=True):
    """Returns the command line of a restore."""
    command = [binary("route-hub"), "restore", "--dir", folder, "--from", from_file, "--json"]
    return command + (["--replace"] if replace else [])


def run(command, patience_s=120):
    """Runs a command that answers with one line of JSON; raises `Refused` with its words when it fails."""
    command = [str(part) for part in command]
    done = subprocess.run(command, capture_output=True, text=True, timeout=patience_s, env=loopback_environment())
    if done.returncode == 1:
        raise Refused(done.stderr)
    if done.returncode != 0:
        raise Died(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")
    return json.loads(done.stdout)


def backup(folder, to):
    """Takes a backup and returns the command's answer."""
    return run(backup_command(folder, to))


def restore(folder, from_file, replace=True):
    """Restores a backup and returns the command's answer."""
    return run(restore_command(folder, from_file, replace))


def begin(command):
    """Starts a command that a test will kill."""
    return Program(command, name=" ".join(map(str, command[:2])))


def copy_by_hand(folder, to):
    """Copies the database as somebody would who does not know the commands; the hub must be down."""
    to = Path(to)
    to.mkdir(parents=True)
    for path in Path(folder).glob("hub.db*"):
        shutil.copy2(path, to / path.name)


def put_back_by_hand(copy, folder):
    """Replaces the present database by a copied one."""
    for path in Path(folder).glob("hub.db*"):
        path.unlink()
    for path in Path(copy).iterdir():
        shutil.copy2(path, Path(folder) / path.name)
