#!/bin/sh
# Publishes the coordinator as a native executable into artifacts/coordinator, and says its size, start time and resident memory.
# Needs the SDK, and a C compiler (clang or gcc) with zlib's headers for linking. For the other processor (linux-arm64 on x64) it needs a cross compiler, and says the size only.
set -eu
cd "$(dirname "$0")/.."
out=${1:-artifacts/coordinator}
machine=linux-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')
runtime=${2:-$machine}

# PublishAot stays off the project file and has a lock file of its own: the compiler package it adds follows the SDK's patch version, and would
# break locked restores on every other SDK. Its intermediate files stay apart for the same reason. Trimming and AOT warnings of our own code are errors.
# Analyzers look at the same code in each ordinary build.
# What is deployed with a runtime inside has one that is supported.
dotnet publish src/ImmortalCoordinator -c Release -p:ExecutableFramework=net10.0 -p:LibraryFrameworks=net10.0 -r "$runtime" -o "$out" --artifacts-path artifacts/aot -nodereuse:false -v quiet \
    -p:PublishAot=true -p:RunAnalyzers=false -p:StripSymbols=true -p:NuGetLockFilePath="$PWD/artifacts/aot/packages.lock.json" -p:RollForward=Disable

executable=$out/Ambrosia.ImmortalCoordinator
size=$(stat -c %s "$executable")
[ "$runtime" = "$machine" ] || { echo "{\"bytes\": $size}"; exit 0; }
scratch=$(mktemp -d)
trap 'kill "$pid" 2>/dev/null || true; rm -rf "$scratch"' EXIT
start=$(date +%s%N)
AMBROSIA_HOME=$scratch "$executable" --instance-name measured --binding-socket "$scratch/app.sock" --admin "unix:$scratch/admin.sock" 2>"$scratch/log" &
pid=$!
while [ ! -S "$scratch/app.sock" ]; do
    kill -0 "$pid" 2>/dev/null || { cat "$scratch/log" >&2; exit 1; }
    sleep 0.002
done
ready=$(date +%s%N)
resident=$(awk '/VmRSS/ { print $2 }' "/proc/$pid/status")
kill "$pid"
wait "$pid"
echo "{\"bytes\": $size, \"startMilliseconds\": $(( (ready - start) / 1000000 )), \"residentKiB\": $resident}"
