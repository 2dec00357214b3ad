"""What scripts/package has built, installed and run in roots of its own."""
