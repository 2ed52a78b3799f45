#!/usr/bin/env bash
# Writes docs/operate/errors.md from the catalogue in src/Primitives/Errors; a test fails while the two differ. Needs the SDK.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
page=$(mktemp)
trap 'rm -f "$page"' EXIT
dotnet run --project src/Ambrosia -c Release -- explain --markdown >"$page"
cp "$page" docs/operate/errors.md
