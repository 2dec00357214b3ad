"""The app uses nothing that is only in Google's own repository, and has the same version everywhere."""

import re
import subprocess
from xml.etree import ElementTree

import pytest

from support.paths import ROOT

APP = ROOT / "android-app"
POM = {"pom": "http://maven.apache.org/POM/4.0.0"}
# Groups that are only there and not on Maven Central. com.google.guava and the like are on Maven Central.
GOOGLES = re.compile(r"androidx|com\.android|com\.google\.(android|firebase|gms|mlkit|testing\.platform|ar\b)")


@pytest.fixture(scope="module")
def pom():
    return ElementTree.parse(APP / "pom.xml").getroot()


def texts(element, path):
    return [found.text for found in element.iterfind(path, POM)]


def test_no_repository_is_named_beside_the_usual_one(pom):
    for name in ("repository", "pluginRepository", "repositories", "pluginRepositories", "distributionManagement"):
        assert texts(pom, f".//pom:{name}") == []


def test_nothing_of_googles_repository_is_asked_for(pom):
    asked = [
        group
        for kind in ("dependency", "artifactItem", "plugin")
        for group in texts(pom, f".//pom:{kind}/pom:groupId")
    ]
    assert len(asked) > 10
    assert [group for group in asked if GOOGLES.match(group)] == []


def test_what_robolectric_would_bring_from_there_is_excluded(pom):
    (robolectric,) = [
        dependency
        for dependency in pom.iterfind(".//pom:dependency", POM)
        if texts(dependency, "pom:artifactId") == ["robolectric"]
    ]
    assert {"androidx.test", "androidx.test.espresso"} <= set(texts(robolectric, ".//pom:exclusion/pom:groupId"))


def test_every_build_refuses_what_comes_in_by_another_way(pom):
    (rule,) = pom.iterfind(".//pom:bannedDependencies", POM)
    banned = texts(rule, "pom:excludes/pom:exclude")
    for group in ("androidx.*", "com.android.*", "com.google.android*", "com.google.firebase", "com.google.gms"):
        assert group in banned
    assert texts(rule, "pom:searchTransitive") in ([], ["true"])


def test_the_sources_use_nothing_of_it():
    sources = [path for folder in ("main", "debug") for path in (APP / "src" / folder).rglob("*.kt")]
    wrong = [str(path) for path in sources if re.search(r"^import (androidx|com\.google\.(?!zxing)|kotlinx)\.", path.read_text(), re.M)]
    assert wrong == []


def test_every_version_in_maven_is_fixed(pom):
    versions = texts(pom, ".//pom:version")
    assert [version for version in versions if re.search(r"SNAPSHOT|LATEST|RELEASE|[\[(,]", version)] == []


def test_the_app_has_the_projects_version(pom):
    assert texts(pom, "pom:version") == ["${revision}"]
    assert "version" not in (APP / "src/main/AndroidManifest.xml").read_text().partition(">")[2].partition(">")[0]
    script = (APP / "build.gradle.kts").read_text()
    assert "versionCode = appVersionCode" in script and "versionName = appVersion\n" in script
    (version,) = re.findall(r'^version = "(.*)"', (ROOT / "Cargo.toml").read_text(), re.M)
    assert said_by_steps() == (version, code_of(version))


def said_by_steps():
    """Returns the version and its number, as the scripts give them to aapt2."""
    said = 'source android-app/tools/steps.sh && printf "%s %s" "$version" "$(version_code)"'
    version, code = subprocess.run(["bash", "-c", said], cwd=ROOT, check=True, capture_output=True).stdout.split()
    return version.decode(), int(code)


def code_of(version):
    major, minor, patch = (int(number) for number in re.split(r"[-+]", version)[0].split("."))
    return major * 1_000_000 + minor * 1_000 + patch


def test_gradle_writes_nothing_while_it_configures():
    script = (APP / "build.gradle.kts").read_text()
    assert not re.search(r"writeText|mkdirs|createNewFile", script)


def test_gradle_finds_cargo_and_the_ndk_as_android_studio_has_them():
    script = (APP / "build.gradle.kts").read_text()
    assert not re.search(r'"cargo"[,)]', script.replace('?: "cargo"', ""))
    assert script.count('environment("PATH", pathWithCargo)') == script.count("registering(Exec::class)")
    assert "sdkComponents.ndkDirectory" in script and "ndkVersion =" in script


def test_the_platform_is_told_every_language():
    locales = ElementTree.parse(APP / "src/main/res/xml/locales.xml").getroot()
    name = "{http://schemas.android.com/apk/res/android}name"
    offered = {locale.get(name) for locale in locales}
    translated = {folder.name.partition("-")[2] for folder in (APP / "src/main/res").glob("values-[a-z][a-z]")}
    assert offered == {"en"} | translated
    assert 'android:localeConfig="@xml/locales"' in (APP / "src/main/AndroidManifest.xml").read_text()


def test_gradle_builds_the_same_with_the_same_libraries(pom):
    script = (APP / "build.gradle.kts").read_text()
    manifest = (APP / "src/main/AndroidManifest.xml").read_text()
    for name in ("kotlin", "jna", "robolectric"):
        (version,) = texts(pom, f"pom:properties/pom:{name}.version")
        assert f'"{version}"' in script, name
    for name, setting in (("minSdkVersion", "minSdk"), ("targetSdkVersion", "targetSdk")):
        (number,) = re.findall(rf'android:{name}="(\d+)"', manifest)
        assert f"{setting} = {number}\n" in script
    asked = re.findall(r'(?:implementation|testImplementation)\("([^:"]+):', script)
    assert asked and [group for group in asked if GOOGLES.match(group)] == []
