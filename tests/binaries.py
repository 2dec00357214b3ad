#!/usr/bin/env python3
"""Runs test binaries that cargo has built, several at a time, and prints what they print, one after the other.

    tests/binaries.py MESSAGES [--only PACKAGE[:TARGET]]… [--jobs N] [-- ARGUMENT…]

MESSAGES is a file with what `cargo build --message-format json` printed; arguments go to each binary. Those that take
long begin first. Of a binary that passes only the last line is shown.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
# The longest ones, which begin first: whoever begins one of them last waits for it.
LONG = (
    "postrider-journal-proof:failing_disk",
    "postrider-model-check:exhaustive",
    "virtual-phone:virtual_phone",
    "hub-app:hub_app",
    "route-hub:api",
    "postrider-journal-proof:power_loss",
    "postrider-simulation:range",
    "hub-store:conformance",
)


class Binary:
    """One test binary: its package, its target, and where it lies."""

    def __init__(self, message):
        self.package = package_of(message)
        self.name = f"{self.package}:{message['target']['name']}"
        self.folder = pathlib.Path(message["manifest_path"]).parent
        self.path = message["executable"]

    def is_wanted(self, only):
        return not only or self.package in only or self.name in only

    def run(self, arguments, libraries):
        """Runs it as cargo does, and returns its code, its output and its seconds."""
        env = {
            **os.environ,
            "CARGO": os.environ.get("CARGO", "cargo"),
            "CARGO_MANIFEST_DIR": str(self.folder),
            "CARGO_PKG_NAME": self.package,
            "LD_LIBRARY_PATH": os.pathsep.join([*libraries, os.environ.get("LD_LIBRARY_PATH", "")]),
        }
        start = time.monotonic()
        done = subprocess.run([self.path, *arguments], cwd=self.folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout.decode(errors="replace"), time.monotonic() - start


def package_of(message):
    """The package of one of cargo's messages, whose id is `…/folder#name@version` or `…/name#version`."""
    path, _, rest = message["package_id"].rpartition("#")
    return rest.rsplit("@", 1)[0] if "@" in rest else path.rsplit("/", 1)[-1]


def binaries(messages):
    """The test binaries among cargo's messages."""
    for line in messages.read_text().splitlines():
        message = json.loads(line)
        if message.get("reason") == "compiler-artifact" and message["profile"]["test"] and message["executable"]:
            yield Binary(message)


def libraries():
    """Where cargo lets a test look for shared libraries of Rust itself."""
    sysroot = subprocess.run(["rustc", "--print", "sysroot"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [f"{sysroot.stdout.strip()}/lib"]


def place(binary):
    """The longest first, then by name."""
    return LONG.index(binary.name) if binary.name in LONG else len(LONG), binary.name


def show(binary, code, output, seconds):
    """Prints what a binary said: all of it where it failed, else its total."""
    lines = output.splitlines()
    if code == 0:
        lines = [line for line in lines if line.startswith("test result: ")]
    print(f"\n{binary.name} ({seconds:.1f} s)", *lines, sep="\n", flush=True)
    return code == 0


def main():
    arguments = sys.argv[1:]
    passed_on = arguments[arguments.index("--") + 1 :] if "--" in arguments else []
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("messages", type=pathlib.Path)
    parser.add_argument("--only", action="append", default=[], metavar="PACKAGE[:TARGET]")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    wanted = parser.parse_args(arguments[: len(arguments) - len(passed_on) - ("--" in arguments)])
    found = sorted((one for one in binaries(wanted.messages) if one.is_wanted(wanted.only)), key=place)
    missing = [name for name in wanted.only if not any(name in (one.package, one.name) for one in found)]
    if missing or not found:
        sys.exit(f"binaries: nothing was built for {', '.join(missing) or 'this'}")
    where, good = libraries(), True
    with concurrent.futures.ThreadPoolExecutor(wanted.jobs) as pool:
        running = {pool.submit(one.run, passed_on, where): one for one in found}
        for done in concurrent.futures.as_completed(running):
            good &= show(running[done], *done.result())
    return 0 if good else 101


if __name__ == "__main__":
    sys.exit(main())
