"""What the suites in `clients`, `end_to_end` and `crash` share: processes, receivers, numbers, waiting."""
