#!/usr/bin/env bash
# What users do to ship: publish with the runtime inside, carry the folder elsewhere, run it where no .NET is installed.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
passed=0 failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
runtime=linux-$([ "$(uname -m)" = aarch64 ] && echo arm64 || echo x64)

check() { # SENTENCE COMMAND...
  local sentence=$1
  shift
  if "$@"; then passed=$((passed + 1)); echo "ok      $sentence"; else failed=$((failed + 1)); echo "FAILED  $sentence"; fi
}

# A copy, because a runtime identifier changes lock files and outputs.
mkdir "$work/copy"
tar --exclude=bin --exclude=obj --exclude=artifacts --exclude=.git -C "$here/../../.." -cf - . | tar -C "$work/copy" -xf -

publish() { # PROJECT FOLDER
  dotnet publish "$work/copy/$1" -c Release -r "$runtime" --self-contained -o "$work/$2" --nologo -v quiet -nodereuse:false
}

without_dotnet() { env -i HOME="$work" DOTNET_ROOT="$work/nowhere" PATH=/usr/bin:/bin timeout 120 "$@" >"$work/output.txt" 2>&1 || { tail -n 20 "$work/output.txt"; return 1; }; }

check "an app with a coordinator beside it is published" publish samples/HelloWorld hello
check "it runs without .NET, its coordinator too" without_dotnet "$work/hello/HelloWorld"
check "an app that also carries the coordinator inside is published" publish tests/support/EndToEnd.App both
check "the coordinator stands in one place only" test ! -e "$work/both/Ambrosia.ImmortalCoordinator"
check "that coordinator runs without .NET" without_dotnet "$work/both/coordinator/Ambrosia.ImmortalCoordinator" --help

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
