"""The documents, tried as they are printed."""
