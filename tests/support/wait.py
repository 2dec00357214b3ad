"""Waiting for a condition, never for a fixed time."""

import time

PATIENCE_S = 20.0
STEP_S = 0.02


class NeverHappened(AssertionError):
    """The condition did not become true in time."""


def until(condition, what, patience_s=PATIENCE_S):
    """Calls `condition` until it returns something true, and returns that."""
    deadline = time.monotonic() + patience_s
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() >= deadline:
            raise NeverHappened(f"{what}: not within {patience_s:g} s (last: {value!r})")
        time.sleep(STEP_S)
