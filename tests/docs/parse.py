"""Holds a command line against the program's own help, without running it."""

import functools
import re
import subprocess

from support.paths import binary
from support.process import loopback_environment

OPTION = re.compile(r"^\s+(?:-\w, )?--([a-z0-9-]+)(.*)$", re.M)
SUBCOMMAND = re.compile(r"^  ([a-z-]+)(?:  .*)?$", re.M)


@functools.cache
def help_text(path):
    """Returns what `route-hub PATH --help` prints."""
    command = [str(binary("route-hub")), *path, "--help"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=loopback_environment())
    assert done.returncode == 0, done.stderr
    return done.stdout


def section(text, title):
    """Returns the part of a help text below a title."""
    found = re.search(rf"^{title}:\n(.*?)(?=^\S|\Z)", text, re.M | re.S)
    return found[1] if found else ""


def problem(words):
    """Returns what is wrong with the arguments of `route-hub`, or None. `…` and words in capitals stand for what a
    reader fills in; what a sentence leaves out is not missed."""
    path, rest = (), list(words)
    while rest:
        word, text = rest.pop(0), help_text(path)
        if word in SUBCOMMAND.findall(section(text, "Commands")):
            path += (word,)
        elif word.startswith("--"):
            name, _, value = word[2:].partition("=")
            takes_value = options(text).get(name)
            if takes_value is None:
                return f"{' '.join(('route-hub', *path))} has no --{name}"
            if takes_value and not value and rest and not rest[0].startswith("--"):
                rest.pop(0)
        elif word != "…" and (section(text, "Commands") or not section(text, "Arguments")):
            return f"{' '.join(('route-hub', *path))} takes no {word}"
    return None


def options(text):
    """Returns each option of a help text, and whether a value follows it."""
    return {name: more.strip().startswith("<") for name, more in OPTION.findall(text)} | {"help": False}
