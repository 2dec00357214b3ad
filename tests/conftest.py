"""Fixtures for every suite."""

import os

import pytest

from support import databases
from support.hub import Demo
from support.receiver import Receiver

os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1,localhost,::1"


def pytest_unconfigure():
    """Leaves nothing on a server that somebody else keeps running."""
    databases.drop_all()


@pytest.fixture(scope="session")
def demo(tmp_path_factory):
    """One demo hub with two phones for all tests of a run; tests use different numbers."""
    hub = Demo(tmp_path_factory.mktemp("demo"))
    yield hub
    assert hub.program.alive(), f"the hub died during the tests:\n{hub.program.words()}"
    panics = [line for line in hub.program.err_lines if "panicked" in line]
    assert hub.program.stop() == 0, f"the hub did not end cleanly:\n{hub.program.words()}"
    assert not panics, panics


@pytest.fixture
def receiver():
    """A webhook receiver for one test."""
    with_receiver = Receiver()
    yield with_receiver
    with_receiver.close()
