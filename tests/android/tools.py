"""Where the tools of android-app are, and what the build has fetched or made for them."""

import os
import subprocess
import sys
from pathlib import Path

from support.paths import ROOT

APP = ROOT / "android-app"
TOOLS = APP / "tools"
OUT = Path(os.environ.get("POSTRIDER_ANDROID_OUT", APP / "target"))
sys.path.insert(0, str(TOOLS))
# Each of these Java programs ends before the optimising compiler would pay off.
os.environ.setdefault("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")


def run(*command, **options):
    """Runs a command to its end, whether it fails or not, and returns its output."""
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)


def made(name):
    """Returns the path of something that the build has made, or says how to make it."""
    path = OUT / name
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing: android-app/build-host shipped")
    return path


def jar(group, artifact, version):
    """Returns the path of an artifact that Maven has fetched."""
    repository = Path(os.environ.get("MAVEN_REPOSITORY", Path.home() / ".m2/repository"))
    path = repository.joinpath(*group.split("."), artifact, version, f"{artifact}-{version}.jar")
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing: android-app/build-host shipped")
    return path
