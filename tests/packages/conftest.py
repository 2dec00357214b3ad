"""What the tests of packages need."""

import os

import pytest


@pytest.fixture(autouse=True, scope="session")
def as_root():
    """Systems in folders are made and entered by root alone."""
    if os.geteuid() != 0:
        pytest.skip("needs root")
