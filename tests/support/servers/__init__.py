"""PostgreSQL and NATS for tests: servers of our own in temporary folders, never one that runs already."""


class Missing(Exception):
    """A server's programs are not installed; the text says what to install."""
