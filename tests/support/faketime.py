"""Programs whose wall clock is off, by Debian's libfaketime; what measures spans stays right."""

from pathlib import Path

from support.servers import Missing

INSTALLED = "*/faketime/libfaketime.so.1"


def is_there():
    """Says whether this machine has the library."""
    return any(Path("/usr/lib").glob(INSTALLED))


def library():
    """Returns the path of the library that a program is started with."""
    found = next(Path("/usr/lib").glob(INSTALLED), None)
    if found is None:
        raise Missing("libfaketime is missing (on Debian: apt-get install libfaketime)")
    return found


def environment(seconds):
    """Returns the variables of a program whose wall clock is so many seconds ahead, or behind."""
    return {"LD_PRELOAD": str(library()), "FAKETIME": f"{seconds:+d}s", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
