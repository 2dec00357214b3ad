# Every task of the project. `just` lists them.

[private]
default:
    @just --list --unsorted

# Installs what building and testing needs
setup:
    scripts/setup

# Runs the demo hub with its phones
demo *arguments:
    scripts/demo {{arguments}}

# Runs the hub double for agents (server-stub/README.md)
stub *arguments:
    cargo build -q --locked --workspace --bin server-stub
    "${CARGO_TARGET_DIR:-target}/debug/server-stub" {{arguments}}

# Runs all tests, or the named suites
test *suites:
    scripts/test {{suites}}

# Builds the Android app (android-app/README.md)
apk *arguments:
    scripts/build-apk {{arguments}}

# Builds what operators install (docs/operating.md)
package *arguments:
    scripts/package {{arguments}}

# Measures the figures and prints a table
bench *names:
    scripts/bench {{names}}

# What continuous integration runs
ci:
    .ci/run

# Formats all code
fmt:
    cargo fmt --all

# Formatting, clippy, documentation, licences
lint:
    scripts/test lint

# The full check of licences, bans, sources and advisories (needs cargo-deny and the network)
deny:
    cargo deny check

# A long crash run
crash rounds="60":
    scripts/test crash --rounds {{rounds}}

# Fuzzes the decoder of the link (needs cargo-fuzz and a nightly toolchain)
fuzz seconds="60":
    cd core/link && cargo +nightly fuzz run decode -- -max_total_time={{seconds}}
