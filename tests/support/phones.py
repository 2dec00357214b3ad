"""A virtual phone in its own process, which can be killed and started again on its folder."""

import json
from pathlib import Path

from support.hub import read_radio_log
from support.paths import binary
from support.process import Program


class VirtualPhone:
    """`virtual-phone` on one folder."""

    def __init__(self, folder, hub_root, code=None, radio_log=None, arguments=()):
        self.folder = Path(folder)
        self.hub_root = hub_root
        self.code = code
        self.radio_log = Path(radio_log) if radio_log else self.folder.parent / f"{self.folder.name}.radio.jsonl"
        self.arguments = list(arguments)
        self.program = None

    def start(self):
        """Starts the program; the first time it pairs with its code."""
        command = [binary("virtual-phone"), "--hub", self.hub_root, "--dir", self.folder]
        if self.code:
            command += ["--pair", self.code]
        command += ["--radio-log", self.radio_log, *self.arguments]
        self.program = Program(command, name=f"virtual-phone {self.folder.name}")
        return self

    def happens(self, kind, **fields):
        """Makes something happen to the phone, by a line of its standard input."""
        self.program.type(json.dumps({"kind": kind, **fields}))

    def radio(self):
        """Returns every line of the radio log so far."""
        return read_radio_log(self.radio_log)
