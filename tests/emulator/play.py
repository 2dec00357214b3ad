"""Plays a scenario on a phone with a hub double behind it, and judges both by what they wrote.

A scenario is a folder: hub.toml is the double's (server-stub/README.md), phone.jsonl says what
happens to the phone, a line each: {"wait": …} waits for what the double has seen, {"say": {NAME: …}} has the
double do what a step of that name does, and {"kind": …} is what the standard input of a virtual phone takes, or
what only a platform can do: `restart`, `doze`, `permission`.
"""

import argparse
import contextlib
import http.client
import json
import pathlib
import queue
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
import zipfile

if __package__ in (None, ""):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from emulator import journal
from emulator.adb import Adb, AdbError

SCENARIOS = pathlib.Path(__file__).parent / "scenarios"
VERDICT_S_MAX = 900
# The library of the core in an APK.
CORE = "libpostrider_android.so"


class Failed(Exception):
    """A scenario that failed."""


class Stub:
    """A running hub double."""

    def __init__(self, program, scenario):
        self.process = subprocess.Popen(
            [program, "--scenario", str(scenario / "hub.toml"), "--json"], stdout=subprocess.PIPE, text=True
        )
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self.ready = json.loads(self._line(60))

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def _line(self, within_s):
        try:
            line = self.lines.get(timeout=within_s)
        except queue.Empty:
            raise Failed("the hub double said nothing in time") from None
        if line is None:
            raise Failed("the hub double ended")
        return line

    @property
    def port(self):
        return int(self.ready["base_url"].rsplit(":", 1)[1])

    def get(self, path):
        with urllib.request.urlopen(self.ready["control_url"] + path, timeout=90) as answer:
            return json.load(answer)

    def wait(self, condition, within_s):
        """Waits until the double has seen something."""
        until = time.monotonic() + within_s
        while True:
            request = urllib.request.Request(self.ready["control_url"] + "/wait", json.dumps(condition).encode())
            try:
                with urllib.request.urlopen(request, timeout=90):
                    return
            except urllib.error.HTTPError as error:
                if error.code != 408 or time.monotonic() > until:
                    raise Failed(f"never seen: {condition}") from None
            except (urllib.error.URLError, ConnectionError, http.client.HTTPException):
                # The scenario has come to its end, and so has the double.
                return

    def say(self, wanted):
        """Makes the double do something, as a step would."""
        for name, value in wanted.items():
            request = urllib.request.Request(f"{self.ready['control_url']}/{name}", json.dumps(value).encode())
            with urllib.request.urlopen(request, timeout=90):
                pass

    def verdict(self):
        return json.loads(self._line(VERDICT_S_MAX))

    def close(self):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(timeout=30)


def act(adb, line):
    """Makes something happen to the phone."""
    kind = line["kind"]
    if kind == "sms":
        adb.console("sms", "send", line["from"].lstrip("+"), line["text"])
    elif kind == "call":
        number = line["from"].lstrip("+")
        adb.console("gsm", "call", number)
        time.sleep(line.get("ring_s", 0))
        if "duration_s" in line:
            adb.console("gsm", "accept", number)
            time.sleep(line["duration_s"])
        adb.console("gsm", "cancel", number)
    elif kind == "airplane":
        adb.set_airplane_mode(line["on"])
    elif kind == "doze":
        adb.set_doze(line["on"])
    elif kind == "permission":
        adb.set_permission(line["name"], line["given"])
    elif kind == "restart":
        adb.kill_app()
        adb.tell("START")
    else:
        raise Failed(f"an emulator cannot do this: {kind}")


def play(adb, stub_program, scenario, within_s=300):
    """Plays one scenario to its end."""
    stub = Stub(stub_program, scenario)
    with contextlib.closing(stub):
        adb.lend_port(stub.port)
        adb.open_link(stub.ready["pairing_uri"])
        adb.tell("JOIN", link=stub.ready["pairing_uri"], forwarding="yes")
        for text in (scenario / "phone.jsonl").read_text(encoding="utf-8").splitlines():
            line = json.loads(text)
            if "wait" in line:
                stub.wait(line["wait"], within_s)
            elif "say" in line:
                stub.say(line["say"])
            else:
                act(adb, line)
        verdict = stub.verdict()
        if not verdict["held"]:
            broken = [rule["name"] for rule in verdict["rules"] if rule.get("findings")]
            raise Failed(f"rules were broken: {', '.join(broken) or verdict}")
        compare(adb, verdict)
        adb.tell("LEAVE")


def load(adb, apk):
    """Installs the app once for each kind of processor that both know, and lets it load its core."""
    with zipfile.ZipFile(apk) as archive:
        built = {name.split("/")[1] for name in archive.namelist() if name.startswith("lib/")}
    loaded = [abi for abi in adb.abis() if abi in built]
    if not loaded:
        raise Failed(f"the app is built for {', '.join(sorted(built))}, the phone is {', '.join(adb.abis())}")
    for abi in loaded:
        adb.install(apk, abi)
        # The debug interface answers with what the core says: without it there is no answer.
        answer = adb.tell("STATUS")
        if "running=" not in answer:
            raise Failed(f"{abi}: the core did not answer: {answer.strip()}")
        if CORE not in adb.maps():
            raise Failed(f"{abi}: the core's library is not in the process")
        print(f"{abi}: loaded")


def compare(adb, verdict):
    """Compares the journal with the verdict's messages."""
    with tempfile.TemporaryDirectory() as folder:
        differences = journal.differences(adb.pull_journal(folder), verdict)
    if differences:
        raise Failed("; ".join(differences))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scenarios", nargs="*", help="names of scenarios; all without any")
    parser.add_argument("--adb", default="adb")
    parser.add_argument("--serial")
    parser.add_argument("--stub", required=True, help="the program server-stub")
    parser.add_argument("--apk", help="installed first")
    parser.add_argument("--load", action="store_true", help="only load the core, for each kind of processor")
    parser.add_argument("--within-s", type=int, default=300, help="how long to wait for each thing")
    options = parser.parse_args()
    adb = Adb(options.adb, options.serial)
    if options.load:
        try:
            load(adb, options.apk)
        except (Failed, AdbError) as error:
            print(f"load: {error}")
            return 1
        return 0
    if options.apk:
        adb.install(options.apk)
    names = options.scenarios or sorted(folder.name for folder in SCENARIOS.iterdir())
    failed = 0
    for name in names:
        try:
            play(adb, options.stub, SCENARIOS / name, options.within_s)
            print(f"{name}: held")
        except (Failed, AdbError) as error:
            failed += 1
            print(f"{name}: {error}")
    print(f"emulator: {len(names) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
