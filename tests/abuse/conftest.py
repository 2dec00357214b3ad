"""The served hub of the end-to-end tests; each file of this suite has its own."""

from end_to_end.conftest import admin, hub, pair  # noqa: F401  (fixtures are found by their names)
