# shellcheck shell=bash
# Steps that android-app/build-host and scripts/build-apk share. To be sourced, from any folder.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
app=$root/android-app
# All output; with another folder, two runs at the same time do not disturb each other.
out=${POSTRIDER_ANDROID_OUT:-$app/target}
[ -x "${CARGO_HOME:-$HOME/.cargo}/bin/cargo" ] && PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
mkdir -p "$out"

# The app has the workspace's version, and a number from it that rises with it.
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$root/Cargo.toml" | head -n 1)
version_code() {
    local numbers major minor patch
    numbers=${version%%[-+]*}
    IFS=. read -r major minor patch <<<"$numbers"
    printf '%d' $((major * 1000000 + minor * 1000 + patch))
}

step() { printf '%5ds  %s\n' "$SECONDS" "$*"; }

fail() {
    printf '%s\n' "$*" >&2
    exit 1
}

need() {
    local tool
    for tool in "$@"; do
        command -v "$tool" >/dev/null || fail "$tool is missing; scripts/setup installs what an Android build needs"
    done
}

# Moves NEW over OLD unless they are the same, so that nothing unchanged is built again.
replace() {
    if cmp -s "$1" "$2"; then rm -f "$1"; else mkdir -p "$(dirname "$2")" && mv "$1" "$2"; fi
}

# Copies cargo's output, so that another build does not replace it under a running test.
host_programs() {
    step "the core for this computer"
    (cd "$root" && cargo build --locked --quiet \
        -p postrider-features -p postrider-android -p postrider-bindgen -p server-stub)
    local made file
    made=${CARGO_TARGET_DIR:-$root/target}/debug
    mkdir -p "$out/host"
    for file in libpostrider_android.so server-stub; do
        cp "$made/$file" "$out/host/.$file"
        replace "$out/host/.$file" "$out/host/$file"
    done
    step "its Kotlin"
    rm -rf "$out/generated/.core"
    # The generator asks cargo for the crate's uniffi.toml.
    (cd "$root" && "$made/postrider-bindgen" generate --no-format -l kotlin \
        --out-dir "$out/generated/.core" "$made/libpostrider_android.so")
    (cd "$out/generated/.core" && find . -type f) | while read -r file; do
        replace "$out/generated/.core/$file" "$out/generated/core/$file"
    done
    rm -rf "$out/generated/.core"
}

version_of() { sed -n "s|.*<$1>\(.*\)</$1>.*|\1|p" "$app/pom.xml" | head -n 1; }

# Maven runs too briefly for the optimising compiler to pay off: without it, Kotlin takes less than half the time.
export MAVEN_OPTS="-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=160m -XX:+UseSerialGC ${MAVEN_OPTS:-}"

maven() {
    (cd "$app" && mvn --batch-mode --no-transfer-progress -Dstyle.color=never "-Dout=$out" "-Drevision=$version" "$@")
}

# The platform's public resources, in a form that this aapt2 reads.
framework() {
    local version jar
    version=$(version_of framework.version)
    [ "$(cat "$out/framework/version" 2>/dev/null)" = "$version" ] && return
    step "the platform's public resources"
    jar=${MAVEN_REPOSITORY:-$HOME/.m2/repository}/org/robolectric/android-all/$version/android-all-$version.jar
    [ -f "$jar" ] || maven --quiet dependency:get "-Dartifact=org.robolectric:android-all:$version" -Dtransitive=false
    mkdir -p "$out/framework/res/values"
    python3 "$app/tools/framework.py" "$jar" "$out/framework/res/values/values.xml"
    aapt2 compile --dir "$out/framework/res" -o "$out/framework/compiled.zip"
    printf '<manifest xmlns:android="http://schemas.android.com/apk/res/android" package="android" />\n' \
        >"$out/framework/AndroidManifest.xml"
    aapt2 link -x -o "$out/framework.apk" --manifest "$out/framework/AndroidManifest.xml" "$out/framework/compiled.zip"
    printf '%s\n' "$version" >"$out/framework/version"
}

# The oldest platform that the app runs on, fetched where it is not there yet.
oldest_platform_jar() {
    local version=8.0.0_r4-robolectric-r1 jar
    jar=${MAVEN_REPOSITORY:-$HOME/.m2/repository}/org/robolectric/android-all/$version/android-all-$version.jar
    [ -f "$jar" ] || maven --quiet dependency:get "-Dartifact=org.robolectric:android-all:$version" -Dtransitive=false >&2
    printf '%s' "$jar"
}

# Refuses unguarded use of what the oldest platform lacks. JAR: the classes as they ship.
oldest_platform() {
    local jar
    jar=$(oldest_platform_jar)
    step "what API 26 has"
    java -XX:TieredStopAtLevel=1 -cp "$out/parts/asm.jar" "$app/tools/Lacking.java" "$1" "$jar" "$app/guarded.txt"
}

# Compiles the app's resources. With a first argument, the manifest is that file and the package goes to the second.
resources() {
    local manifest=${1:-$app/src/main/AndroidManifest.xml} package=${2:-$out/resources.apk} R=org/postrider/agent/R.java
    framework
    step "the app's resources"
    aapt2 compile --dir "$app/src/main/res" -o "$out/resources.zip"
    rm -rf "$out/generated/.resources"
    aapt2 link -I "$out/framework.apk" -o "$package" --manifest "$manifest" \
        --version-code "$(version_code)" --version-name "$version" \
        --java "$out/generated/.resources" "$out/resources.zip"
    replace "$out/generated/.resources/$R" "$out/generated/resources/$R"
    rm -rf "$out/generated/.resources"
}

# Makes what Maven needs before it starts. Old classes are removed, since those of deleted sources would stay.
prepare() {
    need cargo aapt2 mvn java python3
    host_programs
    resources
    rm -rf "$out/classes" "$out/test-classes"
}

# The folder of an installed Java of 21 or newer, the oldest of them.
newer_java() {
    local home version
    for home in "${JAVA_HOME:-}" ${!JAVA_HOME_*} /usr/lib/jvm/*; do
        [[ $home == JAVA_HOME_* ]] && home=${!home}
        version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$home/release" 2>/dev/null) || continue
        [ "${version:-0}" -ge 21 ] && [ -x "$home/bin/java" ] && printf '%s %s\n' "$version" "$home"
    done | sort -n | sed -n '1s/^[0-9]* //p'
}
