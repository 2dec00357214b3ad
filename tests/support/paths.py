"""Where the repository and its built programs are."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))


def binary(name):
    """Returns the path of a built program, or says how to build it."""
    path = TARGET / "debug" / name
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing: cargo build --workspace --bin route-hub --bin virtual-phone")
    return path
