"""What the suites share: processes, receivers, numbers, waiting."""
