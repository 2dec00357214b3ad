# shellcheck shell=bash
# How scripts/build-apk builds the core for phones. To be sourced after steps.sh.

# Built as one library alone: together with a Rust library, cargo would leave out its optimisation as a whole.
crate=(--locked --quiet --profile android -p postrider-android --lib --crate-type cdylib)
cargo_home=${CARGO_HOME:-$HOME/.cargo}
cargo_out=${CARGO_TARGET_DIR:-$root/target}

# Parts of SQLite that the journal does not need are left out. This replaces the workspace's own setting.
sqlite_flags="-DSQLITE_DEFAULT_MEMSTATUS=0 -DHAVE_FDATASYNC=1 -USQLITE_ENABLE_FTS3 -USQLITE_ENABLE_FTS3_PARENTHESIS
    -USQLITE_ENABLE_FTS5 -USQLITE_ENABLE_RTREE -USQLITE_ENABLE_DBSTAT_VTAB"

# Compiler arguments, separated as cargo wants them, that keep this computer's folders out of the library.
rust_flags() {
    local flags=("--remap-path-prefix=$root=postrider" "--remap-path-prefix=$cargo_out=target") folder
    for folder in "$cargo_home"/registry/src/*/; do
        flags+=("--remap-path-prefix=${folder%/}=crates")
    done
    flags+=("--remap-path-prefix=$(rustc --print sysroot)=rust" "$@")
    local IFS=$'\x1f'
    printf '%s' "${flags[*]}"
}

c_flags() { printf '%s' "-ffile-prefix-map='$cargo_home'=crates -ffile-prefix-map='$root'=postrider $*"; }

# FOLDER: its libraries go to FOLDER/ABI. Sets `abis`.
ndk_libraries() {
    local folder=$1 abi
    abis=(arm64-v8a armeabi-v7a x86_64)
    cargo ndk --version >/dev/null 2>&1 || fail "cargo-ndk is missing: cargo install cargo-ndk"
    for abi in "${abis[@]}"; do
        step "the core for $abi, with the NDK"
        (cd "$root" && LIBSQLITE3_FLAGS=$sqlite_flags \
            CARGO_ENCODED_RUSTFLAGS=$(rust_flags -Clink-arg=-Wl,-z,max-page-size=16384) \
            cargo ndk --target "$abi" --platform 26 --output-dir "$folder" rustc "${crate[@]}" --features logcat)
    done
}

free_libraries() {
    local folder=$1
    abis=(arm64-v8a x86_64)
    need clang ld.lld llvm-ar
    free_library "$folder" arm64-v8a aarch64-linux-android
    free_library "$folder" x86_64 x86_64-linux-android
}

free_library() {
    local folder=$1 abi=$2 target=$3 no_ndk=$app/no-ndk
    local name=${target//-/_}
    local stubs=$out/stubs/$abi
    step "the core for $abi, without an NDK"
    "$no_ndk/stubs" "${target}26" "$stubs"
    (cd "$root" && env "LIBSQLITE3_FLAGS=$sqlite_flags" "POSTRIDER_TRIPLE=${target}26" "POSTRIDER_STUBS=$stubs" \
        "CARGO_TARGET_$(printf %s "$name" | tr '[:lower:]' '[:upper:]')_LINKER=$no_ndk/link-with-clang" \
        "CARGO_ENCODED_RUSTFLAGS=$(rust_flags -Clink-arg=-Wl,-soname,libpostrider_android.so)" \
        CC_SHELL_ESCAPED_FLAGS=1 "CC_$name=clang" "AR_$name=llvm-ar" \
        "CFLAGS_$name=$(c_flags "--target=${target}26 -nostdlibinc -isystem '$no_ndk/include'")" \
        cargo rustc --target "$target" "${crate[@]}" --features no-ndk,logcat)
    mkdir -p "$folder/$abi"
    cp "$cargo_out/$target/android/libpostrider_android.so" "$folder/$abi/"
}

# Refuses what a phone would refuse. SYMBOLS: a list of the symbols that a phone has, or nothing.
check_libraries() {
    local folder=$1 symbols=$2 abi
    step "pages of 16 KB, and nothing that API 26 does not have"
    for abi in "${abis[@]}"; do
        cp "$out/jna/jni/$abi/libjnidispatch.so" "$folder/$abi/"
        python3 "$app/tools/elf.py" "$abi" "$folder/$abi/libjnidispatch.so"
        python3 "$app/tools/elf.py" "$abi" "$folder/$abi/libpostrider_android.so" ${symbols:+"$symbols"}
    done
}
