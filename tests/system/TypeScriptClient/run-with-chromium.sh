#!/usr/bin/env bash
# The client for TypeScript in a real browser, in pages of other origins than the address that they call. Needs Node.js, npm and Chromium.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$browser" ]; then
  echo "FAILED  Chromium is missing; ./test.sh --all installs it"
  echo "0 passed, 1 failed"
  exit 1
fi

cp "$here/package.json" "$here/package-lock.json" "$here"/*.mjs "$work/"
(cd "$work" && npm ci --no-audit --no-fund --silent)
bash "$root/tests/support/run/built.sh" tests/system/TypeScriptClient src/Ambrosia src/ImmortalCoordinator

AMBROSIA_ROOT="$root" AMBROSIA_BROWSER="$browser" AMBROSIA_SCRATCH="$work" node "$work/page.mjs"
