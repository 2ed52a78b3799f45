#!/usr/bin/env bash
# ambrosia-codegen on a project, through the SDK's own MSBuild: too slow for a unit test.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
project=$here/../MessagePackCorpus/MessagePackCorpus.csproj
passed=0 failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

check() { # SENTENCE COMMAND...
  local sentence=$1
  shift
  if "$@"; then passed=$((passed + 1)); echo "ok      $sentence"; else failed=$((failed + 1)); echo "FAILED  $sentence"; fi
}

dotnet build "$here/../../src/CodeGen.Tool" -c Release -nodereuse:false --nologo -v quiet
tool() { dotnet "$here/../../src/CodeGen.Tool/bin/Release/net8.0/ambrosia-codegen.dll" "$@"; }

cd "$work" # Nothing may depend on the current folder.
check "files are written for a project" tool generate "$project" -o out
check "base class and proxy are among them" grep -q "class OrdersProxy" out/Ambrosia.MessagePackCorpus.IOrders.g.cs
check "formatters are among them" test "$(ls out | wc -l)" -eq 6
check "the contract of a project is written" tool contract "$project" -o contract.txt
check "the contract fits from then on" tool contract "$project" -o contract.txt --check

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
