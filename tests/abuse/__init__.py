"""Who tries to stop the hub, and what the others notice of it: nothing."""
