"""Each operation reads the parameters that the list of the interface has for it, as the hub's own log says."""

import re

import pytest

from conformance.engine import request, send, taken
from conformance.interface import INTERFACE
from conformance.schema import LIST_PARAMETERS
from conformance.tables import OPERATIONS
from conformance.world import World
from support.wait import until

LOG = "info,hub_web::params=trace,hub_web::field=trace,hub_web::conventions=debug"
READS = re.compile(r'reads a parameter(?: inside="(\w+)")? name="([^"]+)"')
ANSWERED = re.compile(r'answered request_id="([^"]+)" method=(\w+) route="/v1([^"]+)"')
IGNORED = {("media", "type"), ("media", "filename")}
"""What the interface has beside the URL of a file; a link in a text needs neither."""


class Reader:
    """A hub that logs what it reads."""

    def __init__(self, folder):
        self.world = World(folder, ["--log", LOG])
        self.lines = self.world.server.program.err_lines

    def names(self, operation):
        """Sends all that the operation's table accepts; returns what the hub read, by the object that it stood in."""
        begin = len(self.lines)
        for row in operation.parameters:
            for value in row.good:
                taken(self.world, operation, row, value)
        for case in operation.cases:
            path = self.world.path(operation, **self.world.resolve(case.path))
            send(self.world, operation, request(self.world, operation, case.given, base=not case.whole), path)
        last = send(self.world, operation, request(self.world, operation)).headers["x-request-id"]
        until(lambda: any(last in line for line in self.lines[begin:]), "the log has the last request", 10)
        return self.read(self.lines[begin:], operation)

    @staticmethod
    def read(lines, operation):
        """Requests come one after the other, so what stands before an answer was read for it."""
        found, pending = {}, set()
        for line in lines:
            if match := READS.search(line):
                pending.add(match.groups(default=""))
            elif match := ANSWERED.search(line):
                if match.groups()[1:] == (operation.method, operation.path):
                    for inside, name in pending:
                        found.setdefault(inside, set()).add(name)
                pending = set()
        return found


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    """A hub of its own: its log is long."""
    made = Reader(tmp_path_factory.mktemp("reading"))
    yield made
    made.world.close()


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.title)
def test_an_operation_reads_what_the_list_has(reader, operation):
    block = INTERFACE.operations[operation.method, operation.path]
    found = reader.names(operation)
    entries = block.entries("takes") + block.entries("filters")
    listed = {entry.name for entry in entries} | set(operation.read_only)
    served = {entry.name for entry in entries if entry.here}
    served |= set(LIST_PARAMETERS if operation.filters is not None else ())
    served |= {"fields"} if operation.fields else set()
    read = found.pop("", set())
    assert sorted(served - read) == [], "these are in the list, and the hub does not read them"
    assert sorted(read - served - listed) == [], "the hub reads these, and the list lacks them"
    for inside, names in found.items():
        entries = [entry for kind in ("[]", "{}") for entry in block.entries(inside + kind)]
        served = {entry.name for entry in entries if entry.here and (inside, entry.name) not in IGNORED}
        assert sorted(served - names) == [], f"these are in the list for {inside}, and the hub does not read them"
        assert sorted(names - {entry.name for entry in entries}) == [], f"the hub reads these of {inside}"
