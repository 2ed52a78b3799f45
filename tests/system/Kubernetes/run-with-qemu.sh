#!/usr/bin/env bash
# The images for two processors (platforms.mjs), and the native coordinator for arm64 out of them in an emulator: HelloWorld's apps, which run here and are killed; their coordinators end with them, and are started anew.
# Needs an x86-64 machine with Node.js, gcc-aarch64-linux-gnu and qemu-user-static, and apt-get for arm64's libraries; AMBROSIA_ARM64_ROOT names a folder that has libc and libssl for it already.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

need() { # SENTENCE COMMAND...
  local sentence=$1
  shift
  "$@" >/dev/null 2>&1 || { echo "FAILED  $sentence"; echo "0 passed, 1 failed"; exit 1; }
}

# The libraries of Debian's other processor, into a folder: nothing is installed.
fetch_libraries() {
  local apt=(-o "Dir::State::lists=$work/apt/lists" -o "Dir::Cache=$work/apt/cache" -o "Dir::State::status=$work/apt/status" -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User=root -o Acquire::Retries=3)
  mkdir -p "$work"/apt/{lists,cache/archives}/partial "$work/apt/packages" "$work/arm64-root"
  touch "$work/apt/status"
  apt-get "${apt[@]}" -q update
  (cd "$work/apt/packages" && apt-get "${apt[@]}" -q download libc6 libssl3)
  for package in "$work"/apt/packages/*.deb; do dpkg -x "$package" "$work/arm64-root"; done
}

need "the emulated processor is arm64, so the machine's must be x86-64" test "$(uname -m)" = x86_64
need "the cross compiler is missing: apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross" aarch64-linux-gnu-gcc --version
need "the emulator is missing: apt-get install qemu-user-static" qemu-aarch64-static --version
[ -n "${AMBROSIA_ARM64_ROOT:-}" ] || need "apt-get has no libc6 and libssl3 for arm64: AMBROSIA_ARM64_ROOT names a folder with both" fetch_libraries
export QEMU_LD_PREFIX="${AMBROSIA_ARM64_ROOT:-$work/arm64-root}" AMBROSIA_ROOT="$root"

passed=0 failed=0
check() { # SENTENCE COMMAND...
  local sentence=$1
  shift
  if "$@" >"$work/said.txt" 2>&1; then passed=$((passed + 1)) && echo "ok      $sentence"; else failed=$((failed + 1)) && echo "FAILED  $sentence" && tail -n 20 "$work/said.txt"; fi
}

mkdir "$work/images"
node "$here/platforms.mjs" "$work/images" | tee "$work/platforms.txt" || true
tail -n 1 "$work/platforms.txt" | grep -q ' passed, ' || echo "0 passed, 1 failed" >>"$work/platforms.txt"

printf '#!/bin/sh\nexec qemu-aarch64-static "%s" "$@"\n' "$work/images/arm64" >"$work/coordinator"
chmod +x "$work/coordinator"
version=$(sed -n 's|.*<Version>\(.*\)</Version>.*|\1|p' "$root/Directory.Build.props")
hello() { AMBROSIA_COORDINATOR="$work/coordinator" timeout 120 dotnet run --project "$root/samples/HelloWorld" -c Release --no-build; }
check "the coordinator for arm64 runs in the emulator" sh -c '[ "$("$0" --version)" = "$1" ]' "$work/coordinator" "$version"
check "its apps hear each greeting exactly once, although they are killed, and their coordinators end with them" hello
cp "$work/said.txt" "$work/hello.txt"
check "both instances were recovered from their logs" sh -c 'grep -q "greeter recovered in" "$0" && grep -q "visitor recovered in" "$0"' "$work/hello.txt"

tail -n 1 "$work/platforms.txt" | awk -v passed="$passed" -v failed="$failed" '{ print $1 + passed " passed, " $3 + failed " failed" }'
