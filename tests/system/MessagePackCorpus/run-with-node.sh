#!/usr/bin/env bash
# Our MessagePack bytes against those of @msgpack/msgpack, both ways. Needs Node.js and npm. Arguments: [seed] [values]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
seed=${1:-20240501} values=${2:-3000}
passed=0 failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

check() { # SENTENCE COMMAND...
  local sentence=$1
  shift
  if "$@"; then passed=$((passed + 1)); echo "ok      $sentence"; else failed=$((failed + 1)); echo "FAILED  $sentence (seed $seed)"; fi
}

cp "$here/package.json" "$here/package-lock.json" "$here/compare.mjs" "$work/"
(cd "$work" && npm ci --no-audit --no-fund --silent)
bash "$here/../../support/run/built.sh" tests/system/MessagePackCorpus
ours() { dotnet "$here/bin/Release/net8.0/MessagePackCorpus.dll" "$@"; }
theirs() { (cd "$work" && node compare.mjs "$@"); }

ours write "$work/ours" "$seed" "$values"
theirs reencode "$work/ours" "$work/ours-again"
check "$values values that we wrote are read by @msgpack/msgpack and written byte for byte the same" cmp "$work/ours" "$work/ours-again"

theirs write "$work/theirs" "$seed" "$values"
ours rewrite "$work/theirs" "$work/theirs-again"
check "$values values that @msgpack/msgpack wrote are read by us and written byte for byte the same" cmp "$work/theirs" "$work/theirs-again"

ours write-orders "$work/orders" "$seed" 500
check "an order is a map of its members to another language" theirs shape "$work/orders"
theirs reencode "$work/orders" "$work/orders-again"
check "500 orders of generated formatters are written by @msgpack/msgpack byte for byte the same" cmp "$work/orders" "$work/orders-again"
check "500 orders come back equal from @msgpack/msgpack" ours check-orders "$work/orders-again" "$seed" 500

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
