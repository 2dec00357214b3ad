"""A fault that hits nothing is noticed."""

import contextlib
import types

import pytest

from cluster import faults
from cluster.proxied import Proxied
from cluster.run import Harm
from support.wait import NeverHappened


@pytest.fixture
def site():
    nothing = lambda *_arguments: []  # noqa: E731
    load = types.SimpleNamespace(accepted=[], goes_on=nothing)
    return types.SimpleNamespace(load=load, new_errors=nothing, type_incoming=nothing, note_ends=nothing)


def test_a_stall_that_holds_nothing_is_no_fault(site, monkeypatch):
    monkeypatch.setattr(faults, "PATIENCE_S", 0)
    with contextlib.closing(Proxied()) as idle, pytest.raises(NeverHappened, match="something is held"):
        faults.stall(site, idle, (), 0)


def test_a_fault_that_failed_is_kept_and_the_run_goes_on(site):
    def miss(_site):
        raise NeverHappened("nothing was hit")

    def miss_later(_site):
        yield 0
        raise NeverHappened("nothing was hit in time")

    harm = Harm(site)
    harm.do(miss)
    harm.do(miss_later)
    harm.end()
    assert [failure.split(": ")[-1].strip() for failure in harm.failed] == ["nothing was hit", "nothing was hit in time"]
