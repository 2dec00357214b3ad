"""Telephone numbers for tests: all from the block that no network serves."""

import itertools
import random

_next = itertools.count(random.SystemRandom().randrange(1000, 4000))


def fresh_number():
    """Returns a number that no other test of this run has used."""
    return f"+1500555{1000 + next(_next) % 9000:04d}"
