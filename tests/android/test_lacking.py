"""What the oldest platform lacks is refused, unless a list says where that is guarded."""

import zipfile

import pytest

from android.tools import APP, TOOLS, jar, made, run

PLATFORM = {
    "android/os/Build.java": "package android.os; public class Build {"
    " public static class VERSION { public static final int SDK_INT = Integer.parseInt(\"26\"); } }",
    "android/app/Service.java": "package android.app; public class Service { public void start() {} %s }",
}
NEWER = "public void startTyped() {} public static class Kinds {}"
APP_CLASS = """
package app;
public class Main extends android.app.Service {
  void guarded() { if (android.os.Build.VERSION.SDK_INT >= 29) startTyped(); }
  void planted() { %s }
  void old() { start(); new StringBuilder("x").append(1); }
}
"""
GUARD = "app/Main.startTyped()V  by app/Main.guarded  behind app/Main.guarded\n"


def compiled(folder, sources, *options):
    for name, text in sources.items():
        path = folder / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    files = [folder / "src" / name for name in sources]
    said = run("javac", "-Xlint:-options", "--release", "8", *options, "-d", folder / "classes", *files)
    assert said.returncode == 0, said.stderr
    with zipfile.ZipFile(folder / "made.jar", "w") as archive:
        for path in (folder / "classes").rglob("*.class"):
            archive.write(path, path.relative_to(folder / "classes"))
    return folder / "made.jar"


def checked(folder, planted="", guarded=GUARD):
    with_newer = {name: text % NEWER if "%s" in text else text for name, text in PLATFORM.items()}
    without = {name: text % "" if "%s" in text else text for name, text in PLATFORM.items()}
    newest, oldest = compiled(folder / "new", with_newer), compiled(folder / "old", without)
    shipped = compiled(folder / "app", {"app/Main.java": APP_CLASS % planted}, "-cp", str(newest))
    (folder / "guarded.txt").write_text("# a comment\n" + guarded)
    return run("java", "-cp", made("parts/asm.jar"), TOOLS / "Lacking.java", shipped, oldest, folder / "guarded.txt")


def test_what_is_guarded_passes(tmp_path):
    said = checked(tmp_path)
    assert said.returncode == 0, said.stderr


@pytest.mark.parametrize(
    ("planted", "named"),
    [
        ("startTyped();", "app/Main.startTyped()V  by app/Main.planted"),
        ("new android.app.Service.Kinds();", "android/app/Service$Kinds  by app/Main.planted"),
    ],
)
def test_a_planted_call_is_refused(tmp_path, planted, named):
    said = checked(tmp_path, planted)
    assert said.returncode == 1 and f"{named} is not in the oldest platform" in said.stderr


def test_a_guard_that_does_not_look_at_the_version_is_none(tmp_path):
    said = checked(tmp_path, guarded=GUARD.replace("behind app/Main.guarded", "behind app/Main.old"))
    assert said.returncode == 1 and "app/Main.old does not look at the platform's version" in said.stderr


def test_a_line_that_nothing_needs_is_refused(tmp_path):
    said = checked(tmp_path, guarded=GUARD + GUARD.replace("startTyped()V", "gone()V"))
    assert said.returncode == 1 and "nothing needs the line" in said.stderr


def test_the_app_as_it_ships_is_refused_without_its_guards(tmp_path):
    (tmp_path / "none.txt").write_text("")
    platform = jar("org.robolectric", "android-all", "8.0.0_r4-robolectric-r1")
    lines = (APP / "guarded.txt").read_text().splitlines()
    guarded = [line for line in lines if line.strip() and not line.startswith("#")]
    said = run("java", "-cp", made("parts/asm.jar"), TOOLS / "Lacking.java", made("shipped.jar"), platform, tmp_path / "none.txt")
    assert said.returncode == 1
    assert said.stderr.count("is not in the oldest platform") == len(guarded)
