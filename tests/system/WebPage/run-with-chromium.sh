#!/usr/bin/env bash
# The page in a real browser, on real processes: the planted bug of samples/TimeTravel, a log of a million messages, hostile strings, an instance at work. Needs Node.js, npm and Chromium.
# Arguments: [messages of the long log] [folder for screenshots]
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
bash "$root/tests/support/run/built.sh" tests/system/WebPage src/Ambrosia samples/TimeTravel

AMBROSIA_ROOT="$root" AMBROSIA_BROWSER="$browser" AMBROSIA_SCRATCH="$work/logs" AMBROSIA_MESSAGES="${1:-1000000}" AMBROSIA_SHOTS="${2:-}" node "$work/page.mjs"
