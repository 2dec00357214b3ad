"""What nobody refers to is left out of a library; what is looked up by name is kept."""

import zipfile

from android.tools import TOOLS, made, run

SOURCES = {
    "kotlin/Metadata.java": (
        "package kotlin; import java.lang.annotation.*;"
        "@Retention(RetentionPolicy.RUNTIME) public @interface Metadata { String[] names(); }"
    ),
    "kotlin/Called.java": "package kotlin; public class Called { public static String word() { return Deep.word(); } }",
    "kotlin/Deep.java": 'package kotlin; public class Deep { public static String word() { return "deep"; } }',
    "kotlin/Listed.java": "package kotlin; public class Listed {}",
    "kotlin/Looked.java": 'package kotlin; public class Looked { @Override public String toString() { return "looked"; } }',
    "kotlin/Noted.java": "package kotlin; public class Noted {}",
    "kotlin/Nobody.java": "package kotlin; public class Nobody { Circle other; }",
    "kotlin/Circle.java": "package kotlin; public class Circle { Nobody other; }",
    "app/Main.java": """
package app;
@kotlin.Metadata(names = "Lkotlin/Noted;")
public class Main {
  static java.util.List<kotlin.Listed> list() { return null; }
  public static void main(String[] arguments) throws Exception {
    Object looked = Class.forName("kotlin.Looked").getConstructor().newInstance();
    long wide = 1L << 40;
    System.out.println(kotlin.Called.word() + looked + wide + Main.class.getAnnotations().length);
  }
}
""",
    "app/Unused.java": "package app; public class Unused {}",
}


def shrunk(folder):
    """Returns the jar of the used part of SOURCES, and the tool's output."""
    for name, source in SOURCES.items():
        path = folder / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
    sources = [folder / "src" / name for name in SOURCES]
    result = run("javac", "-Xlint:-options", "--release", "8", "-d", folder / "classes", *sources)
    assert result.returncode == 0, result.stderr
    with zipfile.ZipFile(folder / "in.jar", "w") as jar:
        for path in (folder / "classes").rglob("*.class"):
            jar.write(path, path.relative_to(folder / "classes"))
    said = run("java", "-cp", made("parts/asm.jar"), TOOLS / "Used.java", folder / "out.jar", folder / "in.jar", "kotlin/")
    assert said.returncode == 0, said.stderr
    return folder / "out.jar", said.stdout.strip()


def test_only_what_is_mentioned_stays_of_the_library_and_all_of_the_app(tmp_path):
    jar, said = shrunk(tmp_path)
    with zipfile.ZipFile(jar) as out:
        names = sorted(name.removesuffix(".class") for name in out.namelist())
    assert names == ["app/Main", "app/Unused", "kotlin/Called", "kotlin/Deep", "kotlin/Listed", "kotlin/Looked"]
    assert said == "6 of 10 classes are used"


def test_what_stays_runs_without_the_compilers_notes(tmp_path):
    jar, _ = shrunk(tmp_path)
    result = run("java", "-Xverify:all", "-cp", jar, "app.Main")
    assert result.stdout == "deeplooked10995116277760\n", result.stderr
