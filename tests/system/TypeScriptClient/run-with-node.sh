#!/usr/bin/env bash
# The client for TypeScript: its declarations by the real compiler, its runtime, and calls to real processes that are killed. Needs Node.js and npm.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cp "$here/package.json" "$here/package-lock.json" "$work/"
(cd "$work" && npm ci --no-audit --no-fund --silent)
bash "$root/tests/support/run/built.sh" tests/system/TypeScriptClient src/Ambrosia src/ImmortalCoordinator

AMBROSIA_ROOT="$root" AMBROSIA_SCRATCH="$work" node "$here/calls.mjs"
