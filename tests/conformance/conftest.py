"""The hub that the tables are held against."""

import pytest

from conformance.world import World


@pytest.fixture(scope="session")
def world(tmp_path_factory):
    """One hub for all tests; they work in a project of their own and read lists of another."""
    made = World(tmp_path_factory.mktemp("conformance"))
    yield made
    made.close()
