"""The hub against which the tables are checked."""

import pytest

from conformance.world import World


@pytest.fixture(scope="session")
def world(tmp_path_factory):
    """One hub for all tests; they work in one project and read the lists of another."""
    made = World(tmp_path_factory.mktemp("conformance"))
    yield made
    made.close()
