"""Kill -9 at random moments, and what must still be true afterwards."""
