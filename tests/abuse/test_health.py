"""The suite's own first look: a served hub answers."""

import requests


def test_a_served_hub_is_healthy(hub):
    """The main address says yes."""
    assert requests.get(f"http://127.0.0.1:{hub.server.port}/healthz", timeout=10).status_code == 200
